/** The framing of messages on a pipe: the length of a JSON head, the length of a body, the head, the body. */

/** Bytes of the two lengths, each four bytes, little-endian. */
const LENGTHS = 8;

export interface PipeFrame {
  readonly head: unknown;
  readonly body: Buffer;
  /** Bytes of a body that was passed to an `ReceiveBody` in pieces; `body` is then empty. */
  readonly aside?: number | undefined;
}

/** Returns the receiver of the pieces of a body of `bytes` bytes, or undefined if the reader should collect it. */
type ReceiveBody = (bytes: number) => ((piece: Buffer) => void) | undefined;

/** A frame. If `body` is a number, it is the length of a body that the caller writes afterwards. */
export function encodeFrame(head: unknown, body: number | Uint8Array): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(head));
  const front = Buffer.alloc(LENGTHS + json.length);
  front.writeUInt32LE(json.length, 0);
  front.writeUInt32LE(typeof body === 'number' ? body : body.length, 4);
  json.copy(front, LENGTHS);
  return typeof body === 'number' ? [front] : [front, body];
}

/**
 * Reads the next frame from a pipe synchronously; undefined at its end. `fill` fills its target, or returns false at the
 * end of the input. `most`: maximum bytes of a frame; throws RangeError for a larger one. `hold` allocates the memory of
 * the body.
 */
export function readFrame(
  most: number,
  fill: (target: Uint8Array) => boolean,
  hold: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafeSlow(bytes),
): PipeFrame | undefined {
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

/** The frame if `bytes` are exactly one frame, otherwise undefined. Its body is a view of `bytes`. */
export function wholeFrame(bytes: Buffer): PipeFrame | undefined {
  if (bytes.length < LENGTHS) return undefined;
  const head = bytes.readUInt32LE(0);
  if (LENGTHS + head + bytes.readUInt32LE(4) !== bytes.length) return undefined;
  const body = bytes.subarray(LENGTHS + head);
  return { head: JSON.parse(bytes.toString('utf8', LENGTHS, LENGTHS + head)) as unknown, body };
}

/** Assembles frames from chunks, one after the other. A body is in memory only once. */
export class FrameReader {
  readonly #most: number;
  readonly #aside: ReceiveBody | undefined;
  readonly #mostHead: number;
  #pass: ((piece: Buffer) => void) | undefined;
  #front: Buffer = Buffer.alloc(0);
  #body: Buffer | undefined;
  #filled = 0;

  /** `most`: maximum bytes of a frame; `mostHead`: of its head, which is parsed synchronously. */
  constructor(most: number, aside?: ReceiveBody, mostHead = most) {
    this.#most = most;
    this.#aside = aside;
    this.#mostHead = mostHead;
  }

  /** The frame that `chunk` completes, if it completes one. Throws RangeError for a frame over the maximum. */
  push(chunk: Buffer): PipeFrame | undefined {
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
    return { head, body, aside: isAside ? bytes : undefined };
  }

  #lengths(): { head: number; body: number } | undefined {
    if (this.#front.length < LENGTHS) return undefined;
    const lengths = within(this.#most, this.#front);
    if (lengths.head > this.#mostHead) throw new RangeError('the head of the frame is too large');
    return lengths;
  }
}
