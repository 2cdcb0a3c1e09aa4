/** Notes, tips and warnings of a text: libraries drop every `aside`, also those that belong to it. */

import { type Element, isElement, type Node, textOf, walk } from './html-tree.ts';

/** Names of what is beside a text and is none of it, as parts of a class or an id. */
const BESIDE =
  /(?:^|[\s_-])(?:related|socials?|share|sharing|promos?|newsletter|subscribe|subscription|sponsors?|sponsored|author|byline|bio|comments?|ads?|adverts?|advert\w*|banner|toc|contents|nav|navigation|menu|sidebar|widgets?|signup|recommend\w*|popular|trending|more|cookies?|consent|site)(?:$|[\s_-])/i;
/** A label that is nothing but such a name; others are the titles of notes. */
const BESIDE_LABEL =
  /^(?:related(?: \w+)?|share(?: this)?|(?:table of )?contents|on this page|navigation|comments|sidebar|recommended|popular|trending|newsletter|advertisement|sponsors?|more)$/i;
/** Names that are given to notes alone. */
const OWN = /(?:^|\s)(?:admonition(?!-banner)|callout|[\w-]*aside--\w+)(?:$|\s)/i;
/** Names that documentation gives to a note. */
const NOTE = /admonition|callout|aside--|alert|warning|caution|danger|important|\b(?:note|tip|hint|info)\b/i;

const TEXT = new Set('p pre ul ol dl table h1 h2 h3 h4 h5 h6 blockquote'.split(' '));

/** Changes the tree: an aside of the text becomes a quotation below its label. */
export function quoteAsides(element: Element, inText = false): void {
  const inside = inText || element.name === 'main' || element.name === 'article' || isMain(element);
  let texts: number | undefined;
  const isAmongText = (): boolean => (texts ??= textsIn(element)) > 1;
  element.children = element.children.map((child) => {
    if (!isElement(child)) return child;
    quoteAsides(child, inside);
    return inside && child.name === 'aside' && isOfText(child, isAmongText) ? quoted(child) : child;
  });
}

function isMain({ attributes }: Element): boolean {
  return attributes['role'] === 'main';
}

function textsIn({ children }: Element): number {
  return children.filter((child) => isElement(child) && TEXT.has(child.name)).length;
}

/** `isAmongText`: whether there are texts beside it. */
function isOfText(aside: Element, isAmongText: () => boolean): boolean {
  const { class: classes = '', id = '', role = '' } = aside.attributes;
  if (role === 'note' || OWN.test(classes)) return true;
  if (BESIDE.test(`${classes} ${id}`) || BESIDE_LABEL.test(labelOf(aside))) return false;
  if (NOTE.test(classes)) return true;
  return isAmongText() && linked(aside) < textOf(aside).trim().length * 0.3;
}

function linked(element: Element): number {
  return [...walk(element)]
    .filter(({ name }) => name === 'a')
    .reduce((sum, link) => sum + textOf(link).trim().length, 0);
}

function labelOf({ attributes }: Element): string {
  return (attributes['aria-label'] ?? '').trim();
}

/** Without its class, by which libraries would judge it. */
function quoted(aside: Element): Element {
  const label = labelOf(aside);
  // The label itself is often drawn first, and hidden from readers of screens, which say it.
  const first = aside.children.find((child) => textOf(child).trim() !== '');
  const isDrawn = label !== '' && first !== undefined && textOf(first).trim() === label;
  const rest = isDrawn ? aside.children.filter((child) => child !== first) : aside.children;
  const title: Node = {
    name: 'p',
    attributes: {},
    children: [{ name: 'strong', attributes: {}, children: [label] }],
  };
  return { name: 'blockquote', attributes: {}, children: label === '' ? rest : [title, ...rest] };
}
