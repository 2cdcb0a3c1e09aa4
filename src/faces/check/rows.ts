/** A text whose lines contain their numbers, so that an answer can be checked line by line. */

import type { Answer } from './server-answer.ts';
import { Broken } from './outcome.ts';

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

/** The numbers of the whole lines in an answer, in order. Throws `Broken` for a changed line. */
export function shownRows(answer: Answer): readonly number[] {
  return [...answer.text.matchAll(ROW)].map(({ 0: whole, 1: number, index: at }) => {
    if (whole !== row(Number(number)))
      throw new Broken(`line ${Number(number)} is shown with other content`, { answer, at });
    return Number(number);
  });
}

/** Throws `Broken` if a part of a line is shown. */
export function expectWholeRows(answer: Answer): void {
  for (const line of answer.text.split(/\n|\\n/)) {
    const rest = line.replaceAll(ROW, '');
    // Linear, however long a line of letters is.
    if (/row-\d|(?<=[a-z]{12}):end|:[a-z]{24}/.test(rest))
      throw new Broken(`a line is cut: ${JSON.stringify(line.slice(0, 80))}`, {
        answer,
        at: answer.text.indexOf(line),
      });
  }
}
