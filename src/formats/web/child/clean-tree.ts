/** Prepares a page for extraction: removes invisible elements, and converts code and formulas to text. */

import { formulaText } from './formula.ts';
import { elementText, type HtmlElement, type HtmlNode, isElement, walkHtml } from './html-tree.ts';
import { withoutBlankEnd } from './markdown-text.ts';

/** Elements in which a button is clickable text, such as the question of an accordion or a sortable column header. */
const NAMED_BY_BUTTON = new Set('h1 h2 h3 h4 h5 h6 summary dt legend th'.split(' '));

/** Classes of elements that hold a formula twice: drawn, and as a `math` that is not shown. */
const DRAWN_FORMULA = /(?:^|\s)(?:katex|MathJax|mwe-math-element)(?:\s|$)/;

const DRAWING = /(?:^|\s)(?:katex-html|mwe-math-fallback-image-\w+)(?:\s|$)/;

/** Changes the tree. */
export function clean(root: HtmlElement): void {
  openTabs(root);
  cleanInside(root, veilOf(root));
}

function cleanInside(element: HtmlElement, isVeiled: VeilTest, isName = false): void {
  // No array operations per child: a page may have hundreds of thousands of elements.
  const kept: HtmlNode[] = [];
  const isDrawnToo = element.children.some(isDrawing) && mathsOf(element).length > 0;
  for (const child of element.children) {
    if (!isElement(child)) {
      kept.push(child);
      continue;
    }
    const formula = drawnFormula(child);
    if (formula) kept.push(formula);
    else if (isTask(child, element)) kept.push('checked' in child.attributes ? '[x] ' : '[ ] ');
    else if (isName && child.name === 'button') {
      const text = { ...child, name: 'span' };
      if (isHiddenElement(text, isVeiled)) continue;
      cleanInside(text, isVeiled);
      kept.push(text);
    } else if (!isHiddenElement(child, isVeiled) && !(isDrawnToo && isDrawing(child))) {
      const code = codeOf(child, isVeiled);
      if (!code) cleanInside(child, isVeiled, NAMED_BY_BUTTON.has(child.name) || isName);
      if (child.name === 'td' || child.name === 'th') labelCell(child);
      // The content of a shadow root, and of an open dialog.
      if (child.name === 'template' || child.name === 'dialog') child.name = 'div';
      kept.push(code ?? child);
    }
  }
  element.children = kept;
}

/** The text of a formula, for a `math` or an element that holds one and a drawing of it. */
function drawnFormula(element: HtmlElement): string | undefined {
  if (element.name === 'math') return formulaText(element);
  const { class: classes = '' } = element.attributes;
  if (element.name !== 'mjx-container' && !DRAWN_FORMULA.test(classes)) return undefined;
  const formulas = mathsOf(element).map(formulaText);
  return formulas.length > 0 ? formulas.join(' ') : undefined;
}

function mathsOf(element: HtmlElement): HtmlElement[] {
  return [...walkHtml(element)].filter(({ name }) => name === 'math');
}

function isDrawing(node: HtmlNode): boolean {
  return isElement(node) && DRAWING.test(node.attributes['class'] ?? '');
}

/** Whether an element is the box of a task, or a box that is the value of a cell. Libraries drop every `input`. */
function isTask({ name, attributes }: HtmlElement, parent: HtmlElement): boolean {
  if (name !== 'input' || attributes['type'] !== 'checkbox') return false;
  return 'disabled' in attributes || ['li', 'td', 'th'].includes(parent.name);
}

function labelCell(cell: HtmlElement): void {
  if (elementText(cell).trim() !== '') return;
  for (const { name, attributes } of walkHtml(cell)) {
    if (name === 'img') return;
    const label = attributes['aria-label'] || attributes['title'];
    if (label) cell.children = [label];
  }
}

// Tabs: a page shows one panel at a time, and a reader wants all of them with their names.

const MAX_OPENED_PANELS = 200;

/** Shows the hidden panels of tabs, each below the name of its tab. Changes the tree. */
function openTabs(root: HtmlElement): void {
  let tabs: HtmlElement[] = [];
  let [at, opened] = [0, 0];
  for (const element of walkHtml(root)) {
    const { role, id = '' } = element.attributes;
    if (role === 'tablist') {
      tabs = [...walkHtml(element)].filter(({ attributes }) => attributes['role'] === 'tab');
      at = 0;
    }
    if (role !== 'tabpanel' || tabs.length === 0 || (opened += 1) > MAX_OPENED_PANELS) continue;
    const names = (element.attributes['aria-labelledby'] ?? '').split(/\s+/);
    const tab =
      tabs.find(
        ({ attributes }) =>
          (id !== '' && attributes['aria-controls'] === id) || names.includes(attributes['id'] ?? ' '),
      ) ?? tabs[at];
    at += 1;
    const name = tab ? elementText(tab).trim() : '';
    const { hidden: _hidden, 'aria-hidden': _unseen, style: _style, ...attributes } = element.attributes;
    element.attributes = attributes;
    if (name === '') continue;
    const strong: HtmlElement = { name: 'strong', attributes: {}, children: [name] };
    element.children = [{ name: 'p', attributes: {}, children: [strong] }, ...element.children];
  }
}

// Decides which elements are invisible, by their attributes only.

const NOT_READ = new Set('button input select form-control link meta nav-control'.split(' '));

const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$)|(?:left|top|text-indent)\s*:\s*-\d{3,})/i;

/** Styles that hide text, but which scripts also use to fade in content, and pages until their styles are loaded. */
const VEILED_STYLE = /(?:^|;)\s*(?:visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))/i;

/** Whether such a style (`VEILED_STYLE`) really means hidden on this page. */
type VeilTest = (style: string) => boolean;

function isHiddenElement({ name, attributes }: HtmlElement, isVeiled: VeilTest): boolean {
  const { style = '', class: classes = '' } = attributes;
  if (name === 'dialog' && !('open' in attributes)) return true;
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
function veilOf(root: HtmlElement): VeilTest {
  const body = root.children.filter(isElement).flatMap(bodiesOf);
  const veiled = body.reduce((sum, one) => sum + veiledText(one, false), 0);
  const all = body.reduce((sum, one) => sum + textLength(one), 0);
  return 2 * veiled <= all ? (style) => VEILED_STYLE.test(style) : () => false;
}

function bodiesOf(element: HtmlElement): HtmlElement[] {
  return element.name === 'html'
    ? element.children.filter(isElement).filter(({ name }) => name !== 'head')
    : [element];
}

function textLength(node: HtmlNode): number {
  if (!isElement(node)) return node.trim().length;
  return node.children.reduce((sum, child) => sum + textLength(child), 0);
}

/** The number of characters of text inside elements with a veiling style. */
function veiledText(node: HtmlNode, isVeiled: boolean): number {
  if (!isElement(node)) return isVeiled ? node.trim().length : 0;
  const veils = isVeiled || VEILED_STYLE.test(node.attributes['style'] ?? '');
  return node.children.reduce((sum, child) => sum + veiledText(child, veils), 0);
}

// Converts code to one block of text, with its lines but without line numbers.

const GUTTER =
  /(?:^|[\s_-])(?:gutter|line-?num(?:ber)?s?|linenos?|lineno|blob-num|ln-num|lnum|rouge-gutter)(?:$|[\s_-])/i;
const LINE = /(?:^|[\s_-])(?:line|code-line|codeline|token-line|view-line|blob-code)(?:$|[\s_-])/i;

/** Whether an element contains line numbers beside code in another element. */
function isGutter(element: HtmlElement, parent: HtmlElement): boolean {
  const { class: classes = '', style = '', 'data-line-number': number } = element.attributes;
  const isNamed = GUTTER.test(classes);
  const marked = isNamed || number !== undefined || /user-select\s*:\s*none/i.test(style);
  if (!marked || element.name === 'pre' || element.name === 'code') return false;
  const text = elementText(element).trim();
  if (!/^[\s\d.:|]*$/.test(text)) return false;
  if (isNamed || text === '') return true;
  // Not a line of code, which may consist of a number.
  if (LINE.test(classes) || (number !== undefined && text !== number.trim())) return false;
  return parent.children.some((other) => other !== element && /\S/.test(elementText(other)));
}

/** A code block as a `pre` that contains only its text; undefined if the element is not a code block. */
function codeOf(element: HtmlElement, isVeiled: VeilTest): HtmlElement | undefined {
  if (element.name === 'pre') return preOf(element, element, isVeiled);
  if (element.name !== 'table') return undefined;
  // A table with line numbers in one cell and code in the other.
  const cells = twoCells(element);
  if (!cells) return undefined;
  const pres = cells.map((cell) => Array.from(walkHtml(cell)).filter(({ name }) => name === 'pre'));
  const at = pres.findIndex(
    (own, i) => own.length === 1 && isNumbering(cells[1 - i] as HtmlElement, own[0] as HtmlElement, isVeiled),
  );
  return at === -1 ? undefined : preOf(pres[at]?.[0] as HtmlElement, element, isVeiled);
}

/** The cells of a table that has exactly two and no header cells. Stops early, because a table may be large. */
function twoCells(table: HtmlElement): readonly HtmlElement[] | undefined {
  const cells: HtmlElement[] = [];
  for (const element of walkHtml(table)) {
    if (element.name === 'td') cells.push(element);
    if (cells.length > 2 || element.name === 'th') return undefined;
  }
  return cells.length === 2 ? cells : undefined;
}

/** Whether a cell contains consecutive numbers, one for each line of the code beside it. */
function isNumbering(cell: HtmlElement, code: HtmlElement, isVeiled: VeilTest): boolean {
  const numbers = (linesOf(cell, isVeiled).match(/\S+/g) ?? []).map(Number);
  const lines = withoutBlankEnd(linesOf(code, isVeiled).replace(/^\n/, '')).split('\n').length;
  const [first = 0] = numbers;
  // For one line of code any single number would match.
  if (lines === 1 && first !== 1 && !GUTTER.test(cell.attributes['class'] ?? '')) return false;
  return numbers.length === lines && numbers.every((number, i) => number === first + i);
}

function preOf(pre: HtmlElement, outer: HtmlElement, isVeiled: VeilTest): HtmlElement {
  const lines = linesOf(pre, isVeiled).replaceAll('\r\n', '\n').replaceAll('\u00a0', ' ');
  const text = withoutBlankEnd(lines.replace(/^\n/, ''));
  const language = languageOf(outer) ?? languageOf(pre);
  return {
    name: 'pre',
    attributes: language === undefined ? {} : { 'data-lang': language },
    children: [text],
  };
}

const BLOCK = new Set(['div', 'p', 'li', 'tr']);

function isRow(node: HtmlNode): boolean {
  return (
    isElement(node) &&
    (BLOCK.has(node.name) ||
      LINE.test(node.attributes['class'] ?? '') ||
      /display\s*:\s*block/i.test(node.attributes['style'] ?? ''))
  );
}

/** The text with line breaks. It is collected in parts, because a growing string whose end is read is copied each time. */
function linesOf(element: HtmlElement, isVeiled: VeilTest): string {
  const parts: string[] = [];
  const endsLine = (): boolean => parts.length === 0 || (parts.at(-1) as string).endsWith('\n');
  const add = (part: string): void => void (part !== '' && parts.push(part));
  const rows = element.children.filter(isRow).length;
  for (const [i, child] of element.children.entries()) {
    if (!isElement(child)) add(child);
    else if (child.name === 'br') add('\n');
    else if (!isGutter(child, element) && !isHiddenElement(child, isVeiled)) {
      const inner = linesOf(child, isVeiled);
      const begins = isRow(child) && BLOCK.has(child.name);
      if (begins && !endsLine()) add('\n');
      add(inner);
      const ends = isRow(child) && (rows > 1 || begins) && !inner.endsWith('\n');
      if (ends && needsEnd(element.children[i + 1])) add('\n');
    }
  }
  return parts.join('');
}

/** Whether a row needs a newline after it; not if the `next` node already begins with one. */
function needsEnd(next: HtmlNode | undefined): boolean {
  if (next === undefined || isElement(next)) return next?.name !== 'br';
  return !/^[ \t]*\r?\n/.test(next);
}

const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|brush:\s*|sourceCode\s+)([a-z][\w+#.-]{0,19})/i;

function languageOf(element: HtmlElement): string | undefined {
  const of = ({ attributes }: HtmlElement): string | undefined =>
    attributes['data-lang'] ?? attributes['data-language'] ?? LANGUAGE.exec(attributes['class'] ?? '')?.[1];
  const found =
    of(element) ??
    element.children
      .filter(isElement)
      .map(of)
      .find((one) => one !== undefined);
  return found !== undefined && /^[a-z][\w+#.-]{0,19}$/i.test(found) ? found.toLowerCase() : undefined;
}
