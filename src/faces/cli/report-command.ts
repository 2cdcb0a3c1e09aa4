/** `oriel report`: what a file of telemetry tells, as text or JSON. */

import { OrielError } from '../../errors.ts';
import type { Overview } from '../../telemetry/overview.ts';
import { TaskFigures } from '../../telemetry/task-figures.ts';
import { safeJson } from '../../text/json.ts';
import type { Command } from './command.ts';
import { json } from './options.ts';

/** Tasks of a file that are told apart; what belongs to later ones is counted together. */
const MOST_TASKS = 10_000;

export const reportCommand: Command = {
  name: 'report',
  operands: 'FILE',
  help: 'tell what the telemetry in FILE says: calls, pages, what was read again, and whether larger windows reduced calls',
  options: [json],
  async run({ values, operands: [path] }, { out, signal }) {
    if (path === undefined) {
      throw new OrielError(
        'BAD_INPUT',
        'A report is made of a file that --telemetry FILE wrote. Use oriel report FILE.',
      );
    }
    const [{ readEvents }, { overviewOf }, { reportText }] = await Promise.all([
      import('../../session/telemetry/read-events.ts'),
      import('../../telemetry/overview.ts'),
      import('./report-text.ts'),
    ]);
    const tasks = new Map<string, TaskFigures>();
    const read = await readEvents(
      path,
      (event) => {
        const known = JSON.stringify([event.client, event.task]);
        const key = tasks.has(known) || tasks.size < MOST_TASKS ? known : '';
        let task = tasks.get(key);
        if (!task)
          tasks.set(
            key,
            (task = key === '' ? new TaskFigures('others') : new TaskFigures(event.task, event.client)),
          );
        task.add(event);
      },
      signal,
    );
    const overview: Overview = overviewOf([...tasks.values()]);
    out.write(
      values['json'] === true ? `${safeJson({ ...read, ...overview })}\n` : reportText(read, overview),
    );
    return read.events === 0 ? 1 : 0;
  },
};
