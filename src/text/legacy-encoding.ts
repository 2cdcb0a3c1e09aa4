/** Legacy encodings (not Unicode), by their WHATWG names: aliases, declarations, and character boundaries. */

import { isUtf8 } from 'node:buffer';

/** Labels that the WHATWG does not list. */
const ALIASES: Readonly<Record<string, string>> = {
  'latin-1': 'windows-1252',
  'iso-latin-1': 'windows-1252',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  utf8: 'utf-8',
};

/** Names that are suggested for a mistyped one. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-15',
  'koi8-r',
  'koi8-u',
  'ibm866',
  'macintosh',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-874',
];

/** The WHATWG name of the encoding with that label; undefined for an unknown label. */
export function encodingName(label: string): string | undefined {
  const known = label.trim().toLowerCase().replaceAll('_', '-');
  // Emacs appends the kind of line ends.
  const bare = known.replace(/-(?:unix|dos|mac)$/, '');
  for (const name of [ALIASES[bare], label.trim(), bare]) {
    if (name === undefined) continue;
    try {
      return new TextDecoder(name).encoding;
    } catch {
      // Not a known label: the next spelling is tried.
    }
  }
  return undefined;
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/**
 * Bytes 0x80 to 0x9F of windows-1252, which Node up to 22 decodes as the controls of ISO 8859-1. Five of them are
 * unassigned. Source: the WHATWG's index-windows-1252.
 */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Decodes whole characters; an invalid sequence becomes U+FFFD. */
export function decodeLegacy(bytes: Uint8Array, name: string): string {
  if (name === 'windows-1252') {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    return text.replace(/[\x80-\x9f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] as string);
  }
  let decoder = decoders.get(name);
  if (!decoder) decoders.set(name, (decoder = new TextDecoder(name, { ignoreBOM: true })));
  return decoder.decode(bytes);
}

/** The length in bytes of the character at `at`, 1 to 4. Source: the WHATWG Encoding standard. */
export function legacyLength(bytes: Uint8Array, at: number, name: string): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  switch (name) {
    case 'shift_jis':
      return lead === 0x80 || (lead >= 0xa0 && lead < 0xe0) || lead > 0xfc ? 1 : 2;
    case 'euc-jp':
      return lead === 0x8f ? 3 : lead === 0x8e || lead >= 0xa1 ? 2 : 1;
    case 'gbk':
    case 'gb18030': {
      const second = bytes[at + 1] ?? 0;
      if (lead === 0x80 || lead === 0xff) return 1;
      return second >= 0x30 && second <= 0x39 ? 4 : 2;
    }
    case 'big5':
      return lead === 0x80 || lead === 0xff ? 1 : 2;
    case 'euc-kr':
      return lead < firstOfKorean() || lead === 0xff ? 1 : 2;
    default:
      return 1;
  }
}

let koreanFrom: number | undefined;

/** In the WHATWG's EUC-KR, bytes 0x81 to 0xA0 lead syllables of code page 949; Node 20 decodes them as one-byte controls. */
function firstOfKorean(): number {
  koreanFrom ??= decodeLegacy(Uint8Array.of(0x81, 0x41), 'euc-kr').length === 1 ? 0x81 : 0xa1;
  return koreanFrom;
}

/**
 * The start of the character that contains byte `at`. The search goes forwards from the last byte before `at` that is a
 * complete character in all of these encodings (below 0x30), or from the start of `bytes`.
 */
export function alignLegacy(bytes: Uint8Array, at: number, name: string): number {
  let from = at - 1;
  while (from >= 0 && (bytes[from] as number) >= 0x30) from -= 1;
  for (let start = from + 1; ;) {
    const end = start + legacyLength(bytes, start, name);
    if (end > at) return start;
    start = end;
  }
}

/** Bytes in which a declaration is searched. */
const DECLARED_WITHIN = 1024;

/** The WHATWG name of the encoding that a text declares in its first bytes: XML, HTML, CSS, Python, Emacs, Vim. */
export function declaredEncoding(head: Uint8Array): string | undefined {
  const { buffer, byteOffset, length } = head;
  const text = Buffer.from(buffer, byteOffset, Math.min(length, DECLARED_WITHIN)).toString('latin1');
  if (!/charset|coding|fenc/i.test(text)) return undefined;
  const label = labelIn(text);
  return label === undefined ? undefined : encodingName(label);
}

/** Vim reads mode lines in this many lines at the start and at the end of a text. */
const MODE_LINES = 5;

const MODE_LINE = /(?:^|\s)(?:vim?|ex):.*?\b(?:fileencoding|fenc)=([\w.-]+)/;

/** The encoding that a Vim mode line in the last lines of a text declares; `tail`: the last bytes of the text. */
export function encodingAtEnd(tail: Uint8Array): string | undefined {
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.length)
    .toString('latin1')
    .replace(/\r?\n$/, '');
  const last = text.split('\n').slice(-MODE_LINES);
  const label = last.map((line) => MODE_LINE.exec(line)?.[1]).find((found) => found !== undefined);
  return label === undefined ? undefined : encodingName(label);
}

const CHARSET = /\bcharset\s*=\s*["']?\s*([\w.:-]+)/i;

/** A `charset` in `content` counts only with `http-equiv`. Source: HTML, "prescan a byte stream to determine its encoding". */
function labelOfMeta(page: string): string | undefined {
  for (const [tag] of page.matchAll(/<meta\s[^>]*/gi)) {
    const isHeader = /\bhttp-equiv\s*=\s*["']?content-type\b/i.test(tag);
    const said = isHeader ? tag : tag.replaceAll(/\bcontent\s*=\s*(?:"[^"]*"|'[^']*')/gi, '');
    const label = CHARSET.exec(said)?.[1];
    if (label !== undefined) return label;
  }
  return undefined;
}

function labelIn(text: string): string | undefined {
  const xml = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(text);
  if (xml) return xml[1];
  const css = /^@charset "([\w.:-]+)";/.exec(text);
  if (css) return css[1];
  if (/^\s*<(?:!--|(?:!doctype|html|head|meta)\b)/i.test(text)) {
    return labelOfMeta(text.replace(/<!--[^]*?(?:-->|$)/g, ''));
  }
  const lines = text.split('\n').slice(0, MODE_LINES);
  for (const [i, line] of lines.entries()) {
    // Only in the first two lines. Source: PEP 263, and the Emacs manual, "File Variables".
    const emacs = i < 2 && /-\*-.*?\bcoding:\s*([\w.-]+).*-\*-/.exec(line);
    const python = i < 2 && /^[ \t\f]*#.*?coding[:=][ \t]*([\w.-]+)/.exec(line);
    const vim = MODE_LINE.exec(line);
    const found = emacs || python || vim;
    if (found) return found[1];
  }
  return undefined;
}

// Guesses the encoding of a text that is not UTF-8 and declares none. The guess comes from a library of letter
// frequencies. It is accepted if the library clearly prefers it to all others and the decoded text looks like words.

/** The function of a library: encodings by WHATWG name, the most likely first, each with a confidence from 0 to 100. */
export type AnalyseEncoding = (
  bytes: Uint8Array,
) => readonly { readonly name: string; readonly confidence: number }[];

export interface EncodingGuess {
  /** The WHATWG name of the encoding, if the guess is accepted. */
  readonly sure?: string | undefined;
  /** The most likely encoding, if the guess is not accepted. */
  readonly perhaps?: string | undefined;
}

/** The guess uses only this many bytes from the start of a text. */
export const GUESSED_BY = 64 << 10;

/** Bytes of non-ASCII lines that are analysed: more do not improve a guess. */
const SAMPLE = 4 << 10;

/** Minimum confidence of the best guess, minimum lead over the next one, and minimum number of non-ASCII letters. */
const MIN_GUESS = { confidence: 20, lead: 20, letters: 6 };

/** Whether `head` is valid UTF-8, apart from a truncated character at its end. */
export function isUtf8Start(head: Uint8Array): boolean {
  if (isUtf8(head)) return true;
  const whole = head.length - cutAtEnd(head);
  return whole < head.length && isUtf8(head.subarray(0, whole));
}

/** Bytes at the end that may be a truncated UTF-8 character. */
function cutAtEnd(head: Uint8Array): number {
  for (let cut = 1; cut <= 3; cut += 1) {
    const byte = head[head.length - cut] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return length > cut ? cut : 0;
  }
  return 0;
}

/** `start`: the first bytes of the text, at least `GUESSED_BY` of them or all. An empty object for UTF-8. */
export function guessOf(start: Uint8Array, analyse: AnalyseEncoding): EncodingGuess {
  const within = start.subarray(0, GUESSED_BY);
  if (isUtf8Start(within)) return {};
  const lines = foreignLines(within);
  const guess = guessIn(Buffer.concat(lines), analyse);
  // Lines that differ in digits only are no more evidence than one of them.
  const distinct = new Map(
    lines.map((line) => [Buffer.from(line).toString('latin1').replaceAll(/\d+/g, ''), line]),
  );
  if (guess.sure === undefined || distinct.size === lines.length) return guess;
  const once = guessIn(Buffer.concat([...distinct.values()]), analyse);
  return (once.sure ?? once.perhaps) === guess.sure ? guess : once;
}

function guessIn(sample: Buffer, analyse: AnalyseEncoding): EncodingGuess {
  const found: { readonly name: string; readonly confidence: number; readonly text: string }[] = [];
  for (const { name: label, confidence } of analyse(sample)) {
    const name = encodingName(label);
    if (name === undefined || name.startsWith('utf-')) continue;
    const text = decodeLegacy(sample, name);
    // Encodings that decode to the same text count as one.
    if (found.every((other) => other.text !== text)) found.push({ name, confidence, text });
  }
  const [first] = found;
  const [best, next] = found.filter(({ text }) => readsLikeWords(text));
  const shaped = isWestern(sample) ? WESTERN : isSimplifiedChinese(sample) ? 'gbk' : undefined;
  if (!best) return shaped === undefined ? {} : { perhaps: shaped };
  const isSure =
    best === first &&
    best.confidence >= MIN_GUESS.confidence &&
    best.confidence - (next?.confidence ?? 0) >= MIN_GUESS.lead &&
    (best.text.match(FOREIGN_LETTER) ?? []).length >= MIN_GUESS.letters;
  if (isSure) return { sure: best.name };
  // Of a few bytes that several encodings take for words, the most frequent is as often wrong.
  if (shaped === undefined && next && isShort(sample)) return {};
  return { perhaps: shaped ?? best.name };
}

/** Whether there are too few bytes for frequencies. */
function isShort(sample: Buffer): boolean {
  return sample.filter((byte) => byte >= 0x80).length < MIN_GUESS.letters;
}

// A library of frequencies finds something in a few bytes too. What these are says more then.

const WESTERN = 'windows-1252';

/** Whether there are only a few bytes, and all are signs, or letters in words with ASCII letters: `© 1999`, `café`. */
function isWestern(sample: Buffer): boolean {
  if (!isShort(sample)) return false;
  const text = decodeLegacy(sample, WESTERN);
  const words = text.match(WORD) ?? [];
  return (
    !/[\ufffd\x80-\x9f]/.test(text) && !/\p{L}[¡¿©®°±£§¶]\p{L}/u.test(text) && words.every(isWesternWord)
  );
}

function isWesternWord(word: string): boolean {
  if (!/[^\x00-\x7f]/.test(word) || !LETTERS.test(word)) return true;
  return !WRONG_CASE.test(word) && (word.length === 1 || /[a-z]/i.test(word));
}

/** Minimum characters by which Chinese is recognized. */
const MIN_HANZI = 5;

/**
 * Whether all other bytes are pairs of the frequent characters of GB 2312 (16-55) and its punctuation (1 and 3), with some
 * whose first byte is above the syllables of Korean. Japanese would have kana (4 and 5), and Big5 second bytes below 0xA1.
 */
function isSimplifiedChinese(sample: Buffer): boolean {
  const text = sample.toString('latin1').replaceAll(/[\x00-\x7f]+/g, '');
  const hanzi = text.match(/[\xb0-\xd7\xa1\xa3][\xa1-\xfe]/g) ?? [];
  const only = /^(?:[\xb0-\xd7\xa1\xa3][\xa1-\xfe])+$/.test(text);
  return only && hanzi.length >= MIN_HANZI && hanzi.some((pair) => pair > '\xc9');
}

/** The lines with non-ASCII bytes, up to `SAMPLE` bytes. */
function foreignLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let at = 0, left = SAMPLE; at < bytes.length && left > 0;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    const line = bytes.subarray(at, Math.min(end, at + left));
    at = end;
    if (line.every((byte) => byte < 0x80)) continue;
    lines.push(line);
    left -= line.length;
  }
  return lines;
}

const NEWLINE = 10;
const FOREIGN_LETTER = /[^\x00-\x7f\P{L}]/gu;

/** A run of letters, or one other character that is neither ASCII nor a digit. */
const WORD = /[\p{L}\p{M}]+|[^\x00-\x7f\p{L}\p{M}\p{Nd}\s]/gu;
const LETTERS = /^[\p{L}\p{M}]+$/u;

/** Usual punctuation outside of ASCII. */
const PUNCTUATION = /^[«»“”„‘’…–—°§€·\u3000-\u303f\uff00-\uffef]$/u;

/** `wORD`, `WORd`: in the wrong encoding, letters often have the wrong case. */
const WRONG_CASE = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u;

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];

/** The share of the words with non-ASCII letters that may be odd. */
const ODD = 0.1;

/** Whether a decoded text looks right: most words are in one script with normal case, and there are no unusual signs. */
function readsLikeWords(text: string): boolean {
  if (/[\ufffd\x80-\x9f]/.test(text)) return false;
  let [words, odd] = [0, 0];
  for (const [word] of text.matchAll(WORD)) {
    if (/^[\x00-\x7f]*$/.test(word)) continue;
    if (LETTERS.test(word) ? isOdd(word) : !PUNCTUATION.test(word)) odd += 1;
    else words += 1;
  }
  return odd <= words * ODD;
}

function isOdd(word: string): boolean {
  return WRONG_CASE.test(word) || SCRIPTS.filter((script) => script.test(word)).length > 1;
}
