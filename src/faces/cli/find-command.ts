/** `oriel find`. */

import { OrielError } from '../../errors.ts';
import { NO_FILES } from '../../render/list-notices.ts';
import type { Command } from './command.ts';
import { numbersOf, pagingOptions, printList } from './print-list.ts';
import { callOptions } from './options.ts';

export const findCommand: Command = {
  name: 'find',
  operands: 'GLOB [DIR]',
  help: 'find files by a glob, sorted, without what .gitignore names',
  options: [...pagingOptions, ...callOptions],
  async run({ values, operands }, streams) {
    const [pattern, path] = operands;
    if (pattern === undefined) {
      throw new OrielError('BAD_INPUT', "No glob was given. Use oriel find '**/*.ts' [DIR].");
    }
    const input = { pattern, path, ...numbersOf(['limit', 'offset'], values) };
    return printList('find', input, values, streams, { fact: 'results', nothing: NO_FILES });
  },
};
