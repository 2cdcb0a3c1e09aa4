/** Owns `oriel bash`. */

import { assemble } from '../../assemble.ts';
import { OrielError } from '../../errors.ts';
import type { Command } from './command.ts';
import { orielOptions } from './options.ts';
import { printAnswer } from './print.ts';
import { progressOn } from './progress.ts';

export const bashCommand: Command = {
  name: 'bash',
  operands: 'COMMAND…',
  help: 'run a command; of a long output its end is shown, and all of it is kept as artifact://N',
  options: [
    {
      name: 'timeout',
      type: 'string',
      value: 'SECONDS',
      help: 'end the command after SECONDS (default 120)',
    },
  ],
  async run({ values, operands }, streams) {
    if (operands.length === 0) {
      throw new OrielError('BAD_INPUT', "Nothing to run. Use oriel bash 'COMMAND'.");
    }
    const oriel = assemble(orielOptions({ ...values, dialect: undefined }));
    const timeout = values['timeout'] as string | undefined;
    const progress = progressOn(streams.err);
    const answer = await oriel.run(
      oriel.tool('bash'),
      { command: operands.join(' '), ...(timeout !== undefined && { timeout: Number(timeout) }) },
      { signal: streams.signal, onProgress: progress.show },
    );
    progress.clear();
    await oriel.session.close();
    return printAnswer(answer, streams, values['json'] === true);
  },
};
