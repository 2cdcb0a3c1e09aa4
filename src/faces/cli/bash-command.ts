/** `oriel bash`. */

import { OrielError } from '../../errors.ts';
import type { Command } from './command.ts';
import { callOptions } from './options.ts';
import { printAnswer } from './print.ts';
import { withTool } from './dialect-tool.ts';

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
    ...callOptions,
  ],
  run({ values, operands }, streams) {
    if (operands.length === 0) {
      throw new OrielError('BAD_INPUT', "Nothing to run. Use oriel bash 'COMMAND'.");
    }
    const timeout = values['timeout'] as string | undefined;
    const input = {
      command: operands.join(' '),
      ...(timeout !== undefined && { timeout: Number(timeout) }),
    };
    return withTool('bash', values, streams, async (ask) =>
      printAnswer(await ask(input), streams, values['json'] === true),
    );
  },
};
