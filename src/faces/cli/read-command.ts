/** `oriel read`. */

import { OrielError } from '../../errors.ts';
import { oneLine } from '../../text/visible.ts';
import type { Command, ExitCode } from './command.ts';
import { readOptions } from './options.ts';
import { printAnswer } from './print.ts';
import { withTool } from './dialect-tool.ts';

export const readCommand: Command = {
  name: 'read',
  operands: 'PATH…',
  help: 'read files and directories; a path may end in a selector such as :50-100',
  options: readOptions,
  run({ values, operands }, streams) {
    if (operands.length === 0) {
      throw new OrielError(
        'BAD_INPUT',
        'Nothing to read. Use oriel read PATH, or oriel read . for this directory.',
      );
    }
    const asJson = values['json'] === true;
    return withTool('read', values, streams, async (ask) => {
      let worst: ExitCode = 0;
      for (const path of operands) {
        if (operands.length > 1 && !asJson) streams.out.write(`==> ${oneLine(path)} <==\n`);
        const code = printAnswer(await ask({ path }), streams, asJson);
        worst = code > worst ? code : worst;
      }
      return worst;
    });
  },
};
