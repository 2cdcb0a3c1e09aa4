/** Detects binary output. Text with some invalid bytes is still text. */

/** Bytes below which output is always shown. */
const ENOUGH = 256;

/**
 * Whether `bytes` are binary: mostly NUL, or many control characters and many invalid UTF-8 sequences. Names separated
 * by NUL (`find -print0`) and texts in old 8-bit encodings are text.
 */
export function looksBinary(bytes: Uint8Array, invalid: number): boolean {
  if (bytes.length < ENOUGH) return false;
  let nuls = 0;
  let controls = 0;
  for (const byte of bytes) {
    if (byte === 0) nuls += 1;
    else if (byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) controls += 1;
  }
  if (nuls > bytes.length * 0.3) return true;
  return nuls + controls > bytes.length * 0.03 && invalid > bytes.length * 0.1;
}
