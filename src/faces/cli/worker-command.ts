/** `oriel worker`: does the heavy work of replicas that share a state. */

import { convertJob } from '../../sources/document/convert-job.ts';
import { OrielError } from '../../errors.ts';
import { openState } from '../../state/open-state.ts';
import { runJobs } from '../../state/run-jobs.ts';
import { quote } from '../../text/visible.ts';
import type { Command, Values } from './command.ts';
import { stateOf, stateOptions } from './state-options.ts';

/** Documents that are converted at once in a process. */
const MOST_JOBS = 2;

/** Milliseconds in which the jobs that run may end, after a signal. */
const DRAIN_MS = 20_000;

export const workerCommand: Command = {
  name: 'worker',
  operands: '',
  help: 'convert documents for servers that were started with --workers on the same --state',
  options: [
    {
      name: 'jobs',
      type: 'string',
      value: 'N',
      help: `jobs at once, 1 or ${MOST_JOBS} (default ${MOST_JOBS}); each may take a core and 1 GiB of memory`,
    },
    ...stateOptions,
  ],
  serves: true,
  async run({ values }, { err, signal }) {
    const jobs = jobsOf(values);
    const { createLog } = await import('../http/log.ts');
    const { state: options } = stateOf(values, (warning) => void err.write(`oriel: ${warning}\n`));
    const state = options && openState({ ...options, workers: true });
    if (!options || !state)
      throw new OrielError(
        'BAD_INPUT',
        'A worker takes its jobs from a shared state. Use --state redis://HOST:PORT --state-key-file FILE.',
      );
    const log = createLog(err);
    state.onChange((up, why) => (up ? log('state-back') : log('state-away', { why })));
    const running = await runJobs({
      url: options.url,
      state,
      handlers: [convertJob],
      jobs,
      log: ({ event, ...facts }) => log(event, { ...facts }),
    });
    log('working', { jobs });
    if (!signal.aborted)
      await new Promise((resolve) => void signal.addEventListener('abort', resolve, { once: true }));
    await within(DRAIN_MS, running.close());
    await state.close();
    log('ended');
    await log.flush();
    return 0;
  },
};

function jobsOf({ jobs }: Values): number {
  if (jobs === undefined) return MOST_JOBS;
  const count = Number(jobs);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_JOBS) return count;
  throw new OrielError('BAD_INPUT', `${quote(String(jobs))} is not 1 to ${MOST_JOBS}. Use --jobs 1.`);
}

/** What has not ended by then ends with the process. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => void (timer = setTimeout(resolve, ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
