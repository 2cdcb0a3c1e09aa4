/** Copies a database that is not a local file (such as a member of an archive), so that a worker can read it. */

import { chunksOf } from '../../access/bytes.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Session } from '../../types/session.ts';
import type { Computation, Computed, Kind, Weight } from '../../types/store.ts';
import type { FileRef } from './sqlite-protocol.ts';

/** The most bytes of a copy in memory (shared with the worker); larger copies are on disk. */
const IN_MEMORY = 8 * 1024 * 1024;

const CHUNK = 1024 * 1024;

interface Copy {
  readonly file: FileRef;
  readonly weight: Weight;
  close(): Promise<void>;
}

const copies: Kind<Copy, { size: number }> = {
  name: 'database copy',
  weigh: ({ weight }) => weight,
  mostMemory: 2 * IN_MEMORY,
  dispose: (copy) => copy.close(),
};

/** The copy, valid until the end of the call. It is cached for later calls about the same bytes. */
export async function copyOf({ bytes, size }: OpenedFile, call: Call): Promise<FileRef> {
  const { store } = call.session;
  const make = async ({ source, signal }: Computation): Promise<Computed<Copy>> => {
    const chunks = chunksOf(source, 0, size, CHUNK, signal);
    return {
      value: await (size <= IN_MEMORY ? inMemory(chunks, size) : onDisk(chunks, call.session)),
      keep: true,
    };
  };
  return (await store.get(copies, bytes, { size }, make, call)).file;
}

async function inMemory(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Copy> {
  const content = new Uint8Array(new SharedArrayBuffer(size));
  let at = 0;
  for await (const chunk of chunks) {
    content.set(chunk, at);
    at += chunk.length;
  }
  return { file: { content }, weight: { memory: size }, close: () => Promise.resolve() };
}

async function onDisk(chunks: AsyncIterable<Uint8Array>, session: Session): Promise<Copy> {
  const scratch = await session.scratch();
  let disk = 0;
  try {
    for await (const chunk of chunks) {
      await scratch.append(chunk);
      disk += chunk.length;
    }
    return {
      file: { fd: scratch.fd },
      weight: { memory: 0, disk, descriptors: 1 },
      close: () => scratch.close(),
    };
  } catch (error) {
    await scratch.close();
    throw error;
  }
}
