/**
 * The text of a feed entry as HTML, unescaped exactly as often as the feed escapes it. The parser unescapes once too often,
 * so tags in code would be lost. Sources: RSS 2.0, RFC 4287 section 3.1.
 */

import type { parseFeed } from '@rowanmanning/feed-parser';
import { type Element as HtmlElement, type Node, write } from './html-tree.ts';

type Item = ReturnType<typeof parseFeed>['items'][number];
type XmlElement = Item['element'];

/** Undefined if none of the usual elements has the text. */
export function htmlOf({ element }: Item): string | undefined {
  const own = element.children.filter((child) => typeof child !== 'string').filter(isText);
  for (const name of ['encoded', 'content', 'summary', 'description']) {
    const found = own.find((child) => child.name === name);
    const html = found && (/^(?:content|summary)$/.test(name) ? htmlOfAtom(found) : found.textContent);
    if (html !== undefined && html.trim() !== '') return html;
  }
  return undefined;
}

/** The link of an RSS entry without `link`: a permalink in its `guid`. */
export function linkOf({ element }: Item): string | undefined {
  const guid = element.findElementWithName('guid');
  const text = guid?.textContent.trim() ?? '';
  return guid?.getAttribute('ispermalink') !== 'false' && /^https?:/i.test(text) ? text : undefined;
}

/** Whether an element is text of the entry; Media RSS and iTunes have elements with the same names. */
function isText({ name, namespace }: XmlElement): boolean {
  return name === 'encoded' ? namespace === 'content' : namespace !== 'media' && namespace !== 'itunes';
}

function htmlOfAtom(element: XmlElement): string {
  const type = element.getAttribute('type') ?? 'text';
  if (type === 'xhtml') return element.children.map((child) => write(nodeOf(child))).join('');
  return /html/i.test(type) ? element.textContent : write(element.textContent);
}

function nodeOf(child: XmlElement | string): Node {
  if (typeof child === 'string') return child;
  const { name, attributes, children } = child;
  return { name, attributes, children: children.map(nodeOf) } satisfies HtmlElement;
}
