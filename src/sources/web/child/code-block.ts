/** Converts code to one block of text, with its lines but without line numbers. */

import { isHidden, type Veil } from './hidden-elements.ts';
import { withoutBlankEnd } from './markdown-text.ts';
import { type Element, isElement, type Node, textOf, walk } from './html-tree.ts';

const GUTTER =
  /(?:^|[\s_-])(?:gutter|line-?num(?:ber)?s?|linenos?|lineno|blob-num|ln-num|lnum|rouge-gutter)(?:$|[\s_-])/i;
const LINE = /(?:^|[\s_-])(?:line|code-line|codeline|token-line|view-line|blob-code)(?:$|[\s_-])/i;

/** Whether an element contains line numbers beside code in another element. */
function isGutter(element: Element, parent: Element): boolean {
  const { class: classes = '', style = '', 'data-line-number': number } = element.attributes;
  const isNamed = GUTTER.test(classes);
  const marked = isNamed || number !== undefined || /user-select\s*:\s*none/i.test(style);
  if (!marked || element.name === 'pre' || element.name === 'code') return false;
  const text = textOf(element).trim();
  if (!/^[\s\d.:|]*$/.test(text)) return false;
  if (isNamed || text === '') return true;
  // Not a line of code, which may consist of a number.
  if (LINE.test(classes) || (number !== undefined && text !== number.trim())) return false;
  return parent.children.some((other) => other !== element && /\S/.test(textOf(other)));
}

/** A code block as a `pre` that contains only its text; undefined if the element is not a code block. */
export function codeOf(element: Element, isVeiled: Veil): Element | undefined {
  if (element.name === 'pre') return preOf(element, element, isVeiled);
  if (element.name !== 'table') return undefined;
  // A table with line numbers in one cell and code in the other.
  const cells = twoCells(element);
  if (!cells) return undefined;
  const pres = cells.map((cell) => Array.from(walk(cell)).filter(({ name }) => name === 'pre'));
  const at = pres.findIndex(
    (own, i) => own.length === 1 && isNumbering(cells[1 - i] as Element, own[0] as Element, isVeiled),
  );
  return at === -1 ? undefined : preOf(pres[at]?.[0] as Element, element, isVeiled);
}

/** The cells of a table that has exactly two and no header cells. Stops early, because a table may be large. */
function twoCells(table: Element): readonly Element[] | undefined {
  const cells: Element[] = [];
  for (const element of walk(table)) {
    if (element.name === 'td') cells.push(element);
    if (cells.length > 2 || element.name === 'th') return undefined;
  }
  return cells.length === 2 ? cells : undefined;
}

/** Whether a cell contains consecutive numbers, one for each line of the code beside it. */
function isNumbering(cell: Element, code: Element, isVeiled: Veil): boolean {
  const numbers = (linesOf(cell, isVeiled).match(/\S+/g) ?? []).map(Number);
  const lines = withoutBlankEnd(linesOf(code, isVeiled).replace(/^\n/, '')).split('\n').length;
  const [first = 0] = numbers;
  // For one line of code any single number would match.
  if (lines === 1 && first !== 1 && !GUTTER.test(cell.attributes['class'] ?? '')) return false;
  return numbers.length === lines && numbers.every((number, i) => number === first + i);
}

function preOf(pre: Element, outer: Element, isVeiled: Veil): Element {
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

function isRow(node: Node): boolean {
  return (
    isElement(node) &&
    (BLOCK.has(node.name) ||
      LINE.test(node.attributes['class'] ?? '') ||
      /display\s*:\s*block/i.test(node.attributes['style'] ?? ''))
  );
}

/** The text with line breaks. It is collected in parts, because a growing string whose end is read is copied each time. */
function linesOf(element: Element, isVeiled: Veil): string {
  const parts: string[] = [];
  const endsLine = (): boolean => parts.length === 0 || (parts.at(-1) as string).endsWith('\n');
  const add = (part: string): void => void (part !== '' && parts.push(part));
  const rows = element.children.filter(isRow).length;
  for (const [i, child] of element.children.entries()) {
    if (!isElement(child)) add(child);
    else if (child.name === 'br') add('\n');
    else if (!isGutter(child, element) && !isHidden(child, isVeiled)) {
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
