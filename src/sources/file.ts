/** The source of plain files: stored text that no other source claims. */

import { foreignName } from '../access/paths.ts';
import { OrielError } from '../errors.ts';
import { notASelector } from '../selector/not-a-selector.ts';
import { everything, FORMS, isSelector, MOST_SELECTOR, parseBehind } from '../selector/selection.ts';
import type { Subject } from '../types/resource.ts';
import type { Selection } from '../types/selection.ts';
import type { Source } from '../types/source.ts';
import { isCode } from '../views/languages.ts';

export const fileSource: Source = {
  kind: 'file',
  claims: (subject) => subject.opened.is === 'file',
  open(subject) {
    if (subject.opened.is !== 'file') throw new TypeError('claimed a subject that is not a file');
    const { bytes } = subject.opened;
    return Promise.resolve({
      is: 'text',
      kind: 'file',
      bytes,
      encoding: 'stored',
      selection: selectionOf(subject),
      target: subject.typed,
      name: subject.name,
      display: 'lines',
      editable: true,
    });
  },
};

/** A symbol after the path of a code file, in the forms `Server.start`, `:Server::start` (test runners), `start()`. */
function symbolWritten(rest: string): string | undefined {
  const name = /^:?([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*)(?:\(\))?$/u.exec(
    rest,
  )?.[1];
  return name?.replace(/::|#/g, '.');
}

/** Parses the rest of a subject as a generic selector. Throws `BAD_SELECTOR` if it is not one; its error names `forms`. */
export function selectionOf(subject: Pick<Subject, 'typed' | 'rest'>, forms = `one of ${FORMS}`): Selection {
  if (subject.rest === '') return everything;
  const selection = parseBehind(subject.typed, subject.rest);
  if (selection) return selection;
  const symbol = isCode(subject.typed) ? symbolWritten(subject.rest) : undefined;
  if (symbol !== undefined) return { symbol, typed: `#${symbol}` };
  const foreign = foreignName(`${subject.typed}:${subject.rest}`, false);
  if (foreign && subject.rest.startsWith(':')) throw foreign;
  if (subject.rest.length > MOST_SELECTOR && isSelector(subject.rest.slice(0, 100).replace(/,[^,]*$/, ''))) {
    const message = `The selector has ${subject.rest.length} characters; at most ${MOST_SELECTOR} are read. Use fewer ranges in one call, and the others in the next.`;
    throw new OrielError('BAD_SELECTOR', message, { next: subject.typed });
  }
  throw notASelector(subject.typed, subject.rest, forms);
}
