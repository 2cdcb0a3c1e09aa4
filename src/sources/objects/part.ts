/** Validates the reply to a range request: only requested bytes with a stated range are used. */

import type { WebResponse } from '../../access/network/fetch.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

/** Bytes `start` to `end` (exclusive), or the last `last` bytes. */
export type Wanted = { readonly start: number; readonly end: number } | { readonly last: number };

export interface Part {
  /** The offset of the bytes in the object. */
  readonly start: number;
  readonly bytes: Uint8Array;
  /** The size of the object in bytes. */
  readonly size: number;
}

/** The result for a range beyond the end: the size of the object, if the server tells it. */
export interface Beyond {
  readonly size: number | undefined;
}

/** The value of the `Range` header. */
export function rangeOf(wanted: Wanted): string {
  return 'last' in wanted ? `bytes=-${wanted.last}` : `bytes=${wanted.start}-${wanted.end - 1}`;
}

/** The limit for reading a reply: one byte more than requested, to detect a reply that is too long. */
export function bytesOf(wanted: Wanted): number {
  return ('last' in wanted ? wanted.last : wanted.end - wanted.start) + 1;
}

/**
 * The part in a response with status 200, 206 or 416. `name` is the object's name for errors. Throws `CORRUPT` for a part
 * that contradicts its headers, and `UNSUPPORTED` if the server does not support ranges.
 */
export function partOf(response: WebResponse, wanted: Wanted, name: string): Part | Beyond {
  switch (response.status) {
    case 206:
      return partialPart(response, wanted, name);
    case 416:
      return { size: sizeBeyond(response) };
    default:
      return wholePart(response, wanted, name);
  }
}

function partialPart({ headers, body, cut }: WebResponse, wanted: Wanted, name: string): Part {
  const said = headers['content-range'] ?? '';
  const [first, last, size] = numbersIn(/^\s*bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})\s*$/i, said);
  if (first === undefined || last === undefined || size === undefined) {
    throw corrupt(name, `the server does not tell which bytes it sends: ${quote(said).slice(0, 100)}`);
  }
  const from = 'last' in wanted ? Math.max(0, size - wanted.last) : wanted.start;
  const to = 'last' in wanted ? size : wanted.end;
  const fits =
    first === from && last >= first && last < to && last < size && ('end' in wanted || last === size - 1);
  if (!fits) {
    throw corrupt(
      name,
      `bytes ${rangeOf(wanted).slice(6)} were asked for, and the server sends ${quote(said)}`,
    );
  }
  if (cut || body.length !== last - first + 1) {
    throw corrupt(
      name,
      `the server announces ${last - first + 1} bytes and sends ${cut ? 'more' : body.length}`,
    );
  }
  return { start: first, bytes: body, size };
}

/** The server sent the whole object instead of a range, which is acceptable if it is small. */
function wholePart({ headers, body, cut }: WebResponse, wanted: Wanted, name: string): Part {
  const declared = headers['content-length'];
  if (cut) {
    throw new OrielError(
      'UNSUPPORTED',
      `${quote(name)} is not read: its server sends the whole file when a range is requested.`,
    );
  }
  if (declared !== undefined && declared !== String(body.length)) {
    throw corrupt(name, `the server announces ${quote(declared)} bytes and sends ${body.length}`);
  }
  const start = 'last' in wanted ? Math.max(0, body.length - wanted.last) : 0;
  return { start, bytes: body.subarray(start), size: body.length };
}

function sizeBeyond({ headers, body }: WebResponse): number | undefined {
  const [told] = numbersIn(/^\s*bytes \*\/(\d{1,16})\s*$/i, headers['content-range'] ?? '');
  // S3 states the size in the body of the error.
  return told ?? numbersIn(/<ActualObjectSize>(\d{1,16})</, Buffer.from(body).toString('latin1'))[0];
}

function numbersIn(pattern: RegExp, text: string): number[] {
  const numbers = pattern.exec(text)?.slice(1).map(Number) ?? [];
  return numbers.every(Number.isSafeInteger) ? numbers : [];
}

const corrupt = (name: string, why: string): OrielError =>
  new OrielError('CORRUPT', `${quote(name)} is not read: ${why}.`);
