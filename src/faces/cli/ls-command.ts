/** `oriel ls`. */

import type { Command } from './command.ts';
import { numbersOf, pagingOptions, printList } from './print-list.ts';
import { callOptions } from './options.ts';

export const lsCommand: Command = {
  name: 'ls',
  operands: '[DIR]',
  help: 'list one directory: / marks directories, @ links',
  options: [...pagingOptions, ...callOptions],
  async run({ values, operands: [path] }, streams) {
    return printList('ls', { path, ...numbersOf(['limit', 'offset'], values) }, values, streams);
  },
};
