/** Searches a whole message of a server for a text: also its errors, metadata, notifications and binary blocks. */

/** Fields whose strings are base64. Source: the content blocks and resources of MCP. */
const BINARY: ReadonlySet<string> = new Set(['data', 'blob']);

/** Whether a string or a key anywhere in `message` contains `text`. Not recursive: a server nests as deep as it likes. */
export function holdsText(message: unknown, text: string): boolean {
  const left: unknown[] = [message];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') {
      if (value.includes(text)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key.includes(text)) return true;
        const isBinary = typeof inner === 'string' && BINARY.has(key);
        if (isBinary && Buffer.from(inner, 'base64').includes(text)) return true;
        left.push(inner);
      }
    }
  }
  return false;
}
