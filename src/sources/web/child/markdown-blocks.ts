/** Which elements are blocks of their own. */

import { type Element, isElement } from './tree.ts';

const BLOCKS = new Set(
  (
    'address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr html li main menu nav ol p pre root section summary table tbody td tfoot th thead tr ul ' +
    'video audio caption'
  ).split(' '),
);

/** Asked again for each element that one lies in: without it, inline elements in inline elements cost their depth each. */
const known = new WeakMap<Element, boolean>();

export function isBlock(element: Element): boolean {
  let block = known.get(element);
  if (block === undefined) known.set(element, (block = holdsBlocks(element)));
  return block;
}

function holdsBlocks({ name, children }: Element): boolean {
  if (BLOCKS.has(name)) return true;
  // An inline element around blocks is one, unless it is a link or an emphasis.
  return !/^(?:a|b|strong|i|em|del|s|code|span)$/.test(name)
    ? false
    : children.some(
        (child) => isElement(child) && (isBlockName(child.name) || (name !== 'code' && isBlock(child))),
      );
}

function isBlockName(name: string): boolean {
  return BLOCKS.has(name);
}
