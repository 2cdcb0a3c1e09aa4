/** Owns percent-encoding of bytes, as in URLs: `%0A`. Which characters need it, each use decides. */

/** Every byte as an escape. */
export function percentEncode(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Escapes as the bytes they stand for, all else as `encode` has it. A `%` without two digits stands for itself. */
export function percentDecode(text: string, encode: (part: string) => Uint8Array): Uint8Array {
  const parts = text.split(/%([0-9a-f]{2})/i);
  return Buffer.concat(
    parts.map((part, i) => (i % 2 === 1 ? Buffer.of(Number.parseInt(part, 16)) : encode(part))),
  );
}
