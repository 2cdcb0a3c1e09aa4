/** Reads the files of a block in a worker thread: texts are packed into pieces, binaries are skipped. */

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
import { decode, detectEncoding } from '../../text/encoding.ts';
import type { Analyse } from '../../text/guess.ts';
import { declaredEncoding } from '../../text/legacy.ts';
import type { Encoding } from '../../types/encoding.ts';
import type { Gaps } from '../../types/result.ts';
import { encodingOfText } from '../../text/stored-encoding.ts';
import { HEAD_BYTES, isContainer, isContainerName } from './container-names.ts';
import { GapsSeen } from './gaps.ts';
import { whenThereAre } from './shortage.ts';
import { Sieve } from './sift.ts';
import { WALKER, type WalkControl } from './walk-control.ts';
import { type Block, type BlockPart, now, type WalkMessage } from './walk-messages.ts';

/** Bytes of one piece, unless one file is larger. */
const PIECE = 1 << 20;

/** A larger file is searched where it lies. */
const MOST_HELD = 4 << 20;

/** Bytes that one thread may have sent and nobody has used. The call needs less before it uses what it has. */
const MOST_UNREAD_KIB = 40 << 10;

/** Large files that one thread holds open. */
const MOST_LARGE = 4;

/** A file with a NUL byte in so many of its first bytes is no text, and neither is a PDF. */
const BINARY_BYTES = 64 << 10;

/** Bytes by which a PDF is known. */
const MAGIC_BYTES = 5;

interface Piece {
  /** Zeros behind what is used. */
  readonly bytes: Buffer<ArrayBuffer>;
  used: number;
  paths: string[];
  ends: number[];
  guessed: Record<number, string>;
}

export class BlockReader {
  readonly #control: WalkControl;
  readonly #thread: number;
  readonly #post: (message: WalkMessage, transfer?: ArrayBuffer[]) => void;
  /** Pieces without it are not sent. */
  readonly #needle: Buffer | undefined;
  readonly #sieve: Sieve | undefined;
  readonly #asStored: boolean;
  readonly #head = Buffer.alloc(BINARY_BYTES);
  /** Oldest first. */
  readonly #large: HeldFile[] = [];
  #closed = 0;
  #piece: Piece | undefined;
  /** What was left out before the file of that number in the piece, and not sent yet. */
  readonly #gaps: { readonly file: number; readonly seen: GapsSeen }[] = [];

  /** `sifts`: see `WalkJob`; `asStored`: see `WantedTexts`. */
  constructor(
    control: WalkControl,
    thread: number,
    { needle, sifts, asStored }: { needle: string | undefined; sifts: boolean; asStored: boolean },
    post: (message: WalkMessage, transfer?: ArrayBuffer[]) => void,
  ) {
    this.#control = control;
    this.#thread = thread;
    this.#asStored = asStored;
    this.#needle = needle === undefined ? undefined : Buffer.from(needle);
    // Bytes of ASCII alone are the same in other encodings.
    const plain = needle === undefined ? '' : longestAscii(needle);
    this.#sieve = sifts && plain !== '' ? new Sieve(Buffer.from(plain)) : undefined;
    this.#post = post;
  }

  /** Closes what is held: nobody reads it any more. */
  close(): void {
    for (const file of this.#large.splice(0)) closeHeld(file);
  }

  read(block: Block): void {
    for (const part of block.parts) {
      if (part.gaps) this.#leave(part.gaps);
      if (!this.#readPart(part, block)) break;
    }
    this.#end(block.no);
  }

  /** Returns false when the time is up. */
  #readPart(part: BlockPart, block: Block): boolean {
    if (this.#thread === WALKER) return this.#readNames(part, block);
    const held = whenThereAre(this.#control, () => HeldDirectory.lent(part.self, part.dev, part.ino));
    if (!held) {
      this.#leave({ ...NO_GAPS, broken: true });
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
      // Asking for the time costs as much as a small file.
      if (i % 16 === 0 && now() > block.until) {
        this.#leave({ ...NO_GAPS, timedOut: true });
        return false;
      }
      this.#readFile(part, names[i] as string, block.no);
    }
    return true;
  }

  /** The names of the files that are to be read. */
  #mayMatch({ self, names }: BlockPart): string[] {
    const all = names.split('/');
    const sifts = this.#sieve?.pays && !/[^\0-\x7f]/.test(names);
    return sifts ? (this.#sieve as Sieve).sift(self, all) : all;
  }

  #end(block: number): void {
    this.#send(block);
    this.#post({ is: 'block-end', block, gaps: this.#takeGaps() ?? NO_GAPS });
  }

  /** Notes what is left out behind the files that are read so far. */
  #leave(gaps: Gaps): void {
    const file = this.#piece?.ends.length ?? 0;
    const last = this.#gaps.at(-1);
    if (last?.file === file) last.seen.add(gaps);
    else {
      const seen = new GapsSeen();
      seen.add(gaps);
      this.#gaps.push({ file, seen });
    }
  }

  /** All that was noted and not sent yet, together. */
  #takeGaps(): Gaps | undefined {
    if (this.#gaps.length === 0) return undefined;
    const all = new GapsSeen();
    for (const { seen } of this.#gaps.splice(0)) all.add(seen);
    return all.facts;
  }

  #readFile(part: BlockPart, name: string, block: number): void {
    let file: HeldFile | undefined;
    try {
      file = this.#open(part, name);
      if (!file || file.size === 0) return;
      if (file.size <= MOST_HELD) this.#take(file, part.front + name, block);
      else if (this.#isText(file, part.front + name)) {
        this.#lend(file, part.front + name, block);
        file = undefined;
      }
    } catch (error) {
      const gaps = new GapsSeen();
      gaps.refuse(refusalOf(error));
      if (gaps.isNotable) this.#leave(gaps);
    } finally {
      if (file) closeHeld(file);
    }
  }

  #open({ self, dev }: BlockPart, name: string): HeldFile | undefined {
    try {
      return openHeld(self, dev, name);
    } catch (error) {
      if (refusalOf(error) !== 'shortage') throw error;
      return whenThereAre(this.#control, () => openHeld(self, dev, name));
    }
  }

  /** A byte order mark says that it is text, whatever its bytes. */
  #isText(file: HeldFile, path: string): boolean {
    const head = this.#head.subarray(0, readHeld(file, this.#head, 0, this.#head.length));
    if (this.#passesOver(path, head, file.size)) return false;
    return detectEncoding(head).bom > 0 || !isBinary(head);
  }

  #take(file: HeldFile, path: string, block: number): void {
    const piece = this.#room(file.size + 1, block);
    const start = piece.used;
    const got = readHeld(file, piece.bytes, start, file.size);
    if (got === 0) return;
    const bytes = piece.bytes.subarray(start, start + got);
    if (this.#passesOver(path, bytes, got)) {
      bytes.fill(0);
      return;
    }
    const first = bytes[0] as number;
    const marked = first >= 0xef || first === 0 ? detectEncoding(bytes.subarray(0, 4)) : undefined;
    if (marked && marked.bom > 0) this.#takeMarked(bytes, marked, path, block);
    else if (isAscii(bytes) || !this.#takeForeign(bytes, path, block)) this.#keep(piece, got, path);
  }

  /** Whether it is a container. Those with the names of such are counted on the way to them. */
  #passesOver(path: string, bytes: Uint8Array, size: number): boolean {
    if (this.#asStored) return false;
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!isContainer(name, bytes.subarray(0, HEAD_BYTES), size)) return false;
    if (!isContainerName(name)) this.#leave({ ...NO_GAPS, containers: 1, disguised: [path] });
    return true;
  }

  /** A text that is not UTF-8, as UTF-8: it says what it is, or that can be guessed. Tells whether it was one. */
  #takeForeign(bytes: Buffer, path: string, block: number): boolean {
    if (isUtf8(bytes) && declaredEncoding(bytes) === undefined) return false;
    if (isBinary(bytes.subarray(0, BINARY_BYTES))) return false;
    const encoding = encodingOfText(bytes, library);
    if (!encoding.legacy) return false;
    const text = Buffer.from(decode(bytes, encoding).text);
    const piece = this.#inPlaceOf(bytes, text, block);
    if (encoding.known === 'guessed') piece.guessed[piece.ends.length] = encoding.name;
    this.#keep(piece, text.length, path);
    return true;
  }

  /** The byte order mark is left out, and UTF-16 and UTF-32 become UTF-8. */
  #takeMarked(bytes: Buffer, encoding: Encoding, path: string, block: number): void {
    const content = bytes.subarray(encoding.bom);
    const text = encoding.unit > 1 ? Buffer.from(decode(content, encoding).text) : Buffer.from(content);
    this.#keep(this.#inPlaceOf(bytes, text, block), text.length, path);
  }

  /** A piece with `text` behind its used bytes, where `bytes` stood; it may need another one. */
  #inPlaceOf(bytes: Buffer, text: Buffer, block: number): Piece {
    bytes.fill(0);
    const piece = this.#room(text.length + 1, block);
    piece.bytes.set(text, piece.used);
    return piece;
  }

  /** What was written behind the used bytes of a piece, unless it is no text. */
  #keep(piece: Piece, length: number, path: string): void {
    const { bytes, used } = piece;
    const nul = bytes.indexOf(0, used);
    const end = used + length;
    const isNull = nul !== -1 && nul < Math.min(end, used + BINARY_BYTES);
    if (length === 0 || isNull || isBinary(bytes.subarray(used, Math.min(end, used + MAGIC_BYTES)))) {
      bytes.fill(0, used, end);
      return;
    }
    piece.used = end;
    if (bytes[end - 1] !== NEWLINE) bytes[piece.used++] = NEWLINE;
    piece.paths.push(path);
    piece.ends.push(piece.used);
  }

  /** A piece with room for so many bytes more. */
  #room(size: number, block: number): Piece {
    const hasRoom = (piece: Piece): boolean => piece.used + size <= piece.bytes.length;
    if (this.#piece && !hasRoom(this.#piece)) this.#send(block);
    if (this.#piece && hasRoom(this.#piece)) return this.#piece;
    this.#control.waitUntil(() => this.#control.unread(this.#thread) < MOST_UNREAD_KIB);
    const bytes = Buffer.from(new ArrayBuffer(Math.max(PIECE, size)));
    this.#piece = { bytes, used: 0, paths: [], ends: [], guessed: {} };
    return this.#piece;
  }

  #send(block: number): void {
    const piece = this.#piece;
    if (!piece || piece.ends.length === 0) return;
    const bytes = piece.bytes.subarray(0, piece.used);
    if (this.#needle && !bytes.includes(this.#needle)) {
      bytes.fill(0);
      Object.assign(piece, { used: 0, paths: [], ends: [], guessed: {} });
      const gaps = this.#takeGaps();
      if (gaps) this.#leave(gaps);
      return;
    }
    this.#piece = undefined;
    this.#control.noteUnread(this.#thread, bytes.length);
    const [paths, ends] = [piece.paths.join('\0'), Uint32Array.from(piece.ends)];
    const guessed = Object.keys(piece.guessed).length > 0 && { guessed: piece.guessed };
    const left = this.#gaps.splice(0).map(({ file, seen }) => ({ file, gaps: seen.facts }));
    const gaps = left.length > 0 && { gaps: left };
    const texts = {
      is: 'texts',
      block,
      thread: this.#thread,
      bytes,
      paths,
      ends,
      ...guessed,
      ...gaps,
    } as const;
    this.#post(texts, [bytes.buffer]);
  }

  /** In the order of the files: what was taken before goes first. */
  #lend(file: HeldFile, path: string, block: number): void {
    this.#send(block);
    const used = (): number => this.#closed + this.#large.length - this.#control.released(this.#thread);
    this.#control.waitUntil(() => used() < MOST_LARGE);
    while (this.#closed < this.#control.released(this.#thread)) {
      closeHeld(this.#large.shift() as HeldFile);
      this.#closed += 1;
    }
    this.#large.push(file);
    const gaps = this.#takeGaps();
    const { fd, dev, ino } = file;
    this.#post({ is: 'large', block, thread: this.#thread, path, fd, dev, ino, ...(gaps && { gaps }) });
  }
}

const NEWLINE = 10;

const NO_GAPS: Gaps = new GapsSeen().facts;

/** Loaded with the first text that is not UTF-8. */
function library(): Analyse {
  const { analyse } = createRequire(import.meta.url)('chardet') as typeof import('chardet');
  return analyse;
}

function longestAscii(text: string): string {
  return text
    .split(/[^\x00-\x7f]+/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest));
}
