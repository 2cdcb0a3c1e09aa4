/** The result of a conversion: in memory if it is small, otherwise in a private file. */

import { readAt } from '../../access/bytes.ts';
import type { Identity } from '../../identity.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { ScratchFile } from '../../types/session.ts';
import type { Weight } from '../../types/store.ts';
import type { Body } from './document-protocol.ts';

/** The most bytes of a body in memory; larger ones go into a file, because a process reads many documents. */
export const MOST_IN_MEMORY = 1 << 20;

export function bodyOf({
  body,
  file,
}: {
  readonly body: Buffer;
  readonly file?: ScratchFile & { readonly bytes: number };
}): Body {
  if (file) return fileBody(file, file.bytes);
  return {
    bytes: body.length,
    readInto(target, offset) {
      return Promise.resolve(body.copy(target, 0, offset));
    },
  };
}

export function fileBody(file: ScratchFile, bytes: number): Body {
  const uses: Promise<void>[] = [];
  return {
    bytes,
    fd: file.fd,
    readInto: (target, offset) => file.readInto(target, offset),
    until: (use) => void uses.push(use),
    async close() {
      await Promise.all(uses);
      await file.close();
    },
  };
}

/** Stores bytes as a body: in memory if they are few, otherwise in a file. */
export async function storedBody(body: Buffer, open: () => Promise<ScratchFile>): Promise<Body> {
  if (body.length <= MOST_IN_MEMORY) return bodyOf({ body });
  const file = await open();
  try {
    await file.append(body);
  } catch (error) {
    await file.close();
    throw error;
  }
  return fileBody(file, body.length);
}

export function weightOf({ bytes, close }: Body): Weight {
  return close ? { memory: 4096, disk: bytes, descriptors: 1 } : { memory: bytes + 4096 };
}

export function sourceOf(body: Body, identity: Identity): ByteSource {
  return { size: body.bytes, identity, readInto: (target, offset) => body.readInto(target, offset) };
}

/** Reads a complete body into memory: for pictures, and for results that a worker sends. */
export async function contentOf(body: Body, identity: Identity): Promise<Uint8Array> {
  return readAt(sourceOf(body, identity), 0, body.bytes);
}
