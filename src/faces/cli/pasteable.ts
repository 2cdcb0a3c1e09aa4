/** Next calls as a shell takes them, so that what a notice or an error names can be pasted back. */

import { shellWord } from '../../text/shell.ts';
import type { Answer } from '../../types/answer.ts';
import { callsOf } from '../../render/named-calls.ts';
import { Held } from './held.ts';
import { inOwnWords } from './own-words.ts';
import type { Typed } from './typed.ts';

type Details = Answer['details'];

/** The notices of an answer, each as its line in the text and as the line that is printed. */
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
 * Paths of several words in quotes, and what was typed with the options that the sentence is about. `calls`: the paths
 * that it names, where they are known.
 */
export function pasteable(
  sentence: string,
  details: Details,
  typed?: Typed,
  calls: readonly string[] = [],
): string {
  const held = new Held();
  const fields = nextFields(details);
  const paths = typed === undefined ? nextCalls(details) : pathsOf(details, fields);
  const quoted = holdCalls(sentence, [...calls, ...paths], held);
  const subject = calls.length > 0 ? quoted : holdSubject(quoted, subjectOf(details, typed), held);
  const worded = typed === undefined ? subject : inOwnWords(subject, typed, fields, held);
  return held.restore(worded).replaceAll(/\bUse read (?=['\w./~])/g, 'Use oriel read ');
}

/**
 * Of a command with its own options: the fields become those, but for the one that is an operand. `oriel call` takes
 * them as they are.
 */
function pathsOf(details: Details, fields: readonly Readonly<Record<string, unknown>>[]): string[] {
  const named = fields.flatMap(({ path, cwd }) => [path, cwd]).filter((path) => typeof path === 'string');
  return [...nextCalls(details).filter((call) => !call.startsWith('{')), ...named];
}

/** Calls that are known, wherever they are in the sentence; the longest first, which may hold others. */
function holdCalls(sentence: string, calls: readonly string[], held: Held): string {
  return [...new Set(calls)]
    .filter((call) => call !== '')
    .sort((a, b) => b.length - a.length)
    .reduce(
      (text, call) => text.replaceAll(behindCall(escaped(call)), () => held.hold(shellWord(call))),
      sentence,
    );
}

/** What was read, with whatever selector follows it: `my file.txt:1` becomes `'my file.txt:1'`. */
function holdSubject(sentence: string, subject: string, held: Held): string {
  if (subject.length < 2) return sentence;
  const call = behindCall(`${escaped(subject)}(?:[:?][^\\s'\\],;)\0]*(?:[^\\s'\\],;.)?\0]|\\.\\.))?`);
  return sentence.replaceAll(call, (found) => held.hold(shellWord(found)));
}

/** What was read; of an error, what was to be read, up to its selector. */
function subjectOf({ source }: Details, typed: Typed | undefined): string {
  if (typeof source === 'string') return source;
  return typed?.name === 'read' ? (typed.operands[0]?.replace(/(?<=.)[:?].*$/s, '') ?? '') : '';
}

/** The pattern as a separate word, not in quotes already. The mark of a question that ends with it is not of it. */
function behindCall(pattern: string): RegExp {
  return new RegExp(`(?<![^\\s(])${pattern}(?=\\??(?:$|[\\s,;.)\\]]))`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Calls that are named by fields of the tool. */
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

/** Every `next` in the details that is a path, or fields as JSON. */
function nextCalls(details: unknown): string[] {
  if (typeof details !== 'object' || details === null) return [];
  return Object.entries(details).flatMap(([key, value]) =>
    key === 'next' && typeof value === 'string' ? [value] : nextCalls(value),
  );
}
