/**
 * Reads the texts of a binary Word document that its converter ignores: comments, text boxes, headers and footers. They are
 * stored one after the other. Source of all offsets: [MS-DOC] 2.5 (Fib), 2.8.5 (PlcfandRef), 2.8.22 (PlcfHdd).
 */

import { HEADS_AND_FEET, type Section } from './restore-texts.ts';
import { openWord } from './word97.ts';

/** The offset in the Fib of the character counts of the texts, in the order of `TEXTS`. */
const LENGTHS = 76;
const TEXTS = [
  'body',
  'footnotes',
  'headers',
  'macros',
  'comments',
  'endnotes',
  'boxes',
  'headerBoxes',
] as const;

const COMMENTS = 0xba;
const COMMENT_TEXTS = 0xc2;
const HEADERS = 0xf2;
const OWNERS = 0x1ba;

/** The bytes of a comment's record, and the offset of its author in it. */
const COMMENT_BYTES = 30;
const OWNER = 20;

export function asidesOf(bytes: Buffer): Section[] {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function read(bytes: Buffer): Section[] {
  const word = openWord(bytes);
  if (!word) return [];
  const { content, pieces, part } = word;
  const all = pieces
    .map(({ start, end, wide }) => (wide ? UTF16 : WINDOWS).decode(content.subarray(start, end)))
    .join('');
  const texts: Record<string, string> = {};
  let from = 0;
  for (const [i, name] of TEXTS.entries()) {
    const to = from + content.readUInt32LE(LENGTHS + 4 * i);
    texts[name] = all.slice(from, to);
    from = to;
  }
  const owners = names(part(OWNERS));
  const marks = part(COMMENTS);
  const count = Math.floor((marks.length - 4) / (4 + COMMENT_BYTES));
  const comments = stories(texts['comments'] ?? '', part(COMMENT_TEXTS))
    .slice(0, Math.max(0, count))
    .map((text, i) => {
      const owner = owners[marks.readUInt16LE(4 * (count + 1) + COMMENT_BYTES * i + OWNER)];
      return `comment${owner ? ` by ${owner}` : ''}: ${plain(text)}`;
    });
  const margins = stories(texts['headers'] ?? '', part(HEADERS))
    // The first six are separators of notes; then there are six per section.
    .slice(6)
    .map((text, i) => [[0, 1, 4].includes(i % 6) ? 'header' : 'footer', plain(text)] as const)
    .filter(([, text]) => /\p{L}/u.test(text))
    .map(([kind, text]) => `${kind}: ${text}`);
  const boxes = `${texts['boxes']}\r${texts['headerBoxes']}`.split('\r').map(plain);
  return [
    { title: 'Comments', lines: comments },
    { title: 'Text boxes', lines: boxes.filter((text) => text !== '') },
    { title: HEADS_AND_FEET, lines: margins.toSorted((a, b) => Number(a < b) - Number(a > b)) },
  ];
}

const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true });
const WINDOWS = new TextDecoder('windows-1252');

/** Splits a text at the positions in `places`. */
function stories(text: string, places: Buffer): string[] {
  const count = Math.floor(places.length / 4);
  const at = Array.from({ length: count }, (_, i) => places.readUInt32LE(4 * i));
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

/** Plain text: without field codes and special characters. */
function plain(text: string): string {
  return text
    .replace(/\x13[^\x13-\x15]*[\x14\x15]/g, '')
    .replace(/\x1e/g, '-')
    .replace(/\x1f/g, '')
    .replace(/[\0-\x1f]+/g, ' ')
    .trim();
}

/** Parses length-prefixed names (UTF-16). */
function names(list: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at + 2 <= list.length;) {
    const end = at + 2 + 2 * list.readUInt16LE(at);
    found.push(list.toString('utf16le', at + 2, end));
    at = end;
  }
  return found;
}
