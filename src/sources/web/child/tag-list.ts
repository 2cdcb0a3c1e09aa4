/** Detects lists of tags (`rel="tag"`), which link to other pages and are not part of the text. */

import { type Element, isElement, type Node, textOf } from './html-tree.ts';

/** A list with more tags is the content of a page about tags. */
const MOST_TAGS = 30;
/** The most characters of a label item such as `Tags:`. */
const MOST_OF_LABEL = 20;

export function isTagList({ name, children }: Element): boolean {
  if (name !== 'ul' && name !== 'ol') return false;
  const items = children.filter((child) => isElement(child) || child.trim() !== '');
  const tags = items.filter(isTag).length;
  return (
    tags > 0 &&
    tags <= MOST_TAGS &&
    items.length - tags <= 1 &&
    items.every((one) => isTag(one) || isLabel(one))
  );
}

function isTag(item: Node): boolean {
  if (!isElement(item)) return false;
  const [link, ...rest] = item.children.filter((child) => isElement(child) || /[\p{L}\p{N}]/u.test(child));
  return link !== undefined && rest.length === 0 && isElement(link) && link.name === 'a' && saysTag(link);
}

function saysTag({ attributes }: Element): boolean {
  return (attributes['rel'] ?? '').toLowerCase().split(/\s+/).includes('tag');
}

function isLabel(item: Node): boolean {
  return (
    isElement(item) &&
    item.children.every((child) => !isElement(child)) &&
    textOf(item).trim().length <= MOST_OF_LABEL
  );
}
