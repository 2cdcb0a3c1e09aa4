/** Lists of tags, which pages mark with `rel="tag"`: they lead to other pages and are no part of the text. */

import { type Element, isElement, type Node, textOf } from './html-tree.ts';

/** More are a page of tags, and its text. */
const MOST_TAGS = 30;
/** Characters of an item that says what the list is: `Tags:`. */
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
