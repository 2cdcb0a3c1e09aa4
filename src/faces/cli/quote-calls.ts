/** Quotes the calls in notices and errors for a shell, so that they can be pasted. */

import { shellWord } from '../../text/shell.ts';
import type { Answer } from '../../types/answer.ts';
import { callsOf } from '../../render/named-calls.ts';
import { Held } from './placeholders.ts';
import { inOwnWords } from './rewrite-messages.ts';
import type { Typed } from './typed-command.ts';

type Details = Answer['details'];

/** The notices of an answer: the line in the text, and the line that is printed instead. */
export function pasteableNotices(
  { details }: Answer,
  typed?: Typed,
): readonly (readonly [line: string, printed: string])[] {
  const notices = (details['notices'] as readonly { readonly text: string }[] | undefined) ?? [];
  return notices.map((notice) => {
    const { text } = notice;
    return [`[${text}]`, `[${pasteable(text, details, typed, callsOf(notice))}]`];
  });
}

/**
 * Quotes paths in a sentence, and rewrites suggested fields to the typed command with options. `calls`: the paths in the
 * sentence, if they are known.
 */
export function pasteable(
  sentence: string,
  details: Details,
  typed?: Typed,
  calls: readonly string[] = [],
): string {
  const held = new Held();
  const fields = nextFields(details);
  const paths = typed === undefined ? nextCalls(details) : [...pathsOf(details, fields), ...readPaths(typed)];
  const quoted = holdCalls(sentence, [...calls, ...paths], held);
  const subject = calls.length > 0 ? quoted : holdSubject(quoted, subjectOf(details, typed), held);
  const worded = typed === undefined ? subject : inOwnWords(subject, typed, fields, held);
  return held.restore(worded).replaceAll(/\bUse read (?=['\w./~])/g, 'Use oriel read ');
}

/** The paths of the suggested calls, from `next` in the details and from their fields. */
function pathsOf(details: Details, fields: readonly Readonly<Record<string, unknown>>[]): string[] {
  const named = fields.flatMap(({ path, cwd }) => [path, cwd]).filter((path) => typeof path === 'string');
  return [...nextCalls(details).filter((call) => !call.startsWith('{')), ...named];
}

/** What was typed to be read, which errors repeat. */
function readPaths({ name, operands }: Typed): readonly string[] {
  return name === 'read' ? operands : [];
}

/** Holds known calls in the sentence; the longest first, because it may contain others. */
function holdCalls(sentence: string, calls: readonly string[], held: Held): string {
  return [...new Set(calls)]
    .filter((call) => call !== '')
    .sort((a, b) => b.length - a.length)
    .reduce(
      (text, call) => text.replaceAll(behindCall(escaped(call)), () => held.hold(shellWord(call))),
      sentence,
    );
}

/** Holds the path that was read, with a following selector: `my file.txt:1` becomes `'my file.txt:1'`. */
function holdSubject(sentence: string, subject: string, held: Held): string {
  if (subject.length < 2) return sentence;
  const call = behindCall(`${escaped(subject)}(?:[:?][^\\s'\\],;)\0]*(?:[^\\s'\\],;.)?\0]|\\.\\.))?`);
  return sentence.replaceAll(call, (found) => held.hold(shellWord(found)));
}

/** The path that was read; for an error, the typed path without its selector. */
function subjectOf({ source }: Details, typed: Typed | undefined): string {
  if (typeof source === 'string') return source;
  return typed?.name === 'read' ? (typed.operands[0]?.replace(/(?<=.)[:?].*$/s, '') ?? '') : '';
}

/** Matches the pattern as a word of its own that is not quoted yet. A following question mark is not part of it. */
function behindCall(pattern: string): RegExp {
  return new RegExp(`(?<![^\\s(])${pattern}(?=\\??(?:$|[\\s,;.)\\]]))`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Suggested calls in the form of fields of the tool. */
function nextFields(details: Details): Record<string, unknown>[] {
  return nextCalls(details).flatMap((call) => {
    if (!call.startsWith('{')) return [];
    try {
      return [JSON.parse(call) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

/** All `next` in the details: paths, or fields as JSON. */
function nextCalls(details: unknown): string[] {
  if (typeof details !== 'object' || details === null) return [];
  return Object.entries(details).flatMap(([key, value]) =>
    key === 'next' && typeof value === 'string' ? [value] : nextCalls(value),
  );
}
