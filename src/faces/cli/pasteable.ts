/** Next calls as a shell takes them, so that what a notice or an error names can be pasted back. */

import { shellWord } from '../../text/shell.ts';
import type { Answer } from '../../types/answer.ts';

type Details = Answer['details'];

/** The notices of an answer, each as its line in the text and as the line that is printed. */
export function pasteableNotices({ details }: Answer): readonly (readonly [line: string, printed: string])[] {
  const notices = (details['notices'] as readonly { readonly text: string }[] | undefined) ?? [];
  return notices.map(({ text }) => [`[${text}]`, `[${pasteable(text, details)}]`]);
}

/** Paths of several words in quotes, offsets as the options that they are here. */
export function pasteable(sentence: string, details: Details): string {
  const quoted = quoteSubject(quoteCalls(sentence, details), details);
  const here = quoted.replaceAll(/\bUse read (?=['\w./~])/g, 'Use oriel read ');
  const isList = ['matches', 'files', 'results', 'entries'].some((fact) => fact in details);
  return isList ? here.replaceAll(/\b(offset|limit)=(\d+)/g, '--$1 $2') : here;
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

/** Every `next` in the details that is a path. */
function nextCalls(details: unknown): string[] {
  if (typeof details !== 'object' || details === null) return [];
  return Object.entries(details).flatMap(([key, value]) =>
    key === 'next' && typeof value === 'string' ? [value] : nextCalls(value),
  );
}
