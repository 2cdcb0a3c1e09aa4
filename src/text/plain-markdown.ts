/** The text of Markdown without its markup, line for line, as a search looks for words in it. */

/** Signs of markup: escapes, marks of emphasis and code, links, tags of character styles, entities. */
const SIGNS =
  /^#{1,6} +|\\[!-/:-@[-`{-~]|`+|\*+|~~|!?\[|\](?:\([^\s()]*\))?|<\/?(?:sup|sub|u|br|ins|mark|small)\b[^<>]*>|&(?:amp|lt|gt|quot|nbsp|#39);/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': '\u00a0',
  '&#39;': "'",
};

/** A sign at offset `at` (UTF-16 units) of a line, and the text that it stands for. */
interface MarkupSign {
  readonly at: number;
  readonly length: number;
  text: string;
}

/** The text of `markdown`; its newlines are the same. */
export function plainMarkdown(markdown: string): string {
  return markdown.split('\n').map(plainLine).join('\n');
}

function plainLine(line: string): string {
  let [text, from] = ['', 0];
  for (const sign of signsOf(line)) {
    text += line.slice(from, sign.at) + sign.text;
    from = sign.at + sign.length;
  }
  return text + line.slice(from);
}

/** Where the character at `offset` of the line's text stands in the line of Markdown (both 0-based, in UTF-16 units). */
export function markdownOffset(line: string, offset: number): number {
  let hidden = 0;
  for (const { at, length, text } of signsOf(line)) {
    if (at - hidden + text.length > offset) break;
    hidden += length - text.length;
  }
  return offset + hidden;
}

function signsOf(line: string): MarkupSign[] {
  const signs: MarkupSign[] = [];
  /** Marks of emphasis that are not closed yet, by the mark; and brackets of links. */
  const open = new Map<string, MarkupSign>();
  const brackets: MarkupSign[] = [];
  for (const { 0: found, index: at } of line.matchAll(SIGNS)) {
    const sign: MarkupSign = { at, length: found.length, text: found };
    signs.push(sign);
    if (/^[`*~]/.test(found)) {
      const opener = open.get(found);
      const isSpace = (character = ' '): boolean => /\s/.test(character);
      if (opener && !isSpace(line[at - 1])) {
        opener.text = sign.text = '';
        open.delete(found);
      } else if (!isSpace(line[at + found.length])) open.set(found, sign);
    } else if (found.endsWith('[') && !found.startsWith('\\')) brackets.push(sign);
    else if (found.startsWith(']')) {
      const opener = brackets.pop();
      if (opener && found !== ']') opener.text = sign.text = '';
    } else sign.text = textOf(found);
  }
  return signs;
}

function textOf(sign: string): string {
  if (sign.startsWith('\\')) return sign.slice(1);
  return ENTITIES[sign] ?? (sign.startsWith('<br') ? ' ' : '');
}
