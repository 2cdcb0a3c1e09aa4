/**
 * anydoc 0.1.9 leaves out signs of symbol fonts, so that 5 μg is shown as 5 g. They are written in Unicode before the conversion;
 * one that is not known is named with its font.
 */

import { replaceRanges, walkXml, type XmlReplacement } from '../xml-walk.ts';
import { attribute, elements, escapeXml } from '../zip-parts.ts';

/** Signs from code 0x20 and from 0xa0 on; a space stands for none. Source: Adobe, symbol.txt; Microsoft, Wingdings. */
const FONTS: Readonly<Record<string, readonly [string, string]>> = {
  symbol: [
    ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼',
    '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭',
  ],
  wingdings: [
    ' ✏✂✁    ☎✆✉           ⌛        ✍ ✌   ☜☞☝☟ ☺ ☹ ☠⚐ ✈☼ ❄ ✞ ✠✡☪☯ ☸♈♉♊♋♌♍♎♏♐♑♒♓  ●❍■□ ❑❒⬧⧫◆❖⬥⌧ ⌘',
    '▪○  ◉◎ ▪◻ ✦★✶✴✹✵ ⌖⟡⌑ ✪✰                              ⌫⌦ ➢   ➲  ←→↑↓↖↗↙↘ ➔      ⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂▭▫✗✓☒☑',
  ],
};

/** The circled numbers of Wingdings: 0 to 10 from code 0x80 on, and in black from 0x8b on. */
const CIRCLED = ['⓪①②③④⑤⑥⑦⑧⑨⑩', '⓿❶❷❸❹❺❻❼❽❾❿'].join('');

/** Whether its signs are known. */
export const isSymbolFont = (font: string): boolean => Object.hasOwn(FONTS, font.toLowerCase());

/** The sign with this code, which may be in the private use area (U+F020 to U+F0FF). */
export function symbolOf(font: string, code: number): string {
  const signs = FONTS[font.toLowerCase()];
  const isPrivate = code >= 0xf020 && code <= 0xf0ff;
  if (!signs && !isPrivate) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  const place = isPrivate ? code - 0xf000 : code;
  const [low = '', high = ''] = signs ?? [];
  const isCircled = font.toLowerCase() === 'wingdings' && place >= 0x80 && place <= 0x95;
  const sign = isCircled ? CIRCLED[place - 0x80] : place >= 0xa0 ? high[place - 0xa0] : low[place - 0x20];
  if (place === 0x20 || (sign !== undefined && sign !== ' ')) return sign ?? ' ';
  return `[${font} 0x${place.toString(16).toUpperCase()}]`;
}

/** The sign for the code of a character that is set in this font; undefined if it is none. */
export const signIn = (font: string, code: number): string | undefined =>
  isSymbolFont(font) && (code < 0x100 || code >= 0xf020) ? symbolOf(font, code) : undefined;

/** The sign that a field stands for: `SYMBOL 109 \\f "Symbol"`. */
export function signOfField(code: string): string | undefined {
  const [, number, font = ''] = /^\s*SYMBOL\s+(\w+)(?:.*?\\f\s+"?([^"\\]+))?/.exec(code) ?? [];
  return number === undefined ? undefined : symbolOf(font.trim(), Number(number));
}

/** An equation field that sets a gloss above a base text: `\\o\\ad(\\s\\up 9(gloss),base)`. */
const GLOSS = /\\o(?:\s*\\a[a-z])?\s*\(\\s\s*\\up\s*\d*\s*\(([^]*?)\),([^]*)\)/i;

/** The words that a field shows without a result: a gloss behind its base, those of a button. */
export function wordsOfField(code: string): string | undefined {
  const [, gloss, base] = /^\s*EQ\s/i.test(code) ? (GLOSS.exec(code) ?? []) : [];
  if (gloss !== undefined && base !== undefined) return `${base}(${gloss})`;
  return /^\s*MACROBUTTON\s+\S+\s+(.*\S)/.exec(code)?.[1];
}

/** What is noted about an element: for a run its symbol font. */
interface SymbolNote {
  readonly local: string;
  font?: string | undefined;
  /** Whether the font is that of all characters, not only of those for symbols. */
  isWhole?: boolean | undefined;
}

const PRIVATE = /[\uf020-\uf0ff]/g;

/** An entity, which is the same sign in all fonts, or a sign of a symbol font. */
const SIGN = /&[^;]*;|[!-~\xa1-\xff\uf020-\uf0ff]/g;
const FONT = /\s(?:w:ascii|w:hAnsi|typeface)="(?:symbol|wingdings)"/i;

/** The content of an .odt or .odp with its signs as text; `styles` is the part styles.xml. */
export function shownOpenSymbols(xml: string, styles: string): string {
  if (xml.search(PRIVATE) === -1) return xml;
  const families = new Map<string, string>();
  const fonts = new Map<string, string>();
  for (const part of [styles, xml]) {
    for (const [tag] of part.matchAll(/<style:font-face(?=\s)[^>]*>/g))
      families.set(attribute(tag, 'style:name') ?? '', attribute(tag, 'svg:font-family') ?? '');
    for (const { content, tag } of elements(part, 'style:style')) {
      const font = /\s(?:style:font-name|fo:font-family)="([^"]*)"/.exec(content)?.[1] ?? '';
      fonts.set(attribute(tag, 'style:name') ?? '', families.get(font) ?? font);
    }
  }
  return withSigns(xml, fonts);
}

/** A part of a .docx with its signs as text. */
export function shownSymbols(xml: string): string {
  const named = xml.replace(/<((?:\w+:)?)sym(?=\s[^>]*char=)[^>]*\/>/g, (tag, prefix: string) => {
    const code = Number.parseInt(attribute(tag, '(?:\\w+:)?char') ?? '', 16);
    const font = attribute(tag, '(?:\\w+:)?font') ?? '';
    const sign = escapeXml(Number.isNaN(code) ? '' : symbolOf(font, code));
    return `<${prefix}t xml:space="preserve">${sign}</${prefix}t>`;
  });
  return FONT.test(named) ? withSigns(named) : named;
}

/** `fonts` are those of the styles of OpenDocument. */
function withSigns(named: string, fonts?: ReadonlyMap<string, string>): string {
  const signs: XmlReplacement[] = [];
  const isWhole = walkXml<SymbolNote>(named, {
    open(name, attributes, parent) {
      if (fonts) {
        const font = fonts.get(attributes['text:style-name'] ?? '') ?? '';
        return { local: 't', font: isSymbolFont(font) ? font : parent?.noted.font };
      }
      const noted: SymbolNote = { local: name.slice(name.indexOf(':') + 1) };
      const run = parent?.parent?.noted;
      // In a slide the font of symbols is `sym`.
      if (run?.local === 'r' && /^(?:rFonts|sym|latin)$/.test(noted.local)) {
        const font = attributes['w:ascii'] ?? attributes['w:hAnsi'] ?? attributes['typeface'] ?? '';
        if (isSymbolFont(font)) run.font = font;
        if (isSymbolFont(font) && (noted.local === 'latin' || 'w:ascii' in attributes)) run.isWhole = true;
      }
      if (noted.local === 't') {
        noted.font = parent?.noted.font;
        noted.isWhole = parent?.noted.isWhole;
      }
      return noted;
    },
    text(start, end, { noted: { local, font, isWhole: isAll } }) {
      if (local !== 't' || font === undefined) return;
      const text = named.slice(start, end);
      const shown = text.replace(isAll ? SIGN : PRIVATE, (sign) =>
        sign.length > 1 ? sign : escapeXml(symbolOf(font, sign.charCodeAt(0))),
      );
      if (shown !== text) signs.push([start, end, shown]);
    },
  });
  return isWhole ? replaceRanges(named, signs) : named;
}
