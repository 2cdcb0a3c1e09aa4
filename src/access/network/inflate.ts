/** Decodes `Content-Encoding: deflate`, which servers send with a zlib header, as the standard says, or without. */

import { Duplex, pipeline, Readable } from 'node:stream';
import { createInflate, createInflateRaw } from 'node:zlib';

export function createAnyInflate(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const pieces = source[Symbol.asyncIterator]();
    const first = await pieces.next();
    if (first.done === true) return;
    const all = async function* (): AsyncGenerator<Buffer> {
      yield first.value;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    };
    const inflate = hasHeader(first.value) ? createInflate() : createInflateRaw();
    pipeline(Readable.from(all()), inflate, () => undefined);
    yield* inflate;
  });
}

/** The low four bits are the method, which is always 8. Source: RFC 1950. */
function hasHeader([first = 0]: Buffer): boolean {
  return (first & 0x0f) === 8;
}
