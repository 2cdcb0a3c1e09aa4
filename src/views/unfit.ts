/** Refuses to parse binary, minified and too long texts, on which a parser could take very long. */

import type { NoStructure } from '../types/notice.ts';

/** Maximum characters of a text that is outlined. */
export const longestText = 4 * 1024 * 1024;

/** Lines of more characters count as generated. */
const longLine = 1_000;

/** `binary`, `minified` (most of the text is in long lines), `size`, or undefined if the text may be parsed. */
export function unfit(text: string, lines: readonly string[]): NoStructure | undefined {
  if (text.length > longestText) return 'size';
  if (text.includes('\0') || damage(text) > text.length / 20) return 'binary';
  let long = 0;
  for (const line of lines) if (line.length > longLine) long += line.length;
  return long > text.length / 2 ? 'minified' : undefined;
}

/** Number of characters that are unusual in texts: U+FFFD, and controls other than white space and ESC. */
function damage(text: string): number {
  return text.match(/[\u0001-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/g)?.length ?? 0;
}
