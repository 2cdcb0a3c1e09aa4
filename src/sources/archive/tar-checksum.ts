/** The checksum of a tar header: what a tar is detected by, since the oldest ones have no magic number. */

export const BLOCK_BYTES = 512;

/** Whether this looks like the first header of a tar: its checksum holds. */
export function isTarHeader(head: Uint8Array): boolean {
  const block = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, BLOCK_BYTES));
  return block.length === BLOCK_BYTES && block[0] !== 0 && checksumHolds(block);
}

/** The sum counts the checksum's own field as spaces; old writers summed signed bytes. */
export function checksumHolds(block: Buffer): boolean {
  const said = octal(block.toString('latin1', 148, 156));
  // Of nearly every text, whose bytes need not be added up.
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
