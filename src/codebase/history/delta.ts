/** Applies a delta in a pack to its base object. Source: gitformat-pack(5), "Deltified representation". */

/** The object. Undefined if the delta is damaged or for another base, or if the object has more than `most` bytes. */
export function applyDelta(base: Buffer, delta: Buffer, most: number): Buffer | undefined {
  const reader = new Reader(delta);
  if (reader.size() !== base.length) return undefined;
  const size = reader.size();
  if (size > most) return undefined;
  const object = Buffer.allocUnsafe(size);
  let filled = 0;
  while (!reader.isDone) {
    const step = reader.byte();
    // The first byte of an instruction: copy from the base, or insert so many bytes; 0 is reserved.
    const part = step & 0x80 ? copiedPart(base, step, reader) : step > 0 ? reader.bytes(step) : undefined;
    if (!part || filled + part.length > size) return undefined;
    part.copy(object, filled);
    filled += part.length;
  }
  return filled === size && !reader.isCut ? object : undefined;
}

/**
 * The part of the base that a copy instruction means. The low bits of `step` say which bytes of the offset (4) and of the
 * length (3) follow; the others are 0.
 */
function copiedPart(base: Buffer, step: number, reader: Reader): Buffer | undefined {
  let [from, length] = [0, 0];
  for (let i = 0; i < 4; i += 1) if (step & (1 << i)) from += reader.byte() * 2 ** (8 * i);
  for (let i = 0; i < 3; i += 1) if (step & (0x10 << i)) length += reader.byte() * 2 ** (8 * i);
  if (length === 0) length = 0x1_0000;
  return from + length <= base.length ? base.subarray(from, from + length) : undefined;
}

class Reader {
  /** Whether a read went beyond the end, or a size was too long. */
  isCut = false;
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** 0 at the end. */
  byte(): number {
    const value = this.#bytes[this.#at];
    this.#at += 1;
    this.isCut ||= value === undefined;
    return value ?? 0;
  }

  /** Fewer bytes at the end. */
  bytes(length: number): Buffer {
    const found = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    this.isCut ||= found.length < length;
    return found;
  }

  /** A number with seven bits in each byte, the lowest ones first; the high bit says that another byte follows. */
  size(): number {
    let value = 0;
    for (let shift = 0; shift <= 49; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (!(byte & 0x80)) return value;
    }
    this.isCut = true;
    return Number.POSITIVE_INFINITY;
  }
}
