/** Finds the headings of Markdown, each with its section. */

import type { Scanner } from './scanner.ts';
import { type Heading, sectionsOf } from './sections.ts';

const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const setext = /^ {0,3}(=+|-+)[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;
/** A line that cannot be the text of an underlined heading. */
const noParagraph = /^(?: {4}|\t|\s*$| {0,3}(?:>|[-*+][ \t]|\d+[.)][ \t]|\|))/;

export const markdown: Scanner = (lines) => sectionsOf(lines, headingsOf(lines));

function* headingsOf(lines: readonly string[]): Iterable<Heading> {
  let closing: string | undefined;
  let row = frontMatter(lines);
  for (; row < lines.length; row += 1) {
    const line = lines[row] ?? '';
    const marks = fence.exec(line)?.[1];
    if (closing !== undefined) {
      if (marks?.startsWith(closing) && line.trim() === marks) closing = undefined;
      continue;
    }
    if (marks !== undefined) {
      closing = marks;
      continue;
    }
    const heading = atx.exec(line);
    const above = lines[row - 1] ?? '';
    const underline = setext.exec(line)?.[1];
    if (heading) yield { level: heading[1]?.length ?? 1, title: heading[2] ?? '', line: row + 1 };
    else if (underline && !noParagraph.test(above) && !atx.test(above) && !setext.test(above)) {
      yield { level: underline.startsWith('=') ? 1 : 2, title: above.trim(), line: row };
    }
  }
}

/** Number of rows of a YAML front matter at the start. */
function frontMatter(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  const end = lines.findIndex((line, row) => row > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end === -1 ? 0 : end + 1;
}
