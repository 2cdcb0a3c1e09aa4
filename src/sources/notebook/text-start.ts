/** Reads the start of a long text that is stored in JSON as one string or as a list of strings. */

import { readAt } from '../../access/bytes.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Span } from './json-scan.ts';

/** Matches a complete JSON string, or the start of the last one without an incomplete escape at the end. */
const STRINGS = /"((?:[^"\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*)/g;

/**
 * The text at `span`, of which only the first `most` stored bytes are read. List items are joined by `joint`. Other JSON
 * (such as an object of `application/json`) is returned as stored.
 */
export async function readTextStart(
  source: ByteSource,
  { start, end }: Span,
  most: number,
  signal: AbortSignal,
  joint = '',
): Promise<string> {
  const bytes = await readAt(source, start, Math.min(most, end - start), signal);
  const stored = new TextDecoder().decode(bytes, { stream: true }); // A character cut by `most` is left out.
  if (stored.startsWith('"')) return strings(stored).join('');
  return /^\[\s*(?:"|\]|$)/.test(stored) ? strings(stored).join(joint) : stored;
}

function strings(stored: string): string[] {
  const found: string[] = [];
  STRINGS.lastIndex = 0;
  for (let match = STRINGS.exec(stored); match; match = STRINGS.exec(stored)) {
    found.push(unescapeJson(match[1] ?? ''));
    STRINGS.lastIndex += 1; // The closing quote.
  }
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescapeJson(stored: string): string {
  return stored.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, letter = '') =>
    code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
