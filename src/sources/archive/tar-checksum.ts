/** The checksum of a tar header, by which tars are detected: the oldest ones have no magic number. */

export const BLOCK_BYTES = 512;

/** Whether `head` starts with a tar header, that is, with a block whose checksum is correct. */
export function isTarHeader(head: Uint8Array): boolean {
  const block = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, BLOCK_BYTES));
  return block.length === BLOCK_BYTES && block[0] !== 0 && checksumHolds(block);
}

/** Whether the checksum is correct. The sum counts its own field as spaces; old writers added signed bytes. */
export function checksumHolds(block: Buffer): boolean {
  const said = octal(block.toString('latin1', 148, 156));
  // The fast exit for nearly every file that is not a tar.
  if (Number.isNaN(said)) return false;
  let unsigned = 0;
  let signed = 0;
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return said === unsigned || said === signed;
}

/** `"  0000644\0"` → 420; an empty field is 0, anything else NaN. */
export function octal(text: string): number {
  const digits = text.replace(/^[ \0]+/, '').replace(/[ \0].*$/s, '');
  if (digits === '') return 0;
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}
