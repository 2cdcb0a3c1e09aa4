/** Formulas as text: as TeX where the page says it, else with marks for fractions, powers and roots. */

import { type Element, isElement, type Node, textOf, walk } from './tree.ts';

/** What stands in place of a `math`: `$x^2$`, or `x^(2)` of its MathML. */
export function formulaOf(math: Element): string {
  const tex = math.attributes['alttext'] ?? annotationOf(math);
  const text = (tex ?? inLine(math)).replace(/\s+/g, ' ').trim();
  return tex === undefined || text === '' ? text : `$${text}$`;
}

function annotationOf(math: Element): string | undefined {
  for (const element of walk(math)) {
    const { encoding = '' } = element.attributes;
    if (element.name === 'annotation' && /tex/i.test(encoding)) return textOf(element);
  }
  return undefined;
}

function inLine(node: Node): string {
  if (!isElement(node)) return node.trim();
  const [first = '', second = '', third = ''] = node.children
    .filter((child) => isElement(child) || child.trim() !== '')
    .map(inLine);
  switch (node.name) {
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'mfrac':
      return `${group(first)}/${group(second)}`;
    case 'msup':
      return `${first}^${group(second)}`;
    case 'msub':
      return `${first}_${group(second)}`;
    case 'msubsup':
      return `${first}_${group(second)}^${group(third)}`;
    case 'munderover':
      return `${first}_${group(second)}^${group(third)}`;
    case 'mroot':
      return `root(${first}, ${second})`;
    case 'msqrt':
      return `√${group(node.children.map(inLine).join(''))}`;
    default:
      return node.children.map(inLine).join('');
  }
}

/** One letter, or one number, needs no brackets. */
function group(text: string): string {
  return /^(?:\p{L}|[\d.]+)$/u.test(text) ? text : `(${text})`;
}
