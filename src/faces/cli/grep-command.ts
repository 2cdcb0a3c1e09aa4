/** `oriel grep`. */

import { OrielError } from '../../errors.ts';
import { NO_MATCHES } from '../../render/list-notices.ts';
import { oneLine } from '../../text/visible.ts';
import type { Command, ExitCode, Values } from './command.ts';
import { given, numbersOf, pagingOptions, printList, sortOption } from './print-list.ts';
import { operandPath } from './operands.ts';
import { callOptions, display, noCache } from './option-table.ts';
import { SharedBudget } from './shared-budget.ts';
import { keepInput } from './stdin.ts';

export const grepCommand: Command = {
  name: 'grep',
  operands: 'PATTERN [PATH…]',
  help: 'search the lines of files with a regular expression; - is the standard input',
  options: [
    { name: 'ignore-case', type: 'boolean', short: 'i', help: 'ignore case' },
    { name: 'literal', type: 'boolean', short: 'F', help: 'take the pattern as plain text' },
    { name: 'word', type: 'boolean', short: 'w', help: 'match whole words only' },
    { name: 'multiline', type: 'boolean', short: 'U', help: 'let a match go over several lines' },
    { name: 'inside', type: 'boolean', help: 'also inside documents, notebooks, archives and databases' },
    { name: 'glob', type: 'string', short: 'g', value: 'GLOB', help: 'only files that match: *.ts, src/**' },
    {
      name: 'type',
      type: 'string',
      short: 't',
      value: 'TYPE',
      help: "only files of one of ripgrep's types: ts, py",
    },
    { name: 'files', type: 'boolean', short: 'l', help: 'show the paths of files with a match alone' },
    { name: 'count', type: 'boolean', short: 'c', help: 'show how many lines match in each file' },
    { name: 'before', type: 'string', short: 'B', value: 'N', help: 'show N lines before each match' },
    { name: 'after', type: 'string', short: 'A', value: 'N', help: 'show N lines after each match' },
    { name: 'context', type: 'string', short: 'C', value: 'N', help: 'show N lines around each match' },
    sortOption,
    ...pagingOptions,
    ...callOptions,
    display,
    noCache,
  ],
  habits: {
    n: 'default',
    r: 'default',
    R: 'default',
    H: 'default',
    E: 'default',
    P: 'default',
    s: 'default',
    e: 'The pattern is the first operand: oriel grep PATTERN [PATH…].',
    m: 'For the first N matches, use oriel grep --limit N PATTERN.',
    L: "For files without a match, use oriel bash 'grep -L PATTERN FILE'.",
    '-include': "For files of some names, use oriel grep --glob '*.ts' PATTERN.",
    '-max-count': 'For the first N matches, use oriel grep --limit N PATTERN.',
    x: "For whole lines, use oriel grep '^LINE$'.",
    v: "For lines that do not match, use oriel bash 'grep -v PATTERN FILE'.",
    o: "For the matches alone, use oriel bash 'grep -o PATTERN FILE'.",
  },
  async run({ values, operands }, streams) {
    const [pattern, ...paths] = operands;
    if (pattern === undefined) {
      throw new OrielError('BAD_INPUT', 'No pattern was given. Use oriel grep PATTERN [PATH…].');
    }
    const { 'ignore-case': ignoreCase, literal, glob } = values;
    const output = outputOf(values);
    const input = {
      pattern,
      glob,
      ignoreCase,
      literal,
      // Not every dialect has these.
      ...given(['word', 'multiline', 'inside', 'type', 'sort'], values),
      ...(output !== undefined && { output }),
      ...numbersOf(['before', 'after', 'context', 'limit', 'offset'], values),
    };
    const several = paths.length > 1 && values['json'] !== true;
    const budget = several ? new SharedBudget(values, paths.length) : undefined;
    const codes: ExitCode[] = [];
    for (const operand of paths.length === 0 ? [undefined] : paths) {
      if (several) streams.out.write(`==> ${oneLine(operand ?? '')} <==\n`);
      const path = operand === '-' ? await keepInput(operand, values, streams, 'grep PATTERN') : operand;
      const typed = {
        name: 'grep',
        values,
        operands: [pattern, ...(path === undefined ? [] : [path])],
      } as const;
      const searched = { ...input, path: path && operandPath(path) };
      codes.push(await printList(typed, searched, streams, { found: FOUND, budget }));
    }
    return codes.find((code) => code > 1) ?? Math.min(...codes);
  },
};

const FOUND = { fact: 'matches', nothing: NO_MATCHES };

function outputOf({ files, count }: Values): 'files' | 'count' | undefined {
  if (files && count) {
    throw new OrielError(
      'BAD_INPUT',
      '--files and --count exclude each other. Use --count, which shows both.',
    );
  }
  return files ? 'files' : count ? 'count' : undefined;
}
