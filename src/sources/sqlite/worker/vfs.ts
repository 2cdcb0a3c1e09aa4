/**
 * The file layer (VFS) of SQLite. It can open only the database and its write-ahead log; it cannot write, lock, create or
 * delete. Other requests are answered as on a read-only disk.
 */

import type { Library } from './library.ts';

/** A file that is read synchronously, which is acceptable in a worker. */
export interface ReadableFile {
  size(): number;
  /** Whether reading needs requests to a server. */
  readonly remote?: boolean;
  /** Fills `target` from `offset` and returns the number of bytes read, fewer only at the end. Throws if reading fails. */
  read(target: Uint8Array, offset: number): number;
}

export const VFS_NAME = 'oriel-readonly';
export const DATABASE = 'database';

/** The size of SQLite's `sqlite3_file` in bytes: one pointer to its methods. */
const FILE_STRUCT = 4;

/** Files by the names under which SQLite opens them: `database`, `database-wal`. */
export type Files = ReadonlyMap<string, ReadableFile>;

export class ReadOnlyVfs {
  /** Called before every read; throws or interrupts at the deadline. */
  beforeRead: () => void = () => {};
  /** The number of bytes read, a measure of work that is independent of the machine. */
  bytesRead = 0;

  #files: Files = new Map();
  readonly #opened = new Map<number, ReadableFile>();

  constructor(library: Library) {
    const { capi, wasm } = library;
    const io = new capi.sqlite3_io_methods();
    const vfs = new capi.sqlite3_vfs();
    Object.assign(io, { $iVersion: 1 });
    vfs.$iVersion = 1;
    vfs.$szOsFile = FILE_STRUCT;
    vfs.$mxPathname = 64;
    const nameAt = (pointer: number): string => (pointer === 0 ? '' : (wasm.cstrToJs(pointer) ?? ''));

    library.vfs.installVfs({
      io: {
        struct: io,
        methods: {
          xClose: (file) => {
            this.#opened.delete(file);
            return 0;
          },
          xRead: (file, target, length, offset) => {
            try {
              this.beforeRead();
              this.bytesRead += length;
              const place = wasm.heap8u().subarray(Number(target), Number(target) + length);
              const got = this.#opened.get(file)?.read(place, Number(offset)) ?? 0;
              if (got === length) return 0;
              // SQLite requires zeros in the rest, for example for the header of an empty file.
              place.fill(0, got);
              return capi.SQLITE_IOERR_SHORT_READ;
            } catch {
              return capi.SQLITE_IOERR_READ;
            }
          },
          xFileSize: (file, sizeAt) => {
            try {
              wasm.poke64(sizeAt, BigInt(this.#opened.get(file)?.size() ?? 0));
              return 0;
            } catch {
              return capi.SQLITE_IOERR_FSTAT;
            }
          },
          xWrite: () => capi.SQLITE_READONLY,
          xTruncate: () => capi.SQLITE_READONLY,
          xSync: () => 0,
          xLock: () => 0,
          xUnlock: () => 0,
          xCheckReservedLock: (_file, answerAt) => {
            wasm.poke32(answerAt, 0);
            return 0;
          },
          xFileControl: () => capi.SQLITE_NOTFOUND,
          xSectorSize: () => 4096,
          xDeviceCharacteristics: () => 0,
        },
      },
      vfs: {
        name: VFS_NAME,
        struct: vfs,
        methods: {
          xOpen: (_vfs, name, file, flags, flagsAt) => {
            const found = this.#files.get(nameAt(name));
            if (!found) return capi.SQLITE_CANTOPEN;
            const struct = new capi.sqlite3_file(file);
            struct.$pMethods = io.pointer;
            struct.dispose();
            this.#opened.set(file, found);
            const readOnly = flags & ~(capi.SQLITE_OPEN_READWRITE | capi.SQLITE_OPEN_CREATE);
            if (flagsAt) wasm.poke32(flagsAt, readOnly | capi.SQLITE_OPEN_READONLY);
            return 0;
          },
          xAccess: (_vfs, name, _flags, answerAt) => {
            wasm.poke32(answerAt, this.#exists(nameAt(name)) ? 1 : 0);
            return 0;
          },
          xFullPathname: (_vfs, name, size, target) =>
            wasm.cstrncpy(target, name, size) < size ? 0 : capi.SQLITE_CANTOPEN,
          xDelete: () => capi.SQLITE_IOERR_DELETE,
          xRandomness: (_vfs, length, target) => {
            crypto.getRandomValues(wasm.heap8u().subarray(Number(target), Number(target) + length));
            return length;
          },
          xSleep: () => 0,
          xCurrentTime: (_vfs, target) => {
            // The Julian day number; 2,440,587.5 is 1970-01-01.
            wasm.poke(target, 2_440_587.5 + Date.now() / 86_400_000, 'double');
            return 0;
          },
          xGetLastError: () => 0,
        },
      },
    });
  }

  /** Sets the files for the next connection. */
  serve(files: Files): void {
    this.#files = files;
  }

  #exists(name: string): boolean {
    try {
      return (this.#files.get(name)?.size() ?? 0) > 0;
    } catch {
      return false;
    }
  }
}
