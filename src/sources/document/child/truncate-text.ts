/** Truncates the text of a document to the bytes of one answer. */

/** Removes the last page, which is cut; `next` is its number, where the next part begins. Undefined if it is the only page. */
export function wholePages(body: Buffer): { readonly body: Buffer; readonly next: number } | undefined {
  const at = body.lastIndexOf('\n--- page ') + 1;
  const next = Number(/^--- page (\d+) ---\n/.exec(body.toString('latin1', at, at + 40))?.[1]);
  return at > 0 && Number.isInteger(next) ? { body: body.subarray(0, at), next } : undefined;
}

/** The text truncated to `most` bytes, after a whole line. */
export function truncateText(
  text: string | Iterable<string>,
  most: number,
): { body: Buffer; isCut: boolean } {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (const part of typeof text === 'string' ? [text] : text) {
    const encoded = Buffer.from(part);
    parts.push(encoded);
    bytes += encoded.length;
    if (bytes > most) break;
  }
  const whole = Buffer.concat(parts);
  if (whole.length <= most) return { body: whole, isCut: false };
  const end = whole.lastIndexOf(10, most - 1) + 1;
  return { body: whole.subarray(0, end === 0 ? most : end), isCut: true };
}
