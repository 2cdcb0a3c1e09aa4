/** Joins small chunks of bytes, because each chunk that is sent to another thread, or appended to a file, has its own cost. */

/**
 * Yields the same bytes in chunks of about `size`; a larger chunk is passed on unchanged. The buffer of a chunk is reused for
 * the next one. Bytes before a failure are yielded before it is thrown.
 */
export async function* gathered(
  chunks: AsyncIterable<Uint8Array>,
  size = 64 << 10,
): AsyncGenerator<Uint8Array> {
  const joined = new Uint8Array(size);
  let filled = 0;
  try {
    for await (const chunk of chunks) {
      const isLarge = chunk.length > size / 2;
      if (filled > 0 && (isLarge || filled + chunk.length > size)) {
        yield joined.subarray(0, filled);
        filled = 0;
      }
      if (isLarge) yield chunk;
      else {
        joined.set(chunk, filled);
        filled += chunk.length;
      }
    }
  } catch (error) {
    if (filled > 0) yield joined.subarray(0, filled);
    throw error;
  }
  if (filled > 0) yield joined.subarray(0, filled);
}
