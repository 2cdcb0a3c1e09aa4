/** The source of plain files: stored text that no other source claims. */

import { isCode } from '../../code/languages.ts';
import { OrielError } from '../../errors.ts';
import { foreignName } from '../../files/paths.ts';
import {
  everything,
  FORMS,
  isSelector,
  MAX_SELECTOR_CHARACTERS,
  notASelector,
  parseBehind,
} from '../../selector/selection.ts';
import { readSourceHead } from '../../text/bytes.ts';
import { HEAD_BYTES } from '../../text/encoding.ts';
import type { ByteSource } from '../../types/access.ts';
import type { ContentSource, SourceSubject } from '../../types/call.ts';
import type { Selection, TextEncoding } from '../../types/excerpt.ts';

export const fileSource: ContentSource = {
  format: 'file',
  claims: (subject) => subject.opened.kind === 'file',
  open(subject) {
    if (subject.opened.kind !== 'file') throw new TypeError('claimed a subject that is not a file');
    const { bytes } = subject.opened;
    return Promise.resolve({
      kind: 'text',
      format: 'file',
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
export function selectionOf(
  subject: Pick<SourceSubject, 'typed' | 'rest'>,
  forms = `one of ${FORMS}`,
): Selection {
  if (subject.rest === '') return everything;
  const selection = parseBehind(subject.typed, subject.rest);
  if (selection) return selection;
  const symbol = isCode(subject.typed) ? symbolWritten(subject.rest) : undefined;
  if (symbol !== undefined) return { symbol, typed: symbol };
  const foreign = foreignName(`${subject.typed}:${subject.rest}`, false);
  if (foreign && subject.rest.startsWith(':')) throw foreign;
  if (
    subject.rest.length > MAX_SELECTOR_CHARACTERS &&
    isSelector(subject.rest.slice(0, 100).replace(/,[^,]*$/, ''))
  ) {
    const message = `The selector has ${subject.rest.length} characters; at most ${MAX_SELECTOR_CHARACTERS} are read. Use fewer ranges in one call, and the others in the next.`;
    throw new OrielError('BAD_SELECTOR', message, { next: subject.typed });
  }
  throw notASelector(subject.typed, subject.rest, forms);
}

// Decides whether bytes are text, and gives the media type of binaries.

/** In place of the media type of a binary that has none. */
export const UNKNOWN_BINARY = 'NUL bytes';

/** The media type of a binary by its first bytes; undefined for text. */
export async function typeOfBytes(
  bytes: ByteSource,
  encoding: TextEncoding,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (encoding.unit > 1) return undefined;
  const start = readSourceHead(bytes, signal);
  const head = start instanceof Promise ? await start : start;
  if (!isBinary(head)) return undefined;
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  return type?.mime ?? UNKNOWN_BINARY;
}

/** The common binary formats that may be without NUL at their start: PDF, and archives of `ar`. */
const SIGNATURES = ['%PDF-', '!<arch>\n'].map((signature) => Buffer.from(signature));

/** Whether data that begins with `bytes` is binary: there is a NUL in the first 4 KiB, or it has one of the signatures. */
export function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (head.includes(0)) return true;
  for (const one of SIGNATURES) if (one.equals(head.subarray(0, one.length))) return true;
  return false;
}
