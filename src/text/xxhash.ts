/** The tag by which the edit tool of oh-my-pi recognises a version of a text: xxHash32, as its specification defines it. */

const [P1, P2, P3, P4, P5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const;

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09];

/**
 * Four hexadecimal digits of a UTF-8 file: the low 16 bits of the hash of its text without byte order mark, with `\n` for each
 * `\r\n` or `\r`, and without the blanks at the ends of lines. Another text may have the same tag.
 */
export function textTag(content: Uint8Array): string {
  const text = new TextEncoder().encode(new TextDecoder().decode(content));
  let [end, kept] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    let byte = text[at] as number;
    if (byte === CR) {
      if (text[at + 1] === LF) continue;
      byte = LF;
    }
    if (byte === LF) end = kept;
    text[end] = byte;
    end += 1;
    if (byte !== SPACE && byte !== TAB) kept = end;
  }
  const hash = xxHash32(text.subarray(0, kept)) & 0xffff;
  return hash.toString(16).padStart(4, '0').toUpperCase();
}

/** With seed 0; an unsigned number of 32 bits. */
function xxHash32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.byteLength;
  let at = 0;
  let hash: number = P5;
  if (end >= 16) {
    const lanes = [P1 + P2, P2, 0, -P1];
    for (; at + 16 <= end; at += 16)
      for (let lane = 0; lane < 4; lane += 1) {
        const word = view.getUint32(at + 4 * lane, true);
        lanes[lane] = Math.imul(rotate((lanes[lane] as number) + Math.imul(word, P2), 13), P1);
      }
    hash = lanes.reduce((sum, lane, i) => sum + rotate(lane, [1, 7, 12, 18][i] as number), 0);
  }
  hash = (hash + end) | 0;
  for (; at + 4 <= end; at += 4)
    hash = Math.imul(rotate(hash + Math.imul(view.getUint32(at, true), P3), 17), P4);
  for (; at < end; at += 1) hash = Math.imul(rotate(hash + Math.imul(bytes[at] as number, P5), 11), P1);
  hash = Math.imul(hash ^ (hash >>> 15), P2);
  hash = Math.imul(hash ^ (hash >>> 13), P3);
  return (hash ^ (hash >>> 16)) >>> 0;
}
