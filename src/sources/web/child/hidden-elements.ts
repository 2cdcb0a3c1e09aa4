/** Decides which elements are invisible, by their attributes only. */

import { type Element, isElement, type Node } from './html-tree.ts';

const NOT_READ = new Set('button input select form-control link meta nav-control dialog'.split(' '));

const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$)|(?:left|top|text-indent)\s*:\s*-\d{3,})/i;

/** Styles that hide text, but which scripts also use to fade in content, and pages until their styles are loaded. */
const VEILED_STYLE = /(?:^|;)\s*(?:visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))/i;

/** Whether such a style (`VEILED_STYLE`) really means hidden on this page. */
export type Veil = (style: string) => boolean;

export function isHidden({ name, attributes }: Element, isVeiled: Veil): boolean {
  const { style = '', class: classes = '' } = attributes;
  if (NOT_READ.has(name)) return name !== 'input' || attributes['type'] !== 'checkbox';
  if ('hidden' in attributes && attributes['hidden'] !== 'until-found') return true;
  // Formula renderers hide the source of a formula visually; we need it.
  if (HIDDEN_STYLE.test(style) || isVeiled(style)) return !/math|katex|mwe/i.test(classes);
  return false;
}

/**
 * Text with a veiling style counts as hidden, unless it is most of the text of the page: then a script probably makes it
 * visible.
 */
export function veilOf(root: Element): Veil {
  const body = root.children.filter(isElement).flatMap(bodiesOf);
  const veiled = body.reduce((sum, one) => sum + veiledText(one, false), 0);
  const all = body.reduce((sum, one) => sum + textLength(one), 0);
  return 2 * veiled <= all ? (style) => VEILED_STYLE.test(style) : () => false;
}

function bodiesOf(element: Element): Element[] {
  return element.name === 'html'
    ? element.children.filter(isElement).filter(({ name }) => name !== 'head')
    : [element];
}

function textLength(node: Node): number {
  if (!isElement(node)) return node.trim().length;
  return node.children.reduce((sum, child) => sum + textLength(child), 0);
}

/** The number of characters of text inside elements with a veiling style. */
function veiledText(node: Node, isVeiled: boolean): number {
  if (!isElement(node)) return isVeiled ? node.trim().length : 0;
  const veils = isVeiled || VEILED_STYLE.test(node.attributes['style'] ?? '');
  return node.children.reduce((sum, child) => sum + veiledText(child, veils), 0);
}
