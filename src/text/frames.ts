/** Frames on a pipe: the lengths of a JSON head and of a body, followed by both. */

/** Two lengths of four bytes, little-endian. */
const LENGTHS = 8;

export interface Frame {
  readonly head: unknown;
  readonly body: Buffer;
  /** Bytes of a body that was passed on piece by piece; `body` is empty then. */
  readonly aside?: number;
}

/** Takes a body of so many bytes piece by piece; undefined if the reader is to hold it. */
export type Aside = (bytes: number) => ((piece: Buffer) => void) | undefined;

/** A frame whose body of `bytes` bytes is written after it, or is `body`. */
export function frame(head: unknown, body: number | Uint8Array): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(head));
  const front = Buffer.alloc(LENGTHS + json.length);
  front.writeUInt32LE(json.length, 0);
  front.writeUInt32LE(typeof body === 'number' ? body : body.length, 4);
  json.copy(front, LENGTHS);
  return typeof body === 'number' ? [front] : [front, body];
}

/**
 * The next frame of a pipe that is read by blocking; undefined at its end. `fill` fills its target, or says that the
 * input has ended. `most`: bytes of a whole frame; throws RangeError for a larger one. `hold` gives the memory of the
 * body.
 */
export function readFrame(
  most: number,
  fill: (target: Uint8Array) => boolean,
  hold: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafeSlow(bytes),
): Frame | undefined {
  const lengths = Buffer.alloc(LENGTHS);
  if (!fill(lengths)) return undefined;
  const head = Buffer.alloc(within(most, lengths).head);
  const body = hold(within(most, lengths).body);
  return fill(head) && fill(body) ? { head: JSON.parse(head.toString('utf8')) as unknown, body } : undefined;
}

function within(most: number, front: Buffer): { head: number; body: number } {
  const head = front.readUInt32LE(0);
  const body = front.readUInt32LE(4);
  if (head + body > most) throw new RangeError('the frame is too large');
  return { head, body };
}

/** The one frame that `bytes` are, neither more nor less; its body is a part of them. */
export function wholeFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < LENGTHS) return undefined;
  const head = bytes.readUInt32LE(0);
  if (LENGTHS + head + bytes.readUInt32LE(4) !== bytes.length) return undefined;
  const body = bytes.subarray(LENGTHS + head);
  return { head: JSON.parse(bytes.toString('utf8', LENGTHS, LENGTHS + head)) as unknown, body };
}

/** Puts one frame after another together. A body is held once. */
export class FrameReader {
  readonly #most: number;
  readonly #aside: Aside | undefined;
  readonly #mostHead: number;
  #pass: ((piece: Buffer) => void) | undefined;
  #front: Buffer = Buffer.alloc(0);
  #body: Buffer | undefined;
  #filled = 0;

  /** `most`: bytes of a whole frame; `mostHead`: of its head, which is parsed at once. */
  constructor(most: number, aside?: Aside, mostHead = most) {
    this.#most = most;
    this.#aside = aside;
    this.#mostHead = mostHead;
  }

  /** The frame that `chunk` completes; it begins where the last one ended. Throws RangeError for a larger one. */
  push(chunk: Buffer): Frame | undefined {
    let rest = chunk;
    if (!this.#body) {
      this.#front = this.#front.length === 0 ? rest : Buffer.concat([this.#front, rest]);
      const lengths = this.#lengths();
      if (!lengths) return undefined;
      if (this.#front.length < LENGTHS + lengths.head) return undefined;
      this.#pass = this.#aside?.(lengths.body);
      this.#body = Buffer.allocUnsafeSlow(this.#pass ? 0 : lengths.body);
      this.#filled = 0;
      rest = this.#front.subarray(LENGTHS + lengths.head);
    }
    const { head: headBytes = 0, body: bytes = 0 } = this.#lengths() ?? {};
    if (this.#pass) {
      const piece = rest.subarray(0, bytes - this.#filled);
      if (piece.length > 0) this.#pass(piece);
      this.#filled += piece.length;
    } else this.#filled += rest.copy(this.#body, this.#filled);
    if (this.#filled < bytes) return undefined;
    const head: unknown = JSON.parse(this.#front.toString('utf8', LENGTHS, LENGTHS + headBytes));
    const body = this.#body;
    const isAside = this.#pass !== undefined;
    this.#body = undefined;
    this.#front = Buffer.alloc(0);
    return { head, body, ...(isAside && { aside: bytes }) };
  }

  #lengths(): { head: number; body: number } | undefined {
    if (this.#front.length < LENGTHS) return undefined;
    const lengths = within(this.#most, this.#front);
    if (lengths.head > this.#mostHead) throw new RangeError('the head of the frame is too large');
    return lengths;
  }
}
