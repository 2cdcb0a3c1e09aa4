/** Searches a whole message of a server for a text: also its errors, metadata, notifications and binary blocks. */

/** Fields whose strings are base64. Source: the content blocks and resources of MCP. */
const BINARY: ReadonlySet<string> = new Set(['data', 'blob']);

/** The string or key anywhere in `message` that contains `text`. Not recursive: a server nests as deep as it likes. */
export function stringWith(message: unknown, text: string): string | undefined {
  const left: unknown[] = [message];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') {
      if (value.includes(text)) return value;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key.includes(text)) return key;
        const decoded =
          typeof inner === 'string' && BINARY.has(key) ? Buffer.from(inner, 'base64') : undefined;
        if (decoded?.includes(text)) return decoded.toString('latin1');
        left.push(inner);
      }
    }
  }
  return undefined;
}
