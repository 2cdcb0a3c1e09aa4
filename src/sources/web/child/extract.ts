/** Finds the main text of a page: compares the results of several extractors and takes the best. */

import Library from 'defuddle';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { How } from '../page-protocol.ts';
import { quoteAsides } from './asides.ts';
import { clean } from './clean-tree.ts';
import { toMarkdown } from './html-markdown.ts';
import { type Element, isElement, type Node, parse, textOf, walk, write } from './html-tree.ts';
import { words } from './count-words.ts';

export interface Extracted {
  readonly how: How;
  readonly markdown: string;
  readonly title?: string;
  /** Word counts, if the main text has clearly fewer words than the page without its chrome. */
  readonly words?: { readonly shown: number; readonly all: number };
}

/** Above these limits a library takes seconds, so the page is converted as a whole. */
const MOST_ELEMENTS = 20_000;
/** defuddle 0.19.4 takes 2.9 s of processor time for 4,000 `div`s beside each other, and 18 s for 10,000. */
const MOST_FOR_DEFUDDLE = 4_000;
const MOST_ENTITIES = 60_000;
/** Characters weighted by their nesting depth, because libraries read the text of every ancestor. */
const MOST_NESTED_TEXT = 15_000_000;
const MOST_CELLS = 20_000;

/** A main text with at least this many characters is accepted without comparing other extractors. */
const ENOUGH = 400;

export function extract(
  html: string,
  url: string,
  { asXml = false }: { readonly asXml?: boolean } = {},
): Extracted {
  const { root } = parse(html, { asXml });
  const base = baseOf(root, url);
  const title = titleOf(root);
  clean(root);
  const all = [...walk(root)];
  if (all.length <= MOST_ELEMENTS) quoteAsides(root);
  const cells = all.filter(({ name }) => name === 'td' || name === 'th').length;
  const body = all.find(({ name }) => name === 'body') ?? root;
  const found =
    all.length > MOST_ELEMENTS ||
    cells > MOST_CELLS ||
    entitiesOf(root) > MOST_ENTITIES ||
    nestedText(root) > MOST_NESTED_TEXT
      ? { how: 'page' as const, element: withoutChrome(body) }
      : best(root, body, { url, elements: all.length });
  const markdown = toMarkdown(found.element, base);
  return {
    how: found.how,
    markdown: words(markdown) === 0 ? '' : headed(markdown, title),
    ...(title !== undefined && { title }),
    ...(found.how !== 'page' && leftOut(found.element, body)),
  };
}

/** A note about left-out text is given above this many missing words and below this share of shown words. */
const MOST_LEFT_OUT = 50;
const LEAST_SHOWN = 0.7;

function leftOut(shown: Element, body: Element): Pick<Extracted, 'words'> {
  const count = { shown: words(textOf(shown)), all: words(textOf(withoutChrome(body))) };
  const isMuch = count.all - count.shown > MOST_LEFT_OUT && count.shown < count.all * LEAST_SHOWN;
  return isMuch ? { words: count } : {};
}

/** The number of characters that `write` escapes as entities, counted up to the limit. */
function entitiesOf(node: Node, before = 0): number {
  let count = before;
  if (isElement(node)) for (const child of node.children) count = entitiesOf(child, count);
  else {
    for (let at = 0; at < node.length && count <= MOST_ENTITIES; at += 1) {
      if (BECOMES_ENTITY.has(node.charCodeAt(at))) count += 1;
    }
  }
  return count;
}

function nestedText(node: Node, depth = 0): number {
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

/** Converts a piece of HTML, such as the text of a feed entry, without the elements of the classes `without`. */
export function fragment(html: string, url: string, without: readonly string[] = []): string {
  const { root } = parse(html);
  if (without.length > 0) removeClasses(root, new Set(without));
  const base = baseOf(root, url);
  clean(root);
  return toMarkdown(root, base);
}

/** Changes the tree. */
function removeClasses(element: Element, classes: ReadonlySet<string>): void {
  element.children = element.children.filter((child) => {
    if (!isElement(child)) return true;
    if ((child.attributes['class'] ?? '').split(/\s+/).some((name) => classes.has(name))) return false;
    removeClasses(child, classes);
    return true;
  });
}

interface Candidate {
  readonly how: How;
  readonly element: Element;
}

function best(
  root: Element,
  body: Element,
  page: { readonly url: string; readonly elements: number },
): Candidate {
  const html = write(root);
  const candidates = [byReadability(html)].filter((one) => one !== undefined);
  const [first] = candidates;
  const whole = withoutChrome(body);
  const inPage = words(textOf(whole));
  if (first && (sizeOf(first) >= ENOUGH || words(textOf(first.element)) >= inPage * 0.5)) {
    if (!missesCode(first.element, whole)) return first;
    const better = betterBy(first, byDefuddle(html, page));
    // If both extractors lose the code blocks, the page's own markup or the whole page is used.
    const own = [better, mainOf(body), { how: 'page' as const, element: whole }];
    const hasText = (one: Candidate): boolean =>
      words(textOf(one.element)) >= words(textOf(better.element)) * 0.8;
    return own.find((one) => one && hasText(one) && !missesCode(one.element, whole)) ?? better;
  }
  const others = [first, byDefuddle(html, page), mainOf(body), { how: 'page' as const, element: whole }];
  return (
    others.filter((one) => one !== undefined).find((one) => words(textOf(one.element)) >= inPage * 0.5) ?? {
      how: 'page',
      element: whole,
    }
  );
}

const sizeOf = ({ element }: Candidate): number => textOf(element).trim().length;
const blocksOf = (element: Element): string[] =>
  [...walk(element)].filter(({ name }) => name === 'pre').map((pre) => textOf(pre).trim());

/** Whether more than half of the page's code blocks are missing. */
function missesCode(kept: Element, whole: Element): boolean {
  return blocksOf(kept).length < blocksOf(whole).length * 0.5;
}

/** The other candidate, if it keeps more code blocks and nearly as much text. */
function betterBy(first: Candidate, other: Candidate | undefined): Candidate {
  if (!other || blocksOf(other.element).length <= blocksOf(first.element).length) return first;
  return words(textOf(other.element)) >= words(textOf(first.element)) * 0.8 ? other : first;
}

const LIBRARY = { byLinkedom: true };

/** Normalizes the document: the parser makes each entity a separate node, and libraries take five times as long. */
function documentOf(html: string): ReturnType<typeof parseHTML>['document'] {
  const { document } = parseHTML(html);
  document.documentElement?.normalize();
  return document;
}

function byReadability(html: string): Candidate | undefined {
  const document = documentOf(html);
  try {
    const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0], {
      maxElemsToParse: MOST_ELEMENTS,
      charThreshold: 250,
    }).parse();
    return article?.content
      ? { how: 'readability', element: parse(article.content, LIBRARY).root }
      : undefined;
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
  if (elements > MOST_FOR_DEFUDDLE) return undefined;
  try {
    const document = documentOf(html);
    const { content } = new Defuddle(
      document as unknown as ConstructorParameters<typeof Library.default>[0],
      {
        url,
        useAsync: false,
      },
    ).parse();
    return content ? { how: 'defuddle', element: parse(content, LIBRARY).root } : undefined;
  } catch {
    return undefined;
  }
}

/** The main text by the page's own markup: `main`, or its only `article`. */
function mainOf(body: Element): Candidate | undefined {
  const all = [...walk(body)];
  const found =
    all.find(({ name, attributes }) => name === 'main' || attributes['role'] === 'main') ??
    only(all.filter(({ name }) => name === 'article'));
  return found && { how: 'main', element: withoutChrome(found) };
}

function only(found: readonly Element[]): Element | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Page chrome: elements that are chrome anywhere, and those that are only outside of `PARTS`. */
const CHROME = new Set(['nav', 'menu']);
const OUTER_CHROME = new Set(['footer', 'aside', 'header']);
const PARTS = new Set(['main', 'article', 'section']);

function withoutChrome(element: Element, most = lengthOf(element) / 2, isInside = false): Element {
  const inside = isInside || PARTS.has(element.name);
  const children: Node[] = [];
  for (const child of element.children) {
    if (!isElement(child)) children.push(child);
    else if (!isChrome(child, inside, most)) {
      children.push(child.children.length > 0 ? withoutChrome(child, most, inside) : child);
    }
  }
  return { ...element, children };
}

/** A cache, because the lengths of nested elements are requested repeatedly. */
const lengths = new WeakMap<Element, number>();

/** The number of characters of text. */
function lengthOf(node: Node): number {
  if (!isElement(node)) return node.length;
  const known = lengths.get(node) ?? node.children.reduce((sum, child) => sum + lengthOf(child), 0);
  lengths.set(node, known);
  return known;
}

/** `most` is the number of characters from which on a form counts as the page itself. */
function isChrome(element: Element, inside: boolean, most: number): boolean {
  const { name } = element;
  if (name === 'form') return lengthOf(element) < most;
  if (OUTER_CHROME.has(name)) return !inside && !(name === 'header' && hasHeading(element));
  return CHROME.has(name);
}

function hasHeading(element: Element): boolean {
  return [...walk(element)].some(({ name }) => name === 'h1');
}

function titleOf(root: Element): string | undefined {
  const all = [...walk(root)];
  const heads = all.filter(({ name }) => name === 'h1');
  const heading = heads.length === 1 && heads[0] ? textOf(heads[0]) : undefined;
  const title = all.find(({ name }) => name === 'title');
  const text = (heading?.trim() || (title && textOf(title)) || '').replace(/\s+/g, ' ').trim().slice(0, 300);
  return text === '' ? undefined : text;
}

function baseOf(root: Element, url: string): string {
  let href: string | undefined;
  for (const { name, attributes } of walk(root)) {
    if (name === 'base') href = attributes['href'] || undefined;
    if (href !== undefined) break;
  }
  return href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : url;
}
