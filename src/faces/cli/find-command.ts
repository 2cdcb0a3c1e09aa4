/** Owns `oriel find`. */

import { OrielError } from '../../errors.ts';
import type { Command } from './command.ts';
import { atMost, numbersOf, pagingOptions, runTool } from './run-tool.ts';

const USAGE = "oriel find '**/*.ts' [DIR]";

export const findCommand: Command = {
  name: 'find',
  operands: 'GLOB [DIR]',
  help: 'find files by a glob, sorted, without what .gitignore names',
  options: pagingOptions,
  async run({ values, operands }, streams) {
    const [pattern, path] = operands;
    if (pattern === undefined) throw new OrielError('BAD_INPUT', `No glob was given. Use ${USAGE}.`);
    atMost(2, operands, USAGE);
    const input = { pattern, path, ...numbersOf(['limit', 'offset'], values) };
    return runTool('find', input, values, streams, 'results');
  },
};
