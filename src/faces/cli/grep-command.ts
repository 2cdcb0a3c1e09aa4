/** Owns `oriel grep`. */

import { OrielError } from '../../errors.ts';
import type { Command } from './command.ts';
import { atMost, numbersOf, pagingOptions, runTool } from './run-tool.ts';

const USAGE = 'oriel grep PATTERN [PATH]';

export const grepCommand: Command = {
  name: 'grep',
  operands: 'PATTERN [PATH]',
  help: 'search the lines of files with a regular expression',
  options: [
    { name: 'ignore-case', type: 'boolean', short: 'i', help: 'ignore case' },
    { name: 'literal', type: 'boolean', short: 'F', help: 'take the pattern as plain text' },
    { name: 'glob', type: 'string', short: 'g', value: 'GLOB', help: 'only files that match: *.ts, src/**' },
    { name: 'context', type: 'string', short: 'C', value: 'N', help: 'show N lines around each match' },
    ...pagingOptions,
  ],
  async run({ values, operands }, streams) {
    const [pattern, path] = operands;
    if (pattern === undefined) throw new OrielError('BAD_INPUT', `No pattern was given. Use ${USAGE}.`);
    atMost(2, operands, USAGE);
    const { 'ignore-case': ignoreCase, literal, glob } = values;
    const input = {
      pattern,
      path,
      glob,
      ignoreCase,
      literal,
      ...numbersOf(['context', 'limit', 'offset'], values),
    };
    return runTool('grep', input, values, streams, 'matches');
  },
};
