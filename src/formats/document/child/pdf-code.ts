/** Keeps lines and indentation of code on a page: text in a font whose characters all have the same width. */

import { bareText as bare, type PlacedText, SAME_LINE, type TextItem } from './pdf-layout.ts';

/** The fonts of a page by their name, as pdf.js classifies them. */
export type PdfFonts = Readonly<Record<string, { readonly fontFamily: string }>>;

/** A font that is not declared as monospaced counts as such if this many different texts and letters have one width. */
const MIN_MONO_TEXTS = 3;
const MIN_MONO_LETTERS = 6;
/** The widths of a character, as shares of the text height. Those of East Asian fonts are all 1. */
const MAX_MONO_WIDTH = 0.75;
/** The most by which the widths of characters may differ. */
const MONO_TOLERANCE = 0.03;

/** The least lines, letters and digits of a block, and the largest gap between two of its lines in text heights. */
const MIN_BLOCK_LINES = 2;
const MIN_BLOCK_LETTERS = 8;
const MAX_LINE_GAP = 4.5;

/** Text that is nearer to a line than this many text heights belongs to the line, which then is not code. */
const MIN_PROSE_DISTANCE = 1.5;

/** The pieces of one line of code, from left to right. */
type CodeLine = readonly PlacedText[];

/** The blocks of code of a page from top to bottom, with their lines as they stand on the page. */
export function codeBlocks(items: readonly TextItem[], fonts: PdfFonts): string[] {
  const mono = monoFonts(items, fonts);
  if (mono.size === 0) return [];
  const [code, prose]: [PlacedText[], PlacedText[]] = [[], []];
  for (const item of items) {
    if (item.str.trim() === '') continue;
    (mono.has(item.fontName ?? '') ? code : prose).push(placed(item));
  }
  const blocks: CodeLine[][] = [];
  for (const line of linesOf(code, prose)) {
    const block = blocks.at(-1);
    if (block && follows(block, line, prose)) block.push(line);
    else blocks.push([line]);
  }
  return blocks
    .filter(({ length }) => length >= MIN_BLOCK_LINES)
    .map(blockText)
    .filter((text) => bare(text).length >= MIN_BLOCK_LETTERS && isCode(text));
}

/** Two lines without indentation and without signs of code may be addresses. */
function isCode(text: string): boolean {
  return text.split('\n').length > 2 || /^ |[{}()[\];=<>$#|]/m.test(text);
}

function placed({ str, transform: [, , , , x = 0, y = 0], width, height }: TextItem): PlacedText {
  const characters = str.length;
  const lead = characters - str.trimStart().length;
  const start = x + (lead * width) / characters;
  return { text: str.trim(), x: start, y, end: x + width, height: Math.max(height, 1) };
}

function monoFonts(items: readonly TextItem[], fonts: PdfFonts): ReadonlySet<string> {
  interface Widths {
    least: number;
    most: number;
    readonly texts: Set<string>;
    readonly letters: Set<string>;
  }
  const found = new Map<string, Widths>();
  for (const { str, width, height, fontName = '' } of items) {
    if (str.trim().length < 2 || height <= 0) continue;
    const share = width / str.length / height;
    const widths = found.get(fontName) ?? { least: share, most: share, texts: new Set(), letters: new Set() };
    found.set(fontName, widths);
    widths.least = Math.min(widths.least, share);
    widths.most = Math.max(widths.most, share);
    // Digits have one width in most fonts.
    if (widths.texts.size < MIN_MONO_TEXTS) widths.texts.add(str.replace(/\d+/g, ''));
    if (widths.letters.size < MIN_MONO_LETTERS)
      for (const letter of str) if (/\p{L}/u.test(letter)) widths.letters.add(letter);
  }
  const isMono = ([name, { least, most, texts, letters }]: readonly [string, Widths]): boolean => {
    if (most > MAX_MONO_WIDTH || most - least > MONO_TOLERANCE * most) return false;
    const isDeclared = fonts[name]?.fontFamily === 'monospace';
    return isDeclared || (texts.size >= MIN_MONO_TEXTS && letters.size >= MIN_MONO_LETTERS);
  };
  return new Set([...found].filter(isMono).map(([name]) => name));
}

/** The lines from top to bottom that have nothing beside them but a line number. */
function linesOf(code: readonly PlacedText[], prose: readonly PlacedText[]): CodeLine[] {
  const lines: PlacedText[][] = [];
  for (const piece of code.toSorted((a, b) => b.y - a.y || a.x - b.x)) {
    const line = lines.at(-1);
    if (line?.[0] && isLevel(line[0], piece)) line.push(piece);
    else lines.push([piece]);
  }
  const others = prose.toSorted((a, b) => b.y - a.y);
  let next = 0;
  return lines.flatMap((line) => {
    const [first] = line as [PlacedText];
    const [start, end] = extent(line);
    while (next < others.length && (others[next] as PlacedText).y > first.y + first.height) next += 1;
    const beside: PlacedText[] = [];
    for (let at = next; at < others.length; at += 1) {
      const other = others[at] as PlacedText;
      if (other.y < first.y - first.height) break;
      const distance = Math.max(other.x - end, start - other.end);
      if (isLevel(first, other) && distance < MIN_PROSE_DISTANCE * first.height) beside.push(other);
    }
    if (beside.some(({ text, end: right }) => !/^\d+$/.test(text) || right > start)) return [];
    return [[...beside, ...line].toSorted((a, b) => a.x - b.x)];
  });
}

function isLevel(one: PlacedText, other: PlacedText): boolean {
  return Math.abs(one.y - other.y) < SAME_LINE * Math.min(one.height, other.height);
}

function extent(line: CodeLine): readonly [start: number, end: number] {
  return [Math.min(...line.map(({ x }) => x)), Math.max(...line.map(({ end }) => end))];
}

/** Whether `line` is the next one of a block: it is near, below it, and no other text is between them. */
function follows(block: readonly CodeLine[], line: CodeLine, prose: readonly PlacedText[]): boolean {
  const [above] = block.at(-1) as CodeLine as [PlacedText];
  const [first] = line as [PlacedText];
  if (above.y - first.y > MAX_LINE_GAP * first.height) return false;
  const [start, end] = extent(line);
  // Lines of listings side by side may stand at different heights.
  const isApart = above.y - first.y >= first.height;
  const isBeside = block.every((other) => {
    const [left, right] = extent(other);
    return (
      left > end + MIN_PROSE_DISTANCE * first.height || right + MIN_PROSE_DISTANCE * first.height < start
    );
  });
  const isBetween = (other: PlacedText): boolean =>
    other.y < above.y &&
    other.y > first.y &&
    other.x < end &&
    other.end > start &&
    !isLevel(other, above) &&
    !isLevel(other, first);
  return !(isApart && isBeside) && !prose.some(isBetween);
}

function blockText(lines: readonly CodeLine[]): string {
  const left = Math.min(...lines.map(([first]) => (first as PlacedText).x));
  const pieces = lines.flat();
  const characters = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const width = pieces.reduce((sum, { x, end }) => sum + end - x, 0) / characters;
  const gaps = lines.slice(1).map(([first], i) => (lines[i]?.[0]?.y ?? 0) - (first?.y ?? 0));
  const lead = Math.max(Math.min(...gaps), 0.9 * (lines[0]?.[0]?.height ?? 1));
  const shown = lines.map((line, i) => {
    const blank = i === 0 ? 0 : Math.round((gaps[i - 1] as number) / lead) - 1;
    const text = line.reduce((before, { text: next, x }) => {
      const column = Math.round((x - left) / width);
      return before.padEnd(column) + next;
    }, '');
    return '\n'.repeat(Math.max(0, blank)) + text;
  });
  return shown.join('\n');
}

/** The most characters of a page that are compared with its blocks. */
const MAX_COMPARED = 5_000_000;

/** Puts blocks of code into the text of their page, where it has the same letters and digits without their lines. */
export function withCode(text: string, blocks: readonly string[]): string {
  let result = text;
  let compared = 0;
  for (const block of blocks) {
    compared += result.length;
    if (compared > MAX_COMPARED) break;
    result = withBlock(result, block);
  }
  return result;
}

function withBlock(text: string, block: string): string {
  const { letters, offsets } = lettersOf(text);
  const wanted = bare(block);
  const at = letters.indexOf(wanted);
  if (at === -1) return withMoved(text, block);
  const [from, to] = [offsets[at] as number, (offsets[at + wanted.length - 1] as number) + 1];
  // The signs around the letters: those of the code, and Markdown that stands for nothing in it.
  const lead = /^[^\p{L}\p{M}\p{N}]*/u.exec(block)?.[0] ?? '';
  const trail = /[^\p{L}\p{M}\p{N}]*$/u.exec(block)?.[0] ?? '';
  const start = skipBack(text, from, new Set(`${lead} #*\`\\\n`));
  let end = skip(text, to, new Set(`${trail} *\`\\`));
  if (isInFence(text.slice(0, start))) return text;
  if (isInFence(text.slice(start, end))) {
    const close = /^\s*```/.exec(text.slice(end));
    if (!close) return text;
    end += close[0].length;
  }
  // A table says more than the columns of its text, unless these are the numbers of its lines.
  const covered = text.slice(start, end);
  if (/^\|.*\|$/m.test(covered) && !isNumbered(block))
    return /^(?![|\s]|```).*[\p{L}\p{N}]/mu.test(covered) ? withMoved(text, block) : text;
  return fenced(text.slice(0, start), block, text.slice(end));
}

const isNumbered = (block: string): boolean => {
  const lines = block.split('\n').filter((line) => line !== '');
  const first = Number.parseInt(lines[0] ?? '', 10);
  return lines.every((line, i) => Number.parseInt(line, 10) === first + i);
};

/** The block in the place of its words, if the text has them in another order, and nothing between them. */
function withMoved(text: string, block: string): string {
  const wanted = countsOf(wordsIn(block).map(({ word }) => word));
  const size = sum(wanted);
  const isOwn = ({ word }: TextWord): boolean => wanted.has(word);
  const words: (TextWord & { readonly isMixed: boolean; readonly isFenced: boolean })[] = [];
  let [offset, isFenced] = [0, false];
  for (const line of text.split('\n')) {
    const all = wordsIn(line, offset);
    const isMixed = !all.every(isOwn);
    if (line.startsWith('```')) isFenced = !isFenced;
    for (const one of all) words.push({ ...one, isMixed, isFenced });
    offset += line.length + 1;
  }
  for (let first = words.findIndex(isOwn), next = 0; first < words.length && first !== -1; first = next) {
    let last = first;
    while (last + 1 < words.length && isOwn(words[last + 1] as TextWord)) last += 1;
    next = last + 1;
    while (next < words.length && !isOwn(words[next] as TextWord)) next += 1;
    if (last - first + 1 < size) continue;
    const counts = countsOf(words.slice(first, last + 1).map(({ word }) => word));
    // A word of what stands beside it may be one of its words too; the reader repeats some of them in a fence.
    const isSpare = (at: number, isOdd = false): boolean => {
      const one = words[at] as (typeof words)[number];
      const count = counts.get(one.word) ?? 0;
      if (count <= (wanted.get(one.word) ?? 0) || !isOdd) return false;
      counts.set(one.word, count - 1);
      return true;
    };
    while (first < last && isSpare(first, words[first]?.isMixed)) first += 1;
    while (first < last && isSpare(last, words[last]?.isFenced === false)) last -= 1;
    const isWhole = [...wanted].every(([word, count]) => (counts.get(word) ?? 0) >= count);
    if (!isWhole || last - first > 1.5 * size) continue;
    const [start, end] = [words[first], words[last]] as [(typeof words)[0], (typeof words)[0]];
    const from = start.isMixed ? start.from : lineEnd(text, words[first - 1]?.to ?? -1);
    const after = words[last + 1]?.from;
    // Signs behind the last word, and lines of them, are the end of the code: `}`.
    const to = Math.max(end.to, after === undefined ? text.length : text.lastIndexOf('\n', after));
    if (isInFence(text.slice(0, from)) || isInFence(text.slice(from, to))) return text;
    return fenced(text.slice(0, from), block, text.slice(to));
  }
  return text;
}

interface TextWord {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

function wordsIn(text: string, offset = 0): TextWord[] {
  return Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]+/gu), ({ 0: word, index }) => ({
    word: bare(word),
    from: offset + index,
    to: offset + index + word.length,
  }));
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);

const lineEnd = (text: string, at: number): number => {
  const end = at < 0 ? 0 : text.indexOf('\n', at);
  return end === -1 ? text.length : end;
};

function fenced(before: string, block: string, after: string): string {
  const fence = block.includes('```') ? '~~~~' : '```';
  const parts = [before.trimEnd(), `${fence}\n${block}\n${fence}`, after.trimStart()];
  return parts.filter((part) => part !== '').join('\n\n');
}

function skipBack(text: string, from: number, signs: ReadonlySet<string>): number {
  let at = from;
  while (at > 0 && signs.has(text[at - 1] as string)) at -= 1;
  return at;
}

function skip(text: string, from: number, signs: ReadonlySet<string>): number {
  let at = from;
  while (at < text.length && signs.has(text[at] as string)) at += 1;
  return at;
}

const isInFence = (text: string): boolean => (text.match(/^```/gm)?.length ?? 0) % 2 === 1;

function lettersOf(text: string): { letters: string; offsets: number[] } {
  const offsets: number[] = [];
  let [letters, at] = ['', 0];
  for (const character of text) {
    const kept = bare(character);
    letters += kept;
    for (let i = 0; i < kept.length; i += 1) offsets.push(at);
    at += character.length;
  }
  return { letters, offsets };
}
