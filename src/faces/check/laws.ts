/** The rules that every answer must satisfy, whatever the call. */

import type { CallOptions, Said } from './case.ts';
import { Broken } from './outcome.ts';
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
  said: Said,
  { secret, secretName }: Sandbox,
  { anySize, mayName }: CallOptions,
): void {
  const all = said.text + (said.structured ?? '');
  // Also spread over lines or blocks.
  if (all.replaceAll('\n', '').includes(secret)) throw new Broken(LEAK);
  if (all.includes(secretName) && mayName === undefined)
    throw new Broken('the answer holds a name from outside the root');
  if (said.bytes > MOST_BYTES && anySize === undefined)
    throw new Broken(`the answer has ${said.bytes} bytes, not at most ${MOST_BYTES}`);
  if (!said.text.isWellFormed()) throw new Broken('the answer is not well-formed text');
  if (!said.isError) return;
  if (STACK.test(said.text)) throw new Broken('the error shows a stack');
  if (said.text.length > MOST_ERROR)
    throw new Broken(`the error has ${said.text.length} characters, not at most ${MOST_ERROR}`);
}

/** For cases that expect an error of one line. Throws `Broken`. */
export function expectOneLine(said: Said): void {
  if (!said.isError) throw new Broken('the answer is not marked as an error');
  if (said.text.trim() === '') throw new Broken('the error says nothing');
  if (said.text.trimEnd().includes('\n')) throw new Broken('the error has several lines');
  expectNoControls(said);
}

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

export function expectNoControls(said: Said): void {
  if (CONTROLS.test(said.text)) throw new Broken('the answer holds control characters unescaped');
}

/** For cases that expect a refusal. Throws `Broken`. */
export function expectRefused(said: Said): void {
  if (!said.isError) throw new Broken('it was not refused');
  expectNoControls(said);
}
