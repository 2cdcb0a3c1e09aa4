/** `oriel report`: the report on a telemetry file, as text or JSON. */

import { OrielError } from '../../errors.ts';
import type { TasksOverview } from '../../telemetry/report.ts';
import { safeJson } from '../../text/visible.ts';
import { type CliCommand, jsonOption } from './options.ts';

export const reportCommand: CliCommand = {
  name: 'report',
  operands: 'FILE',
  help: 'tell what the telemetry in FILE says: calls, pages, what was read again, and whether larger windows reduced calls',
  options: [jsonOption],
  async run({ values, operands: [path] }, { out, signal }) {
    if (path === undefined) {
      throw new OrielError(
        'BAD_INPUT',
        'No file was given. Use oriel report FILE, with a file that --telemetry FILE wrote.',
      );
    }
    const [{ EventFile }, { overviewOf }, { formatTaskReport: reportText }] = await Promise.all([
      import('../../telemetry/event-file.ts'),
      import('../../telemetry/report.ts'),
      import('./report-text.ts'),
    ]);
    const file = await EventFile.open(path, 'oriel report FILE', 0);
    try {
      await file.read(signal);
    } finally {
      await file.close();
    }
    const { events, skipped, withoutReads } = file.state;
    const read = { events, skipped, withoutReads: withoutReads > 0 ? withoutReads : undefined };
    const overview: TasksOverview = overviewOf(file.figures);
    out.write(
      values['json'] === true ? `${safeJson({ ...read, ...overview })}\n` : reportText(read, overview),
    );
    return read.events === 0 ? 1 : 0;
  },
};
