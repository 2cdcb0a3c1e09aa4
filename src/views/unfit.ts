/** Refuses texts that no parser should get (minified, too long, too deep), before a parser can hang on them. */

import type { NoStructure } from '../types/notice.ts';

/** Characters of a text that is outlined. */
export const longestText = 4 * 1024 * 1024;

/** A line over this many characters is no line a person wrote. */
const longLine = 1_000;

/** `binary`, `minified` (most of it in oversized lines), `size`, or undefined for a text to be parsed. */
export function unfit(text: string, lines: readonly string[]): NoStructure | undefined {
  if (text.length > longestText) return 'size';
  if (text.includes('\0') || damage(text) > text.length / 20) return 'binary';
  let long = 0;
  for (const line of lines) if (line.length > longLine) long += line.length;
  return long > text.length / 2 ? 'minified' : undefined;
}

/** Characters that no text holds: what was undecodable, and controls other than white space and escapes. */
function damage(text: string): number {
  return text.match(/[\u0001-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/g)?.length ?? 0;
}
