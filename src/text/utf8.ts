/** Well-formed UTF-8 sequences. Source: the Unicode Standard, table 3-7. */

/** Bytes of the valid sequence at `at`, or 0 where there is none. */
export function validSequence(bytes: Uint8Array, at: number): number {
  const length = lengthBehind(bytes[at]);
  return length > 0 && sequenceLength(bytes, at) === length ? length : 0;
}

/** Bytes of the sequence at `at`, or of its maximal invalid subpart: 1 to 4. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at];
  const length = lengthBehind(lead);
  for (let i = 1; i < length; i += 1) {
    const byte = bytes[at + i] ?? 0;
    const low = i > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = i > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) return i;
  }
  return Math.max(1, length);
}

/** Bytes of a sequence that begins with `lead`; 0 where none does. */
function lengthBehind(lead: number | undefined): number {
  if (lead === undefined || lead > 0xf4) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
