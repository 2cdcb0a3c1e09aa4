/** Finds the main text of a page: compares the results of several extractors and takes the best. */

import { Readability } from '@mozilla/readability';
import Library from 'defuddle';
import { parseHTML } from 'linkedom';
import type { PageMethod } from '../protocol.ts';
import { clean } from './clean-tree.ts';
import { htmlToMarkdown } from './html-markdown.ts';
import {
  baseOf,
  elementText,
  type HtmlElement,
  type HtmlNode,
  isElement,
  parseHtml,
  walkHtml,
  writeHtml,
} from './html-tree.ts';

export interface PageExtract {
  readonly how: PageMethod;
  readonly markdown: string;
  /** Word counts, if the main text has clearly fewer words than the page without its chrome. */
  readonly words?: { readonly shown: number; readonly all: number } | undefined;
}

/** Above these limits a library takes seconds, so the page is converted as a whole. */
const MAX_EXTRACT_ELEMENTS = 20_000;
/** defuddle 0.19.4 takes 2.9 s of processor time for 4,000 `div`s beside each other, and 18 s for 10,000. */
const MAX_DEFUDDLE_ELEMENTS = 4_000;
const MAX_EXTRACT_ENTITIES = 60_000;
/** Characters weighted by their nesting depth, because libraries read the text of every ancestor. */
const MAX_NESTED_CHARACTERS = 15_000_000;
const MAX_EXTRACT_CELLS = 20_000;

/** A main text with at least this many characters is accepted without comparing other extractors. */
const ENOUGH = 400;

export function extractPage(
  html: string,
  url: string,
  { asXml = false }: { readonly asXml?: boolean | undefined } = {},
): PageExtract {
  const { root } = parseHtml(html, { asXml });
  const base = baseOf(root, url);
  const title = titleOf(root);
  clean(root);
  const all = [...walkHtml(root)];
  if (all.length <= MAX_EXTRACT_ELEMENTS) quoteAsides(root);
  const cells = all.filter(({ name }) => name === 'td' || name === 'th').length;
  const body = all.find(({ name }) => name === 'body') ?? root;
  const found =
    all.length > MAX_EXTRACT_ELEMENTS ||
    cells > MAX_EXTRACT_CELLS ||
    entitiesOf(root) > MAX_EXTRACT_ENTITIES ||
    nestedText(root) > MAX_NESTED_CHARACTERS
      ? { how: 'page' as const, element: withoutChrome(body) }
      : best(root, body, { url, elements: all.length });
  const markdown = htmlToMarkdown(found.element, base);
  return {
    how: found.how,
    markdown: words(markdown) === 0 ? '' : headed(signed(markdown, found.byline), title),
    ...(found.how !== 'page' && leftOut(found.element, body)),
  };
}

/** A note about left-out text is given above this many missing words and below this share of shown words. */
const MAX_LEFT_OUT_WORDS = 50;
const MIN_SHOWN_SHARE = 0.7;

function leftOut(shown: HtmlElement, body: HtmlElement): Pick<PageExtract, 'words'> {
  const count = { shown: words(elementText(shown)), all: words(elementText(withoutChrome(body))) };
  const isMuch = count.all - count.shown > MAX_LEFT_OUT_WORDS && count.shown < count.all * MIN_SHOWN_SHARE;
  return isMuch ? { words: count } : {};
}

/** The number of characters that `writeHtml` escapes as entities, counted up to the limit. */
function entitiesOf(node: HtmlNode, before = 0): number {
  let count = before;
  if (isElement(node)) for (const child of node.children) count = entitiesOf(child, count);
  else {
    for (let at = 0; at < node.length && count <= MAX_EXTRACT_ENTITIES; at += 1) {
      if (BECOMES_ENTITY.has(node.charCodeAt(at))) count += 1;
    }
  }
  return count;
}

function nestedText(node: HtmlNode, depth = 0): number {
  if (!isElement(node)) return node.length * depth;
  return node.children.reduce((sum, child) => sum + nestedText(child, depth + 1), 0);
}

/** `"`, `&`, `<` and `>`. */
const BECOMES_ENTITY = new Set([0x22, 0x26, 0x3c, 0x3e]);

/** Adds the title as heading, unless the text has one. A library may have made it a heading of a lower level. */
function headed(markdown: string, title: string | undefined): string {
  if (title === undefined || /^# /m.test(markdown.slice(0, 2_000))) return markdown;
  const [first = ''] = markdown.split('\n', 1);
  const isTitle = first.replace(/^#+ /, '') === title && first.startsWith('#');
  return `# ${title}\n${isTitle ? markdown.slice(first.length + 1) : `\n${markdown}`}`;
}

const MAX_BYLINE_CHARACTERS = 200;

/** Author and day of an article, in one line. */
function bylineOf(
  author: string | null | undefined,
  published: string | null | undefined,
): string | undefined {
  const by = (author ?? '').replace(/\s+/g, ' ').trim();
  if (by.length > MAX_BYLINE_CHARACTERS || /^https?:/.test(by)) return undefined;
  const day = /\d{4}/.test(by) ? undefined : /^\d{4}-\d\d-\d\d/.exec(published ?? '')?.[0];
  return [by, day].filter(Boolean).join(', ') || undefined;
}

/** Adds the byline above the text or below its heading, unless the text has it. */
function signed(markdown: string, byline: string | undefined): string {
  if (byline === undefined || lettersOf(markdown).includes(lettersOf(byline))) return markdown;
  const heading = /^#+ .*\n+/.exec(markdown)?.[0] ?? '';
  return `${heading}${byline}\n\n${markdown.slice(heading.length)}`;
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

/** Converts a piece of HTML, such as the text of a feed entry, without the elements of the classes `without`. */
export function fragment(html: string, url: string, without: readonly string[] = []): string {
  const { root } = parseHtml(html);
  if (without.length > 0) removeClasses(root, new Set(without));
  const base = baseOf(root, url);
  clean(root);
  return htmlToMarkdown(root, base);
}

/** Changes the tree. */
function removeClasses(element: HtmlElement, classes: ReadonlySet<string>): void {
  element.children = element.children.filter((child) => {
    if (!isElement(child)) return true;
    if ((child.attributes['class'] ?? '').split(/\s+/).some((name) => classes.has(name))) return false;
    removeClasses(child, classes);
    return true;
  });
}

interface Candidate {
  readonly how: PageMethod;
  /** Author and date, which the extractor takes out of the text. */
  readonly byline?: string | undefined;
  readonly element: HtmlElement;
}

function best(
  root: HtmlElement,
  body: HtmlElement,
  limits: { readonly url: string; readonly elements: number },
): Candidate {
  const html = writeHtml(root);
  const candidates = [byReadability(html)].filter((one) => one !== undefined);
  const [first] = candidates;
  const whole = withoutChrome(body);
  const page = { how: 'page' as const, element: whole };
  const inPage = words(elementText(whole));
  if (first && (sizeOf(first) >= ENOUGH || words(elementText(first.element)) >= inPage * 0.5)) {
    if (!missesCode(first.element, whole)) return first;
    const better = betterBy(first, byDefuddle(html, limits));
    // If both extractors lose the code blocks, the page's own markup or the whole page is used.
    const own = [better, mainOf(body), page];
    const hasText = (one: Candidate): boolean =>
      words(elementText(one.element)) >= words(elementText(better.element)) * 0.8;
    return own.find((one) => one && hasText(one) && !missesCode(one.element, whole)) ?? better;
  }
  const others = [first, byDefuddle(html, limits), mainOf(body)].filter((one) => one !== undefined);
  return others.find((one) => words(elementText(one.element)) >= inPage * 0.5) ?? page;
}

const sizeOf = ({ element }: Candidate): number => elementText(element).trim().length;
const blocksOf = (element: HtmlElement): string[] =>
  [...walkHtml(element)].filter(({ name }) => name === 'pre').map((pre) => elementText(pre).trim());

function missesCode(kept: HtmlElement, whole: HtmlElement): boolean {
  return blocksOf(kept).length < blocksOf(whole).length * 0.5;
}

/** The other candidate, if it keeps more code blocks and nearly as much text. */
function betterBy(first: Candidate, other: Candidate | undefined): Candidate {
  if (!other || blocksOf(other.element).length <= blocksOf(first.element).length) return first;
  return words(elementText(other.element)) >= words(elementText(first.element)) * 0.8 ? other : first;
}

const LIBRARY = { byLinkedom: true };

/** Normalizes the document: the parser makes each entity a separate node, and libraries take five times as long. */
function documentOf(html: string): ReturnType<typeof parseHTML>['document'] {
  const { document } = parseHTML(html);
  document.documentElement?.normalize();
  return document;
}

function byReadability(html: string): Candidate | undefined {
  const document = documentOf(html) as unknown as ConstructorParameters<typeof Readability>[0];
  try {
    const limits = { maxElemsToParse: MAX_EXTRACT_ELEMENTS, charThreshold: 250 };
    const article = new Readability(document, limits).parse();
    if (!article?.content) return undefined;
    const { byline, publishedTime, content } = article;
    return {
      how: 'readability',
      byline: bylineOf(byline, publishedTime),
      element: parseHtml(content, LIBRARY).root,
    };
  } catch {
    // The library throws for some documents, such as those without a body.
    return undefined;
  }
}

/** Its types say that this is a property of the module. */
const Defuddle = Library as unknown as typeof Library.default;

function byDefuddle(
  html: string,
  { url, elements }: { readonly url: string; readonly elements: number },
): Candidate | undefined {
  if (elements > MAX_DEFUDDLE_ELEMENTS) return undefined;
  try {
    const document = documentOf(html) as unknown as ConstructorParameters<typeof Defuddle>[0];
    const { content } = new Defuddle(document, { url, useAsync: false }).parse();
    return content ? { how: 'defuddle', element: parseHtml(content, LIBRARY).root } : undefined;
  } catch {
    return undefined;
  }
}

/** The main text by the page's own markup: `main`, or its only `article`. */
function mainOf(body: HtmlElement): Candidate | undefined {
  const all = [...walkHtml(body)];
  const [article, ...others] = all.filter(({ name }) => name === 'article');
  const found =
    all.find((element) => element.name === 'main' || isMain(element)) ??
    (others.length === 0 ? article : undefined);
  return found && { how: 'main', element: withoutChrome(found) };
}

/** Page chrome: elements that are chrome anywhere, and those that are only outside of `PARTS`. */
const CHROME = new Set(['nav', 'menu']);
const OUTER_CHROME = new Set(['footer', 'aside', 'header']);
const PARTS = new Set(['main', 'article', 'section']);

function withoutChrome(element: HtmlElement, most = lengthOf(element) / 2, isInside = false): HtmlElement {
  const inside = isInside || PARTS.has(element.name);
  const children: HtmlNode[] = [];
  for (const child of element.children) {
    if (!isElement(child)) children.push(child);
    else if (!isChrome(child, inside, most)) {
      children.push(child.children.length > 0 ? withoutChrome(child, most, inside) : child);
    }
  }
  return { ...element, children };
}

/** A cache, because the lengths of nested elements are requested repeatedly. */
const lengths = new WeakMap<HtmlElement, number>();

function lengthOf(node: HtmlNode): number {
  if (!isElement(node)) return node.length;
  const known = lengths.get(node) ?? node.children.reduce((sum, child) => sum + lengthOf(child), 0);
  lengths.set(node, known);
  return known;
}

/** `most` is the number of characters from which on a form counts as the page itself. */
function isChrome(element: HtmlElement, inside: boolean, most: number): boolean {
  const { name } = element;
  if (name === 'form') return lengthOf(element) < most;
  if (OUTER_CHROME.has(name))
    return !inside && !(name === 'header' && [...walkHtml(element)].some((one) => one.name === 'h1'));
  return CHROME.has(name);
}

function titleOf(root: HtmlElement): string | undefined {
  const all = [...walkHtml(root)];
  const heads = all.filter(({ name }) => name === 'h1');
  const heading = heads.length === 1 && heads[0] ? elementText(heads[0]) : undefined;
  const title = all.find(({ name }) => name === 'title');
  const text = (heading?.trim() || (title && elementText(title)) || '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
  return text === '' ? undefined : text;
}

// Keeps notes, tips and warnings: extraction libraries drop every `aside`, even those that belong to the text.

/** Parts of a class or id that mark elements outside the text. */
const BESIDE =
  /(?:^|[\s_-])(?:related|socials?|share|sharing|promos?|newsletter|subscribe|subscription|sponsors?|sponsored|author|byline|bio|comments?|ads?|adverts?|advert\w*|banner|toc|contents|nav|navigation|menu|sidebar|widgets?|signup|recommend\w*|popular|trending|more|cookies?|consent|site)(?:$|[\s_-])/i;
/** Labels that mark such elements; other labels are titles of notes. */
const BESIDE_LABEL =
  /^(?:related(?: \w+)?|share(?: this)?|(?:table of )?contents|on this page|navigation|comments|sidebar|recommended|popular|trending|newsletter|advertisement|sponsors?|more)$/i;
/** Classes that only notes have. */
const OWN = /(?:^|\s)(?:admonition(?!-banner)|callout|[\w-]*aside--\w+)(?:$|\s)/i;
/** Classes that documentation uses for notes. */
const NOTE = /admonition|callout|aside--|alert|warning|caution|danger|important|\b(?:note|tip|hint|info)\b/i;

const TEXT = new Set('p pre ul ol dl table h1 h2 h3 h4 h5 h6 blockquote'.split(' '));

/** Changes the tree: an aside that belongs to the text becomes a block quote with its label. */
export function quoteAsides(element: HtmlElement, inText = false): void {
  const inside = inText || element.name === 'main' || element.name === 'article' || isMain(element);
  let texts: number | undefined;
  const isAmongText = (): boolean => (texts ??= textsIn(element)) > 1;
  element.children = element.children.map((child) => {
    if (!isElement(child)) return child;
    quoteAsides(child, inside);
    return inside && child.name === 'aside' && isOfText(child, isAmongText) ? quoted(child) : child;
  });
}

function isMain({ attributes }: HtmlElement): boolean {
  return attributes['role'] === 'main';
}

function textsIn({ children }: HtmlElement): number {
  return children.filter((child) => isElement(child) && TEXT.has(child.name)).length;
}

/** Whether an aside belongs to the text. `isAmongText` tells whether there are texts beside it. */
function isOfText(aside: HtmlElement, isAmongText: () => boolean): boolean {
  const { class: classes = '', id = '', role = '' } = aside.attributes;
  if (role === 'note' || OWN.test(classes)) return true;
  if (BESIDE.test(`${classes} ${id}`) || BESIDE_LABEL.test(labelOf(aside))) return false;
  if (NOTE.test(classes)) return true;
  return isAmongText() && linked(aside) < elementText(aside).trim().length * 0.3;
}

function linked(element: HtmlElement): number {
  return [...walkHtml(element)]
    .filter(({ name }) => name === 'a')
    .reduce((sum, link) => sum + elementText(link).trim().length, 0);
}

function labelOf({ attributes }: HtmlElement): string {
  return (attributes['aria-label'] ?? '').trim();
}

/** The block quote, without the class by which libraries would drop it. */
function quoted(aside: HtmlElement): HtmlElement {
  const label = labelOf(aside);
  // The label is often also the first text (hidden from screen readers, which read the attribute).
  const first = aside.children.find((child) => elementText(child).trim() !== '');
  const isDrawn = label !== '' && first !== undefined && elementText(first).trim() === label;
  const rest = isDrawn ? aside.children.filter((child) => child !== first) : aside.children;
  const title: HtmlNode = {
    name: 'p',
    attributes: {},
    children: [{ name: 'strong', attributes: {}, children: [label] }],
  };
  return { name: 'blockquote', attributes: {}, children: label === '' ? rest : [title, ...rest] };
}

// Counts words, also in scripts without spaces.

/** Scripts without spaces (Chinese, Japanese, South-East Asian): each character counts as a word, as in word processors. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const EACH_UNSPACED = new RegExp(UNSPACED, 'gu');

export function words(text: string): number {
  if (!UNSPACED.test(text)) return spaced(text);
  return (text.match(EACH_UNSPACED)?.length ?? 0) + spaced(text.replace(EACH_UNSPACED, ' '));
}

function spaced(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
