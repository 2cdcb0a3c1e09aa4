/** Prepares a page for extraction: what a reader does not see is taken away, and code becomes text with its lines. */

import { withoutBlankEnd } from './markdown-text.ts';
import { formulaOf } from './math.ts';
import { type Element, isElement, type Node, textOf } from './tree.ts';

const NOT_READ = new Set('button input select form-control link meta nav-control dialog'.split(' '));

const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$)|(?:left|top|text-indent)\s*:\s*-\d{3,})/i;

/** Also how scripts fade in what they show, and how a page hides itself until its styles are there. */
const VEILED_STYLE = /(?:^|;)\s*(?:visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))/i;

/** In these a button is a text that can be clicked: the question of an accordion, the head of a column that sorts. */
const NAMED_BY_BUTTON = new Set('h1 h2 h3 h4 h5 h6 summary dt legend th'.split(' '));

/** Drawn beside the `math` that says the same. */
const DRAWN_FORMULA = /(?:^|\s)(?:katex-html|mwe-math-fallback-image-\w+)(?:\s|$)/;

function isHidden({ name, attributes }: Element, isVeiled: (style: string) => boolean): boolean {
  const { style = '', class: classes = '' } = attributes;
  if (NOT_READ.has(name)) return name !== 'input' || attributes['type'] !== 'checkbox';
  if ('hidden' in attributes && attributes['hidden'] !== 'until-found') return true;
  // What draws formulas hides their source for readers of screens, and shows it to us.
  if (HIDDEN_STYLE.test(style) || isVeiled(style)) return !/math|katex|mwe/i.test(classes);
  return false;
}

/**
 * Changes the tree. What a style veils is not read, unless it is most of the text: then a script unveils it, since
 * nobody makes a page that nobody sees.
 */
export function clean(root: Element): void {
  const body = root.children.filter(isElement).flatMap(bodiesOf);
  const veiled = body.reduce((sum, one) => sum + veiledText(one, false), 0);
  const all = body.reduce((sum, one) => sum + textLength(one), 0);
  new Cleaner(2 * veiled <= all ? (style) => VEILED_STYLE.test(style) : () => false).clean(root);
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

/** Characters of text below what a style veils. */
function veiledText(node: Node, isVeiled: boolean): number {
  if (!isElement(node)) return isVeiled ? node.trim().length : 0;
  const veils = isVeiled || VEILED_STYLE.test(node.attributes['style'] ?? '');
  return node.children.reduce((sum, child) => sum + veiledText(child, veils), 0);
}

class Cleaner {
  readonly #isVeiled: (style: string) => boolean;

  constructor(isVeiled: (style: string) => boolean) {
    this.#isVeiled = isVeiled;
  }

  clean(element: Element, isName = false): void {
    // A page may have hundreds of thousands of elements: no array for each of them.
    const kept: Node[] = [];
    const isDrawnToo = element.children.some(isDrawing) && !below(element, 'math').next().done;
    for (const child of element.children) {
      if (!isElement(child)) kept.push(child);
      else if (child.name === 'math') kept.push(formulaOf(child));
      else if (isName && child.name === 'button') {
        this.clean(child);
        kept.push({ ...child, name: 'span' });
      } else if (!isHidden(child, this.#isVeiled) && !(isDrawnToo && isDrawing(child))) {
        const code = codeOf(child);
        if (!code) this.clean(child, NAMED_BY_BUTTON.has(child.name) || isName);
        kept.push(code ?? child);
      }
    }
    element.children = kept;
  }
}

function isDrawing(node: Node): boolean {
  return isElement(node) && DRAWN_FORMULA.test(node.attributes['class'] ?? '');
}

const GUTTER =
  /(?:^|[\s_-])(?:gutter|line-?num(?:ber)?s?|linenos?|lineno|blob-num|ln-num|lnum|rouge-gutter)(?:$|[\s_-])/i;
const LINE = /(?:^|[\s_-])(?:line|code-line|codeline|token-line|view-line|blob-code)(?:$|[\s_-])/i;

/** Numbers of lines beside their code, which stands in another element. */
function isGutter(element: Element, parent: Element): boolean {
  const { class: classes = '', style = '', 'data-line-number': number } = element.attributes;
  const isNamed = GUTTER.test(classes);
  const marked = isNamed || number !== undefined || /user-select\s*:\s*none/i.test(style);
  if (!marked || element.name === 'pre' || element.name === 'code') return false;
  const text = textOf(element).trim();
  if (!/^[\s\d.:|]*$/.test(text)) return false;
  if (isNamed || text === '') return true;
  // A line of code may be nothing but a number.
  if (LINE.test(classes) || (number !== undefined && text !== number.trim())) return false;
  return parent.children.some((other) => other !== element && /\S/.test(textOf(other)));
}

/** A block of code as one `pre` that holds nothing but its text; undefined for what is none. */
function codeOf(element: Element): Element | undefined {
  if (element.name === 'pre') return preOf(element, element);
  if (element.name !== 'table') return undefined;
  // Line numbers in one cell and code in the other.
  const cells = [...below(element, 'td')];
  if (cells.length !== 2 || !below(element, 'th').next().done) return undefined;
  const pres = cells.map((cell) => [...below(cell, 'pre')]);
  const at = pres.findIndex(
    (own, i) => own.length === 1 && isNumbering(cells[1 - i] as Element, own[0] as Element),
  );
  return at === -1 ? undefined : preOf(pres[at]?.[0] as Element, element);
}

/** Whether a cell has a number for each line of the code beside it, each one more than the one before. */
function isNumbering(cell: Element, code: Element): boolean {
  const numbers = (linesOf(cell).match(/\S+/g) ?? []).map(Number);
  const lines = withoutBlankEnd(linesOf(code).replace(/^\n/, '')).split('\n').length;
  return numbers.length === lines && numbers.every((number, i) => number === (numbers[0] as number) + i);
}

function* below(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    if (child.name === name) yield child;
    yield* below(child, name);
  }
}

function preOf(pre: Element, outer: Element): Element {
  const lines = linesOf(pre).replaceAll('\r\n', '\n').replaceAll('\u00a0', ' ');
  const text = withoutBlankEnd(lines.replace(/^\n/, ''));
  const language = languageOf(outer) ?? languageOf(pre);
  return {
    name: 'pre',
    attributes: language === undefined ? {} : { 'data-lang': language },
    children: [text],
  };
}

const BLOCK = new Set(['div', 'p', 'li', 'tr']);

function isRow(node: Node): boolean {
  return (
    isElement(node) &&
    (BLOCK.has(node.name) ||
      LINE.test(node.attributes['class'] ?? '') ||
      /display\s*:\s*block/i.test(node.attributes['style'] ?? ''))
  );
}

/** In parts: a text to which is added while its end is looked at is copied each time. */
function linesOf(element: Element): string {
  const parts: string[] = [];
  const endsLine = (): boolean => parts.length === 0 || (parts.at(-1) as string).endsWith('\n');
  const add = (part: string): void => void (part !== '' && parts.push(part));
  const rows = element.children.filter(isRow).length;
  for (const [i, child] of element.children.entries()) {
    if (!isElement(child)) add(child);
    else if (child.name === 'br') add('\n');
    else if (!isGutter(child, element) && !isHidden(child, (style) => VEILED_STYLE.test(style))) {
      const inner = linesOf(child);
      const begins = isRow(child) && BLOCK.has(child.name);
      if (begins && !endsLine()) add('\n');
      add(inner);
      const ends = isRow(child) && (rows > 1 || begins) && !inner.endsWith('\n');
      if (ends && needsEnd(element.children[i + 1])) add('\n');
    }
  }
  return parts.join('');
}

/** Rows that are followed by a newline of their own need no other. `next`: what follows the row. */
function needsEnd(next: Node | undefined): boolean {
  if (next === undefined || isElement(next)) return next?.name !== 'br';
  return !/^[ \t]*\r?\n/.test(next);
}

const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|brush:\s*|sourceCode\s+)([a-z][\w+#.-]{0,19})/i;

function languageOf(element: Element): string | undefined {
  const of = ({ attributes }: Element): string | undefined =>
    attributes['data-lang'] ?? attributes['data-language'] ?? LANGUAGE.exec(attributes['class'] ?? '')?.[1];
  const found =
    of(element) ??
    element.children
      .filter(isElement)
      .map(of)
      .find((one) => one !== undefined);
  return found !== undefined && /^[a-z][\w+#.-]{0,19}$/i.test(found) ? found.toLowerCase() : undefined;
}
