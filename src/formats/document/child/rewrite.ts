/** Rewrites documents before conversion: what the converter would lose is added as text, what it would show wrongly removed. */

import { DAMAGED_XML, DELETED_TEXT, HIDDEN_TEXT, type UnshownFacts } from '../protocol.ts';
import { shownOpen, shownWord, wordStyles } from './hidden-text.ts';
import { comment, HEADS_AND_FEET, MARGIN, type MarginSection } from './markdown.ts';
import { officeMathText } from './repairs/anydoc-equations.ts';
import { mendedChart } from './repairs/anydoc-charts.ts';
import { closedXml } from './repairs/anydoc-malformed-xml.ts';
import { shownDrawings } from './repairs/anydoc-open-drawings.ts';
import {
  APART,
  RAISED,
  type RaisedKind,
  raisedOpen,
  raisedWord,
  raisedWordStyles,
  restoreRaised,
  type StandIns,
} from './repairs/anydoc-raised-text.ts';
import { RTF_TOKEN, unicodeEscape } from './repairs/anydoc-rtf-code-pages.ts';
import { shownSymbols, signOfField, wordsOfField } from './repairs/anydoc-symbol-fonts.ts';
import { sharedNumbers, shownElements } from './repairs/anydoc-word-elements.ts';
import {
  attribute,
  contents,
  each,
  elements,
  escapeXml,
  plainText,
  relations,
  zipped,
  ZipParts,
} from './zip-parts.ts';

// XML packages (.docx, .odt, .epub): keeps comments, glosses, equations and hyphens, and extracts headers and footers, which
// are in separate parts.

export interface RewrittenPackage {
  readonly bytes: Buffer;
  readonly sections: readonly MarginSection[];
  /** What is in the document and cannot be shown. */
  readonly unshown?: readonly UnshownFacts[] | undefined;
  /** Documents of other formats in it, whose text takes the place of `chunkMark` with their index. */
  readonly chunks?: readonly Buffer[] | undefined;
  /** Signs in the text that stand for others. */
  readonly standIns?: StandIns | undefined;
}

/** Stands for a document in the document, with Unicode noncharacters as those of comments. */
export const chunkMark = (index: number | string): string => `\ufdd8${index}\ufdd9`;

/** The most bytes of XML in a document that is rewritten. */
const MAX_REWRITTEN_XML_BYTES = 64 << 20;

/** The package with the parts as `mend` returns them. Media are left out, because text does not need them. */
export function rewritten(
  bytes: Buffer,
  parts: ZipParts,
  mend: (name: string, xml: string) => string,
): Buffer {
  const members: [string, Buffer][] = [];
  let [isChanged, size] = [false, 0];
  for (const name of parts.names) {
    if (!/(?:^mimetype|\.(?:xml|rels|opf|ncx|x?html?))$/i.test(name)) continue;
    const part = parts.read(name);
    if (!part) continue;
    size += part.length;
    if (size > MAX_REWRITTEN_XML_BYTES) return bytes;
    const xml = textOfPart(part);
    const mended = mend(name, xml);
    isChanged ||= mended !== xml;
    members.push([name, mended === xml ? part : Buffer.from(mended)]);
  }
  return isChanged ? zipped(members) : bytes;
}

/** Decodes a part by its byte order mark or XML declaration. A declaration of another encoding than UTF-8 is removed. */
export function textOfPart(part: Buffer): string {
  const order = part.length < 2 ? 0 : part.readUInt16BE(0);
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(
    part.toString('latin1', 0, 200),
  )?.[1];
  const name = order === 0xfffe ? 'utf-16le' : order === 0xfeff ? 'utf-16be' : (declared ?? 'utf-8');
  if (/^utf-?8$/i.test(name)) return part.toString('utf8');
  try {
    return decode(part, name).replace(/^<\?xml[^>]*\?>/, '');
  } catch {
    return part.toString('utf8');
  }
}

/** Throws RangeError for an unknown encoding. */
export function decode(bytes: Uint8Array, encoding: string): string {
  const decoder = new TextDecoder(encoding);
  // As a stream: at once, Node up to 22 takes windows-1252 for ISO 8859-1.
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

/** The visible text of runs, still escaped as in the XML. */
function wordText(xml: string): string {
  return [
    ...xml.matchAll(
      /<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)<|<\/(?:\w+:)?p>|<(?:\w+:)?(?:tab|br|cr)\s*\/>|<((?:\w+:)?noBreakHyphen)\s*\/>/g,
    ),
  ]
    .map(([, text, hyphen]) => text ?? (hyphen ? '-' : ' '))
    .join('')
    .trim();
}

const W = '(?:\\w+:)?';

/** The name of the first element. */
const ROOT = /<(?:\w+:)?([a-zA-Z]+)(?=[\s>])/;

export function rewriteWord(bytes: Buffer): RewrittenPackage {
  const parts = ZipParts.of(bytes);
  if (!parts) return { bytes, sections: [] };
  const styleSheet = parts.text('word/styles.xml') ?? '';
  const styles = wordStyles(styleSheet);
  const shown = (xml: string): string => shownWord(xml, styles);
  const comments = new Map<string, string>();
  const raised = raisedWordStyles(styleSheet);
  const counted = sharedNumbers(parts.text('word/numbering.xml') ?? '');
  /** A part without comments. */
  const aside = (xml: string): string => mendedPart(raisedWord(shown(xml), raised), new Map());
  const said = parts.names.find((name) => /^word\/comments\d*\.xml$/.test(name)) ?? '';
  for (const { content, tag } of elements(aside(parts.text(said) ?? ''), `${W}comment`)) {
    const by = attribute(tag, '(?:\\w+:)?author') ?? '';
    comments.set(attribute(tag, '(?:\\w+:)?id') ?? '', comment(escapeXml(by), wordText(content)));
  }
  const unshown: UnshownFacts[] = [];
  const chunks: Buffer[] = [];
  const lines: string[] = [];
  const copy = rewritten(bytes, parts, (name, xml) => {
    if (/^word\/charts\/[^/]+\.xml$/.test(name)) return mendedChart(xml);
    const root = name.startsWith('word/glossary/') ? undefined : ROOT.exec(xml)?.[1];
    if (root === 'hdr' || root === 'ftr') {
      const text = wordText(each(aside(xml), `${W}Fallback`, () => ''));
      lines.push(...margin(root === 'hdr' ? 'header' : 'footer', restoreRaised(plainText(text))));
    }
    if (!/^(?:document|footnotes|endnotes)$/.test(root ?? '')) return xml;
    const sound = closedXml(xml);
    const closed = withChunks(sound, parts, name, chunks);
    if (sound !== xml) unshown.push({ what: DAMAGED_XML, count: 1 });
    unshown.push(...unshownInWord(parts, name, closed));
    const visible = shown(closed);
    if (/<(?:\w+:)?delText[\s>]/.test(visible)) unshown.push(DELETED_TEXT);
    if (visible !== closed) unshown.push(HIDDEN_TEXT);
    return mendedPart(raisedWord(counted(visible), raised), comments);
  });
  return { bytes: copy, sections: [{ title: HEADS_AND_FEET, lines }], unshown, chunks };
}

/** The XML with a mark for each document in another format, which is added to `chunks`. */
function withChunks(xml: string, parts: ZipParts, name: string, chunks: Buffer[]): string {
  if (!/<(?:\w+:)?altChunk\s/.test(xml)) return xml;
  const targets = relations(parts, name);
  return each(
    xml.replace(/(<((?:\w+:)?altChunk)(?=\s)[^<>]*)\/>/g, '$1></$2>'),
    `${W}altChunk`,
    (content, tag) => {
      const chunk = parts.read(targets.get(attribute(tag, '\\w+:id') ?? '') ?? '');
      const [, prefix = ''] = /^<(\w+:)?/.exec(tag) ?? [];
      if (!chunk) return `${tag}${content}</${prefix}altChunk>`;
      const mark = chunkMark(chunks.push(chunk) - 1);
      return `<${prefix}p><${prefix}r><${prefix}t>${mark}</${prefix}t></${prefix}r></${prefix}p>`;
    },
  );
}

function unshownInWord(parts: ZipParts, name: string, xml: string): UnshownFacts[] {
  const found: UnshownFacts[] = [];
  const chunks = [...xml.matchAll(/<(?:\w+:)?(?:altChunk|subDoc)(?=\s)[^>]*>/g)];
  const targets = chunks.length === 0 ? undefined : relations(parts, name);
  for (const [tag] of chunks) {
    const part = targets?.get(attribute(tag, '\\w+:id') ?? '');
    found.push({ what: 'unread part', count: 1, part: part && parts.has(part) ? part : undefined });
  }
  const count = (pattern: RegExp): number => xml.match(pattern)?.length ?? 0;
  found.push({ what: 'form control', count: count(/<(?:\w+:)?control\s/g) });
  const objects = Array.from(
    xml.matchAll(/<o:OLEObject(?=\s)[^>]*>/g),
    ([tag]) => attribute(tag, 'ProgID') ?? '',
  );
  const fields = count(/(?:<(?:\w+:)?instrText(?:\s[^>]*)?>|\sw:instr=")\s*EQ\s(?![^<"]*\\up)/gi);
  found.push(...objectFacts(objects, fields), newCharts(xml));
  return found.filter(({ count }) => count > 0);
}

/** Equations and other objects, from the names of their programs; `fields` are equations that are no object. */
export function objectFacts(programs: readonly string[], fields = 0): UnshownFacts[] {
  const equations = programs.filter((program) => EQUATION.test(program)).length;
  const found = [
    { what: 'equation', count: equations + fields },
    { what: 'embedded object', count: programs.length - equations },
  ];
  return found.filter(({ count }) => count > 0);
}

/** The charts of kinds since 2016, which anydoc 0.1.9 does not know. */
export const newCharts = (xml: string): UnshownFacts => ({
  what: 'chart',
  count: xml.split('<cx:chart ').length - 1,
});

/** Programs that embed equations as pictures. */
const EQUATION = /^EQ$|Equation|MathType/i;

/** A header or footer as a line; nothing if it is only a page number, and the number of pages. */
export function margin(kind: string, text: string): string[] {
  const numbers = text.match(/\d+/g) ?? [];
  const isPage = numbers.length <= 2 && numbers.every(({ length }) => length < 4);
  const hasWords = text.match(/\p{L}+/gu)?.some((word) => !PAGE_WORDS.has(word.toLowerCase())) ?? false;
  return isPage && !hasWords ? [] : [`${kind}: ${text}`];
}

/** Words beside page numbers. */
const PAGE_WORDS = new Set('page seite página pagina sida of von sur de di av'.split(' '));

/** The headers and footers in styles.xml. `mend` changes the XML of one. */
export const openMargins = (styles: string, mend = (xml: string): string => xml): string[] => {
  return elements(styles, 'style:(?:header|footer)(?:-left|-first)?').flatMap(({ content, tag }) => {
    const kind = tag.startsWith('<style:h') ? 'header' : 'footer';
    // Only the ends of paragraphs and breaks end a word.
    const text = mend(content).replace(/<(?!\/text:[ph]>|text:(?:s|tab|line-break)\b)[^>]*>/g, '');
    return attribute(tag, 'style:display') === 'false' ? [] : margin(kind, restoreRaised(plainText(text)));
  });
};

function mendedPart(xml: string, comments: ReadonlyMap<string, string>): string {
  const w = /<((?:\w+:)?)(?:document|footnotes|endnotes|comments|hdr|ftr)(?=[\s>])/.exec(xml)?.[1] ?? 'w:';
  const text = (words: string): string => `<${w}t xml:space="preserve">${words}</${w}t>`;
  let mended = shownElements(shownSymbols(xml), text);
  mended = mended.replace(new RegExp(`<${w}noBreakHyphen\\s*/>`, 'g'), text('-'));
  mended = mended.replace(new RegExp(`<${w}commentReference(?=\\s)[^>]*/>`, 'g'), (tag) =>
    text(comments.get(attribute(tag, '(?:\\w+:)?id') ?? '') ?? ''),
  );
  mended = each(mended, `${w}ruby`, (ruby) => {
    const [base, gloss] = [`${w}rubyBase`, `${w}rt`].map((name) => wordText(contents(ruby, name).join('')));
    return text(`${base}(${gloss})`);
  });
  // A title stands for a description that is missing.
  mended = mended.replace(/<wp:docPr(?=\s)(?![^<>]*\sdescr=)[^<>]*?\stitle="([^"]*)"/g, '$& descr="$1"');
  mended = mended.replace(/(<wp:docPr(?=\s)[^<>]*?\sdescr=")([^"]+)(?=")/g, `$1${APART}$2${APART}`);
  mended = each(mended, '\\w+:oMath', (math) => `<${w}r>${text(escapeXml(officeMathText(math)))}</${w}r>`);
  // A second body is read with the first.
  return mended.replace(/<\/?\w+:oMathPara(?=[\s>])[^>]*>|<\/(?:\w+:)?body>\s*<(?:\w+:)?body>/g, '');
}

export function rewriteOpenDocument(bytes: Buffer): RewrittenPackage {
  const parts = ZipParts.of(bytes);
  if (!parts) return { bytes, sections: [] };
  const styles = parts.text('styles.xml') ?? '';
  const unshown: UnshownFacts[] = [];
  const copy = rewritten(bytes, parts, (name, xml) => {
    if (name !== 'content.xml') return xml;
    const closed = closedXml(xml);
    const visible = shownOpen(closed, styles);
    const drawn = shownDrawings(raisedOpen(visible, styles), parts);
    if (closed !== xml) unshown.push({ what: DAMAGED_XML, count: 1 });
    unshown.push(...drawn.unshown);
    if (xml.includes('<text:deletion>')) unshown.push(DELETED_TEXT);
    if (visible !== closed) unshown.push(HIDDEN_TEXT);
    return mendedContent(drawn.xml);
  });
  // The common styles, the most of it, need not be walked over.
  const own = each(styles, 'office:styles', () => '');
  const hasMargins = /<style:(?:header|footer)(?:-left|-first)?[\s>]/.test(own);
  const lines = hasMargins ? openMargins(raisedOpen(shownOpen(own, styles), styles)) : [];
  return { bytes: copy, sections: [{ title: HEADS_AND_FEET, lines }], unshown };
}

function mendedContent(xml: string): string {
  const ends = new Map<string, string>();
  const named = new Set(
    [...xml.matchAll(/<office:annotation-end\s[^>]*>/g)].map(([tag]) => attribute(tag, 'office:name')),
  );
  const withComments = each(xml, 'office:annotation', (content, tag) => {
    const by = contents(content, 'dc:creator')[0] ?? '';
    const words = each(content, '(?:dc|meta|loext):[\\w-]+', () => '')
      .replace(/<\/text:p>/g, ' ')
      .replace(/<[^>]*>/g, '');
    const said = comment(by, words.trim());
    const name = attribute(tag, 'office:name');
    if (name === undefined || !named.has(name)) return said;
    ends.set(name, said);
    return '';
  });
  const described = withComments.replace(
    /(<svg:(?:title|desc)(?:\s[^<>]*)?>)([^<]+)(?=<)/g,
    `$1${APART}$2${APART}`,
  );
  return each(
    described.replace(
      /<office:annotation-end\s[^>]*>/g,
      (tag) => ends.get(attribute(tag, 'office:name') ?? '') ?? '',
    ),
    'text:ruby',
    (ruby) => `${contents(ruby, 'text:ruby-base').join('')}(${contents(ruby, 'text:ruby-text').join('')})`,
  );
}

// Rich text (RTF): removes tracked deletions, hidden text and duplicate content, and adds
// comments, glosses, headers and footers as text.

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
  instead?: string | undefined;
  /** How its text is set, if that began in this group. */
  raised?: RaisedKind | undefined;
  children: number;
}

/** Groups that are removed: shapes in the form for old programs, entries of an index, dates and identifiers of comments. */
const DROPPED = new Set(['shprslt', 'xe', 'tc', 'tcn', 'atndate', 'atnref', 'atnparent', 'atnid']);

const MARGINS = /^(?:header|footer)[lrf]?$/;

/** Groups in a comment, header or footer that are not a part of its text. */
const NO_TEXT = new Set(['pict', 'object', 'shp', 'listtext', 'pntext']);

/** Control words that stand for characters. */
const CHARACTERS = /^(?:u|line|tab|[lr](?:dbl)?quote|e[mn]dash|e[mn]space|bullet)$/;

const NEEDED =
  /\\(?:deleted|v(?![a-z])|upr|shprslt|annotation|header|footer|su(?:per|b)(?![a-z])|moMath(?![a-zA-Z])|\\o|xe|tcn?(?![a-z])|dptxbxtext|sn (?:gtextUNICODE|wzDescription))|[^{]\\\*\\cs\d|(?:SYMBOL|MACROBUTTON|FORMCHECKBOX|FORMDROPDOWN|EQ)\s/;

/** The deepest nesting of groups; no real document has more. */
const MAX_RTF_DEPTH = 10_000;

export function visibleRtf(bytes: Buffer): RewrittenPackage {
  const rtf = bytes.toString('latin1');
  const rewriting = NEEDED.test(rtf) ? new Rewriting(rtf) : undefined;
  const text = rewriting?.run();
  const objects = Array.from(rtf.matchAll(/\\objclass ([\w.]+)/g), ([, program = '']) => program);
  const unshown = [...objectFacts(objects, rewriting?.equations), ...(rewriting?.leftOut ?? [])];
  return { bytes: text === undefined ? bytes : Buffer.from(text, 'latin1'), sections: [], unshown };
}

class Rewriting {
  readonly #rtf: string;
  readonly #out: string[] = [];
  readonly #open: Group[] = [];
  readonly #margins = new Set<string>();
  /** The offset up to which the input was copied to the output. */
  #from = 0;
  #author = '';
  /** The kinds of text that were left out. */
  readonly leftOut = new Set<UnshownFacts>();
  /** The number of equations that are fields. */
  equations = 0;

  constructor(rtf: string) {
    // A style that is marked as optional within a text does not make the text optional.
    this.#rtf = rtf.replace(/\\\*\\ud(?![a-z]) ?|(?<!\{)\\\*(?=\\cs\d)/g, '');
  }

  /** The rewritten text; undefined if groups are nested too deep. */
  run(): string | undefined {
    let binaryEnd = 0;
    for (const match of this.#rtf.matchAll(RTF_TOKEN)) {
      const [token, word, number] = match;
      const end = match.index + token.length;
      if (match.index < binaryEnd) continue;
      if (word === 'bin') binaryEnd = end + Number(number ?? 0);
      else if (token === '{') this.#enter(match.index);
      else if (token === '}') this.#leave(match.index);
      else if (word !== undefined && this.#isLeftOut(word, number)) this.#skip(match.index, end);
      else if (word !== undefined && RAISING.has(word)) this.#raise(word, number, match.index, end);
      else if (word === undefined && this.#isLeftOutText(token)) this.#skip(match.index, end);
      if (this.#open.length > MAX_RTF_DEPTH) return undefined;
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

  /** Delimits superscripts and subscripts. */
  #raise(word: string, number: string | undefined, at: number, end: number): void {
    const group = this.#open.at(-1);
    const kind = number === '0' ? undefined : RAISED_WORDS[word];
    if (!group || group.raised === kind) return;
    this.#flush(at);
    if (group.raised) this.#out.push(marked(RAISED[group.raised][1]));
    this.#flush(end);
    if (kind) this.#out.push(marked(RAISED[kind][0]));
    group.raised = kind;
  }

  #leave(at: number): void {
    const group = this.#open.pop();
    if (group?.raised) {
      this.#flush(at);
      this.#out.push(marked(RAISED[group.raised][1]));
    }
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
    } else if (holds === 'moMath')
      this.#replace(start, `{${rtfText(officeMathText(mathXml(this.#out.slice(start).join(''))))}}`);
    else if (holds === 'fldinst') {
      this.#field(start, outer);
      if (this.#isAside()) this.#replace(start);
    } else if (holds === 'sp') this.#property(this.#out.slice(start).join(''));
    else if (holds === 'dptxbxtext') {
      const box = this.#open.findLast((one) => one.holds === 'do');
      const text = this.#out.slice(start).join('').replace('\\dptxbxtext', '');
      if (box) box.instead = (box.instead ?? '') + text;
    } else if ((group.isOptional || NO_TEXT.has(holds)) && this.#isAside()) this.#replace(start);
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
    if (words.includes("\\'") || margin(kind, words).length > 0)
      this.#margins.add(marked(`${MARGIN.open}${kind}: ${text}${MARGIN.close}`).replace('{', '{\\par '));
  }

  /** The text of a group, with only those control words that its characters need. */
  #content(start: number): string {
    const tokens = this.#out.slice(start).join('').slice(1, -1).match(RTF_TOKEN) ?? [];
    return tokens
      .map((token) => (/^\\(?:par|line|tab|cell|row)(?![a-z])/.test(token) ? ' ' : token))
      .filter((token) =>
        /^(?:[^\\]|\\[^a-z*]|\\(?:u-?\d|uc\d|f\d|[lr](?:dbl)?quote|e[mn]dash|bullet))/.test(token),
      )
      .join('')
      .replace(/[\r\n]+/g, '')
      .trim();
  }

  /** Replaces a field without a result of its own by its text: a gloss, a sign, a box or a list of a form. */
  #field(start: number, field: Group): void {
    const content = this.#content(start)
      .replace(/^[\s{]+/, '')
      .replaceAll('\\\\', '\\');
    const words = wordsOfField(content);
    const sign = signOfField(content);
    if (words !== undefined) field.instead = `{${words}}`;
    else if (sign !== undefined) field.instead = `{${rtfText(sign)}}`;
    else if (/^EQ\s/.test(content)) this.equations += 1;
    const form = /^FORM(CHECKBOX|DROPDOWN)/.exec(content)?.[1];
    if (form === undefined) return;
    const data = this.#out.slice(start).join('');
    // 25 stands for no result.
    const [chosen = 0] = [/\\ffres(\d+)/, /\\ffdefres(\d+)/]
      .map((pattern) => Number(pattern.exec(data)?.[1] ?? 25))
      .filter((one) => one !== 25);
    const entries = [...data.matchAll(/\{\\\*\\ffl ([^{}]*)\}/g)];
    field.instead =
      form === 'CHECKBOX' ? `{${rtfText(chosen === 1 ? '☒' : '☐')}}` : `{${entries[chosen]?.[1] ?? ''}}`;
  }

  /** Text that is a property of a shape or a picture. */
  #property(property: string): void {
    const [, name = '', text] =
      /\{\\sn (gtextUNICODE|wzDescription)\}\s*\{\\sv ([^{}]+)\}/.exec(property) ?? [];
    const holder = name.startsWith('g') ? 'shp' : 'pict';
    const group = this.#open.findLast(({ holds }) => holds === holder);
    if (text !== undefined && group) group.instead = `{ ${text} }`;
  }

  #isLeftOutText(token: string): boolean {
    const group = this.#open.at(-1);
    if (group && token === '\\*') group.isOptional = true;
    else if (group?.isDeleted || group?.isHidden) {
      if (/[^\s;]/.test(token)) this.leftOut.add(group.isDeleted ? DELETED_TEXT : HIDDEN_TEXT);
      return true;
    }
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

const RAISED_WORDS: Readonly<Record<string, RaisedKind>> = { super: 'super', sub: 'sub' };
const RAISING = new Set(['super', 'sub', 'nosupersub', 'plain']);

/** The groups of an equation in rich text as elements of Office Math: `{\mnum{\mr x}}` → `<num><r>x</r></num>`. */
function mathXml(rtf: string): string {
  const open: string[] = [];
  let [xml, isNew, left] = ['', false, 0];
  for (const [token, word, number] of rtf.matchAll(RTF_TOKEN)) {
    const name = isNew ? (/^m(?=[a-z])/.test(word ?? '') ? word?.slice(1) : 'group') : undefined;
    if (isNew && token !== '\\*') {
      open.push(`</${name}>`);
      xml += `<${name}>`;
      isNew = false;
    }
    if (token === '{') isNew = true;
    else if (token === '}') xml += open.pop() ?? '';
    else if (word === 'u') [xml, left] = [xml + String.fromCharCode(Number(number) & 0xffff), 1];
    else if (token.startsWith("\\'"))
      xml += left > 0 ? '' : decode(Buffer.from(token.slice(2), 'hex'), 'windows-1252');
    else if (word === undefined && !token.startsWith('\\'))
      xml += escapeXml(token.slice(left).replace(/[\r\n]+/g, ''));
    if (word !== 'u' && token !== '{' && token !== '}') left = 0;
  }
  return xml;
}

/** A text with every special sign as a Unicode escape. */
const rtfText = (text: string): string =>
  text.replace(/[\\{}]|[^\0-\x7f]/g, (sign) =>
    Array.from(sign.split(''), (unit) => unicodeEscape(unit.charCodeAt(0))).join(''),
  );

/** A text as RTF, with the delimiters (noncharacters) as Unicode escapes. */
function marked(text: string): string {
  return `{${text.replace(/[\ufdd0-\ufdd7]/g, (mark) => unicodeEscape(mark.charCodeAt(0)))}}`;
}
