/**
 * anydoc 0.1.9 knows only the code pages of Windows, and takes rich text of any other, and in symbol fonts, for 1252. Its
 * characters are written as Unicode before the conversion. Source: Rich Text Format 1.9.1, "Character Set" and "Font Family".
 */

import { isSymbolFont, symbolOf } from './anydoc-symbol-fonts.ts';

/** A control word with its number, a character code, a control symbol, a brace, or other text. */
export const RTF_TOKEN = /\\([a-zA-Z]+)(-?\d+)? ?|\\'[0-9a-fA-F]{2}|\\[^]|[{}]|[^\\{}]+/g;

/** Encodings that TextDecoder knows, by their code page. */
const NAMES: Readonly<Record<number, string>> = {
  866: 'ibm866',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  21866: 'koi8-u',
  65001: 'utf-8',
};

/** The code pages that anydoc knows. */
const KNOWN = new Set([874, 932, 936, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258]);

/** Charsets of fonts that say nothing else than the document: ANSI, default and symbols. */
const UNSAID = new Set([0, 1, 2]);
const FONT_PAGES: Readonly<Record<number, number>> = { 77: 10000, 254: 437, 255: 850 };

const FONT =
  /\\f(\d+)(?:\\(?!f\d)[a-z]+-?\d* ?|\{\\\*[^{}]*\})*?\\fcharset(\d+)(?:\\[a-z]+-?\d* ?|\{\\\*[^{}]*\})* ?([^;{}\\]*)/g;

type Decode = (bytes: Uint8Array) => string;

/** The same bytes if all code pages are known. */
export async function withUnicode(bytes: Buffer): Promise<Buffer> {
  const head = bytes.toString('latin1', 0, 64 << 10);
  const page = documentPage(head);
  const fonts = new Map<number, number>();
  const symbols = new Map<number, string>();
  for (const [, font, charset, name = ''] of head.matchAll(FONT)) {
    fonts.set(Number(font), Number(charset));
    if (isSymbolFont(name)) symbols.set(Number(font), name);
  }
  const pageOf = (font: number): number => {
    const charset = fonts.get(font);
    return charset === undefined || UNSAID.has(charset) ? page : (FONT_PAGES[charset] ?? 1252);
  };
  const pages = new Set([page, ...[...fonts.keys()].map(pageOf)].filter((one) => !KNOWN.has(one)));
  const decoders = new Map<number, Decode>();
  for (const one of pages) {
    const decode = await decoderOf(one);
    if (decode) decoders.set(one, decode);
  }
  if (decoders.size === 0 && symbols.size === 0) return bytes;
  const first = Number(/\\deff(\d+)/.exec(head)?.[1] ?? 0);
  const decoderFor = (font: number): Decode | undefined => decoders.get(pageOf(font));
  return Buffer.from(inUnicode(bytes.toString('latin1'), first, decoderFor, symbols), 'latin1');
}

function documentPage(head: string): number {
  const named = /\\ansicpg(\d+)/.exec(head)?.[1];
  if (named !== undefined && named !== '0') return Number(named);
  const set = /^\{\\rtf\d*[^{}]*?\\(mac|pca|pc|ansi)(?![a-z])/.exec(head)?.[1];
  return { mac: 10000, pca: 850, pc: 437 }[set ?? ''] ?? 1252;
}

async function decoderOf(page: number): Promise<Decode | undefined> {
  const name = NAMES[page];
  if (name !== undefined) {
    const decoder = new TextDecoder(name);
    return (bytes) => decoder.decode(bytes);
  }
  const tables = (await import('@e965/xlsx/dist/cpexcel.full.mjs')) as unknown as {
    readonly cptable: Readonly<Record<number, { readonly dec: readonly string[] } | undefined>>;
  };
  const signs = tables.cptable[page]?.dec;
  return signs && ((bytes) => Array.from(bytes, (byte) => signs[byte] ?? '\ufffd').join(''));
}

interface Scope {
  font: number;
  /** The number of characters that stand for a Unicode character in old programs. */
  replaced: number;
  /** Whether its text is not a part of the document. */
  isAside: boolean;
}

const ASIDES = new Set(['fonttbl', 'stylesheet', 'info', 'pict', 'listtext', 'pntext']);

function inUnicode(
  rtf: string,
  deff: number,
  decoderFor: (font: number) => Decode | undefined,
  symbols: ReadonlyMap<number, string>,
): string {
  const out: string[] = [];
  const scopes: Scope[] = [];
  let scope: Scope = { font: deff, replaced: 1, isAside: false };
  let [from, binaryEnd, left] = [0, 0, 0];
  let pending: number[] = [];
  const flush = (): void => {
    const text = decoderFor(scope.font)?.(Uint8Array.from(pending)) ?? '';
    pending = [];
    for (let i = 0; i < text.length; i += 1) out.push(escaped(text.charCodeAt(i)));
  };
  for (const match of rtf.matchAll(RTF_TOKEN)) {
    const [token, word, number] = match;
    const end = match.index + token.length;
    if (match.index < binaryEnd) continue;
    const isByte = token.startsWith("\\'");
    const isText = word === undefined && !isByte && !/^[\\{}]/.test(token);
    if (left > 0 && (isByte || isText)) {
      left = isByte ? left - 1 : Math.max(0, left - token.length);
      continue;
    }
    left = 0;
    const font = scope.isAside ? undefined : symbols.get(scope.font);
    if (font !== undefined && word === 'u') {
      const sign = symbolOf(font, Number(number) & 0xffff);
      // What stands for it in old programs stays behind it.
      if (sign.length === 1) {
        out.push(`${rtf.slice(from, match.index)}\\u${sign.charCodeAt(0)} `);
        from = end;
      }
      left = scope.replaced;
      continue;
    }
    if (font !== undefined && (isByte || isText)) {
      const codes = isByte ? [Number.parseInt(token.slice(2), 16)] : Buffer.from(token, 'latin1');
      out.push(rtf.slice(from, match.index));
      from = end;
      for (const code of codes)
        for (const unit of code > 0x20 ? symbolOf(font, code) : String.fromCharCode(code))
          out.push(escaped(unit.charCodeAt(0)));
      continue;
    }
    const isForeign = isByte || (isText && /[\x80-\xff]/.test(token));
    if (isForeign && decoderFor(scope.font)) {
      out.push(rtf.slice(from, match.index));
      from = end;
      for (const byte of isByte ? [Number.parseInt(token.slice(2), 16)] : Buffer.from(token, 'latin1')) {
        if (byte >= 0x80 || isByte) pending.push(byte);
        else {
          flush();
          out.push(String.fromCharCode(byte));
        }
      }
      // A character of several bytes may go on in the next token.
      if (!rtf.startsWith("\\'", end)) flush();
      continue;
    }
    if (token === '{') scopes.push({ ...scope });
    else if (token === '}') scope = scopes.pop() ?? scope;
    else if (word === 'bin') binaryEnd = end + Number(number ?? 0);
    else if (word === 'f' && number !== undefined) scope.font = Number(number);
    else if (word === 'plain') scope.font = deff;
    else if (token === '\\*' || ASIDES.has(word ?? '')) scope.isAside = true;
    else if (word === 'shptxt') scope.isAside = false;
    else if (word === 'uc') scope.replaced = Number(number ?? 1);
    else if (word === 'u') left = scope.replaced;
  }
  out.push(rtf.slice(from));
  return out.join('');
}

/** A UTF-16 unit in rich text; one of ASCII as it is, but with its sign escaped. */
function escaped(unit: number): string {
  if (unit < 0x80)
    return /[\\{}]/.test(String.fromCharCode(unit))
      ? `\\${String.fromCharCode(unit)}`
      : String.fromCharCode(unit);
  return unicodeEscape(unit);
}

/** A UTF-16 unit as an escape; its number is signed. */
export const unicodeEscape = (unit: number): string => `{\\uc1\\u${(unit << 16) >> 16} ?}`;
