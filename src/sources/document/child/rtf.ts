/**
 * Rewrites rich text (RTF) before conversion: removes tracked deletions, hidden text and duplicate content, and adds
 * comments, glosses, headers and footers as text.
 */

import { comment, MARGIN } from './restore-texts.ts';

/** A token: a control word with its number, a character code, a control symbol, a brace, or other text. */
const TOKEN = /\\([a-zA-Z]+)(-?\d+)? ?|\\'[0-9a-fA-F]{2}|\\[^]|[{}]|[^\\{}]+/g;

interface Group {
  /** The number of output pieces before it. */
  readonly start: number;
  isDeleted: boolean;
  isHidden: boolean;
  /** Its first control word, which names its content: `annotation`. */
  holds: string;
  /** Whether it begins with `\*`: readers that do not know the word skip the group. */
  isOptional: boolean;
  isDropped: boolean;
  /** Text that replaces the whole group. */
  instead?: string;
  children: number;
}

/** Groups that are removed: shapes in the form for old programs, dates and identifiers of comments. */
const DROPPED = new Set(['shprslt', 'atndate', 'atnref', 'atnparent', 'atnid']);

const MARGINS = /^(?:header|footer)[lrf]?$/;

/** Groups in a comment, header or footer that are not a part of its text. */
const NO_TEXT = new Set(['pict', 'object', 'shp', 'listtext', 'pntext']);

/** Control words that stand for characters. */
const CHARACTERS = /^(?:u|line|tab|[lr]d?bl?quote|[lr]quote|e[mn]dash|e[mn]space|bullet)$/;

/** An equation field that sets a gloss above a base text, with doubled backslashes: `\o\ad(\s\up 9(gloss),base)`. */
const GLOSS = /\\\\o\s*\\\\a[a-z]\s*\(\\\\s\s*\\\\up\s*\d*\s*\(([^]*?)\),([^]*)\)/i;

const NEEDED = /\\(?:deleted|v(?![a-z])|upr|shprslt|annotation|header|footer|\\o)/;

/** The deepest nesting of groups; no real document has more. */
const MOST_DEPTH = 10_000;

export function visibleRtf(bytes: Buffer): Buffer {
  const rtf = bytes.toString('latin1');
  const text = NEEDED.test(rtf) ? new Rewriting(rtf).run() : undefined;
  return text === undefined ? bytes : Buffer.from(text, 'latin1');
}

class Rewriting {
  readonly #rtf: string;
  readonly #out: string[] = [];
  readonly #open: Group[] = [];
  readonly #margins = new Set<string>();
  /** The offset up to which the input was copied to the output. */
  #from = 0;
  #author = '';

  constructor(rtf: string) {
    this.#rtf = rtf.replace(/\\\*\\ud(?![a-z]) ?/g, '');
  }

  /** The rewritten text; undefined if groups are nested too deep. */
  run(): string | undefined {
    let binaryEnd = 0;
    for (const match of this.#rtf.matchAll(TOKEN)) {
      const [token, word, number] = match;
      const end = match.index + token.length;
      if (match.index < binaryEnd) continue;
      if (word === 'bin') binaryEnd = end + Number(number ?? 0);
      else if (token === '{') this.#enter(match.index);
      else if (token === '}') this.#leave(match.index);
      else if (word !== undefined && this.#isLeftOut(word, number)) this.#skip(match.index, end);
      else if (word === undefined && this.#isLeftOutText(token)) this.#skip(match.index, end);
      if (this.#open.length > MOST_DEPTH) return undefined;
    }
    this.#flush(this.#rtf.length);
    return this.#out.join('');
  }

  #flush(to: number): void {
    if (to > this.#from) this.#out.push(this.#rtf.slice(this.#from, to));
    this.#from = Math.max(this.#from, to);
  }

  #skip(at: number, end: number): void {
    this.#flush(at);
    this.#from = end;
  }

  #enter(at: number): void {
    const outer = this.#open.at(-1);
    if (outer) outer.children += 1;
    this.#flush(at);
    this.#open.push({
      start: this.#out.length,
      isDeleted: outer?.isDeleted ?? false,
      isHidden: outer?.isHidden ?? false,
      holds: '',
      isOptional: false,
      // `\upr` contains a text in two forms; the first is dropped, because the second (Unicode) is complete.
      isDropped: outer?.holds === 'upr' && outer.children === 1,
      children: 0,
    });
  }

  #leave(at: number): void {
    const group = this.#open.pop();
    this.#flush(this.#open.length === 0 ? at : at + 1);
    if (this.#open.length === 0) this.#out.push(...this.#margins);
    const outer = this.#open.at(-1);
    if (!group || !outer) return;
    const { start, holds } = group;
    if (group.isDropped) this.#replace(start);
    else if (group.instead !== undefined) this.#replace(start, group.instead);
    else if (holds === 'atnauthor') {
      this.#author = this.#content(start);
      this.#replace(start);
    } else if (holds === 'annotation') {
      this.#replace(start, marked(comment(this.#author, this.#content(start))));
      this.#author = '';
    } else if (MARGINS.test(holds)) {
      this.#margin(holds.slice(0, 6), this.#content(start));
      this.#replace(start);
    } else if (holds === 'fldinst' && this.#gloss(start, outer)) return;
    else if ((group.isOptional || NO_TEXT.has(holds)) && this.#isAside()) this.#replace(start);
  }

  #replace(start: number, text?: string): void {
    this.#out.length = start;
    if (text !== undefined) this.#out.push(text);
  }

  #isAside(): boolean {
    return this.#open.some(({ holds }) => holds === 'annotation' || MARGINS.test(holds));
  }

  #margin(kind: string, text: string): void {
    const words = text.replace(/\\(?:u-?\d+|[a-z]+-?\d*) ?/gi, (word) => (/^\\u-?\d/.test(word) ? 'x' : ''));
    if (/[a-z]|\\'/i.test(words))
      this.#margins.add(marked(`${MARGIN.open}${kind}: ${text}${MARGIN.close}`).replace('{', '{\\par '));
  }

  /** The text of a group, with only those control words that its characters need. */
  #content(start: number): string {
    const tokens = this.#out.slice(start).join('').slice(1, -1).match(TOKEN) ?? [];
    return tokens
      .map((token) => (/^\\(?:par|line|tab|cell|row)(?![a-z])/.test(token) ? ' ' : token))
      .filter((token) =>
        /^(?:[^\\]|\\[^a-z*]|\\(?:u-?\d|uc\d|f\d|[lr]d?bl?quote|[lr]quote|e[mn]dash|bullet))/.test(token),
      )
      .join('')
      .replace(/[\r\n]+/g, '')
      .trim();
  }

  /** Replaces the field of a gloss by its text; returns whether it was one. */
  #gloss(start: number, field: Group): boolean {
    const [, gloss, base] = GLOSS.exec(this.#content(start)) ?? [];
    if (gloss === undefined || base === undefined) return false;
    field.instead = `{${base}(${gloss})}`;
    return true;
  }

  #isLeftOutText(token: string): boolean {
    const group = this.#open.at(-1);
    if (group && token === '\\*') group.isOptional = true;
    else return group !== undefined && (group.isDeleted || group.isHidden);
    return false;
  }

  #isLeftOut(word: string, number: string | undefined): boolean {
    const group = this.#open.at(-1);
    if (!group) return false;
    if (group.holds === '') group.holds = word;
    if (DROPPED.has(word)) group.isDropped = true;
    if (word === 'deleted') group.isDeleted = number !== '0';
    if (word === 'v') group.isHidden = number !== '0';
    if (word === 'plain') group.isDeleted = group.isHidden = false;
    return word === 'upr' || ((group.isDeleted || group.isHidden) && CHARACTERS.test(word));
  }
}

/** A text as RTF, with the delimiters (noncharacters) as Unicode escapes. */
function marked(text: string): string {
  return `{${text.replace(/[\ufdd0-\ufdd3]/g, (mark) => `{\\uc1\\u${mark.charCodeAt(0) - 0x10000} ?}`)}}`;
}
