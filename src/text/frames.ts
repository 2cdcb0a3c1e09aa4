/** Messages on a pipe: the lengths of a JSON head and of a body, then both. */

/** Two lengths of four bytes, little-endian. */
const LENGTHS = 8;

export interface Frame {
  readonly head: unknown;
  readonly body: Buffer;
}

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
 * input has ended. `most`: bytes of a whole frame; throws RangeError for a larger one.
 */
export function readFrame(most: number, fill: (target: Uint8Array) => boolean): Frame | undefined {
  const lengths = Buffer.alloc(LENGTHS);
  if (!fill(lengths)) return undefined;
  const head = Buffer.alloc(within(most, lengths).head);
  const body = Buffer.allocUnsafeSlow(within(most, lengths).body);
  return fill(head) && fill(body) ? { head: JSON.parse(head.toString('utf8')) as unknown, body } : undefined;
}

function within(most: number, front: Buffer): { head: number; body: number } {
  const head = front.readUInt32LE(0);
  const body = front.readUInt32LE(4);
  if (head + body > most) throw new RangeError('the frame is too large');
  return { head, body };
}

/** Puts one frame after another together. A body is held once. */
export class FrameReader {
  readonly #most: number;
  #front: Buffer = Buffer.alloc(0);
  #body: Buffer | undefined;
  #filled = 0;

  /** `most`: bytes of a whole frame. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The frame that `chunk` completes; it begins where the last one ended. Throws RangeError for a larger one. */
  push(chunk: Buffer): Frame | undefined {
    let rest = chunk;
    if (!this.#body) {
      this.#front = this.#front.length === 0 ? rest : Buffer.concat([this.#front, rest]);
      const lengths = this.#lengths();
      if (!lengths) return undefined;
      if (this.#front.length < LENGTHS + lengths.head) return undefined;
      this.#body = Buffer.allocUnsafeSlow(lengths.body);
      this.#filled = 0;
      rest = this.#front.subarray(LENGTHS + lengths.head);
    }
    this.#filled += rest.copy(this.#body, this.#filled);
    if (this.#filled < this.#body.length) return undefined;
    const lengths = this.#lengths();
    const head: unknown = JSON.parse(this.#front.toString('utf8', LENGTHS, LENGTHS + (lengths?.head ?? 0)));
    const body = this.#body;
    this.#body = undefined;
    this.#front = Buffer.alloc(0);
    return { head, body };
  }

  #lengths(): { head: number; body: number } | undefined {
    return this.#front.length < LENGTHS ? undefined : within(this.#most, this.#front);
  }
}
