/**
 * anydoc 0.1.9 shows tracked deletions and hidden text of a .doc, and leaves out signs of symbol fonts, superscripts and what
 * fields without a result show. They are removed from the text, or written into it, before the conversion. Source of all
 * offsets: [MS-DOC] 2.5 (Fib), 2.8.35 (PlcPcd), 2.9.33 (ChpxFkp), 2.9.286 (SttbfFfn).
 */

import { DELETED_TEXT, HIDDEN_TEXT, type UnshownFacts } from '../../protocol.ts';
import { CompoundFile, type CompoundStream, shapeTexts } from '../compound.ts';
import { decode } from '../rewrite.ts';
import { StandIns } from './anydoc-raised-text.ts';
import { isSymbolFont, signIn, signOfField, symbolOf, wordsOfField } from './anydoc-symbol-fonts.ts';

const MAGIC = 0xa5ec;

/** Offsets in the Fib: the flags (which table stream is used), and the positions of two tables in that stream. */
const FLAGS = 0x0a;
const CHARACTER_PAGES = 0xfa;
const PIECES = 0x1a2;

const PAGE = 512;

/** The character that replaces removed ones: an optional hyphen, which is not shown. */
const NOTHING = 0x1f;

/** Bytes `start` to `end` (exclusive) of the stream. */
interface Run {
  readonly start: number;
  readonly end: number;
}

interface Piece extends Run {
  /** Whether a character has two bytes. */
  readonly wide: boolean;
}

export interface VisibleWord {
  readonly bytes: Buffer;
  /** The kinds of text that were removed. */
  readonly leftOut: readonly UnshownFacts[];
  readonly standIns?: StandIns | undefined;
}

export interface WordStreams {
  /** The content of the stream with the text. */
  readonly content: Buffer;
  readonly stream: CompoundStream;
  readonly pieces: readonly Piece[];
  /** The content of the stream `Data`. */
  readonly data?: Buffer | undefined;
  /** The table whose position is at offset `at` of the Fib. */
  part(at: number): Buffer;
}

/** Throws RangeError for a damaged document. */
export function openWord(bytes: Buffer): WordStreams | undefined {
  const compound = CompoundFile.of(bytes);
  const stream = compound?.find('WordDocument');
  if (!compound || !stream) return undefined;
  const content = compound.read(stream);
  if (content.readUInt16LE(0) !== MAGIC) return undefined;
  const isOne = (content.readUInt16LE(FLAGS) & 0x0200) !== 0;
  const tables = compound.find(isOne ? '1Table' : '0Table');
  if (!tables) return undefined;
  const table = compound.read(tables);
  const part = (at: number): Buffer => {
    const start = content.readUInt32LE(at);
    return table.subarray(start, start + content.readUInt32LE(at + 4));
  };
  const data = compound.find('Data');
  return { content, stream, part, pieces: piecesOf(part(PIECES)), data: data && compound.read(data) };
}

export function withoutRuns(bytes: Buffer): VisibleWord {
  const word = openWord(bytes);
  if (!word) return { bytes, leftOut: [] };
  const { content, stream, part } = word;
  const kinds = [
    [DELETED, DELETED_TEXT],
    [HIDDEN, HIDDEN_TEXT],
  ] as const;
  const leftOut: UnshownFacts[] = kinds.flatMap(([wanted, kind]) => {
    const runs = runsWith(word, (code, operand) => code === wanted && IS_ON.has(operand));
    return runs.filter((run) => blank(word, run)).length > 0 ? [kind] : [];
  });
  const standIns = new StandIns([textOf(word), ...names(part(OWNERS)), ...drawingsOf(word)].join(''));
  const lost = writeSymbols(word, standIns) + writeFields(word, standIns) + writeRaised(word, standIns);
  if (lost > 0) leftOut.push({ what: 'sign', count: lost });
  if (CompoundFile.of(bytes)?.read(stream).equals(content)) return { bytes, leftOut };
  const copy = Buffer.from(bytes);
  CompoundFile.of(copy)?.write(stream, content);
  return { bytes: copy, leftOut, standIns };
}

/** The place of a character in the stream, and its code as it is stored. */
interface Place {
  readonly at: number;
  readonly wide: boolean;
  readonly code: number;
}

function* placesIn({ content, pieces }: WordStreams, run: Run): Generator<Place> {
  for (const { start, end, wide } of pieces) {
    const step = wide ? 2 : 1;
    const last = Math.min(end, run.end, content.length - step + 1);
    for (let at = Math.max(start, run.start); at < last; at += step)
      yield { at, wide, code: wide ? content.readUInt16LE(at) : (content[at] as number) };
  }
}

function write({ content }: WordStreams, { at, wide }: Place, code: number): void {
  if (wide) content.writeUInt16LE(code, at);
  else content[at] = code;
}

/** Replaces the characters of a run, except control characters, which end paragraphs, cells and fields; whether there were any. */
function blank(word: WordStreams, run: Run): boolean {
  let isText = false;
  for (const place of placesIn(word, run)) {
    if (place.code < 0x20) continue;
    isText = true;
    write(word, place, NOTHING);
  }
  return isText;
}

/** Offset in the Fib of the names of fonts, and the bytes of a font before its name. */
const FONT_NAMES = 0x112;
const FONT_BYTES = 39;

/** Property codes: the fonts of a run, for ASCII and for others, and the font and the code of a sign, for which a placeholder stands. */
const [RUN_FONT, OTHER_FONT] = [0x4a4f, 0x4a51];
const SIGN_CODE = 0x6a09;

/** Writes the signs of symbol fonts in Unicode; the number of those without a place. */
function writeSymbols(word: WordStreams, standIns: StandIns): number {
  const fonts = fontNames(word.part(FONT_NAMES));
  let lost = 0;
  const writeRun = (run: Run, signOf: (code: number) => string): void => {
    for (const place of placesIn(word, run)) {
      const sign = place.code > 0x20 ? signOf(place.code) : '';
      if (sign === '') continue;
      const code = place.wide && sign.length === 1 ? sign.charCodeAt(0) : standIns.of(sign);
      write(word, place, code ?? NOTHING);
      if (code === undefined) lost += 1;
    }
  };
  const values: number[] = [];
  const signs = runsWith(word, (code, _, value) => code === SIGN_CODE && values.push(value) > 0);
  for (const [i, run] of signs.entries()) {
    const value = values[i] ?? 0;
    writeRun(run, () => symbolOf(fonts[value & 0xffff] ?? '', value >>> 16));
  }
  for (const [index, font] of fonts.entries()) {
    if (!isSymbolFont(font)) continue;
    for (const [property, least] of [
      [RUN_FONT, 0x20],
      [OTHER_FONT, 0x7f],
    ] as const)
      for (const run of runsWith(word, (code, _, value) => code === property && (value & 0xffff) === index))
        writeRun(run, (code) => (code > least && signIn(font, code)) || '');
  }
  return lost;
}

/** The property code for a superscript (1) or subscript (2). */
const RAISED_CODE = 0x2a48;

/** Marks superscripts and subscripts; the number of characters that could not be marked. */
function writeRaised(word: WordStreams, standIns: StandIns): number {
  let lost = 0;
  for (const [i, kind] of (['super', 'sub'] as const).entries()) {
    const runs = runsWith(word, (code, operand) => code === RAISED_CODE && operand === i + 1);
    for (const run of runs)
      for (const place of placesIn(word, run)) {
        if (place.code < 0x20) continue;
        const stored = place.wide ? place.code : decode(Uint8Array.of(place.code), WINDOWS).charCodeAt(0);
        const code = standIns.raised(stored, kind);
        if (code === undefined) lost += 1;
        else write(word, place, code);
      }
  }
  return lost;
}

const WORD_FIELD = /\x13([^\x13-\x15]*)(?:\x14[\0-\x12]*)?\x15/g;

const NEEDED_FIELD = /^\s*(?:SYMBOL|EQ|MACROBUTTON|FORMCHECKBOX|FORMDROPDOWN)\s/i;

/** The property code for the place of a form's data in the stream `Data`. */
const DATA_PLACE = 0x6a03;

/** Writes what fields without a result show: signs, glosses, boxes and lists of forms; the number of those without a place. */
function writeFields(word: WordStreams, standIns: StandIns): number {
  let lost = 0;
  for (const { 0: field, 1: code = '', index } of textOf(word).matchAll(WORD_FIELD)) {
    if (!NEEDED_FIELD.test(code)) continue;
    const places = Array.from(field, (_, i) => placeOf(word, index + i));
    const shown = signOfField(code) ?? wordsOfField(code) ?? formValue(word, code, places);
    const [first] = places;
    if (shown === undefined || !first) continue;
    const sign = standIns.of(shown);
    if (sign === undefined) lost += 1;
    for (const place of places) if (place) write(word, place, NOTHING);
    if (sign !== undefined) write(word, first, sign);
  }
  return lost;
}

/** The place of the character at a position of the text. */
function placeOf({ content, pieces }: WordStreams, position: number): Place | undefined {
  let from = 0;
  for (const { start, end, wide } of pieces) {
    const step = wide ? 2 : 1;
    const at = start + (position - from) * step;
    from += (end - start) / step;
    if (position < from && at + step <= content.length) return { at, wide, code: 0 };
  }
  return undefined;
}

/** The value of a box or a list of a form. Source: [MS-DOC] 2.9.78 (FFData), 2.9.157 (NilPICFAndBinData). */
function formValue(
  word: WordStreams,
  code: string,
  places: readonly (Place | undefined)[],
): string | undefined {
  const kind = /^\s*FORM(CHECKBOX|DROPDOWN)/.exec(code)?.[1];
  const last = places.findLast((place) => place && word.content[place.at] === 1);
  if (kind === undefined || !last || !word.data) return undefined;
  let offset: number | undefined;
  runsWith(word, (property, _, value, { start, end }) => {
    if (property === DATA_PLACE && start <= last.at && last.at < end) offset = value;
    return offset !== undefined;
  });
  if (offset === undefined) return undefined;
  const data = word.data.subarray(offset + word.data.readUInt16LE(offset + 4));
  const stored = (data.readUInt16LE(4) >> 2) & 31;
  // Behind the name: its length, the characters and a zero.
  let at = 10 + 2 * data.readUInt16LE(10) + 4;
  // 25 stands for no result.
  const chosen = stored === 25 ? data.readUInt16LE(at) : stored;
  if (kind === 'CHECKBOX') return chosen === 1 ? '☒' : '☐';
  at += 2;
  for (let i = 0; i < 5; i += 1) at += 2 * data.readUInt16LE(at) + 4;
  const entries = names(data.subarray(at + 6)).slice(0, data.readUInt32LE(at + 2));
  return entries[chosen] ?? '';
}

function fontNames(table: Buffer): string[] {
  const fonts: string[] = [];
  for (let at = 4; at < table.length; at += 1 + (table[at] as number)) {
    const name = table.toString('utf16le', at + 1 + FONT_BYTES, at + 1 + (table[at] as number));
    fonts.push(name.split('\0')[0] ?? '');
  }
  return fonts;
}

/** Gets the first byte of the operand of a property, and its first four. */
type PropertyTest = (code: number, operand: number, value: number, run: Run) => boolean;

/** The runs with a property that passes. */
function runsWith({ content, part }: WordStreams, isChosen: PropertyTest): Run[] {
  const pages = part(CHARACTER_PAGES);
  const runs: Run[] = [];
  const count = Math.floor((pages.length - 4) / 8);
  for (let i = 0; i < count; i += 1) {
    const number = pages.readUInt32LE(4 * (count + 1) + 4 * i) & 0x3fffff;
    const page = content.subarray(number * PAGE, (number + 1) * PAGE);
    if (page.length === PAGE) runs.push(...runsIn(page, isChosen));
  }
  return runs;
}

function runsIn(page: Buffer, isChosen: PropertyTest): Run[] {
  const count = page[PAGE - 1] as number;
  const runs: Run[] = [];
  for (let i = 0; i < count && 4 * (count + 1) + i < PAGE; i += 1) {
    const at = 2 * (page[4 * (count + 1) + i] as number);
    const run = { start: page.readUInt32LE(4 * i), end: page.readUInt32LE(4 * i + 4) };
    const properties = page.subarray(at + 1, at + 1 + (page[at] as number));
    if (at > 0 && hasProperty(properties, run, isChosen)) runs.push(run);
  }
  return runs;
}

/** The property codes for a tracked deletion and for hidden text. */
const DELETED = 0x0800;
const HIDDEN = 0x083c;

/** The values for "on" and for "opposite of the style", which means on, because no style sets it. */
const IS_ON = new Set([0x01, 0x81]);

/** The operand's size in bytes by the upper three bits of a property; for index 6 (0) the first byte is the size. */
const OPERANDS = [1, 1, 2, 4, 2, 2, 0, 3];

function hasProperty(properties: Buffer, run: Run, test: PropertyTest): boolean {
  for (let at = 0; at + 2 < properties.length;) {
    const property = properties.readUInt16LE(at);
    const size = OPERANDS[property >> 13] as number;
    const operand = properties[at + 2] as number;
    const value =
      at + 6 <= properties.length
        ? properties.readUInt32LE(at + 2)
        : properties.readUIntLE(at + 2, properties.length - at - 2);
    if (test(property, operand, value, run)) return true;
    at += 2 + (size === 0 ? 1 + operand : size);
  }
  return false;
}

/** The pieces of the text: their position in the stream, and whether their characters have two bytes. */
function piecesOf(clx: Buffer): Piece[] {
  let at = 0;
  while (clx[at] === 1) at += 3 + clx.readUInt16LE(at + 1);
  if (clx[at] !== 2) return [];
  const plc = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
  const count = Math.floor((plc.length - 4) / 12);
  return Array.from({ length: count }, (_, i) => {
    const characters = plc.readUInt32LE(4 * i + 4) - plc.readUInt32LE(4 * i);
    const place = plc.readUInt32LE(4 * (count + 1) + 8 * i + 2);
    const wide = (place & 0x40000000) === 0;
    const start = wide ? place : (place & 0x3fffffff) / 2;
    return { start, end: start + characters * (wide ? 2 : 1), wide };
  });
}

/** Offsets in the Fib: the names of authors, and the drawings. */
export const OWNERS = 0x1ba;
const DRAWINGS = 0x22a;

/** Descriptions of pictures, and WordArt. */
export function drawingsOf({ part, data }: WordStreams): string[] {
  return [...shapeTexts(part(DRAWINGS)), ...shapeTexts(data ?? Buffer.alloc(0))];
}

/** The text with all its control characters. */
export function textOf({ content, pieces }: WordStreams): string {
  return pieces
    .map(({ start, end, wide }) => {
      const piece = content.subarray(start, end);
      return wide ? UTF16.decode(piece) : decode(piece, WINDOWS);
    })
    .join('');
}

const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true });
const WINDOWS = 'windows-1252';

/** Parses length-prefixed names (UTF-16). */
export function names(list: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at + 2 <= list.length;) {
    const end = at + 2 + 2 * list.readUInt16LE(at);
    found.push(list.toString('utf16le', at + 2, end));
    at = end;
  }
  return found;
}
