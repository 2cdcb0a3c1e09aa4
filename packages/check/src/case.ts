/** The interface of a hostile case of `oriel check`. The cases are in `cases/`, each with a row in its table. */

import { BrokenLaw, type ServerAnswer, shows } from './outcome.ts';
import type { ToolRole } from './roles.ts';
import type { CheckSandbox } from './sandbox.ts';

export type CheckLaw = 'bounded' | 'lines' | 'continuation' | 'walls' | 'hangs' | 'memory' | 'errors';

/** The server under test. Every answer is checked against the rules below; `call` throws `BrokenLaw` for a violation. */
export interface ServerUnderTest {
  readonly roles: Readonly<Partial<Record<ToolRole, unknown>>>;
  /** `more`: further arguments, or replacements of the usual ones. */
  call(role: ToolRole, path: string, more?: CaseCallOptions): Promise<ServerAnswer>;
  /** The arguments of the call that an answer names as the next one; undefined if it names none. */
  next(
    role: ToolRole,
    path: string,
    answer: ServerAnswer,
  ): { readonly path: string; readonly more: CaseCallOptions } | undefined;
}

export interface CaseCallOptions {
  readonly pattern?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Do not check the size of the answer in this case. */
  readonly anySize?: true | undefined;
  /** The answer may contain the name of the secret file, because a file inside has the same name. */
  readonly mayName?: true | undefined;
}

export interface HostileCase {
  readonly id: string;
  readonly law: CheckLaw;
  /** What the case tries. */
  readonly title: string;
  /** The required tool. */
  readonly role: ToolRole;
  /** The case itself changes files while they are read. */
  readonly changes?: true | undefined;
  /** Creates its files. Throws `SkippedCase` if the case cannot be tried on this machine. */
  prepare?(sandbox: CheckSandbox): Promise<void> | void;
  /** Throws `BrokenLaw` with the reason, or `SkippedCase` if the case does not apply. */
  run(server: ServerUnderTest, sandbox: CheckSandbox): Promise<void>;
}

// The rules that every answer must satisfy, whatever the call.

/** Maximum bytes of an answer. */
const MAX_CHECKED_ANSWER_BYTES = 65_536;

/** Maximum milliseconds of a call: a longer one counts as hanging, even on a slow machine. */
export const DEADLINE_MS = 15_000;

/** Maximum megabytes that a call may add to the memory of the server and its children. */
export const MAX_MEMORY_MB = 300;

/** Maximum characters of an error. */
const MAX_ERROR_CHARACTERS = 1_000;

const STACK = /^[ \t]+at .+:\d+:\d+\)?$|Traceback \(most recent call last\)/m;

export const LEAK = 'the answer holds bytes from outside the root';

/** Throws `BrokenLaw`. */
export function holdToLaws(
  answer: ServerAnswer,
  { secret, secretName }: CheckSandbox,
  { anySize, mayName }: CaseCallOptions,
): void {
  const { bytes, isError } = answer;
  const text = answer.text + (answer.structured ?? '');
  // Also spread over lines or blocks.
  if (text.replaceAll('\n', '').includes(secret))
    throw new BrokenLaw(LEAK, { answer, text, at: text.indexOf(secret) });
  const at = text.indexOf(secretName);
  if (at !== -1 && mayName === undefined)
    throw new BrokenLaw(nameTold(isError, secretName), { answer, text, at });
  if (bytes > MAX_CHECKED_ANSWER_BYTES && anySize === undefined)
    throw new BrokenLaw(`the answer has ${bytes} bytes, not at most ${MAX_CHECKED_ANSWER_BYTES}`, { answer });
  if (!answer.text.isWellFormed())
    throw new BrokenLaw('the answer is not well-formed text', { answer, at: answer.text.search(/\p{Cs}/u) });
  if (!isError) return;
  const stack = answer.text.search(STACK);
  if (stack !== -1) throw new BrokenLaw('the error shows a stack', { answer, at: stack });
  if (answer.text.length > MAX_ERROR_CHARACTERS)
    throw new BrokenLaw(
      `the error has ${answer.text.length} characters, not at most ${MAX_ERROR_CHARACTERS}`,
      { answer },
    );
}

/** A refusal that resolves a link tells what the link points to: nothing is read, but the name is out. */
const nameTold = (isError: boolean, name: string): string =>
  isError
    ? `it was refused, but the error tells a name from outside the root: ${name}`
    : `the answer holds a name from outside the root: ${name}`;

/** For cases that expect an error of one line. Throws `BrokenLaw`. */
export function expectOneLine(answer: ServerAnswer): void {
  if (!answer.isError) throw new BrokenLaw('the answer is not marked as an error', { answer });
  if (answer.text.trim() === '') throw new BrokenLaw('the error says nothing', { answer });
  const second = answer.text.trimEnd().indexOf('\n');
  if (second !== -1) throw new BrokenLaw('the error has several lines', { answer, at: second });
  expectNoControls(answer);
}

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

export function expectNoControls(answer: ServerAnswer): void {
  const at = answer.text.search(CONTROLS);
  if (at !== -1) throw new BrokenLaw('the answer holds control characters unescaped', { answer, at });
}

/** For searches that must find something: one of `texts` is in the answer. Throws `BrokenLaw`. */
export function expectFound(answer: ServerAnswer, ...texts: readonly string[]): void {
  if (answer.isError || !shows(answer, ...texts)) throw new BrokenLaw('nothing is found', { answer });
}

/** For cases that expect a refusal. Throws `BrokenLaw`. */
export function expectRefused(answer: ServerAnswer): void {
  if (!answer.isError) throw new BrokenLaw('it was not refused', { answer });
  expectNoControls(answer);
}

// A text whose lines contain their numbers, so that an answer can be checked line by line.

const FILLER = 'abcdefghijklmnopqrstuvwxyz';
const ROW = /row-(\d{6}):([a-z]{26}):end/g;

/** `row-000001:bcdef…:end`; the filler differs from line to line. */
export function row(number: number): string {
  const turn = number % FILLER.length;
  return `row-${String(number).padStart(6, '0')}:${FILLER.slice(turn)}${FILLER.slice(0, turn)}:end`;
}

export function rows(count: number): string {
  return Array.from({ length: count }, (_, i) => `${row(i + 1)}\n`).join('');
}

/** The numbers of the whole lines in an answer, in order. Throws `BrokenLaw` for a changed line. */
export function shownRows(answer: ServerAnswer): readonly number[] {
  return [...answer.text.matchAll(ROW)].map(({ 0: whole, 1: number, index: at }) => {
    if (whole !== row(Number(number)))
      throw new BrokenLaw(`line ${Number(number)} is shown with other content`, { answer, at });
    return Number(number);
  });
}

/** Throws `BrokenLaw` if a part of a line is shown. */
export function expectWholeRows(answer: ServerAnswer): void {
  for (const line of answer.text.split(/\n|\\n/)) {
    const rest = line.replaceAll(ROW, '');
    // Linear, however long a line of letters is.
    if (/row-\d|(?<=[a-z]{12}):end|:[a-z]{24}/.test(rest))
      throw new BrokenLaw(`a line is cut: ${JSON.stringify(line.slice(0, 80))}`, {
        answer,
        at: answer.text.indexOf(line),
      });
  }
}
