/** Next calls as a shell takes them, so that what a notice or an error names can be pasted back. */

import { shellWord } from '../../text/shell.ts';
import type { Answer } from '../../types/answer.ts';
import { inOwnWords } from './own-words.ts';
import type { Typed } from './typed.ts';

type Details = Answer['details'];

/** The notices of an answer, each as its line in the text and as the line that is printed. */
export function pasteableNotices(
  { details }: Answer,
  typed?: Typed,
): readonly (readonly [line: string, printed: string])[] {
  const notices = (details['notices'] as readonly { readonly text: string }[] | undefined) ?? [];
  return notices.map(({ text }) => [`[${text}]`, `[${pasteable(text, details, typed)}]`]);
}

/** Paths of several words in quotes, and what was typed with the options that the sentence is about. */
export function pasteable(sentence: string, details: Details, typed?: Typed): string {
  const worded = typed === undefined ? sentence : inOwnWords(sentence, typed, nextFields(details));
  const quoted = quoteSubject(quoteCalls(worded, details), details);
  return quoted.replaceAll(/\bUse read (?=['\w./~])/g, 'Use oriel read ');
}

/** Calls that the details have, wherever they stand in the sentence. */
function quoteCalls(sentence: string, details: Details): string {
  const calls = [...new Set(nextCalls(details))].filter((call) => shellWord(call) !== call);
  return calls
    .sort((a, b) => b.length - a.length)
    .reduce((text, call) => text.replaceAll(behindCall(escaped(call)), () => shellWord(call)), sentence);
}

/** What was read, with whatever selector stands behind it: `my file.txt:1` becomes `'my file.txt:1'`. */
function quoteSubject(sentence: string, details: Details): string {
  const subject = details['source'];
  if (typeof subject !== 'string' || subject.length < 2) return sentence;
  const call = behindCall(`${escaped(subject)}(?:[:?][^\\s'\\],;)]*(?:[^\\s'\\],;.)]|\\.\\.))?`);
  return sentence.replaceAll(call, (found) => shellWord(found));
}

/** The pattern as a word of its own, not in quotes already. */
function behindCall(pattern: string): RegExp {
  return new RegExp(`(?<![^\\s(])${pattern}(?=$|[\\s,;.)\\]])`, 'g');
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
