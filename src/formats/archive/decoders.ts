/** The decoders that run in the worker: archives with libarchive, and streams of xz and zstd. */

import { libarchiveWasm } from 'libarchive-wasm';
import * as xz from 'xz-decompress';
import { ZSTDDecoder } from 'zstddec/stream';
import { OrielError } from '../../errors.ts';
import { asset } from '../../files/package-files.ts';
import { archiveLimits } from './limits.ts';
import type { MemberType } from './members.ts';

// 7z, rar, ar, cpio, rpm, cab and iso with libarchive-wasm, which needs the whole archive in memory.

/** A member as libarchive reports it; its names are not yet made printable. */
export interface ReportedMember {
  readonly name: string;
  readonly type: MemberType;
  readonly size: number;
  readonly link?: string | undefined;
  readonly encrypted: boolean;
}

const LIBARCHIVE_OUTPUT_BYTES = 64 << 10;
const LISTED_AT_ONCE = 1_000;

const TYPES = new Map<number, MemberType>([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
  [0o010000, 'fifo'],
  [0o020000, 'device'],
  [0o060000, 'device'],
]);

/** Yields the members in stored order, in batches. Throws after the last good one. */
export async function* listMembers(
  size: number,
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<ReportedMember[]> {
  const archive = await loadArchive(size, packed);
  let batch: ReportedMember[] = [];
  try {
    for (let told = archive.next(); told; told = archive.next()) {
      batch.push(told);
      if (batch.length === LISTED_AT_ONCE) yield batch.splice(0);
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
  const archive = await loadArchive(size, packed);
  for (let at = 0; at <= index; at += 1) {
    if (!archive.next()) throw new OrielError('CORRUPT', 'it is no longer in the archive');
  }
  for (let part = archive.read(); part.length > 0; part = archive.read()) yield part;
}

interface LoadedArchive {
  next(): ReportedMember | undefined;
  /** The next bytes of the current member; empty at its end. */
  read(): Uint8Array;
}

async function loadArchive(size: number, packed: AsyncIterable<Uint8Array>): Promise<LoadedArchive> {
  const library = await libarchiveWasm({ wasmBinary: await asset('wasm/libarchive.wasm') });
  const { module } = library;
  const address = module._malloc(size);
  let at = 0;
  for await (const chunk of packed) {
    const part = chunk.subarray(0, size - at);
    module.HEAPU8.set(part, address + at);
    at += part.length;
  }
  // Called directly: when this fails, the library's wrapper reads the message from an archive that does not exist.
  const open = module.cwrap('archive_read_new_memory', 'number', ['number', 'number', 'string']);
  const archive = Number(open(address, at));
  if (archive === 0) throw new OrielError('CORRUPT', 'its beginning is damaged');
  const output = module._malloc(LIBARCHIVE_OUTPUT_BYTES);
  /** Throws `LIMIT` if the library has allocated too much. It allocates a dictionary before it uses any of it. */
  const bound = (): void => {
    if (module.HEAPU8.length > archiveLimits.isolatedBytes + archiveLimits.decoderBytes)
      throw new OrielError('LIMIT', 'it needs more memory to unpack than is allowed');
  };
  return {
    next() {
      const entry = library.read_next_entry(archive);
      bound();
      if (entry === 0) {
        const message = library.error_string(archive) ?? '';
        if (message === '') return undefined;
        throw libarchiveError(message);
      }
      const type = TYPES.get(library.entry_filetype(entry)) ?? 'other';
      const link = library.entry_symlink(entry) ?? library.entry_hardlink(entry);
      return {
        name: library.entry_pathname(entry) ?? '',
        type: type === 'file' && link ? 'hardlink' : type,
        size: library.entry_size(entry),
        encrypted: library.entry_is_encrypted(entry) !== 0,
        link: link || undefined,
      };
    },
    read() {
      try {
        const filled = library.read_data(archive, output, LIBARCHIVE_OUTPUT_BYTES);
        return module.HEAPU8.subarray(output, output + filled);
      } catch (error) {
        throw libarchiveError(error instanceof Error ? error.message : '', error);
      } finally {
        bound();
      }
    },
  };
}

function libarchiveError(message: string, cause: unknown = new Error(message)): OrielError {
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

// Unpacks xz with xz-decompress 0.2.3 (xz-embedded as WebAssembly). It streams, takes 2.4 s of CPU time for 105 MB of text,
// and refuses dictionaries over 64 MiB before it allocates them.

// A CommonJS bundle whose exports `import` does not detect.
const { XzReadableStream } = (xz as unknown as { default: typeof xz }).default;

/** Result codes of xz-embedded (xz.h, enum xz_ret), as the library gives them in its message. */
const TOO_MUCH_MEMORY = 4;
const UNKNOWN_OPTIONS = 6;
const ENDS_EARLY = 8;

export async function* unxz(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = packed[Symbol.asyncIterator]();
  const input = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await source.next();
        // An empty chunk marks the end of the input; without it the library would use the last chunk again.
        controller.enqueue(step.done ? new Uint8Array(0) : step.value);
      },
    },
    // No read-ahead, because the buffer of a chunk is reused for the next one.
    { highWaterMark: 0 },
  );
  const reader = new XzReadableStream(input).getReader();
  for (;;) {
    const step = await reader.read().catch((error: unknown) => {
      throw xzError(error);
    });
    if (step.done) return;
    if (step.value.length > 0) yield step.value;
  }
}

function xzError(error: unknown): OrielError {
  const code = Number(/error code (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]);
  if (code === TOO_MUCH_MEMORY)
    return new OrielError('LIMIT', 'its xz dictionary is larger than 64 MiB', { cause: error });
  if (code === UNKNOWN_OPTIONS)
    return new OrielError('UNSUPPORTED', 'its xz filters or checks are not supported', { cause: error });
  return new OrielError(
    'CORRUPT',
    code === ENDS_EARLY ? 'its packed data ends early' : 'its packed data is damaged',
    { cause: error },
  );
}

// Unpacks zstd with the official decoder, as WebAssembly from zstddec 0.3.4. Its exports are called directly, because the
// library's own `decodeStreaming` ignores error codes and loops for ever on damaged data. Compared with fzstd 0.1.1 on
// 105 MB of text: 0.6 s of CPU time against 1.7 s; fzstd also allocates a window of 1 GiB if a header asks for it, and
// does not verify checksums. node:zlib has zstd only from Node 22.15 on.

interface Zstd {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
  ZSTD_createDCtx(): number;
  /** Returns 0 at the end of a frame, otherwise a hint of the missing bytes or a negative code. Buffers: address, size, position. */
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

const ZSTD_INPUT_BYTES = 64 << 10;
const ZSTD_OUTPUT_BYTES = 128 << 10;
/** Results from this unsigned number on are error codes. Source: ZSTD_isError, zstd_errors.h. */
const MIN_ZSTD_ERROR_CODE = 2 ** 32 - 120;
const WINDOW_TOO_LARGE = 16;

export async function* unzstd(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const zstd = await loadZstd();
  const context = zstd.ZSTD_createDCtx();
  const input = zstd.malloc(ZSTD_INPUT_BYTES);
  const output = zstd.malloc(ZSTD_OUTPUT_BYTES);
  const inputBuffer = zstd.malloc(12);
  const outputBuffer = zstd.malloc(12);
  let missing = 0;
  for await (const chunk of packed) {
    for (let at = 0; at < chunk.length; at += ZSTD_INPUT_BYTES) {
      const piece = chunk.subarray(at, at + ZSTD_INPUT_BYTES);
      new Uint8Array(zstd.memory.buffer).set(piece, input);
      setBuffer(zstd, inputBuffer, input, piece.length);
      for (let more = true; more;) {
        setBuffer(zstd, outputBuffer, output, ZSTD_OUTPUT_BYTES);
        missing = zstd.ZSTD_decompressStream(context, outputBuffer, inputBuffer) >>> 0;
        // The decoder allocates the window when it has read the header of a frame, before it uses any of it.
        const tooMuch = zstd.memory.buffer.byteLength > archiveLimits.decoderBytes;
        if (missing >= MIN_ZSTD_ERROR_CODE || tooMuch)
          throw zstdError(tooMuch ? WINDOW_TOO_LARGE : 2 ** 32 - missing);
        const filled = position(zstd, outputBuffer);
        if (filled > 0) yield new Uint8Array(zstd.memory.buffer, output, filled);
        // After the end of a frame, a call without input would begin another one.
        const isFull = filled === ZSTD_OUTPUT_BYTES && missing !== 0;
        more = isFull || position(zstd, inputBuffer) < piece.length;
      }
    }
  }
  if (missing !== 0) throw new OrielError('CORRUPT', 'its packed data ends early');
}

/** The library keeps its instance private, but sets it in a method that can be replaced. */
async function loadZstd(): Promise<Zstd> {
  const decoder = new ZSTDDecoder();
  let zstd: Zstd | undefined;
  const init = decoder._init;
  decoder._init = (result) => {
    init(result);
    zstd = result.instance.exports as unknown as Zstd;
  };
  await decoder.init();
  if (!zstd) throw new OrielError('INTERNAL', 'the zstd decoder did not start');
  return zstd;
}

function setBuffer(zstd: Zstd, at: number, address: number, size: number): void {
  const view = new DataView(zstd.memory.buffer, at, 12);
  view.setUint32(0, address, true);
  view.setUint32(4, size, true);
  view.setUint32(8, 0, true);
}

function position(zstd: Zstd, at: number): number {
  return new DataView(zstd.memory.buffer, at, 12).getUint32(8, true);
}

function zstdError(code: number): OrielError {
  if (code === WINDOW_TOO_LARGE)
    return new OrielError('LIMIT', 'its zstd window needs more memory than is allowed');
  return new OrielError('CORRUPT', 'its packed data is damaged');
}
