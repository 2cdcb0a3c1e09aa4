/** Which elements are their own blocks. */

import { type Element, isElement } from './html-tree.ts';

const BLOCKS = new Set(
  (
    'address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr html li main menu nav ol p pre root section summary table tbody td tfoot th thead tr ul ' +
    'video audio caption'
  ).split(' '),
);

/** Asked again for each element that one is in: without it, inline elements in inline elements cost their depth each. */
const known = new WeakMap<Element, boolean>();

export function isBlock(element: Element): boolean {
  let block = known.get(element);
  if (block === undefined) known.set(element, (block = holdsBlocks(element)));
  return block;
}

function holdsBlocks({ name, children }: Element): boolean {
  if (BLOCKS.has(name)) return true;
  // What is around blocks is one, whatever it is called: a link, an emphasis, an element of the page's own.
  return children.some(
    (child) => isElement(child) && (BLOCKS.has(child.name) || (name !== 'code' && isBlock(child))),
  );
}
