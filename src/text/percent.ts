/** Percent-encoding of bytes, as in URLs: `%0A`. The caller decides which characters need it. */

/** Encodes every byte. */
export function percentEncode(bytes: Iterable<number>): string {
  let encoded = '';
  for (const byte of bytes) encoded += ESCAPES[byte] as string;
  return encoded;
}

const ESCAPES = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** Decodes escapes to bytes; other text goes through `encode`. A `%` without two digits is itself. */
export function percentDecode(text: string, encode: (part: string) => Uint8Array): Uint8Array {
  const parts = text.split(/%([0-9a-f]{2})/i);
  return Buffer.concat(
    parts.map((part, i) => (i % 2 === 1 ? Buffer.of(Number.parseInt(part, 16)) : encode(part))),
  );
}
