/** Shared by `grep`, `find` and `ls`: paging, and the exit code for nothing found. */

import { OrielError } from '../../errors.ts';
import { NO_FILES, NO_MATCHES, NO_SYMBOLS } from '../../render/list-notices.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import { keepInput, SharedBudget, type ToolCommand, withTool } from './dialect-tool.ts';
import {
  callOptions,
  deny,
  type CliCommand,
  type CliOption,
  type CliStreams,
  display,
  type ExitCode,
  noCache,
  optionNumber,
  operandPath,
  type OptionValues,
} from './options.ts';
import { printAnswer } from './print.ts';
import type { TypedCommand } from './quote-calls.ts';

const pagingOptions: readonly CliOption[] = [
  { name: 'limit', value: 'N', help: 'show N results at most' },
  {
    name: 'offset',
    value: 'N',
    help: 'skip the first N results, to continue an earlier answer',
  },
];

const sortOption: CliOption = {
  name: 'sort',
  value: 'ORDER',
  choices: ['path', 'time'],
  help: 'the order of files: by path, or by time, the newest first',
};

/** How to detect that nothing was found: a count in the details, or the text of the answer. */
interface EmptyListSign {
  readonly fact: string;
  readonly nothing: string;
}

/** Prints the answer of a call. With `found`, the exit code is 1 if nothing was found. `budget` is shared by several calls. */
function printList(
  typed: TypedCommand & { readonly name: ToolCommand },
  input: Readonly<Record<string, unknown>>,
  streams: CliStreams,
  {
    found,
    budget,
  }: { readonly found?: EmptyListSign | undefined; readonly budget?: SharedBudget | undefined } = {},
): Promise<ExitCode> {
  const { name, values } = typed;
  return withTool(name, budget?.next() ?? values, streams, async (ask) => {
    const answer = await ask(input);
    budget?.spend(answer);
    const code = printAnswer(answer, streams, values['json'] === true, typed);
    return code === 0 && found && isNothing(answer, found) ? 1 : code;
  });
}

/** Some dialects have no count in their details. */
function isNothing({ details, content: [block] }: Answer, { fact, nothing }: EmptyListSign): boolean {
  if (fact in details) return details[fact] === 0;
  return block?.type === 'text' && block.text.split('\n', 1)[0] === nothing;
}

/** The values of number options, as fields of an input. Throws `BAD_INPUT`. */
function numbersOf(names: readonly string[], values: OptionValues): Record<string, number> {
  const kind = { what: 'a whole number', example: 100, isValid: (text: string) => /^\d+$/.test(text) };
  return Object.fromEntries(
    names.flatMap((name) => {
      const number = optionNumber(values, name, kind);
      return number === undefined ? [] : [[name, number]];
    }),
  );
}

function given(names: readonly string[], values: OptionValues): Record<string, unknown> {
  const known = names.filter((name) => values[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, values[name]]));
}

// `oriel grep`.

export const grepCommand: CliCommand = {
  name: 'grep',
  operands: 'PATTERN [PATH…]',
  help: 'search the lines of files with a regular expression; - is the standard input',
  options: [
    { name: 'ignore-case', short: 'i', help: 'ignore case' },
    { name: 'literal', short: 'F', help: 'take the pattern as plain text' },
    { name: 'word', short: 'w', help: 'match whole words only' },
    { name: 'multiline', short: 'U', help: 'let a match go over several lines' },
    { name: 'inside', help: 'also inside documents, notebooks, archives and databases' },
    { name: 'glob', short: 'g', value: 'GLOB', help: 'only files that match: *.ts, src/**' },
    {
      name: 'type',
      short: 't',
      value: 'TYPE',
      help: "only files of one of ripgrep's types: ts, py",
    },
    { name: 'files', short: 'l', help: 'show the paths of files with a match alone' },
    { name: 'count', short: 'c', help: 'show how many lines match in each file' },
    { name: 'before', short: 'B', value: 'N', help: 'show N lines before each match' },
    { name: 'after', short: 'A', value: 'N', help: 'show N lines after each match' },
    { name: 'context', short: 'C', value: 'N', help: 'show N lines around each match' },
    sortOption,
    ...pagingOptions,
    ...callOptions,
    deny,
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
    '-output': 'For paths alone, use oriel grep --files PATTERN; for numbers, oriel grep --count PATTERN.',
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

function outputOf({ files, count }: OptionValues): 'files' | 'count' | undefined {
  if (files && count) {
    throw new OrielError(
      'BAD_INPUT',
      '--files and --count exclude each other. Use --count, which shows both.',
    );
  }
  return files ? 'files' : count ? 'count' : undefined;
}

// `oriel find`.

const GLOB_FIRST = "The glob comes first, and only files are found: oriel find '*.ts' DIR.";

const symbolOption: CliOption = {
  name: 'symbol',
  value: 'WORDS',
  help: 'find symbols of code that are about these words instead, the best first: oriel find --symbol "parse header" src',
};

const sourceOption: CliOption = {
  name: 'source',
  help: 'answer a question with the code of the best symbols, with what calls them and what they call: oriel find --symbol "how are carts priced" --source',
};

export const findCommand: CliCommand = {
  name: 'find',
  operands: 'GLOB [DIR]',
  help: 'find files by a glob, or symbols by words; without what .gitignore names',
  options: [symbolOption, sourceOption, sortOption, ...pagingOptions, ...callOptions, deny],
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
      pattern,
      path: path && operandPath(path),
      ...given(['symbol', 'source', 'sort'], values),
      ...numbersOf(['limit', 'offset'], values),
    };
    return printList({ name: 'find', values, operands }, input, streams, {
      found: { fact: 'results', nothing: symbol === undefined ? NO_FILES : NO_SYMBOLS },
    });
  },
};

// `oriel ls`.

const SIZES = 'Use oriel read DIR for sizes and ages, newest first.';

export const lsCommand: CliCommand = {
  name: 'ls',
  operands: '[DIR]',
  help: 'list one directory: / marks directories, @ links',
  options: [...pagingOptions, ...callOptions, deny],
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
