/** `oriel find`. */

import { OrielError } from '../../errors.ts';
import { NO_FILES, NO_SYMBOLS } from '../../render/list-notices.ts';
import { quote } from '../../text/visible.ts';
import type { Command, Option } from './command.ts';
import { given, numbersOf, pagingOptions, printList, sortOption } from './print-list.ts';
import { operandPath } from './operands.ts';
import { callOptions } from './option-table.ts';

const GLOB_FIRST = "The glob comes first, and only files are found: oriel find '*.ts' DIR.";

const symbolOption: Option = {
  name: 'symbol',
  type: 'string',
  value: 'WORDS',
  help: 'find symbols of code that are about these words instead, the best first: oriel find --symbol "parse header" src',
};

export const findCommand: Command = {
  name: 'find',
  operands: 'GLOB [DIR]',
  help: 'find files by a glob, or symbols by words, without what .gitignore names',
  options: [symbolOption, sortOption, ...pagingOptions, ...callOptions],
  habits: {
    n: GLOB_FIRST,
    i: GLOB_FIRST,
    t: GLOB_FIRST,
    p: GLOB_FIRST,
    m: GLOB_FIRST,
    s: GLOB_FIRST,
    e: GLOB_FIRST,
  },
  async run({ values, operands }, streams) {
    const { symbol } = values;
    const [pattern, path, extra] = symbol === undefined ? operands : [undefined, ...operands];
    if (extra !== undefined) {
      throw new OrielError(
        'BAD_INPUT',
        `There is one operand too many: ${quote(extra)}. Use oriel find --symbol WORDS [DIR].`,
      );
    }
    if (symbol === undefined && pattern === undefined) {
      throw new OrielError('BAD_INPUT', "No glob was given. Use oriel find '**/*.ts' [DIR].");
    }
    const input = {
      ...(pattern !== undefined && { pattern }),
      path: path && operandPath(path),
      ...given(['symbol', 'sort'], values),
      ...numbersOf(['limit', 'offset'], values),
    };
    return printList({ name: 'find', values, operands }, input, streams, {
      found: { fact: 'results', nothing: symbol === undefined ? NO_FILES : NO_SYMBOLS },
    });
  },
};
