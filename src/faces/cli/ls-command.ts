/** Owns `oriel ls`. */

import type { Command } from './command.ts';
import { atMost, numbersOf, pagingOptions, runTool } from './run-tool.ts';

export const lsCommand: Command = {
  name: 'ls',
  operands: '[DIR]',
  help: 'list one directory: / marks directories, @ links',
  options: pagingOptions,
  async run({ values, operands }, streams) {
    atMost(1, operands, 'oriel ls [DIR]');
    const [path] = operands;
    return runTool('ls', { path, ...numbersOf(['limit', 'offset'], values) }, values, streams);
  },
};
