/** Reads the files of a block in a worker thread: texts are converted to UTF-8; binaries and containers are skipped. */

import { isAscii, isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';
import {
  closeHeld,
  HeldDirectory,
  type HeldFile,
  openHeld,
  readHeld,
  refusalOf,
} from '../../access/held-directory.ts';
import { isBinary } from '../../sources/type-of-bytes.ts';
import { decode, detectEncoding, HEAD_BYTES, utf8 } from '../../text/encoding.ts';
import type { Analyse } from '../../text/guess.ts';
import { declaredEncoding } from '../../text/legacy.ts';
import { encodingOfText } from '../../text/stored-encoding.ts';
import type { Encoding } from '../../types/encoding.ts';
import { isContainer, isContainerName } from './container-names.ts';
import { GapsSeen } from './gaps.ts';
import { NO_GAPS, Pieces, type Post } from './block-pieces.ts';
import { retryOnShortage } from './shortage.ts';
import { Prefilter } from './prefilter.ts';
import { WALKER, type WalkControl } from './walk-control.ts';
import { type Block, type BlockPart, now } from './walk-messages.ts';

/** The most bytes of a file that is read into memory; a larger one is searched through its descriptor. */
const MOST_HELD = 4 << 20;

export class BlockReader {
  readonly #control: WalkControl;
  readonly #thread: number;
  readonly #pieces: Pieces;
  readonly #prefilter: Prefilter | undefined;
  readonly #asStored: boolean;
  readonly #head = Buffer.alloc(HEAD_BYTES);

  /** For `prefilters` see `WalkJob`, for `needle` and `asStored` see `WantedTexts`. */
  constructor(
    control: WalkControl,
    thread: number,
    { needle, prefilters, asStored }: { needle: string | undefined; prefilters: boolean; asStored: boolean },
    post: Post,
  ) {
    this.#control = control;
    this.#thread = thread;
    this.#asStored = asStored;
    this.#pieces = new Pieces(control, thread, needle, post);
    // Only ASCII has the same bytes in all other supported encodings (except UTF-16 and UTF-32).
    const plain = needle === undefined ? '' : longestAscii(needle);
    this.#prefilter = prefilters && plain !== '' ? new Prefilter(Buffer.from(plain)) : undefined;
  }

  /** Closes all large files; the call must not read them any more. */
  close(): void {
    this.#pieces.close();
  }

  read(block: Block): void {
    for (const part of block.parts) {
      if (part.gaps) this.#pieces.leave(part.gaps);
      if (!this.#readPart(part, block)) break;
    }
    this.#pieces.end(block.no);
  }

  /** Returns false after the deadline. */
  #readPart(part: BlockPart, block: Block): boolean {
    if (this.#thread === WALKER) return this.#readNames(part, block);
    const held = retryOnShortage(this.#control, () => HeldDirectory.lent(part.self, part.dev, part.ino));
    if (!held) {
      this.#pieces.leave({ ...NO_GAPS, broken: true });
      return true;
    }
    try {
      return this.#readNames({ ...part, self: held.self }, block);
    } finally {
      held.release();
    }
  }

  #readNames(part: BlockPart, block: Block): boolean {
    const names = this.#mayMatch(part);
    for (let i = 0; i < names.length; i += 1) {
      // The clock is checked only every 16 files, because reading it costs as much as reading a small file.
      if (i % 16 === 0 && now() > block.until) {
        this.#pieces.leave({ ...NO_GAPS, timedOut: true });
        return false;
      }
      this.#readFile(part, names[i] as string, block.no);
    }
    return true;
  }

  /** The names of the files that may match and must be read. */
  #mayMatch({ self, names }: BlockPart): string[] {
    const all = names.split('/');
    const prefilters = this.#prefilter?.isWorthwhile && !/[^\0-\x7f]/.test(names);
    return prefilters ? (this.#prefilter as Prefilter).filter(self, all) : all;
  }

  #readFile(part: BlockPart, name: string, block: number): void {
    let file: HeldFile | undefined;
    try {
      file = this.#open(part, name);
      if (!file || file.size === 0) return;
      if (file.size <= MOST_HELD) this.#take(file, part.front + name, block);
      else if (this.#isText(file, part.front + name)) {
        this.#pieces.lend(file, part.front + name, block);
        file = undefined;
      }
    } catch (error) {
      const gaps = new GapsSeen();
      gaps.refuse(refusalOf(error));
      if (gaps.isNotable) this.#pieces.leave(gaps);
    } finally {
      if (file) closeHeld(file);
    }
  }

  #open({ self, dev }: BlockPart, name: string): HeldFile | undefined {
    try {
      return openHeld(self, dev, name);
    } catch (error) {
      if (refusalOf(error) !== 'shortage') throw error;
      return retryOnShortage(this.#control, () => openHeld(self, dev, name));
    }
  }

  #isText(file: HeldFile, path: string): boolean {
    const head = this.#head.subarray(0, readHeld(file, this.#head, 0, this.#head.length));
    if (this.#passesOver(path, head, file.size)) return false;
    return detectEncoding(head).unit > 1 || !isBinary(head);
  }

  #take(file: HeldFile, path: string, block: number): void {
    const room = this.#pieces.room(file.size, block);
    const bytes = room.subarray(0, readHeld(file, room, 0, file.size));
    if (bytes.length === 0) return;
    if (this.#passesOver(path, bytes, bytes.length)) {
      bytes.fill(0);
      return;
    }
    const binary = isBinary(bytes);
    const mayBeMarked = binary || (bytes[0] as number) >= 0xef;
    const encoding = mayBeMarked ? detectEncoding(bytes.subarray(0, HEAD_BYTES)) : utf8;
    if (encoding.unit === 1 && binary) bytes.fill(0);
    else if (encoding.unit > 1 || encoding.bom > 0) this.#takeUnicode(bytes, encoding, path, block);
    else if (isAscii(bytes) || !this.#takeForeign(bytes, path, block)) this.#pieces.keep(bytes.length, path);
  }

  /** Whether the file is a container, which is skipped. Containers recognised by name are counted by the walk. */
  #passesOver(path: string, bytes: Uint8Array, size: number): boolean {
    if (this.#asStored) return false;
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!isContainer(name, bytes.subarray(0, HEAD_BYTES), size)) return false;
    if (!isContainerName(name)) this.#pieces.leave({ ...NO_GAPS, containers: 1, disguised: [path] });
    return true;
  }

  /** Converts a text in a declared or guessed legacy encoding to UTF-8. Returns false if it is not such a text. */
  #takeForeign(bytes: Buffer, path: string, block: number): boolean {
    if (isUtf8(bytes) && declaredEncoding(bytes) === undefined) return false;
    const encoding = encodingOfText(bytes, library);
    if (!encoding.legacy) return false;
    const text = Buffer.from(decode(bytes, encoding).text);
    this.#takeInPlaceOf(bytes, text, path, block, encoding.known === 'guessed' ? encoding.name : undefined);
    return true;
  }

  /** Removes the byte order mark and converts UTF-16 and UTF-32 to UTF-8. */
  #takeUnicode(bytes: Buffer, encoding: Encoding, path: string, block: number): void {
    const content = bytes.subarray(encoding.bom);
    const text = encoding.unit > 1 ? Buffer.from(decode(content, encoding).text) : Buffer.from(content);
    if (text.length === 0) bytes.fill(0);
    else this.#takeInPlaceOf(bytes, text, path, block);
  }

  /** Replaces `bytes` (the last buffer that `room` gave) by a converted text, which may be longer. */
  #takeInPlaceOf(bytes: Buffer, text: Buffer, path: string, block: number, guessed?: string): void {
    bytes.fill(0);
    this.#pieces.room(text.length, block).set(text);
    this.#pieces.keep(text.length, path, guessed);
  }
}

/** The library that guesses encodings; loaded for the first text that is not UTF-8. */
function library(): Analyse {
  const { analyse } = createRequire(import.meta.url)('chardet') as typeof import('chardet');
  return analyse;
}

function longestAscii(text: string): string {
  return text
    .split(/[^\x00-\x7f]+/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest));
}
