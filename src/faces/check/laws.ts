/** The rules that every answer must satisfy, whatever the call. */

import type { CallOptions } from './case.ts';
import { Broken } from './outcome.ts';
import { type Answer, shows } from './server-answer.ts';
import type { Sandbox } from './sandbox.ts';

/** Maximum bytes of an answer. */
export const MOST_BYTES = 65_536;

/** Maximum milliseconds of a call: a longer one counts as hanging, even on a slow machine. */
export const DEADLINE_MS = 15_000;

/** Maximum megabytes that a call may add to the memory of the server and its children. */
export const MOST_MEMORY_MB = 300;

/** Maximum characters of an error. */
const MOST_ERROR = 1_000;

const STACK = /^[ \t]+at .+:\d+:\d+\)?$|Traceback \(most recent call last\)/m;

export const LEAK = 'the answer holds bytes from outside the root';

/** Throws `Broken`. */
export function holdToLaws(
  answer: Answer,
  { secret, secretName }: Sandbox,
  { anySize, mayName }: CallOptions,
): void {
  const { bytes, isError } = answer;
  const text = answer.text + (answer.structured ?? '');
  // Also spread over lines or blocks.
  if (text.replaceAll('\n', '').includes(secret))
    throw new Broken(LEAK, { answer, text, at: text.indexOf(secret) });
  const at = text.indexOf(secretName);
  if (at !== -1 && mayName === undefined)
    throw new Broken(nameTold(isError, secretName), { answer, text, at });
  if (bytes > MOST_BYTES && anySize === undefined)
    throw new Broken(`the answer has ${bytes} bytes, not at most ${MOST_BYTES}`, { answer });
  if (!answer.text.isWellFormed())
    throw new Broken('the answer is not well-formed text', { answer, at: answer.text.search(/\p{Cs}/u) });
  if (!isError) return;
  const stack = answer.text.search(STACK);
  if (stack !== -1) throw new Broken('the error shows a stack', { answer, at: stack });
  if (answer.text.length > MOST_ERROR)
    throw new Broken(`the error has ${answer.text.length} characters, not at most ${MOST_ERROR}`, { answer });
}

/** A refusal that resolves a link tells what the link points to: nothing is read, but the name is out. */
const nameTold = (isError: boolean, name: string): string =>
  isError
    ? `it was refused, but the error tells a name from outside the root: ${name}`
    : `the answer holds a name from outside the root: ${name}`;

/** For cases that expect an error of one line. Throws `Broken`. */
export function expectOneLine(answer: Answer): void {
  if (!answer.isError) throw new Broken('the answer is not marked as an error', { answer });
  if (answer.text.trim() === '') throw new Broken('the error says nothing', { answer });
  const second = answer.text.trimEnd().indexOf('\n');
  if (second !== -1) throw new Broken('the error has several lines', { answer, at: second });
  expectNoControls(answer);
}

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

export function expectNoControls(answer: Answer): void {
  const at = answer.text.search(CONTROLS);
  if (at !== -1) throw new Broken('the answer holds control characters unescaped', { answer, at });
}

/** For searches that must find something: one of `texts` is in the answer. Throws `Broken`. */
export function expectFound(answer: Answer, ...texts: readonly string[]): void {
  if (answer.isError || !shows(answer, ...texts)) throw new Broken('nothing is found', { answer });
}

/** For cases that expect a refusal. Throws `Broken`. */
export function expectRefused(answer: Answer): void {
  if (!answer.isError) throw new Broken('it was not refused', { answer });
  expectNoControls(answer);
}
