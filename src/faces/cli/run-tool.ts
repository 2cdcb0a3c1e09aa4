/** Owns what the commands share that are one call of one tool of the default dialect. */

import { assemble } from '../../assemble.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { ExitCode, Streams } from './command.ts';
import { type Option, orielOptions, type Values } from './options.ts';
import { printAnswer } from './print.ts';
import { progressOn } from './progress.ts';

export const pagingOptions: readonly Option[] = [
  { name: 'limit', type: 'string', value: 'N', help: 'the most of them in this answer' },
  {
    name: 'offset',
    type: 'string',
    value: 'N',
    help: 'leave out the first N, to go on from an earlier answer',
  },
];

/** Runs the tool and prints its answer. `counted` is the fact in the details that tells whether anything was found. */
export async function runTool(
  name: string,
  input: Readonly<Record<string, unknown>>,
  values: Values,
  streams: Streams,
  counted?: string,
): Promise<ExitCode> {
  const oriel = assemble(orielOptions({ ...values, dialect: undefined }));
  const progress = progressOn(streams.err);
  const options = { signal: streams.signal, onProgress: progress.show };
  const answer = await oriel.run(oriel.tool(name), input, options);
  progress.clear();
  await oriel.session.close();
  const code = printAnswer(answer, streams, values['json'] === true);
  return code === 0 && counted !== undefined && answer.details[counted] === 0 ? 1 : code;
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

/** Throws `BAD_INPUT` where there are more operands than the command takes. */
export function atMost(count: number, operands: readonly string[], usage: string): void {
  if (operands.length <= count) return;
  const extra = operands[count] as string;
  throw new OrielError('BAD_INPUT', `There is one operand too many: ${quote(extra)}. Use ${usage}.`);
}
