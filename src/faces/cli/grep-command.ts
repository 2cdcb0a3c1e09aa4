/** `oriel grep`. */

import { OrielError } from '../../errors.ts';
import { NO_MATCHES } from '../../render/list-notices.ts';
import type { Command } from './command.ts';
import { numbersOf, pagingOptions, printList } from './print-list.ts';
import { callOptions } from './options.ts';

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
    ...callOptions,
  ],
  async run({ values, operands }, streams) {
    const [pattern, path] = operands;
    if (pattern === undefined) {
      throw new OrielError('BAD_INPUT', 'No pattern was given. Use oriel grep PATTERN [PATH].');
    }
    const { 'ignore-case': ignoreCase, literal, glob } = values;
    const input = {
      pattern,
      path,
      glob,
      ignoreCase,
      literal,
      ...numbersOf(['context', 'limit', 'offset'], values),
    };
    return printList('grep', input, values, streams, { fact: 'matches', nothing: NO_MATCHES });
  },
};
