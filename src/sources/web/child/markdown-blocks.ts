/** Decides which elements are blocks. */

import { type Element, isElement } from './html-tree.ts';

const BLOCKS = new Set(
  (
    'address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr html li main menu nav ol p pre root section summary table tbody td tfoot th thead tr ul ' +
    'video audio caption'
  ).split(' '),
);

/** A cache: it is asked for each ancestor, which would take quadratic time for nested inline elements. */
const known = new WeakMap<Element, boolean>();

export function isBlock(element: Element): boolean {
  let block = known.get(element);
  if (block === undefined) known.set(element, (block = holdsBlocks(element)));
  return block;
}

function holdsBlocks({ name, children }: Element): boolean {
  if (BLOCKS.has(name)) return true;
  // Any element that contains blocks is a block, such as a link, an emphasis or a custom element.
  return children.some(
    (child) => isElement(child) && (BLOCKS.has(child.name) || (name !== 'code' && isBlock(child))),
  );
}
