/**
 * anydoc 0.1.9 shows superscripts and subscripts as plain text: 10⁶ as 106. They are delimited before the conversion, and written
 * as on web pages after it: `10^6`.
 */

import { lowered, raised } from '../../../web/child/raised.ts';
import { MAX_STYLE_PARENTS } from '../hidden-text.ts';
import {
  replaceRanges,
  walkXml,
  type XmlAttributes,
  type XmlPlace,
  type XmlReplacement,
} from '../xml-walk.ts';
import { attribute, each, elements } from '../zip-parts.ts';
import { shownOpenSymbols } from './anydoc-symbol-fonts.ts';

/** Delimiters during the conversion: Unicode noncharacters, as those of comments. */
export const RAISED = { super: ['\ufdd4', '\ufdd5'], sub: ['\ufdd6', '\ufdd7'] } as const;

/** The ends of a text that is a word of its own, such as the description of a picture, which anydoc joins to its neighbours. */
export const APART = '\ufdda';

export type RaisedKind = keyof typeof RAISED;

/** A longer text between delimiters has lost one of them. */
const MAX_RAISED_CHARACTERS = 100;

const DELIMITED = new RegExp(
  `([\ufdd4\ufdd6])([^\ufdd4-\ufdd7\n]{0,${MAX_RAISED_CHARACTERS}})[\ufdd5\ufdd7]`,
  'g',
);

/** The text with superscripts and subscripts instead of delimiters. */
export function restoreRaised(text: string): string {
  if (!/[\ufdd4-\ufdda]/.test(text)) return text;
  const apart = text
    .replace(/(?<=[\p{L}\p{N}.,;:!?)])\ufdda+(?=[\p{L}\p{N}(])/gu, ' ')
    .replace(/\ufdda/g, '');
  const joined = apart.replace(/\ufdd5\ufdd4|\ufdd7\ufdd6/g, '');
  return joined
    .replace(DELIMITED, (_, mark: string, said: string, at: number) => {
      const before = joined.slice(Math.max(0, at - 1), at);
      // A power stands at its base: a raised word after a space is none.
      if (/^\s?$/.test(before)) return said;
      return mark === RAISED.super[0] ? raised(said) : lowered(said, before);
    })
    .replace(/[\ufdd4-\ufdd7]/g, '');
}

/**
 * Signs that a text in a binary document does not have. Each takes the place of a character, and stands for a text for which
 * there is no room. All are in Latin-1, because a character may be stored in one byte.
 */
export class StandIns {
  readonly #free: number[];
  readonly #signs = new Map<string, number>();
  readonly #texts = new Map<number, string>();

  constructor(text: string) {
    const used = new Set(text);
    this.#free = Array.from({ length: 0x40 }, (_, i) => 0xc0 + i).filter(
      (code) => !used.has(String.fromCharCode(code)),
    );
  }

  /** The code of the sign for `text`; undefined if none is left. */
  of(text: string): number | undefined {
    const code = this.#signs.get(text) ?? this.#free.pop();
    if (code !== undefined) {
      this.#signs.set(text, code);
      this.#texts.set(code, text);
    }
    return code;
  }

  /** The sign for a character that is raised or lowered, which may be a sign itself. */
  raised(code: number, kind: RaisedKind): number | undefined {
    return this.of(RAISED[kind][0] + this.restore(String.fromCharCode(code)) + RAISED[kind][1]);
  }

  /** The text with what the signs stand for. */
  restore(text: string): string {
    if (this.#texts.size === 0) return text;
    return text.replace(/[\xc0-\xff]/g, (sign) => this.#texts.get(sign.charCodeAt(0)) ?? sign);
  }
}

/** What is noted about an element: how its text is set. */
interface RaisedNote {
  readonly local: string;
  kind: RaisedKind | undefined;
}

type Note = (
  local: string,
  attributes: XmlAttributes,
  parent: XmlPlace<RaisedNote> | undefined,
) => RaisedKind | undefined;

function delimited(xml: string, kindOf: Note): string {
  const added: XmlReplacement[] = [];
  const isWhole = walkXml<RaisedNote>(xml, {
    open(name, attributes, parent) {
      const local = name.slice(name.indexOf(':') + 1);
      return { local, kind: kindOf(local, attributes, parent) };
    },
    text(start, end, { noted: { kind } }) {
      const text = xml.slice(start, end);
      if (kind && text.trim() !== '') added.push([start, end, RAISED[kind][0] + text + RAISED[kind][1]]);
    },
  });
  return isWhole && added.length > 0 ? replaceRanges(xml, added) : xml;
}

const WORD_KINDS: Readonly<Record<string, RaisedKind>> = { superscript: 'super', subscript: 'sub' };

/** Character styles of a .docx that raise or lower, by identifier. */
export function raisedWordStyles(xml: string): ReadonlyMap<string, RaisedKind> {
  const styles = new Map<string, RaisedKind>();
  if (!xml.includes('vertAlign')) return styles;
  const values = new Map<string, string | undefined>();
  const parents = new Map<string, string>();
  for (const { content, tag } of elements(xml, '(?:\\w+:)?style')) {
    const [align, parent] = ['vertAlign', 'basedOn'].map((name) =>
      attribute(new RegExp(`<(?:\\w+:)?${name}(?=\\s)[^>]*>`).exec(content)?.[0] ?? '', '(?:\\w+:)?val'),
    );
    const id = attribute(tag, '(?:\\w+:)?styleId') ?? '';
    values.set(id, align);
    if (align === undefined && parent !== undefined) parents.set(id, parent);
  }
  for (const id of values.keys()) {
    let from: string | undefined = id;
    for (let i = 0; i < MAX_STYLE_PARENTS && parents.has(from ?? ''); i += 1) from = parents.get(from ?? '');
    const kind = WORD_KINDS[values.get(from ?? '') ?? ''];
    if (kind) styles.set(id, kind);
  }
  return styles;
}

/** A part of a .docx. */
export function raisedWord(xml: string, styles: ReadonlyMap<string, RaisedKind>): string {
  if (styles.size === 0 && !xml.includes('vertAlign')) return xml;
  return delimited(xml, (local, attributes, parent) => {
    const run = parent?.parent?.noted;
    if (run?.local === 'r' && parent?.noted.local === 'rPr') {
      const value = attributes['w:val'] ?? attributes['val'] ?? '';
      if (local === 'vertAlign') run.kind = WORD_KINDS[value];
      if (local === 'rStyle') run.kind ??= styles.get(value);
    }
    return local === 't' && parent?.noted.local === 'r' ? parent.noted.kind : undefined;
  });
}

/** The XML of a slide (.pptx): a baseline in thousandths of a percent. */
export function raisedSlide(xml: string): string {
  if (!/\sbaseline="-?[1-9]/.test(xml)) return xml;
  return delimited(xml, (local, attributes, parent) => {
    const baseline = Number(attributes['baseline'] ?? 0);
    if (local === 'rPr' && parent?.noted.local === 'r' && baseline !== 0)
      parent.noted.kind = baseline > 0 ? 'super' : 'sub';
    return local === 't' && parent?.noted.local === 'r' ? parent.noted.kind : undefined;
  });
}

/** Elements of OpenDocument with a text of their own. */
const OWN_TEXT = /^(?:note|annotation|frame|custom-shape|text-box)$/;

/** OpenDocument, also with its signs of symbol fonts as text; `styles` is the part styles.xml. */
export function raisedOpen(stored: string, styles: string): string {
  const xml = shownOpenSymbols(stored, styles);
  if (!/\sstyle:text-position=/.test(xml + styles)) return xml;
  const kinds = new Map<string, RaisedKind>();
  for (const part of [styles, xml])
    for (const { content, tag } of elements(part, 'style:style')) {
      const [properties = ''] = /<style:text-properties(?=\s)[^>]*>/.exec(content) ?? [];
      const position = /^(-|super|sub|0%)?/.exec(attribute(properties, 'style:text-position') ?? '0%')?.[1];
      const kind = position === '-' || position === 'sub' ? 'sub' : 'super';
      if (position !== '0%') kinds.set(attribute(tag, 'style:name') ?? '', kind);
    }
  if (kinds.size === 0) return xml;
  return delimited(xml, (local, attributes, parent) => {
    if (local === 'span') return kinds.get(attributes['text:style-name'] ?? '') ?? parent?.noted.kind;
    return OWN_TEXT.test(local) ? undefined : parent?.noted.kind;
  });
}

const RUN_TEXT = /(<(?:\w+:)?t(?:\s[^<>]*)?>)([^<]*[^<\s][^<]*)/;

/** The strings of a workbook, shared, in cells or in comments, whose runs are joined by SheetJS 0.20.3. */
export function raisedCells(xml: string): string {
  if (!xml.includes('vertAlign')) return xml;
  return each(xml, '(?:\\w+:)?(?:si|is|text)', (content, tag) => {
    const close = `</${/^<([\w:]+)/.exec(tag)?.[1]}>`;
    const marked = each(content, '(?:\\w+:)?r', (run, start) => {
      const [value] = /<(?:\w+:)?vertAlign(?=\s)[^>]*>/.exec(run) ?? [];
      const kind = WORD_KINDS[attribute(value ?? '', 'val') ?? ''];
      const [open, end] = kind ? RAISED[kind] : [];
      // The text of a run may also be a value of its font.
      const shown = kind ? run.replace(RUN_TEXT, `$1${open}$2${end}`) : run;
      return `${start}${shown}</${/^<([\w:]+)/.exec(start)?.[1]}>`;
    });
    return `${tag}${marked}${close}`;
  });
}
