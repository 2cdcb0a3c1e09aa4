/**
 * Makes characters without ink visible as escapes like `\x1b` or `\u202e`: no text can control a terminal, reorder a
 * line or contain words that only a model reads. Ordinary text keeps what it needs: the joiners of its script, the
 * parts of an emoji.
 */

/**
 * Characters that are invisible or have no defined glyph: controls, format characters, Default_Ignorable_Code_Point,
 * private use, unassigned code points, unpaired surrogates, line separators. Also spaces that ordinary text does not use,
 * and blank characters of other categories: braille without dots, the Khitan filler, the null notehead, blank
 * hieroglyphs, the object replacement character, marks that only stack letters. Not included: visible format characters
 * (number signs of Arabic and Kaithi), and code points that are reserved for emoji.
 */
const CLASS =
  String.raw`[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}` +
  String.raw`\u2000-\u200a\u205f\u2800\ufffc\u{16fe4}\u{1d159}\u{13441}\u{13442}` +
  String.raw`\u1039\u17d2\u1a60\u1bab\u2d7f\uaaf6\u{10a3f}\u{1107f}\u{11133}\u{113d0}\u{1193e}\u{11a47}\u{11a99}\u{11d45}\u{11d97}\u{11f42}]` +
  String.raw`--[\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]--\p{Extended_Pictographic}]`;

/** Runs of hidden characters, whatever is around them; tabs and newlines are not among them. */
export const HIDDEN = new RegExp(`${CLASS}+`, 'gv');
const ONE_SUSPECT = new RegExp(`^${CLASS}$`, 'v');

/** The fast path: most text is printable ASCII and needs no escapes. */
const NOT_PLAIN = /[^\t\n\r\x20-\x7e]|\r(?!\n)/;

interface VisibleText {
  readonly text: string;
  /** How many characters were replaced. */
  readonly escaped: number;
}

/** Escapes every hidden character; `\n`, `\t` and the `\r` of a CRLF are kept. */
export function makeVisible(text: string): VisibleText {
  if (isPlain(text)) return { text, escaped: 0 };
  let escaped = 0;
  const shown = text.replace(HIDDEN, (run, at: number) => {
    let seen = '';
    for (let i = 0; i < run.length;) {
      const code = run.codePointAt(i) as number;
      const character = code > 0xffff ? run.slice(i, i + 2) : (run[i] as string);
      if (isInnocent(code, text, at + i)) seen += character;
      else {
        escaped += 1;
        seen += escapeOf(code);
      }
      i += character.length;
    }
    return seen;
  });
  return { text: shown, escaped };
}

/** Whether this character is escaped when it stands alone. */
export function isHiddenCharacter(character: string): boolean {
  return ONE_SUSPECT.test(character);
}

/** Bytes of UTF-8 that the visible text takes. */
export function visibleBytes(text: string): number {
  return isPlain(text) ? text.length : Buffer.byteLength(makeVisible(text).text);
}

/** Whether every character of the text is visible and one byte long. */
function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

/** The number of characters at the start of `text` that are visible and one byte long. */
export function plainHead(text: string): number {
  const at = text.search(NOT_PLAIN);
  return at === -1 ? text.length : at;
}

/** Escapes NUL, in verbatim text too: consumers of answers do not accept it. */
export function escapeNul(text: string): VisibleText {
  const parts = text.split('\0');
  return { text: parts.join('\\x00'), escaped: parts.length - 1 };
}

const ZWNJ = 0x200c;
const ZWJ = 0x200d;
const BRAILLE_BLANK = 0x2800;
const TEXT_STYLE = 0xfe0e;
const EMOJI_STYLE = 0xfe0f;
const CANCEL_TAG = 0xe007f;

/** Whether an invisible character is ordinary in its context, such as a joiner in an emoji: at most one for each visible one. */
function isInnocent(code: number, text: string, at: number): boolean {
  // Most hidden characters do not depend on their context.
  if (code < 0xfe00 && !CONTEXTUAL.has(code)) return false;
  if (code === 0x0d) return text[at + 1] === '\n';
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
  const after = String.fromCodePoint(text.codePointAt(at + (code > 0xffff ? 2 : 1)) ?? 0x20);
  if (code === ZWJ && EMOJI_END.test(before)) return PICTOGRAPH.test(after);
  if (code >= 0xe0020 && code <= CANCEL_TAG) return isInFlag(text, at);
  // A hidden character cannot be the base of another one.
  if (isHiddenCharacter(before)) return false;
  // A joiner is not ordinary if the character after it is escaped.
  const joins = (kind: RegExp): boolean => kind.test(before) && kind.test(after) && !isHiddenCharacter(after);
  if (code === ZWJ || code === ZWNJ) return joins(JOINING);
  if (code === BRAILLE_BLANK) return BRAILLE.test(before) && BRAILLE.test(after);
  if (code === EMOJI_STYLE || code === TEXT_STYLE) {
    return ASCII.test(before) ? after === KEYCAP && KEYCAP_BASE.test(before) : EMOJI.test(before);
  }
  const script = STACKERS.get(code);
  if (script) return joins(script);
  return VARIED.some(({ from, to, base }) => code >= from && code <= to && base.test(before));
}

// These are asked about one code point.
const ASCII = /[\x20-\x7e]/;
const KEYCAP = '\u20e3';
const KEYCAP_BASE = /[0-9#*]/;
const EMOJI = /\p{Emoji}/u;
const EMOJI_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const BRAILLE = /[\u2801-\u28ff]/;

/**
 * Scripts in which U+200C and U+200D change the shape of letters. `scx` includes the marks that several of these scripts
 * share, but no accents: a joiner between two accents would be invisible.
 */
const JOINING =
  /[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mandaic}\p{scx=Nko}\p{scx=Adlam}\p{scx=Hanifi_Rohingya}\p{scx=Phags_Pa}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Myanmar}\p{scx=Khmer}\p{scx=Balinese}\p{scx=Javanese}\p{scx=Tibetan}\p{scx=Mongolian}\p{scx=Newa}\p{scx=Grantha}\p{scx=Tirhuta}\p{scx=Sharada}\p{scx=Chakma}]/u;

/** Marks that only stack the letters around them. */
const STACKERS: ReadonlyMap<number, RegExp> = new Map([
  [0x1039, /\p{Script=Myanmar}/u],
  [0x17d2, /\p{Script=Khmer}/u],
  [0x1a60, /\p{Script=Tai_Tham}/u],
  [0x1bab, /\p{Script=Sundanese}/u],
  [0x2d7f, /\p{Script=Tifinagh}/u],
  [0xaaf6, /\p{Script=Meetei_Mayek}/u],
  [0x10a3f, /\p{Script=Kharoshthi}/u],
  [0x1107f, /\p{Script=Brahmi}/u],
  [0x11133, /\p{Script=Chakma}/u],
  [0x1193e, /\p{Script=Dives_Akuru}/u],
  [0x11a47, /\p{Script=Zanabazar_Square}/u],
  [0x11a99, /\p{Script=Soyombo}/u],
  [0x11d45, /\p{Script=Masaram_Gondi}/u],
  [0x11d97, /\p{Script=Gunjala_Gondi}/u],
]);

/**
 * Variation selectors, and the characters after which they are ordinary. Source: StandardizedVariants.txt. Of the 240
 * selectors of ideographs only the first four, which fonts use most: all 240 could hide a byte after each letter.
 */
const VARIED: readonly { readonly from: number; readonly to: number; readonly base: RegExp }[] = [
  { from: 0x180b, to: 0x180f, base: /\p{Script=Mongolian}/u },
  {
    from: 0xfe00,
    to: 0xfe00,
    base: /(?![\0-\xff])\p{Sm}|[\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Manichaean}]/u,
  },
  { from: 0xfe00, to: 0xfe01, base: /[\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]/u },
  { from: 0xfe00, to: 0xfe02, base: /\p{Unified_Ideograph}/u },
  { from: 0xe0100, to: 0xe0103, base: /\p{Unified_Ideograph}/u },
];

const CONTEXTUAL: ReadonlySet<number> = new Set([
  0x0d,
  ZWNJ,
  ZWJ,
  BRAILLE_BLANK,
  0x180b,
  0x180c,
  0x180d,
  0x180e,
  0x180f,
  ...STACKERS.keys(),
]);

/** Tag characters spell the subdivision of a flag. Only the flags of the Unicode standard are accepted (RGI). */
function isInFlag(text: string, at: number): boolean {
  const from = Math.max(0, at - MAX_FLAG_LENGTH);
  const begin = text.slice(from, at).lastIndexOf(BLACK_FLAG);
  if (begin === -1) return false;
  const [flag = ''] = FLAG.exec(text.slice(from + begin, from + begin + MAX_FLAG_LENGTH)) ?? [];
  return from + begin + flag.length > at;
}

const BLACK_FLAG = '\u{1f3f4}';
/** The flag, six tags, the end tag: two code units each. */
const MAX_FLAG_LENGTH = 16;
const FLAG = new RegExp(String.raw`^\p{RGI_Emoji_Tag_Sequence}`, 'v');

function escapeOf(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** Maximum characters of the caller's text in a message. */
const ECHO = 200;

/** The caller's text on one line, safe to print and short. */
export function quote(typed: string): string {
  return oneLine(typed.length > ECHO ? `${typed.slice(0, ECHO)}…` : typed);
}

/** A name on one line: as `makeVisible`, with line breaks, tabs and bytes of invalid UTF-8 escaped too. */
export function oneLine(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  return escapeBreaks(makeVisible(showBytes(name)).text);
}

/** Matches the surrogates of `decodeText`. With the flag `u`, halves of valid pairs do not match. */
export const RAW_BYTE: RegExp = /[\udc80-\udcff]/gu;

/** `text` for display: bytes of invalid UTF-8 as `\xff`, other lone surrogates as U+FFFD. */
export function showBytes(text: string): string {
  if (text.isWellFormed()) return text;
  const shown = text.replace(RAW_BYTE, (byte) => `\\x${(byte.charCodeAt(0) & 0xff).toString(16)}`);
  return shown.toWellFormed();
}

/** The text on one line: line breaks and tabs as `\n`, `\r` and `\t`. */
export function escapeBreaks(text: string): string {
  return text.replace(/[\r\n\t]/g, (character) => ESCAPES[character] as string);
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/**
 * `Use X.` with the whole call, because a shortened one cannot be made. If the call itself ends in a dot, as `..` does, the
 * sentence makes clear that the dot belongs to the call.
 */
export function useSentence(call: string): string {
  return `Use ${oneLine(call)}${call.endsWith('.') ? ' as it is' : ''}.`;
}

/** Adds a full stop unless the sentence ends with a dot. */
export function endSentence(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

// JSON that is safe to show: invisible characters are escaped, in names and in values.

/** C1 controls, line and paragraph separators, bidirectional controls, characters without width. Joiners are allowed. */
const UNSEEN =
  /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** Like `JSON.stringify`, which does not escape C1 controls. The result parses to the same value. */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Of ASCII only DEL is escaped. Most answers are ASCII: counting their bytes takes a tenth of the search.
  if (Buffer.byteLength(json) === json.length && !json.includes('\x7f')) return json;
  return json.replaceAll(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

// Quotes paths in shell commands that are suggested to a model.

/**
 * Characters without a meaning to any shell. A leading `-` would be an option; a `~` in front, and after `=` or `:`, a
 * home directory.
 */
const PLAIN = /^(?!.*[=:]~)[\w./@%+=:,][\w./@%+=:,~-]*$/;

/** `path` as one word of a command: quoted if necessary, and never taken for an option. */
export function shellWord(path: string): string {
  return shellArgument(path.startsWith('-') ? `./${path}` : path);
}

/** `word` as one word of a command, quoted if necessary; a leading `-` is kept. */
export function shellArgument(word: string): string {
  if (PLAIN.test(word)) return word;
  // Line breaks would end the notice that contains the command.
  if (/[\0-\x1f\x7f\udc80-\udcff]/u.test(word))
    return `$'${word.replaceAll(/[\0-\x1f\x7f\\'\udc80-\udcff]/gu, escaped)}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function escaped(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`;
  return `\\x${(character.charCodeAt(0) & 0xff).toString(16).padStart(2, '0')}`;
}

// Percent-encoding of bytes, as in URLs: `%0A`. The caller decides which characters need it.

/** Encodes every byte. */
export function percentEncode(bytes: Iterable<number>): string {
  let encoded = '';
  for (const byte of bytes) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}

/** Decodes escapes to bytes; other text goes through `encode`. A `%` without two digits is itself. */
export function percentDecode(text: string, encode: (part: string) => Uint8Array): Uint8Array {
  const parts = text.split(/%([0-9a-f]{2})/i);
  return Buffer.concat(
    parts.map((part, i) => (i % 2 === 1 ? Buffer.of(Number.parseInt(part, 16)) : encode(part))),
  );
}

/** The decoded text; `text` itself if it is not validly encoded. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `http://host/a//` → `http://host/a`. In linear time; a regular expression such as `/\/+$/` is quadratic. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

// Limits the number of values in a JSON text before it is parsed.

/** Maximum values in one message of a client: each takes time to parse, even if it has only two bytes. */
export const MAX_JSON_VALUES = 10_000;

/** Counts the commas and opening brackets outside of strings. */
export function hasTooManyValues(text: string): boolean {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
      if (at === -1) return false;
    } else if (code === COMMA || code === BRACKET || code === BRACE) {
      values += 1;
      if (values > MAX_JSON_VALUES) return true;
    }
  }
  return false;
}

const [QUOTE, COMMA, BRACKET, BRACE, BACKSLASH] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c];

/** The index of the closing quote of the string that begins at `from`; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}
