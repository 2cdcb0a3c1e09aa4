/**
 * HTML as a small tree, in linear time and of bounded depth, whatever it is: what a library that builds a document would
 * die of does not reach it: linkedom 0.18.12 takes 3.3 s for 20,000 nested elements and then has no stack left.
 */

import { decodeHTML, decodeHTMLAttribute } from 'entities';

export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Node[];
}

export type Node = Element | string;

export interface Parsed {
  readonly root: Element;
}

/** Elements inside one another; deeper ones are left out, their text stays. */
const MOST_DEPTH = 200;
const MOST_ATTRIBUTES = 32;
/** Elements of a page; of those after them the text stays, as of those that are too deep. 8 MiB of real pages have fewer. */
const MOST_KEPT = 250_000;
const MOST_VALUE = 2_000;

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Their text is no text of the page. */
const DROPPED = new Set(
  'script style template iframe object noscript noframes noembed svg canvas'.split(' '),
);
/** In HTML, these alone may close themselves, and what is in them; of that, what is read. */
const FOREIGN = new Set('svg math mrow mi mn mo mtext mspace mtd none mprescripts'.split(' '));
/** Their content is no HTML: it ends at their own end tag. */
const RAW = new Set('script style iframe noframes noembed noscript'.split(' '));
/** Text alone, with entities. */
const TEXT_ONLY = new Set(['title', 'textarea']);

/** An element that begins ends those that are open, up to the second list. Source: HTML, "optional tags". */
const ENDS: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  li: [['li'], ['ul', 'ol', 'menu']],
  dt: [['dt', 'dd'], ['dl']],
  dd: [['dt', 'dd'], ['dl']],
  tr: [['tr', 'td', 'th'], ['table']],
  td: [
    ['td', 'th'],
    ['tr', 'table'],
  ],
  th: [
    ['td', 'th'],
    ['tr', 'table'],
  ],
  tbody: [['thead', 'tbody', 'tfoot', 'tr', 'td', 'th'], ['table']],
  tfoot: [['thead', 'tbody', 'tfoot', 'tr', 'td', 'th'], ['table']],
  option: [['option'], ['select']],
  a: [['a'], ['table', 'li', 'div']],
};
const ENDS_PARAGRAPH = new Set(
  (
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 ' +
    'h4 h5 h6 header hr main menu nav ol p pre section table ul'
  ).split(' '),
);

/** A tag, a comment, or what has only begun where a page is cut; any other `<` is text. */
const BEGINS = /<(?=[a-z/!?]|$)/gi;

/** How the HTML was written. */
export interface Written {
  /** By the rules of XML: an element that closes itself has no end tag. */
  readonly asXml?: boolean;
  /** By linkedom, which escapes nothing in attributes but quotes. */
  readonly byLinkedom?: boolean;
}

export function parse(html: string, written: Written = {}): Parsed {
  const root: Element = { name: 'root', attributes: {}, children: [] };
  const open: Element[] = [root];
  /** By name, elements that are too deep to be kept. */
  const skipped = new Map<string, number>();
  let elements = 0;
  let at = 0;

  const top = (): Element => open[open.length - 1] as Element;
  /** What is between two tags, in pieces: one node for it all, since a page may be nothing but pieces. */
  let text = '';
  /** It ends with the space of an element that is too deep. */
  let parted = false;
  const addText = (piece: string): void => {
    if (piece === '') return;
    text += piece.includes('&') ? decodeHTML(piece) : piece;
    parted = false;
  };
  const endText = (): void => {
    if (text !== '') top().children.push(text);
    text = '';
    parted = false;
  };
  const closeTo = (index: number): void => {
    open.length = index;
  };
  const endOpen = (names: readonly string[], stops: readonly string[]): void => {
    for (let i = open.length - 1; i > 0; i -= 1) {
      const { name } = open[i] as Element;
      if (stops.includes(name)) return;
      if (names.includes(name)) closeTo(i);
    }
  };

  while (at < html.length) {
    BEGINS.lastIndex = at;
    const mark = BEGINS.exec(html)?.index;
    if (mark === undefined) {
      addText(html.slice(at));
      break;
    }
    addText(html.slice(at, mark));
    if (html.startsWith('<!--', mark)) {
      at = endOfComment(html, mark);
      continue;
    }
    const next = html[mark + 1] ?? '';
    if (next === '!' || next === '?') {
      const cdata = html.startsWith('<![CDATA[', mark);
      const end = html.indexOf(cdata ? ']]>' : '>', mark);
      if (cdata) addText(html.slice(mark + 9, end === -1 ? undefined : end));
      at = end === -1 ? html.length : end + (cdata ? 3 : 1);
      continue;
    }
    const closing = next === '/';
    // A tag that has only begun, as where a page is cut.
    if (mark + (closing ? 2 : 1) === html.length) break;
    const tag = tagAt(html, mark + (closing ? 2 : 1), written);
    if (!tag) {
      addText('<');
      at = mark + 1;
      continue;
    }
    at = tag.end;
    const { name, attributes } = tag;
    if (closing) {
      const left = skipped.get(name) ?? 0;
      if (left > 0) skipped.set(name, left - 1);
      else {
        const index = open.findLastIndex((element) => element.name === name);
        if (index > 0) {
          endText();
          closeTo(index);
        }
      }
      continue;
    }
    const closesItself =
      tag.selfClosing && (written.asXml === true || FOREIGN.has(name) || !/^[a-z]+\d?$/.test(name));
    if (!closesItself && (RAW.has(name) || TEXT_ONLY.has(name))) {
      const end = endOf(html, at, name);
      if (TEXT_ONLY.has(name)) {
        endText();
        top().children.push({ name, attributes, children: [decodeHTML(html.slice(at, end.start))] });
      }
      at = end.end;
      continue;
    }
    elements += 1;
    const isVoid = VOID.has(name) || closesItself;
    // Before all that looks through what is open.
    if (elements > MOST_KEPT || (open.length >= MOST_DEPTH && !isVoid)) {
      skipped.set(name, (skipped.get(name) ?? 0) + 1);
      if (!parted) text += ' ';
      parted = true;
      continue;
    }
    endText();
    if (ENDS_PARAGRAPH.has(name)) endOpen(['p'], ['table', 'td', 'button', 'root']);
    const ends = ENDS[name];
    if (ends) endOpen(...ends);
    const element: Element = { name, attributes, children: [] };
    if (isVoid) {
      if (!DROPPED.has(name)) top().children.push(element);
      continue;
    }
    if (!DROPPED.has(name)) top().children.push(element);
    open.push(element);
  }
  endText();
  return { root };
}

/** After a comment, as HTML ends it: `<!-->` is one, and `--!>` is an end. */
function endOfComment(html: string, from: number): number {
  const empty = /<!---?>/y;
  empty.lastIndex = from;
  if (empty.test(html)) return empty.lastIndex;
  const ends = /--!?>/g;
  ends.lastIndex = from + 4;
  return ends.test(html) ? ends.lastIndex : html.length;
}

/** Where the end tag of `name` begins and ends; the end of the text if there is none. */
function endOf(html: string, from: number, name: string): { start: number; end: number } {
  const pattern = new RegExp(`</${name}[\\s/>]`, 'gi');
  pattern.lastIndex = from;
  const found = pattern.exec(html);
  if (!found) return { start: html.length, end: html.length };
  const end = html.indexOf('>', found.index);
  return { start: found.index, end: end === -1 ? html.length : end + 1 };
}

interface Tag {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly end: number;
  readonly selfClosing: boolean;
}

const NAME = /[a-z][^\s/>]{0,80}/iy;
const ATTRIBUTE = /[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*)))?/y;

/** Of all elements without any: an object for each takes more memory than the page. */
const NONE: Record<string, string> = Object.freeze(Object.create(null) as Record<string, string>);

/** The tag whose name begins at `from`; undefined if none does. */
function tagAt(html: string, from: number, { byLinkedom = false }: Written): Tag | undefined {
  NAME.lastIndex = from;
  const name = NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) return undefined;
  let attributes = NONE;
  let at = NAME.lastIndex;
  let count = 0;
  while (html[at] !== '>') {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(html);
    if (!match) {
      const end = html.indexOf('>', at);
      at = end === -1 ? html.length - 1 : end;
      break;
    }
    at = ATTRIBUTE.lastIndex;
    const [, key = '', double, single, bare] = match;
    const value = double ?? single ?? bare ?? '';
    count += 1;
    if (count > MOST_ATTRIBUTES || value.length > MOST_VALUE || /^on/i.test(key)) continue;
    if (attributes === NONE) attributes = Object.create(null) as Record<string, string>;
    attributes[key.toLowerCase()] ??= decoded(value, byLinkedom);
  }
  return { name, attributes, end: at + 1, selfClosing: html[at - 1] === '/' };
}

function decoded(value: string, byLinkedom: boolean): string {
  if (!value.includes('&')) return value;
  return byLinkedom ? value.replaceAll('&quot;', '"') : decodeHTMLAttribute(value);
}

export function isElement(node: Node): node is Element {
  return typeof node !== 'string';
}

/** All elements below, the outer first. */
export function* walk(element: Element): Generator<Element> {
  // A generator in a generator for each level would make each step cost as much as it is deep.
  const left = element.children.filter(isElement).reverse();
  for (let next = left.pop(); next; next = left.pop()) {
    yield next;
    for (let i = next.children.length - 1; i >= 0; i -= 1) {
      const child = next.children[i];
      if (child !== undefined && isElement(child)) left.push(child);
    }
  }
}

export function textOf(node: Node): string {
  return isElement(node) ? node.children.map(textOf).join('') : node;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] as string);

/** Well-formed HTML. */
export function write(node: Node): string {
  if (!isElement(node)) return escaped(node);
  const inner = node.children.map(write).join('');
  if (node.name === 'root') return inner;
  const attributes = Object.entries(node.attributes)
    .filter(([key]) => /^[a-z_][\w:.-]*$/i.test(key))
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('');
  return VOID.has(node.name)
    ? `<${node.name}${attributes}>`
    : `<${node.name}${attributes}>${inner}</${node.name}>`;
}
