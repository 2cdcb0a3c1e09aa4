/** `oriel report`: the report on a telemetry file, as text or JSON. */

import { OrielError } from '../../errors.ts';
import type { Overview } from '../../telemetry/overview.ts';
import { safeJson } from '../../text/json.ts';
import type { Command } from './command.ts';
import { json } from './option-table.ts';

export const reportCommand: Command = {
  name: 'report',
  operands: 'FILE',
  help: 'tell what the telemetry in FILE says: calls, pages, what was read again, and whether larger windows reduced calls',
  options: [json],
  async run({ values, operands: [path] }, { out, signal }) {
    if (path === undefined) {
      throw new OrielError(
        'BAD_INPUT',
        'No file was given. Use oriel report FILE, with a file that --telemetry FILE wrote.',
      );
    }
    const [{ readEvents }, { NamedTasks }, { overviewOf }, { reportText }] = await Promise.all([
      import('../../session/telemetry/read-events.ts'),
      import('../../telemetry/named-tasks.ts'),
      import('../../telemetry/overview.ts'),
      import('./report-text.ts'),
    ]);
    const tasks = new NamedTasks();
    const { events, skipped } = await readEvents(path, (event) => void tasks.add(event), signal);
    const { withoutReads } = tasks;
    const read = { events, skipped, ...(withoutReads > 0 && { withoutReads }) };
    const overview: Overview = overviewOf(tasks.all);
    out.write(
      values['json'] === true ? `${safeJson({ ...read, ...overview })}\n` : reportText(read, overview),
    );
    return read.events === 0 ? 1 : 0;
  },
};
