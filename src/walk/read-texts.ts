/** Reads files in a worker thread: texts are converted to UTF-8; binaries and containers are skipped. */

import { isAscii, isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import {
  closeHeld,
  type HeldDirectory,
  type HeldFile,
  latin1ToPath,
  openHeld,
  openRefusalFor,
  peekHeld,
  readHeld,
} from '../files/held-directory.ts';
import { isGitStore, mayStoreFiles, ZIP_TAIL_BYTES } from '../formats/archive/detect.ts';
import { isBinary } from '../formats/text/open.ts';
import { isTagged } from '../code/languages.ts';
import { Identity, isSettled } from '../identity.ts';
import {
  decode,
  detectEncoding,
  encodingOfText,
  HEAD_BYTES,
  isNearlyText,
  isUtf16,
  utf8,
} from '../text/encoding.ts';
import { declaredEncoding } from '../text/legacy-encoding.ts';
import type { TextEncoding } from '../types/excerpt.ts';
import type { PassedReason, SearchGaps } from '../types/result.ts';
import { GapsSeen } from './gaps.ts';
import {
  now,
  retryOnShortage,
  type WalkControl,
  type WalkJob,
  type WalkMessage,
  type WantedTexts,
} from './walk-messages.ts';
import { isContainer, isContainerName } from './walker.ts';

/** After this many files, what was found is sent though the piece is not full. */
const MAX_UNSENT_FILES = 256;

/** The most bytes of a file that is read into memory; a larger one is searched through its descriptor. */
const MAX_BUFFERED_FILE_BYTES = 4 << 20;

type ReaderOptions = WantedTexts & Pick<WalkJob, 'front' | 'prefilters' | 'denied' | 'until'>;

export class TextReader {
  readonly #control: WalkControl;
  readonly #pieces: TextPieces;
  readonly #prefilter: PatternPrefilter | undefined;
  readonly #asStored: boolean;
  readonly #isRuled: boolean;
  readonly #until: number;
  readonly #front: string;
  readonly #needle: Buffer | undefined;
  /** The part of the needle that has the same bytes in all other supported encodings (except UTF-16 and UTF-32). */
  readonly #plain: Buffer;
  readonly #isAscii: boolean;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #unsent = 0;

  constructor(control: WalkControl, options: ReaderOptions, post: PostWalkMessage) {
    const { needle } = options;
    this.#control = control;
    this.#isAscii = options.isAscii;
    this.#asStored = options.asStored;
    this.#isRuled = options.denied !== undefined;
    this.#until = options.until;
    this.#front = options.front;
    this.#needle = needle === undefined ? undefined : Buffer.from(needle);
    this.#pieces = new TextPieces(control, needle, post, options.code ? MAX_UNREAD_CODE_KIB : MAX_UNREAD_KIB);
    this.#plain = Buffer.from(needle === undefined ? '' : longestAscii(needle));
    if (options.prefilters && this.#plain.length > 0) this.#prefilter = new PatternPrefilter(this.#plain);
  }

  /** Closes all large files; the call must not read them any more. */
  close(): void {
    this.#pieces.close();
  }

  /** Whether a file is code of at most `most` bytes. Its key, as it is before it is read, is sent with its text. */
  mayTake(directory: HeldDirectory, front: string, name: string, most: number): boolean {
    const facts = isTagged(name) ? directory.factsOf(name) : undefined;
    if (!facts || Number(facts.size) > most) return false;
    this.#pieces.keys.set(front + name, isSettled(facts) ? Identity.file(facts).key : '');
    return true;
  }

  /** Records gaps after the files read so far. */
  leave(gaps: SearchGaps): void {
    this.#pieces.leave(gaps);
  }

  /** Sends the rest. Returns the gaps after the last file. */
  finish(): SearchGaps {
    this.#pieces.send();
    return this.#pieces.takeGaps() ?? NO_GAPS;
  }

  /** Reads files of a directory; `front` is the prefix of their names in paths. Returns false after the deadline. */
  read(directory: HeldDirectory, front: string, all: readonly string[]): boolean {
    const names = this.#mayMatch(directory, all);
    for (let i = 0; i < names.length; i += 1) {
      // The clock is checked only every 16 files, because reading it costs as much as reading a small file.
      if (i % 16 === 0 && now() > this.#until) {
        this.leave({ ...NO_GAPS, timedOut: true });
        return false;
      }
      this.#readFile(directory, front, names[i] as string);
    }
    this.#unsent += all.length;
    if (this.#unsent >= MAX_UNSENT_FILES) {
      this.#pieces.send();
      this.#unsent = 0;
    }
    return true;
  }

  /** The names of the files that may match and must be read. */
  #mayMatch({ self }: HeldDirectory, names: readonly string[]): readonly string[] {
    if (!this.#prefilter?.isWorthwhile || names.some((name) => /[^\0-\x7f]/.test(name))) return names;
    return this.#prefilter.filter(self, names);
  }

  #readFile(directory: HeldDirectory, front: string, name: string): void {
    let file: HeldFile | undefined;
    try {
      file = retryOnShortage(this.#control, () => openHeld(directory, name, true));
      if (!file || file.size === 0) return;
      if (file.size <= MAX_BUFFERED_FILE_BYTES) this.#take(file, front + name);
      else if (this.#isText(file, front + name)) {
        this.#pieces.lend(file, front + name);
        file = undefined;
      }
    } catch (error) {
      const gaps = new GapsSeen();
      gaps.refuse(openRefusalFor(error));
      if (gaps.isNotable) this.#pieces.leave(gaps);
    } finally {
      if (file) closeHeld(file);
    }
  }

  #isText(file: HeldFile, path: string): boolean {
    const head = this.#head.subarray(0, readHeld(file, this.#head, 0, this.#head.length));
    if (this.#passesOver(path, head, file.size)) return false;
    const isText = detectEncoding(head).unit > 1 || !isBinary(head);
    if (!isText) this.#passBinary(path, head);
    return isText && !(this.#isRuled && this.#passStored(path, head, tailOf(file)));
  }

  /** `utf16`: the order of UTF-16 in which it is a text. */
  #passBinary(path: string, head: Uint8Array, utf16?: string): void {
    // A database is counted by its name.
    if (!this.#asStored && isContainerName(path.slice(path.lastIndexOf('/') + 1))) return;
    if (utf16 !== undefined) this.#pass('undecoded', path, utf16);
    else this.#pass(isNearlyText(head.subarray(0, HEAD_BYTES)) ? 'garbled' : 'binary', path);
  }

  /** Passes over a file in which private files may be stored: it is compared with the rules only where it is named. */
  #passStored(path: string, head: Uint8Array, end: Uint8Array): boolean {
    const isPassed = mayStoreFiles(head, end);
    if (isPassed && !isContainerName(path.slice(path.lastIndexOf('/') + 1))) this.#pass('binary', path);
    return isPassed;
  }

  /** `encoding`: in which it can be read. */
  #pass(reason: PassedReason, path: string, encoding?: string): void {
    const gaps = new GapsSeen();
    const name = this.#front + latin1ToPath(path);
    gaps.pass(reason, encoding === undefined ? name : `${name}:encoding=${encoding}`);
    this.#pieces.leave(gaps);
  }

  #take(file: HeldFile, path: string): void {
    const room = this.#pieces.room(file.size);
    const bytes = room.subarray(0, readHeld(file, room, 0, file.size));
    if (bytes.length === 0) return;
    if (this.#passesOver(path, bytes, bytes.length)) {
      bytes.fill(0);
      return;
    }
    const binary = isBinary(bytes);
    const mayStore = this.#isRuled && (binary || bytes.length > HEAD_BYTES || isGitStore(bytes));
    if (mayStore && this.#passStored(path, bytes, bytes)) {
      bytes.fill(0);
      return;
    }
    const mayBeMarked = binary || (bytes[0] as number) >= 0xef;
    const encoding = mayBeMarked ? detectEncoding(bytes.subarray(0, HEAD_BYTES)) : utf8;
    if (encoding.unit === 1 && binary) {
      // Without the needle it has no match, in whatever way it would be searched; what is packed in it has other bytes.
      const isPacked = isContainer('', bytes.subarray(0, HEAD_BYTES), bytes.length);
      const needle = isPacked ? undefined : this.#needle;
      // A single byte before a NUL is also in other files.
      const utf16 = needle && needle.length > 1 ? utf16With(needle, bytes) : undefined;
      if (utf16 !== undefined || !needle || bytes.includes(needle)) this.#passBinary(path, bytes, utf16);
      bytes.fill(0);
    } else if (encoding.unit > 1 || encoding.bom > 0) this.#takeUnicode(bytes, encoding, path);
    else if (isAscii(bytes) || !this.#takeForeign(bytes, path)) this.#pieces.keep(bytes.length, path);
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
  #takeForeign(bytes: Buffer, path: string): boolean {
    const isValid = isUtf8(bytes);
    if (isValid && declaredEncoding(bytes) === undefined) return false;
    const encoding = encodingOfText(bytes, () => analyse);
    if (!encoding.legacy) {
      if (!isValid && !this.#isAscii && bytes.includes(this.#plain)) this.#pass('undecoded', path);
      return false;
    }
    const text = Buffer.from(decode(bytes, encoding).text);
    this.#takeInPlaceOf(bytes, text, path, encoding.known === 'guessed' ? encoding.name : undefined);
    return true;
  }

  /** Removes the byte order mark and converts UTF-16 and UTF-32 to UTF-8. */
  #takeUnicode(bytes: Buffer, encoding: TextEncoding, path: string): void {
    const content = bytes.subarray(encoding.bom);
    const text = encoding.unit > 1 ? Buffer.from(decode(content, encoding).text) : Buffer.from(content);
    if (text.length === 0) bytes.fill(0);
    else this.#takeInPlaceOf(bytes, text, path);
  }

  /** Replaces `bytes` (the last buffer that `room` gave) by a converted text, which may be longer. */
  #takeInPlaceOf(bytes: Buffer, text: Buffer, path: string, guessed?: string): void {
    bytes.fill(0);
    this.#pieces.room(text.length).set(text);
    this.#pieces.keep(text.length, path, guessed);
  }
}

/** The order of UTF-16 in which the bytes are a text with the needle (UTF-8) in it; undefined if they are in neither. */
function utf16With(needle: Buffer, bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const units = Buffer.from(needle.toString(), 'utf16le');
  return (['utf-16le', 'utf-16be'] as const).find((name, i) => {
    if (i === 1) units.swap16();
    let at = bytes.indexOf(units);
    while (at % 2 === 1) at = bytes.indexOf(units, at + 1);
    return at !== -1 && isUtf16(bytes.subarray(0, HEAD_BYTES), name);
  });
}

function tailOf(file: HeldFile): Uint8Array {
  const tail = Buffer.alloc(ZIP_TAIL_BYTES);
  return tail.subarray(0, readHeld(file, tail, 0, tail.length, Math.max(0, file.size - tail.length)));
}

function longestAscii(text: string): string {
  return text
    .split(/[^\x00-\x7f]+/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest));
}

// Sends the content of files from a worker thread to the call: small texts packed into pieces, large files as
// descriptors, and gaps.

/** The size of a piece in bytes; larger only if one file is larger. */
const PIECE = 1 << 20;

/**
 * The most KiB that the thread may have sent and the call has not released (backpressure). The call never needs more at a
 * time.
 */
const MAX_UNREAD_KIB = 40 << 10;
/** Of code, which is read much faster than it is scanned. */
const MAX_UNREAD_CODE_KIB = 4 << 10;

/** The most large files that the thread keeps open. */
const MAX_OPEN_LARGE_FILES = 4;

const NO_GAPS: SearchGaps = new GapsSeen().facts;

/** A buffer of concatenated texts. */
interface Piece {
  /** Filled with zeros after `used`. */
  readonly bytes: Buffer<ArrayBuffer>;
  used: number;
  paths: string[];
  ends: number[];
  guessed: Record<number, string>;
}

type PostWalkMessage = (message: WalkMessage, transfer?: ArrayBuffer[]) => void;

class TextPieces {
  /** By path, of those that are not sent yet; empty if none are wanted. */
  readonly keys = new Map<string, string>();
  readonly #control: WalkControl;
  readonly #maxUnreadKib: number;
  readonly #post: PostWalkMessage;
  /** The literal that every match contains; pieces without it are not sent. */
  readonly #needle: Buffer | undefined;
  /** Large files in the order in which they were sent. */
  readonly #large: HeldFile[] = [];
  #closed = 0;
  #piece: Piece | undefined;
  /** Gaps that were not sent yet, by the index (0-based) of the file in the piece before which they occurred. */
  readonly #gaps: { readonly file: number; readonly seen: GapsSeen }[] = [];

  constructor(control: WalkControl, needle: string | undefined, post: PostWalkMessage, unread: number) {
    this.#control = control;
    this.#maxUnreadKib = unread;
    this.#needle = needle === undefined ? undefined : Buffer.from(needle);
    this.#post = post;
  }

  /** A zeroed buffer for a text of up to `length` bytes. `keep` makes it part of the piece. */
  room(length: number): Buffer {
    const { bytes, used } = this.#roomFor(length + 1);
    return bytes.subarray(used, used + length);
  }

  /** Adds the text in the last buffer that `room` gave to the piece. `guessed` is the guessed encoding of the file. */
  keep(length: number, path: string, guessed?: string): void {
    const piece = this.#piece as Piece;
    if (guessed !== undefined) piece.guessed[piece.ends.length] = guessed;
    piece.used += length;
    if (piece.bytes[piece.used - 1] !== NEWLINE) piece.bytes[piece.used++] = NEWLINE;
    piece.paths.push(path);
    piece.ends.push(piece.used);
  }

  /** Records gaps after the files taken so far. */
  leave(gaps: SearchGaps): void {
    const file = this.#piece?.ends.length ?? 0;
    const last = this.#gaps.at(-1);
    if (last?.file === file) last.seen.add(gaps);
    else {
      const seen = new GapsSeen();
      seen.add(gaps);
      this.#gaps.push({ file, seen });
    }
  }

  /**
   * Sends a large file as a descriptor, after all earlier texts to keep the order. It is closed when the call has released
   * it.
   */
  lend(file: HeldFile, path: string): void {
    this.send();
    const used = (): number => this.#closed + this.#large.length - this.#control.released;
    this.#control.waitUntil(() => used() < MAX_OPEN_LARGE_FILES);
    while (this.#closed < this.#control.released) {
      closeHeld(this.#large.shift() as HeldFile);
      this.#closed += 1;
    }
    this.#large.push(file);
    const gaps = this.takeGaps();
    const { fd, dev, ino } = file;
    this.#post({ kind: 'large', path, fd, dev, ino, gaps });
  }

  /** Closes all large files; the call must not read them any more. */
  close(): void {
    for (const file of this.#large.splice(0)) closeHeld(file);
  }

  /** Removes and returns all gaps that were not sent yet, merged. */
  takeGaps(): SearchGaps | undefined {
    if (this.#gaps.length === 0) return undefined;
    const all = new GapsSeen();
    for (const { seen } of this.#gaps.splice(0)) all.add(seen);
    return all.facts;
  }

  #roomFor(size: number): Piece {
    const hasRoom = (piece: Piece): boolean => piece.used + size <= piece.bytes.length;
    if (this.#piece && !hasRoom(this.#piece)) this.send();
    if (this.#piece && hasRoom(this.#piece)) return this.#piece;
    this.#control.waitUntil(() => this.#control.unread < this.#maxUnreadKib);
    this.#piece = emptyPiece(Buffer.from(new ArrayBuffer(Math.max(PIECE, size))));
    return this.#piece;
  }

  /** Sends what was kept, unless no match is in it. */
  send(): void {
    const piece = this.#piece;
    if (!piece || piece.ends.length === 0) return;
    const bytes = piece.bytes.subarray(0, piece.used);
    if (this.#needle && !bytes.includes(this.#needle)) {
      this.#piece = emptyPiece(piece.bytes.fill(0, 0, piece.used));
      const gaps = this.takeGaps();
      if (gaps) this.leave(gaps);
      return;
    }
    this.#piece = undefined;
    this.#control.noteUnread(bytes.length);
    const keys = this.keys.size > 0 ? piece.paths.map((path) => this.keys.get(path) ?? '') : undefined;
    for (const path of piece.paths) this.keys.delete(path);
    const left = this.#gaps.splice(0).map(({ file, seen }) => ({ file, gaps: seen.facts }));
    this.#post(
      {
        kind: 'texts',
        bytes,
        paths: piece.paths.join('\0'),
        ends: Uint32Array.from(piece.ends),
        keys: keys?.join('\n'),
        guessed: Object.keys(piece.guessed).length > 0 ? piece.guessed : undefined,
        gaps: left.length > 0 ? left : undefined,
      },
      [bytes.buffer],
    );
  }
}

function emptyPiece(bytes: Buffer<ArrayBuffer>): Piece {
  return { bytes, used: 0, paths: [], ends: [], guessed: {} };
}

const NEWLINE = 10;

// A prefilter that skips small files that cannot match: the files of a directory are read into one buffer, which is searched
// for the literal that every match contains. The bytes are used for nothing else; files that are not skipped are read
// again with all checks.

const BUFFER = 1 << 20;

/** The least free bytes in the buffer before a file is read. A file that fills the buffer is not skipped. */
const ROOM = 128 << 10;

/**
 * After `TRIAL` files: if more than one in `WORTH` files remain, the prefilter costs more than it saves and is no longer used.
 */
const TRIAL = 64;
const WORTH = 4;

/** A read that ends at a multiple of the page size may have failed at an unreadable page before the end of the file. */
const PAGE = 4096;

/** A first byte from this value on, or a NUL, may be the start of a byte order mark. */
const MARKED = 0xef;

export class PatternPrefilter {
  readonly #needle: Buffer;
  readonly #bytes = Buffer.allocUnsafeSlow(BUFFER);
  #looked = 0;
  #left = 0;

  constructor(needle: Buffer) {
    this.#needle = needle;
  }

  /** Whether it is still worth using: it has skipped enough files so far. */
  get isWorthwhile(): boolean {
    return this.#looked < TRIAL || this.#left * WORTH < this.#looked;
  }

  /** The files of `names` (ASCII) in the directory `self` that may contain a match, in order. */
  filter(self: string, names: readonly string[]): string[] {
    const left: string[] = [];
    for (let at = 0; at < names.length;) at = this.#filterSome(self, names, at, left);
    this.#looked += names.length;
    this.#left += left.length;
    return left;
  }

  /** Checks as many files from index `at` on as fit into the buffer. Returns the index of the next file. */
  #filterSome(self: string, names: readonly string[], at: number, left: string[]): number {
    const bytes = this.#bytes;
    const ends: number[] = [];
    const doubtful = new Set<number>();
    let used = 0;
    for (let i = at; i < names.length && used + ROOM <= BUFFER; i += 1) {
      const got = read(self, names[i] as string, bytes, used);
      const first = bytes[used] as number;
      const isWhole = got % PAGE !== 0 && used + got < BUFFER;
      const head = bytes.subarray(used, used + Math.min(got, HEAD_BYTES));
      // Containers are never skipped here, because they must be counted whatever they contain.
      if (isWhole && first < MARKED && first !== 0 && !isContainer('', head, got)) used += got;
      else doubtful.add(i - at);
      ends.push(used);
    }
    // A hit may extend into the next file, so the search continues at the start of that file.
    for (let found = this.#find(this.#needle, 0, used); found !== -1;) {
      const file = ends.findIndex((end) => found < end);
      doubtful.add(file);
      found = this.#find(this.#needle, ends[file] as number, used);
    }
    // In UTF-16 the needle has other bytes. Such files contain NULs.
    for (let found = this.#find(0, 0, used); found !== -1;) {
      const file = ends.findIndex((end) => found < end);
      const start = ends[file - 1] ?? 0;
      const end = ends[file] as number;
      const isUtf16 = detectEncoding(bytes.subarray(start, Math.min(end, start + HEAD_BYTES))).unit > 1;
      const whole = bytes.subarray(start, end);
      if (isUtf16 || utf16With(this.#needle, whole) || mayStoreFiles(whole, whole)) doubtful.add(file);
      found = this.#find(0, end, used);
    }
    for (let i = 0; doubtful.size > 0 && i < ends.length; i += 1) {
      if (doubtful.has(i)) left.push(names[at + i] as string);
    }
    return at + ends.length;
  }

  /** The offset of the next `what` at or after `from`; -1 if there is none before `used`. */
  #find(what: Buffer | number, from: number, used: number): number {
    if (from >= used) return -1;
    const found = this.#bytes.subarray(from, used).indexOf(what);
    return found === -1 ? -1 : from + found;
  }
}

/** The number of bytes read; 0 if the file could not be opened or read. */
function read(self: string, name: string, bytes: Buffer, at: number): number {
  try {
    return peekHeld(self, name, bytes, at);
  } catch (error) {
    openRefusalFor(error);
    return 0;
  }
}
