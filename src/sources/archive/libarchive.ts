/** Reads 7z, rar, ar, cpio, rpm, cab and iso with libarchive-wasm, in the worker. The library needs the whole archive in memory. */

import type { LibarchiveWasm } from 'libarchive-wasm';
import { OrielError } from '../../errors.ts';
import { archiveLimits } from './archive-limits.ts';
import type { MemberType } from './container.ts';

/** A member as libarchive reports it; its names are not yet made printable. */
export interface Told {
  readonly name: string;
  readonly type: MemberType;
  readonly size: number;
  readonly link?: string;
  readonly encrypted: boolean;
}

const OUTPUT_BYTES = 64 << 10;
const BATCH = 1_000;

/** File types as in stat(2). */
const TYPES = new Map<number, MemberType>([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
  [0o010000, 'fifo'],
  [0o020000, 'device'],
  [0o060000, 'device'],
]);

/** Yields the members in stored order, in batches. Throws after the last good one. */
export async function* listMembers(size: number, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Told[]> {
  const archive = await Archive.load(size, packed);
  let batch: Told[] = [];
  try {
    for (let told = archive.next(); told; told = archive.next()) {
      batch.push(told);
      if (batch.length === BATCH) yield batch.splice(0);
    }
  } catch (error) {
    yield batch;
    batch = [];
    throw error;
  }
  yield batch;
}

/** Yields the unpacked bytes of the member at `index` (0-based). Throws after the last good byte. */
export async function* readMember(
  size: number,
  index: number,
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const archive = await Archive.load(size, packed);
  for (let at = 0; at <= index; at += 1) {
    if (!archive.next()) throw new OrielError('CORRUPT', 'it is no longer in the archive');
  }
  for (let part = archive.read(); part.length > 0; part = archive.read()) yield part;
}

class Archive {
  readonly #library: LibarchiveWasm;
  readonly #archive: number;
  readonly #output: number;

  private constructor(library: LibarchiveWasm, archive: number) {
    this.#library = library;
    this.#archive = archive;
    this.#output = library.module._malloc(OUTPUT_BYTES);
  }

  static async load(size: number, packed: AsyncIterable<Uint8Array>): Promise<Archive> {
    const { libarchiveWasm } = await import('libarchive-wasm');
    const library = await libarchiveWasm();
    const address = library.module._malloc(size);
    let at = 0;
    for await (const chunk of packed) {
      const part = chunk.subarray(0, size - at);
      library.module.HEAPU8.set(part, address + at);
      at += part.length;
    }
    // Called directly: when this fails, the library's wrapper reads the message from an archive that does not exist.
    const open = library.module.cwrap('archive_read_new_memory', 'number', ['number', 'number', 'string']);
    const archive = Number(open(address, at));
    if (archive === 0) throw new OrielError('CORRUPT', 'its beginning is damaged');
    return new Archive(library, archive);
  }

  /** The next member, or undefined at the end. */
  next(): Told | undefined {
    const library = this.#library;
    const entry = library.read_next_entry(this.#archive);
    this.#bound();
    if (entry === 0) {
      const message = this.#message();
      if (message === '') return undefined;
      throw worded(message);
    }
    const type = TYPES.get(library.entry_filetype(entry)) ?? 'other';
    const link = library.entry_symlink(entry) ?? library.entry_hardlink(entry);
    return {
      name: library.entry_pathname(entry) ?? '',
      type: type === 'file' && link ? 'hardlink' : type,
      size: library.entry_size(entry),
      encrypted: library.entry_is_encrypted(entry) !== 0,
      ...(link ? { link } : {}),
    };
  }

  /** The next bytes of the current member; empty at its end. */
  read(): Uint8Array {
    const library = this.#library;
    try {
      const filled = library.read_data(this.#archive, this.#output, OUTPUT_BYTES);
      return library.module.HEAPU8.subarray(this.#output, this.#output + filled);
    } catch (error) {
      throw worded(error instanceof Error ? error.message : '', error);
    } finally {
      this.#bound();
    }
  }

  /** Throws `LIMIT` if the library has allocated too much. It allocates a dictionary before it uses any of it. */
  #bound(): void {
    if (this.#library.module.HEAPU8.length > archiveLimits.isolatedBytes + archiveLimits.decoderBytes) {
      throw new OrielError('LIMIT', 'it needs more memory to unpack than is allowed');
    }
  }

  #message(): string {
    return this.#library.error_string(this.#archive) ?? '';
  }
}

/** Converts a message of the library to an OrielError. */
function worded(message: string, cause: unknown = new Error(message)): OrielError {
  if (/crypt|passphrase|password/i.test(message))
    return new OrielError('ENCRYPTED', 'it is encrypted', { cause });
  if (/unsupported|not supported/i.test(message)) {
    return new OrielError('UNSUPPORTED', 'its compression method is not supported', { cause });
  }
  if (/bad crc|checksum/i.test(message))
    return new OrielError('CORRUPT', 'its CRC does not match', { cause });
  if (/truncated/i.test(message)) return new OrielError('CORRUPT', 'its packed data ends early', { cause });
  return new OrielError('CORRUPT', 'its packed data is damaged', { cause });
}
