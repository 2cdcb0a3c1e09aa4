/**
 * anydoc 0.1.9 leaves out equations, or shows them without their structure. Office Math (OMML, also as groups of rich text) is
 * made presentation MathML, and MathML of OpenDocument is taken as it is, so that they are shown like those of web pages.
 * Source: ECMA-376-1, 22.1.
 */

import { formulaText } from '../../../web/child/formula.ts';
import {
  elementText,
  type HtmlElement,
  type HtmlNode,
  isElement,
  parseHtml,
} from '../../../web/child/html-tree.ts';
import { isOnValue } from '../hidden-text.ts';
import { contents, each, escapeXml } from '../zip-parts.ts';

/** The text of an `oMath` element. */
export function officeMathText(xml: string): string {
  return formulaText(row(parseHtml(xml, { asXml: true }).root));
}

/**
 * The XML of a slide. anydoc takes the alternative for old programs, which is a picture where the text has an equation.
 * Equations become text, and what contains text stays.
 */
export function withEquations(xml: string): string {
  const chosen = each(xml, 'mc:AlternateContent', (content, tag) => {
    const choice = contents(content, 'mc:Choice').find((one) => /<(?:a:t|m:oMath)[\s>]/.test(one));
    return choice ?? `${tag}${content}</mc:AlternateContent>`;
  });
  return each(chosen, 'a14:m', (math) => `<a:r><a:t>${escapeXml(officeMathText(math))}</a:t></a:r>`);
}

/** The text of a `math` element; its names may have a prefix. */
export function mathmlText(xml: string): string {
  const { root } = parseHtml(xml.replace(/<(\/?)\w+:(?=m)/g, '<$1'), { asXml: true });
  return formulaText(root);
}

const made = (name: string, children: HtmlNode[], attributes: Record<string, string> = {}): HtmlElement => ({
  name,
  attributes,
  children,
});

const localName = ({ name }: HtmlElement): string => name.slice(name.indexOf(':') + 1);

function row({ children }: HtmlElement): HtmlElement {
  return made('mrow', children.filter(isElement).map(mathOf));
}

const parts = (node: HtmlElement, name: string): HtmlElement[] =>
  node.children.filter(isElement).filter((child) => localName(child) === name);

/** The parts with these names, in this order; an empty row for one that is missing. */
function operands(node: HtmlElement, ...names: string[]): HtmlElement[] {
  return names.map((name) => row(parts(node, name)[0] ?? made('none', [])));
}

/** The value of a property; undefined if it is not set, empty if it is set without a value. */
function property(node: HtmlElement, name: string): string | undefined {
  const properties = parts(node, `${localName(node)}pr`)[0];
  const found = properties && parts(properties, name)[0];
  if (!found) return undefined;
  return found.attributes['m:val'] ?? found.attributes['val'] ?? elementText(found);
}

const isOff = (value: string | undefined): boolean => value !== undefined && !isOnValue(value);
const isOn = (value: string | undefined): boolean => value !== undefined && isOnValue(value);

function mathOf(node: HtmlElement): HtmlNode {
  const name = localName(node);
  switch (name) {
    case 'r':
      return run(node);
    case 'f':
      return made('mfrac', operands(node, 'num', 'den'), property(node, 'type') === 'noBar' ? NO_BAR : {});
    case 'ssup':
      return made('msup', operands(node, 'e', 'sup'));
    case 'ssub':
      return made('msub', operands(node, 'e', 'sub'));
    case 'ssubsup':
      return made('msubsup', operands(node, 'e', 'sub', 'sup'));
    case 'spre':
      return made('mmultiscripts', [
        ...operands(node, 'e'),
        made('mprescripts', []),
        ...operands(node, 'sub', 'sup'),
      ]);
    case 'rad': {
      const [degree, base] = operands(node, 'deg', 'e') as [HtmlElement, HtmlElement];
      const isSquare = degree.children.length === 0 || isOn(property(node, 'deghide'));
      return isSquare ? made('msqrt', [base]) : made('mroot', [base, degree]);
    }
    case 'nary': {
      const [sub, sup, base] = operands(node, 'sub', 'sup', 'e') as [HtmlElement, HtmlElement, HtmlElement];
      return made('mrow', [made('munderover', [property(node, 'chr') ?? '∫', sub, sup]), base]);
    }
    case 'limlow':
      return made('munder', operands(node, 'e', 'lim'));
    case 'limupp':
      return made('mover', operands(node, 'e', 'lim'));
    case 'd': {
      const [open, close, separators] = ['begchr', 'endchr', 'sepchr'].map((one) => property(node, one));
      const attributes = { open: open ?? '(', close: close ?? ')', separators: separators ?? '|' };
      return made('mfenced', parts(node, 'e').map(row), attributes);
    }
    case 'm':
      return made(
        'mtable',
        parts(node, 'mr').map((line) => made('mtr', parts(line, 'e').map(row))),
      );
    case 'eqarr':
      return made(
        'mtable',
        parts(node, 'e').map((line) => made('mtr', [row(line)])),
      );
    case 'func':
      return made('mrow', [...operands(node, 'fname'), made('mtext', [' ']), ...operands(node, 'e')]);
    case 'acc':
      return made('mrow', [...operands(node, 'e'), property(node, 'chr') ?? '\u0302']);
    case 'bar':
      return made('mrow', [...operands(node, 'e'), property(node, 'pos') === 'top' ? '\u0305' : '\u0332']);
    case 'phant':
      return isOff(property(node, 'show')) ? '' : row(node);
    default:
      return name.endsWith('pr') ? '' : row(node);
  }
}

const NO_BAR = { linethickness: '0' };

/** A run: text with the marks of alignment taken out. A text in words keeps the spaces around it. */
function run(node: HtmlElement): HtmlNode {
  const texts = parts(node, 't');
  // In rich text it has no element of its own.
  const text = (texts.length === 0 ? [node] : texts)
    .map(elementText)
    .join('')
    .replace(/&(?=[=<>≤≥≈])/g, '');
  return /^\s|\s$/.test(text) ? made('mtext', [text]) : text;
}
