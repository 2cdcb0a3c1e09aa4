/** Converts formulas to text: TeX if the page has it, otherwise with signs for fractions, powers and roots. */

import { type Element, isElement, type Node, textOf, walk } from './html-tree.ts';

/** The text for a `math` element: `$x^2$` from TeX, or `x^(2)` from MathML. */
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
  // Each part is converted only once, because formulas may be nested deep. Empty elements count as parts.
  const children = node.children.filter((child) => isElement(child) || child.trim() !== '');
  const parts = children.map(inLine);
  const [first = '', second = '', third = ''] = parts;
  switch (node.name) {
    case 'annotation':
    case 'annotation-xml':
    case 'mphantom':
      return '';
    case 'mfrac':
      return ` ${group(first)}/${group(second)}`;
    case 'msup':
    case 'mover':
      return base(first) + marked('^', second);
    case 'msub':
    case 'munder':
      return base(first) + marked('_', second);
    case 'msubsup':
    case 'munderover':
      return base(first) + marked('_', second) + marked('^', third);
    case 'mroot':
      return `root(${first}, ${second})`;
    case 'msqrt':
      return `√${group(parts.join(''))}`;
    case 'mtable':
      return `[${parts.join('; ')}]`;
    case 'mtr':
      return parts.join(', ');
    case 'mlabeledtr':
      return `${parts.slice(1).join(', ')} ${first}`;
    case 'mfenced': {
      const { open = '(', close = ')', separators = ',' } = node.attributes;
      return open + parts.map((part) => part.trim()).join(separators.trim().charAt(0)) + close;
    }
    case 'mmultiscripts': {
      const at = children.findIndex((child) => isElement(child) && child.name === 'mprescripts');
      const before = at === -1 ? [] : parts.slice(at + 1);
      return scripts(before) + base(first) + scripts(parts.slice(1, at === -1 ? undefined : at));
    }
    default:
      return parts.join('');
  }
}

/** Alternating indices and exponents. */
function scripts(parts: readonly string[]): string {
  return parts.map((part, i) => marked(i % 2 === 0 ? '_' : '^', part)).join('');
}

/** The base of an index or exponent, in parentheses if needed. */
function base(text: string): string {
  return /[/^_]/.test(text) && !/^\([^()]*\)$/.test(text) ? `(${text.trim()})` : text;
}

function marked(mark: '^' | '_', text: string): string {
  return text === '' ? '' : mark + group(text);
}

/** Adds parentheses, except around a single letter or number. */
function group(text: string): string {
  const bare = text.trim();
  return /^(?:\p{L}|[\d.]+)$/u.test(bare) ? bare : `(${bare})`;
}
