/** Keeps notes, tips and warnings: extraction libraries drop every `aside`, even those that belong to the text. */

import { type Element, isElement, type Node, textOf, walk } from './html-tree.ts';

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

/** Whether an aside belongs to the text. `isAmongText` tells whether there are texts beside it. */
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

/** The block quote, without the class by which libraries would drop it. */
function quoted(aside: Element): Element {
  const label = labelOf(aside);
  // The label is often also the first text (hidden from screen readers, which read the attribute).
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
