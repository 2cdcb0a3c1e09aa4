/** Shared by `grep`, `find` and `ls`: paging, and the exit code for nothing found. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { ExitCode, Option, Streams, Values } from './command.ts';

import { printAnswer } from './print.ts';
import type { SharedBudget } from './shared-budget.ts';
import { type ToolCommand, withTool } from './dialect-tool.ts';
import type { Typed } from './typed.ts';

export const pagingOptions: readonly Option[] = [
  { name: 'limit', type: 'string', value: 'N', help: 'show N results at most' },
  {
    name: 'offset',
    type: 'string',
    value: 'N',
    help: 'skip the first N results, to continue an earlier answer',
  },
];

export const sortOption: Option = {
  name: 'sort',
  type: 'string',
  value: 'ORDER',
  choices: ['path', 'time'],
  help: 'the order of files: by path, or by time, the newest first',
};

/** How to detect that nothing was found: a count in the details, or the text of the answer. */
export interface Found {
  readonly fact: string;
  readonly nothing: string;
}

/** Prints the answer of a call. With `found`, the exit code is 1 if nothing was found. `budget` is shared by several calls. */
export function printList(
  typed: Typed & { readonly name: ToolCommand },
  input: Readonly<Record<string, unknown>>,
  streams: Streams,
  { found, budget }: { readonly found?: Found; readonly budget?: SharedBudget | undefined } = {},
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
function isNothing({ details, content: [block] }: Answer, { fact, nothing }: Found): boolean {
  if (fact in details) return details[fact] === 0;
  return block?.type === 'text' && block.text.split('\n', 1)[0] === nothing;
}

/** The values of number options, as fields of an input. Throws `BAD_INPUT`. */
export function numbersOf(names: readonly string[], values: Values): Record<string, number> {
  const given = names.filter((name) => values[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, wholeNumber(name, values[name] as string)]));
}

function wholeNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new OrielError('BAD_INPUT', `--${name} takes a whole number, not ${quote(text)}. Use --${name} 100.`);
}

/** The values of the given options, as fields of an input. */
export function given(names: readonly string[], values: Values): Record<string, unknown> {
  const known = names.filter((name) => values[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, values[name]]));
}
