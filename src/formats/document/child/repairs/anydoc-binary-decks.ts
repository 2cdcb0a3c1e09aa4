/**
 * anydoc 0.1.9 shows superscripts and subscripts of a .ppt as plain text, and signs of symbol fonts as letters. They are written
 * into its records before the conversion.
 */

import { StandIns } from './anydoc-raised-text.ts';
import { signIn } from './anydoc-symbol-fonts.ts';

interface DeckRecord {
  /** The offset of its content. */
  readonly at: number;
  readonly end: number;
  readonly type: number;
  readonly instance: number;
}

/** A record of this type holds others, although its header does not say so. */
const TAG_DATA = 0x138b;

/** All records, those in others behind their container. */
export function* deckRecords(content: Buffer, from: number, to: number): Generator<DeckRecord> {
  for (let at = from; at + 8 <= to;) {
    const [head, type] = [content.readUInt16LE(at), content.readUInt16LE(at + 2)];
    const end = Math.min(to, at + 8 + content.readUInt32LE(at + 4));
    yield { at: at + 8, end, type, instance: head >> 4 };
    at = (head & 15) === 15 || type === TAG_DATA ? at + 8 : end;
  }
}

/** Types of records: texts in UTF-16 and in Latin-1, their styles, and the names of fonts. Source: [MS-PPT] 2.13.24. */
const [WIDE_TEXT, NARROW_TEXT, TEXT_STYLES, FONT_NAME] = [0x0fa0, 0x0fa8, 0x0fa1, 0x0fb7];

/** A text that belongs to no shape: of a comment, a header, a link. */
export const STRING = 0x0fba;
const MARKED: ReadonlySet<number> = new Set([WIDE_TEXT, NARROW_TEXT, TEXT_STYLES, FONT_NAME, STRING]);

/** Marks superscripts and subscripts in `content`, and writes signs of symbol fonts. */
export function markedText(content: Buffer): StandIns {
  const all: DeckRecord[] = [];
  for (const record of deckRecords(content, 0, content.length)) if (MARKED.has(record.type)) all.push(record);
  const texts = all.filter(({ type }) => type !== TEXT_STYLES && type !== FONT_NAME);
  const textOf = ({ at, end, type }: DeckRecord): string =>
    content.toString(type === NARROW_TEXT ? 'latin1' : 'utf16le', at, end);
  const standIns = new StandIns(texts.map(textOf).join(''));
  const fonts = new Map(
    all
      .filter(({ type }) => type === FONT_NAME)
      .map(({ at, instance }) => [instance, content.toString('utf16le', at, at + 64).split('\0')[0] ?? '']),
  );
  let text: DeckRecord | undefined;
  for (const record of all) {
    if (record.type === WIDE_TEXT || record.type === NARROW_TEXT) text = record;
    if (record.type !== TEXT_STYLES || !text) continue;
    const size = text.type === WIDE_TEXT ? 2 : 1;
    for (const { from, to, position, ...own } of stylesIn(content, record, (text.end - text.at) / size)) {
      const [font = '', symbols = font] = [own.font, own.symbols].map((one) => fonts.get(one ?? -1));
      for (let at = text.at + from * size; at + size <= Math.min(text.end, text.at + to * size); at += size) {
        const code = content.readUIntLE(at, size);
        if (code < 0x20) continue;
        const sign = signIn(code >= 0xf020 ? symbols : font, code);
        const plain = sign === undefined ? code : standIns.of(sign);
        const put = plain && position ? standIns.raised(plain, position > 0 ? 'super' : 'sub') : plain;
        if (put !== undefined) content.writeUIntLE(put, at, size);
      }
    }
    text = undefined;
  }
  return standIns;
}

interface DeckStyle {
  readonly from: number;
  readonly to: number;
  /** How high it stands, in percent. */
  readonly position?: number | undefined;
  readonly font?: number | undefined;
  /** The font of its signs in the private use area. */
  readonly symbols?: number | undefined;
}

/**
 * The bits that say which properties of paragraphs are there, in their order; each has two bytes, colours have twice as many.
 * Source: [MS-PPT] 2.9.20.
 */
const PARAGRAPH_BITS = [
  0xf, 0x80, 0x10, 0x40, 0x20, 0x20, 0x800, 0x1000, 0x2000, 0x4000, 0x100, 0x400, 0x8000,
];
/** Those behind the tabs of a paragraph. */
const PARAGRAPH_END_BITS = [0x10000, 0xe0000, 0x200000];
const TABS = 0x100000;
/** Those of characters: style, font, three more fonts, size, colour, position. Source: [MS-PPT] 2.9.14. */
const CHARACTER_BITS = [0x3eb7, 0x10000, 0x200000, 0x400000, 0x800000, 0x20000, 0x40000, 0x40000, 0x80000];

const sizeOf = (mask: number, bits: readonly number[]): number =>
  2 * bits.filter((bit) => (mask & bit) !== 0).length;

/** The styles of a text of `length` characters; those that end early are what there is. */
function stylesIn(content: Buffer, { at: start, end }: DeckRecord, length: number): DeckStyle[] {
  const styles: DeckStyle[] = [];
  let at = start;
  for (let done = 0; done <= length && at + 10 <= end;) {
    done += content.readUInt32LE(at);
    const mask = content.readUInt32LE(at + 6);
    at += 10 + sizeOf(mask, PARAGRAPH_BITS);
    if ((mask & TABS) !== 0 && at + 2 <= end) at += 2 + 4 * content.readUInt16LE(at);
    at += sizeOf(mask, PARAGRAPH_END_BITS);
  }
  for (let from = 0; from <= length && at + 8 <= end;) {
    const to = from + content.readUInt32LE(at);
    const mask = content.readUInt32LE(at + 4);
    at += 8;
    const placeOf = (bit: number): number =>
      at + sizeOf(mask, CHARACTER_BITS.slice(0, CHARACTER_BITS.indexOf(bit)));
    const valueOf = (bit: number): number | undefined =>
      (mask & bit) !== 0 && placeOf(bit) + 2 <= end ? content.readInt16LE(placeOf(bit)) : undefined;
    const [position, font, symbols] = [0x80000, 0x10000, 0x800000].map(valueOf);
    styles.push({ from, to, position, font, symbols });
    at += sizeOf(mask, CHARACTER_BITS);
    from = to;
  }
  return styles;
}
