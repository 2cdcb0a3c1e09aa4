/**
 * Parses HTML to a small tree in linear time and with bounded depth, so that hostile input does not reach the libraries that
 * build a document: linkedom 0.18.12 takes 3.3 s for 20,000 nested elements and then overflows the stack.
 */

import { decodeHTML, decodeHTMLAttribute } from 'entities';

export interface HtmlElement {
  name: string;
  attributes: Record<string, string>;
  children: HtmlNode[];
}

export type HtmlNode = HtmlElement | string;

interface HtmlTree {
  readonly root: HtmlElement;
}

/** The deepest nesting of elements. Deeper elements are dropped, their text is kept. */
const MAX_HTML_DEPTH = 200;
const MAX_ELEMENT_ATTRIBUTES = 32;
/** The most elements of a page; of later ones only the text is kept. Real pages of 8 MiB have fewer. */
const MAX_HTML_ELEMENTS = 250_000;
const MAX_ATTRIBUTE_CHARACTERS = 2_000;
/** A page in an attribute of an attribute costs the time of its outer pages again. */
const MAX_NESTED_FRAMES = 4;

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const DROPPED = new Set(
  'script style template iframe object noscript noframes noembed svg canvas'.split(' '),
);
/** Elements of a drawing that hold text, and those whose content is not shown where it stands. */
const DRAWN = new Set(['text', 'foreignobject']);
const UNDRAWN = new Set('clippath defs marker mask pattern symbol'.split(' '));
/** Foreign elements: in HTML only these and their content may be self-closing. */
const FOREIGN = new Set('svg math mrow mi mn mo mtext mspace mtd none mprescripts'.split(' '));
/** Raw text elements: their content ends only at their own end tag. */
const RAW = new Set('script style iframe noframes noembed noscript'.split(' '));
const TEXT_ONLY = new Set(['title', 'textarea']);

/** The open elements that a start tag implicitly closes, up to an ancestor of the second list. Source: HTML, "optional tags". */
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

/** The start of a tag or comment, also a truncated one at the end; any other `<` is text. */
const BEGINS = /<(?=[a-z/!?]|$)/gi;

interface HtmlSyntax {
  /** XML syntax: any element may be self-closing. */
  readonly asXml?: boolean | undefined;
  /** Serialised by linkedom, which escapes only quotes in attributes. */
  readonly byLinkedom?: boolean | undefined;
}

export function parseHtml(html: string, written: HtmlSyntax = {}): HtmlTree {
  const root: HtmlElement = { name: 'root', attributes: {}, children: [] };
  const open: HtmlElement[] = [root];
  /** The open elements that were dropped, counted by name. */
  const skipped = new Map<string, number>();
  /** The pages around that of a frame, and where they continue. */
  const outer: { readonly html: string; readonly at: number; readonly depth: number }[] = [];
  /** Drawings and the elements in them, and whether they are shown. */
  const drawn = new Map<HtmlElement, boolean>();
  let elements = 0;
  let at = 0;

  const top = (): HtmlElement => open[open.length - 1] as HtmlElement;
  /** The text between two tags. It is collected into one node, because a page may consist of many pieces. */
  let text = '';
  /** Whether the text ends with the space that replaces a dropped element. */
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
  /** The root or frame of this page: no tag in the page closes it, or what is around it. */
  const floor = (): number => outer.at(-1)?.depth ?? 0;
  const endOpen = (names: readonly string[], stops: readonly string[]): void => {
    for (let i = open.length - 1; i > floor(); i -= 1) {
      const { name } = open[i] as HtmlElement;
      if (stops.includes(name)) return;
      if (names.includes(name)) open.length = i;
    }
  };

  for (;;) {
    BEGINS.lastIndex = at;
    const mark = BEGINS.exec(html)?.index ?? html.length;
    addText(html.slice(at, mark));
    // The end of a page, or a truncated tag there.
    if (mark + (html[mark + 1] === '/' ? 2 : 1) >= html.length) {
      const page = outer.pop();
      if (!page) break;
      endText();
      open.length = page.depth;
      ({ html, at } = page);
      continue;
    }
    if (html.startsWith('<!--', mark)) {
      at = endOfComment(html, mark);
      continue;
    }
    const next = html[mark + 1];
    if (next === '!' || next === '?') {
      const cdata = html.startsWith('<![CDATA[', mark);
      const end = html.indexOf(cdata ? ']]>' : '>', mark);
      if (cdata) addText(html.slice(mark + 9, end === -1 ? undefined : end));
      at = end === -1 ? html.length : end + (cdata ? 3 : 1);
      continue;
    }
    const closing = next === '/';
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
        if (index > floor()) {
          endText();
          open.length = index;
        }
      }
      continue;
    }
    const closesItself =
      tag.selfClosing && (written.asXml === true || FOREIGN.has(name) || !/^[a-z]+\d?$/.test(name));
    const isFull = elements >= MAX_HTML_ELEMENTS || open.length >= MAX_HTML_DEPTH;
    const isFrame =
      name === 'iframe' && 'srcdoc' in attributes && outer.length < MAX_NESTED_FRAMES && !isFull;
    if (!closesItself && !isFrame && (RAW.has(name) || TEXT_ONLY.has(name))) {
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
    // Checked before anything that searches the open elements.
    if (elements > MAX_HTML_ELEMENTS || (open.length >= MAX_HTML_DEPTH && !isVoid)) {
      skipped.set(name, (skipped.get(name) ?? 0) + 1);
      if (!parted) text += ' ';
      parted = true;
      continue;
    }
    endText();
    if (ENDS_PARAGRAPH.has(name)) endOpen(['p'], ['table', 'td', 'button', 'root']);
    const ends = ENDS[name];
    if (ends) endOpen(...ends);
    const element: HtmlElement = { name, attributes, children: [] };
    if (isFrame) {
      const { srcdoc = '', ...shown } = attributes;
      const frame = { name: 'div', attributes: shown, children: [] };
      top().children.push(frame);
      outer.push({ html, at: closesItself ? at : endOf(html, at, name).end, depth: open.length });
      open.push(frame);
      [html, at] = [srcdoc, 0];
      continue;
    }
    if (isVoid) {
      if (!DROPPED.has(name)) top().children.push(element);
      continue;
    }
    const isShadow = name === 'template' && 'shadowrootmode' in attributes;
    if (!DROPPED.has(name) || isShadow) top().children.push(element);
    // Of an icon its label is kept.
    else if (name === 'svg' && 'aria-label' in attributes) top().children.push({ ...element, children: [] });
    const around = drawn.get(top());
    if (name === 'svg' || around !== undefined) drawn.set(element, around !== false && !isUndrawn(element));
    // A text of a drawing stands beside it. One inside another is a part of that.
    const svg = DRAWN.has(name) ? open.findLastIndex((one) => one.name === 'svg' || DRAWN.has(one.name)) : -1;
    if (open[svg]?.name === 'svg' && drawn.get(element) === true) {
      const text = { name: 'span', attributes: open[svg].attributes, children: element.children };
      open[svg - 1]?.children.push(text, { name: 'br', attributes: NONE, children: [] });
    }
    open.push(element);
  }
  endText();
  return { root };
}

function isUndrawn({
  name,
  attributes: { display = '', visibility = '', style = '' },
}: HtmlElement): boolean {
  const said = `;display:${display};visibility:${visibility};${style}`;
  return UNDRAWN.has(name) || /;\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(said);
}

/** The offset after a comment by the rules of HTML: `<!-->` is a comment, and `--!>` ends one. */
function endOfComment(html: string, from: number): number {
  const empty = /<!---?>/y;
  empty.lastIndex = from;
  if (empty.test(html)) return empty.lastIndex;
  const ends = /--!?>/g;
  ends.lastIndex = from + 4;
  return ends.test(html) ? ends.lastIndex : html.length;
}

/** The start and end of the end tag of `name`; both the end of the text if there is none. */
function endOf(html: string, from: number, name: string): { start: number; end: number } {
  const pattern = new RegExp(`</${name}[\\s/>]`, 'gi');
  pattern.lastIndex = from;
  const found = pattern.exec(html);
  if (!found) return { start: html.length, end: html.length };
  const end = html.indexOf('>', found.index);
  return { start: found.index, end: end === -1 ? html.length : end + 1 };
}

interface HtmlTag {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly end: number;
  readonly selfClosing: boolean;
}

const NAME = /[a-z][^\s/>]{0,80}/iy;
const ATTRIBUTE = /[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*)))?/y;

/** Shared by all elements without attributes, because an object for each would take more memory than the page. */
const NONE: Record<string, string> = Object.freeze(Object.create(null) as Record<string, string>);

/** The tag whose name begins at `from`; undefined if there is no name. */
function tagAt(html: string, from: number, { byLinkedom = false }: HtmlSyntax): HtmlTag | undefined {
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
    const isLong = value.length > MAX_ATTRIBUTE_CHARACTERS && !(name === 'iframe' && /^srcdoc$/i.test(key));
    if (count > MAX_ELEMENT_ATTRIBUTES || isLong || /^on/i.test(key)) continue;
    if (attributes === NONE) attributes = Object.create(null) as Record<string, string>;
    attributes[key.toLowerCase()] ??= decoded(value, byLinkedom);
  }
  return { name, attributes, end: at + 1, selfClosing: html[at - 1] === '/' };
}

function decoded(value: string, byLinkedom: boolean): string {
  if (!value.includes('&')) return value;
  return byLinkedom ? value.replaceAll('&quot;', '"') : decodeHTMLAttribute(value);
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return typeof node !== 'string';
}

/** Yields all descendant elements, outer ones first. */
export function* walkHtml(element: HtmlElement): Generator<HtmlElement> {
  // Iterative: with nested generators each step would take time proportional to its depth.
  const left = element.children.filter(isElement).reverse();
  for (let next = left.pop(); next; next = left.pop()) {
    yield next;
    for (let i = next.children.length - 1; i >= 0; i -= 1) {
      const child = next.children[i];
      if (child !== undefined && isElement(child)) left.push(child);
    }
  }
}

export function elementText(node: HtmlNode): string {
  return isElement(node) ? node.children.map(elementText).join('') : node;
}

/** The URL against which links are resolved: that of the first `<base href>`, otherwise the page's. */
export function baseOf(root: HtmlElement, url: string): string {
  let href: string | undefined;
  for (const { name, attributes } of walkHtml(root)) {
    if (name === 'base') href = attributes['href'] || undefined;
    if (href !== undefined) break;
  }
  return href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : url;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Also for attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] as string);

export function writeHtml(node: HtmlNode): string {
  if (!isElement(node)) return escapeHtml(node);
  const inner = node.children.map(writeHtml).join('');
  if (node.name === 'root') return inner;
  const attributes = Object.entries(node.attributes)
    .filter(([key]) => /^[a-z_][\w:.-]*$/i.test(key))
    .map(([key, value]) => ` ${key}="${escapeHtml(value)}"`)
    .join('');
  return VOID.has(node.name)
    ? `<${node.name}${attributes}>`
    : `<${node.name}${attributes}>${inner}</${node.name}>`;
}
