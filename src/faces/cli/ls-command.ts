/** `oriel ls`. */

import type { Command } from './command.ts';
import { numbersOf, pagingOptions, printList } from './print-list.ts';
import { operandPath } from './operands.ts';
import { callOptions } from './option-table.ts';

const SIZES = 'Use oriel read DIR for sizes and ages, newest first.';

export const lsCommand: Command = {
  name: 'ls',
  operands: '[DIR]',
  help: 'list one directory: / marks directories, @ links',
  options: [...pagingOptions, ...callOptions],
  habits: {
    a: 'default',
    A: 'default',
    1: 'default',
    p: 'default',
    l: `It lists names, dotfiles included. ${SIZES}`,
    s: SIZES,
    t: SIZES,
    R: "Use oriel find '**' DIR for all files below a directory.",
  },
  async run({ values, operands }, streams) {
    const [path] = operands;
    const paging = numbersOf(['limit', 'offset'], values);
    // An empty directory is a result; a page after the last entry is not.
    const found = paging['offset'] ? { found: { fact: 'entries', nothing: '' } } : {};
    const input = { path: path && operandPath(path), ...paging };
    return printList({ name: 'ls', values, operands }, input, streams, found);
  },
};
