/** Owns `oriel read`. */

import { assemble } from '../../assemble.ts';
import { OrielError } from '../../errors.ts';
import { oneLine } from '../../text/visible.ts';
import type { Command, ExitCode } from './command.ts';
import { orielOptions } from './options.ts';
import { printAnswer } from './print.ts';
import { progressOn } from './progress.ts';

export const readCommand: Command = {
  name: 'read',
  operands: 'PATH…',
  help: 'read files and directories; a path may end in a selector such as :50-100',
  options: [],
  async run({ values, operands }, streams) {
    const [first] = operands;
    if (first === undefined)
      throw new OrielError(
        'BAD_INPUT',
        'Nothing to read. Use oriel read PATH, or oriel read . for this folder.',
      );
    const oriel = assemble(orielOptions({ ...values, dialect: undefined }));
    const tool = oriel.tool('read');
    let worst: ExitCode = 0;
    for (const path of operands) {
      if (operands.length > 1 && values['json'] !== true) streams.out.write(`==> ${oneLine(path)} <==\n`);
      const progress = progressOn(streams.err);
      const answer = await oriel.run(tool, { path }, { signal: streams.signal, onProgress: progress.show });
      progress.clear();
      const code = printAnswer(answer, streams, values['json'] === true);
      worst = code > worst ? code : worst;
    }
    await oriel.session.close();
    return worst;
  },
};
