/** Applies a delta of a pack to its base object. Source: gitformat-pack(5), "Deltified representation". */

/** Undefined for a delta that does not fit its base, or makes more than `most` bytes. */
export function applyDelta(base: Buffer, delta: Buffer, most: number): Buffer | undefined {
  const reader = new Reader(delta);
  if (reader.size() !== base.length) return undefined;
  const size = reader.size();
  if (size > most) return undefined;
  const made = Buffer.allocUnsafe(size);
  let filled = 0;
  while (!reader.isDone) {
    const step = reader.byte();
    const part = step & 0x80 ? copied(base, step, reader) : step > 0 ? reader.bytes(step) : undefined;
    if (!part || filled + part.length > size) return undefined;
    part.copy(made, filled);
    filled += part.length;
  }
  return filled === size && !reader.isCut ? made : undefined;
}

function copied(base: Buffer, step: number, reader: Reader): Buffer | undefined {
  let [from, length] = [0, 0];
  for (let i = 0; i < 4; i += 1) if (step & (1 << i)) from += reader.byte() * 2 ** (8 * i);
  for (let i = 0; i < 3; i += 1) if (step & (0x10 << i)) length += reader.byte() * 2 ** (8 * i);
  if (length === 0) length = 0x1_0000;
  return from + length <= base.length ? base.subarray(from, from + length) : undefined;
}

class Reader {
  /** Whether more was asked for than there is. */
  isCut = false;
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    this.#at += 1;
    this.isCut ||= value === undefined;
    return value ?? 0;
  }

  bytes(length: number): Buffer {
    const found = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    this.isCut ||= found.length < length;
    return found;
  }

  /** Seven bits in each byte, the lowest ones first. */
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
