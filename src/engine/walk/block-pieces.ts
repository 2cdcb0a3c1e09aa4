/**
 * Sends the content of a block from a worker thread to the call: small texts packed into pieces, large files as
 * descriptors, and gaps.
 */

import { closeHeld, type HeldFile } from '../../access/held-directory.ts';
import type { Gaps } from '../../types/result.ts';
import { GapsSeen } from './gaps.ts';
import type { WalkControl } from './walk-control.ts';
import type { WalkMessage } from './walk-messages.ts';

/** The size of a piece in bytes; larger only if one file is larger. */
const PIECE = 1 << 20;

/**
 * The most KiB that one thread may have sent and the call has not released (backpressure). The call never needs more at a
 * time.
 */
const MOST_UNREAD_KIB = 40 << 10;

/** The most large files that one thread keeps open. */
const MOST_LARGE = 4;

export const NO_GAPS: Gaps = new GapsSeen().facts;

/** A buffer of concatenated texts. */
interface Piece {
  /** Filled with zeros after `used`. */
  readonly bytes: Buffer<ArrayBuffer>;
  used: number;
  paths: string[];
  ends: number[];
  guessed: Record<number, string>;
}

export type Post = (message: WalkMessage, transfer?: ArrayBuffer[]) => void;

export class Pieces {
  readonly #control: WalkControl;
  readonly #thread: number;
  readonly #post: Post;
  /** The literal that every match contains; pieces without it are not sent. */
  readonly #needle: Buffer | undefined;
  /** Large files in the order in which they were sent. */
  readonly #large: HeldFile[] = [];
  #closed = 0;
  #piece: Piece | undefined;
  /** Gaps that were not sent yet, by the index (0-based) of the file in the piece before which they occurred. */
  readonly #gaps: { readonly file: number; readonly seen: GapsSeen }[] = [];

  constructor(control: WalkControl, thread: number, needle: string | undefined, post: Post) {
    this.#control = control;
    this.#thread = thread;
    this.#needle = needle === undefined ? undefined : Buffer.from(needle);
    this.#post = post;
  }

  /** A zeroed buffer for a text of up to `length` bytes. `keep` makes it part of the piece. */
  room(length: number, block: number): Buffer {
    const { bytes, used } = this.#roomFor(length + 1, block);
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
  leave(gaps: Gaps): void {
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
  lend(file: HeldFile, path: string, block: number): void {
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

  /** Sends the rest of a block and the message for its end. */
  end(block: number): void {
    this.#send(block);
    this.#post({ is: 'block-end', block, gaps: this.#takeGaps() ?? NO_GAPS });
  }

  /** Closes all large files; the call must not read them any more. */
  close(): void {
    for (const file of this.#large.splice(0)) closeHeld(file);
  }

  /** Removes and returns all gaps that were not sent yet, merged. */
  #takeGaps(): Gaps | undefined {
    if (this.#gaps.length === 0) return undefined;
    const all = new GapsSeen();
    for (const { seen } of this.#gaps.splice(0)) all.add(seen);
    return all.facts;
  }

  #roomFor(size: number, block: number): Piece {
    const hasRoom = (piece: Piece): boolean => piece.used + size <= piece.bytes.length;
    if (this.#piece && !hasRoom(this.#piece)) this.#send(block);
    if (this.#piece && hasRoom(this.#piece)) return this.#piece;
    this.#control.waitUntil(() => this.#control.unread(this.#thread) < MOST_UNREAD_KIB);
    this.#piece = emptyPiece(Buffer.from(new ArrayBuffer(Math.max(PIECE, size))));
    return this.#piece;
  }

  #send(block: number): void {
    const piece = this.#piece;
    if (!piece || piece.ends.length === 0) return;
    const bytes = piece.bytes.subarray(0, piece.used);
    if (this.#needle && !bytes.includes(this.#needle)) {
      this.#piece = emptyPiece(piece.bytes.fill(0, 0, piece.used));
      const gaps = this.#takeGaps();
      if (gaps) this.leave(gaps);
      return;
    }
    this.#piece = undefined;
    this.#control.noteUnread(this.#thread, bytes.length);
    const left = this.#gaps.splice(0).map(({ file, seen }) => ({ file, gaps: seen.facts }));
    this.#post(
      {
        is: 'texts',
        block,
        thread: this.#thread,
        bytes,
        paths: piece.paths.join('\0'),
        ends: Uint32Array.from(piece.ends),
        ...(Object.keys(piece.guessed).length > 0 && { guessed: piece.guessed }),
        ...(left.length > 0 && { gaps: left }),
      },
      [bytes.buffer],
    );
  }
}

function emptyPiece(bytes: Buffer<ArrayBuffer>): Piece {
  return { bytes, used: 0, paths: [], ends: [], guessed: {} };
}

const NEWLINE = 10;
