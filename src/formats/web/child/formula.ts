/**
 * Converts formulas to text: TeX if the document has it, otherwise with signs for fractions, powers and roots. Formulas of
 * office documents are made MathML first (`document/child/repairs/anydoc-equations.ts`).
 */

import { elementText, type HtmlElement, type HtmlNode, isElement, walkHtml } from './html-tree.ts';

/** The text for a `math` element: `$x^2$` from TeX, or `x^(2)` from MathML. */
export function formulaText(math: HtmlElement): string {
  const tex = math.attributes['alttext'] ?? annotationOf(math);
  const text = (tex ?? inLine(math)).replace(/\s+/g, ' ').trim();
  return tex === undefined || text === '' ? text : `$${text}$`;
}

function annotationOf(math: HtmlElement): string | undefined {
  for (const element of walkHtml(math)) {
    const { encoding = '' } = element.attributes;
    if (element.name === 'annotation' && /tex/i.test(encoding)) return elementText(element);
  }
  return undefined;
}

function inLine(node: HtmlNode): string {
  if (!isElement(node)) return node.trim();
  // Spaces around words of a text part them from signs.
  if (node.name === 'mtext') return elementText(node).replace(/\s+/g, ' ');
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
      // Without a bar: a binomial coefficient.
      return node.attributes['linethickness']?.startsWith('0')
        ? `binom(${first}, ${second})`
        : ` ${group(first)}/${group(second)}`;
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
      // A matrix in brackets needs no others.
      const inner = isTable(children) && open === '[' ? [first.slice(1, -1)] : parts;
      return open + inner.map((part) => part.trim()).join(separators.trim().charAt(0)) + close;
    }
    case 'mmultiscripts': {
      const at = children.findIndex((child) => isElement(child) && child.name === 'mprescripts');
      const before = at === -1 ? [] : parts.slice(at + 1);
      return scripts(before) + base(first) + scripts(parts.slice(1, at === -1 ? undefined : at));
    }
    default:
      return inRow(children, parts);
  }
}

function isTable([only, ...others]: readonly HtmlNode[]): boolean {
  if (only === undefined || others.length > 0 || !isElement(only)) return false;
  return only.name === 'mtable' || (only.name === 'mrow' && isTable(only.children));
}

/** Elements whose text may end with a part that would seem to go on in the next one: `1/2x`, `x^ny`. */
const ENDS_OPEN: ReadonlySet<string> = new Set(
  'mfrac msup msub msubsup munder mover munderover mmultiscripts msqrt'.split(' '),
);

function inRow(children: readonly HtmlNode[], parts: readonly string[]): string {
  let text = '';
  for (const [i, part] of parts.entries()) {
    const before = children[i - 1];
    const isOpen = before !== undefined && isElement(before) && ENDS_OPEN.has(before.name);
    text += isOpen && /[\p{L}\p{N}]$/u.test(text) && /^[\p{L}\p{N}]/u.test(part) ? ` ${part}` : part;
  }
  return text;
}

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
