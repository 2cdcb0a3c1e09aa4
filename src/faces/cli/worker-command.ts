/** `oriel worker`: does heavy work for replicas that share a state. */

import { OrielError } from '../../errors.ts';
import { within } from '../../queues/caller.ts';
import type { RunningJobs } from '../../state/run-jobs.ts';
import type { WorkHandler } from '../../types/state.ts';
import { type CliCommand, isWholeBetween, optionNumber } from './options.ts';
import { stateFromOptions, stateOptions } from './server-options.ts';

const MAX_KIND_JOBS = 2;

/** Milliseconds that running jobs have to end after a signal. */
export const WORKER_DRAIN_MS = 20_000;

/** Milliseconds for giving back the jobs that have not ended. */
const GIVING_BACK_MS = 2_000;

const MAX_JOBS_PER_MINUTE = 100_000;

export const workerCommand: CliCommand = {
  name: 'worker',
  operands: '',
  help: 'do heavy work for servers; their documents, images and texts, when started with --workers and the same --state',
  options: [
    {
      name: 'jobs',
      value: 'N',
      help: `jobs of each kind at once, 1 or ${MAX_KIND_JOBS} (default ${MAX_KIND_JOBS}); each may take a core and 1 GiB of memory`,
    },
    {
      name: 'rate',
      value: 'N',
      help: 'jobs of each kind that all workers together begin within a minute (default: any number); give all of them the same',
    },
    {
      name: 'metrics',
      value: 'ADDRESS',
      help: 'answer /healthz and /metrics at HOST:PORT or unix:PATH, without a token',
    },
    ...stateOptions,
  ],
  serves: true,
  async run({ values }, { err, signal }) {
    const jobs =
      optionNumber(values, 'jobs', {
        what: `1 to ${MAX_KIND_JOBS}`,
        example: 1,
        isValid: isWholeBetween(1, MAX_KIND_JOBS),
      }) ?? MAX_KIND_JOBS;
    const perMinute = optionNumber(values, 'rate', {
      what: `1 to ${MAX_JOBS_PER_MINUTE}`,
      example: 60,
      isValid: isWholeBetween(1, MAX_JOBS_PER_MINUTE),
    });
    const [{ createLog }, { createWorkerApp }, { listenFor }, { addressText, parseAddress }] =
      await Promise.all([
        import('../http/metrics.ts'),
        import('../http/worker-app.ts'),
        import('../http/listen.ts'),
        import('../http/guard.ts'),
      ]);
    const [handlers, { openState }, { runJobs }] = await Promise.all([
      workHandlers(),
      import('../../state/open-state.ts'),
      import('../../state/run-jobs.ts'),
    ]);
    const metrics = values['metrics'] as string | undefined;
    const address = metrics === undefined ? undefined : parseAddress(metrics, '--metrics');
    const { state: options } = stateFromOptions(values, (warning) => void err.write(`oriel: ${warning}\n`));
    const state = options && openState({ ...options, workers: true });
    if (!options || !state)
      throw new OrielError(
        'BAD_INPUT',
        'A worker takes its jobs from a shared state. Use --state redis://HOST:PORT --state-key-file FILE.',
      );
    const log = createLog(err);
    state.onChange(({ kind, ...why }) => log(`state-${kind}`, why));
    let running: RunningJobs | undefined;
    const app = createWorkerApp({ jobs: () => running, state: () => state.stats() });
    const serving = address && (await listenFor(app, { address, option: '--metrics' }));
    if (serving) log('listening', { address: addressText(serving.address) });
    // Reports immediately if the store refuses the password or is unavailable; `runJobs` then waits for it.
    await state.connected();
    running = await runJobs({
      url: options.url,
      state,
      handlers,
      jobs,
      perMinute,
      signal,
      log: (ended) => {
        const { event, ...facts } = ended;
        app.ended(ended);
        log(event, { ...facts });
      },
    });
    if (running) {
      log('working', { jobs });
      if (!signal.aborted)
        await new Promise((resolve) => void signal.addEventListener('abort', resolve, { once: true }));
      await within(WORKER_DRAIN_MS, running.close());
      await within(GIVING_BACK_MS, running.giveBack());
    }
    await serving?.close();
    await state.close();
    log('ended');
    await log.flush();
    return 0;
  },
};

/** The jobs that a worker does for replicas. To add one, write a handler and a row here. */
export async function workHandlers(): Promise<readonly WorkHandler[]> {
  const [{ convertJob }, { decodeJob }, { outlineJob }] = await Promise.all([
    import('../../formats/document/convert.ts'),
    import('../../formats/image/decode.ts'),
    import('../../code/parsed.ts'),
  ]);
  return [convertJob, decodeJob, outlineJob];
}
