/** Prepares a page for extraction: what a reader does not see is taken away, and code becomes text with its lines. */

import { type Element, isElement, type Node, textOf } from './tree.ts';

const NOT_READ = new Set('button input select form-control link meta nav-control dialog'.split(' '));

const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))/i;
const OFF_SCREEN = /(?:left|top|text-indent)\s*:\s*-\d{3,}/i;

function isHidden({ name, attributes }: Element): boolean {
  const { style = '', class: classes = '' } = attributes;
  if (NOT_READ.has(name)) return name !== 'input' || attributes['type'] !== 'checkbox';
  if ('hidden' in attributes && attributes['hidden'] !== 'until-found') return true;
  // What draws formulas hides their source for readers of screens, and shows it to us.
  if (HIDDEN_STYLE.test(style) || OFF_SCREEN.test(style)) return !/math|katex|mwe/i.test(classes);
  return false;
}

/** Changes the tree. */
export function clean(element: Element): void {
  // A page may have hundreds of thousands of elements: no array for each of them.
  const kept: Node[] = [];
  for (const child of element.children) {
    if (isElement(child)) {
      if (isHidden(child)) continue;
      const code = codeOf(child);
      if (!code) clean(child);
      kept.push(code ?? child);
    } else kept.push(child);
  }
  element.children = kept;
}

const GUTTER =
  /(?:^|[\s_-])(?:gutter|line-?num(?:ber)?s?|linenos?|lineno|blob-num|ln-num|lnum|rouge-gutter)(?:$|[\s_-])/i;
const LINE = /(?:^|[\s_-])(?:line|code-line|codeline|token-line|view-line|blob-code)(?:$|[\s_-])/i;

function isGutter(element: Element): boolean {
  const { class: classes = '', style = '' } = element.attributes;
  const marked =
    GUTTER.test(classes) || 'data-line-number' in element.attributes || /user-select\s*:\s*none/i.test(style);
  return marked && /^[\s\d.:|]*$/.test(textOf(element));
}

/** A block of code as one `pre` that holds nothing but its text; undefined for what is none. */
function codeOf(element: Element): Element | undefined {
  if (element.name === 'pre') return preOf(element, element);
  if (element.name !== 'table') return undefined;
  // Line numbers in one cell and code in the other.
  const cells = [...below(element, 'td')];
  const kept = cells.filter((cell) => !isNumbers(cell));
  const [cell] = kept;
  if (cells.length < 2 || kept.length !== 1 || !cell) return undefined;
  const pre = [...below(cell, 'pre')];
  return pre.length === 1 && pre[0] ? preOf(pre[0], element) : undefined;
}

function isNumbers(cell: Element): boolean {
  return isGutter(cell) || (/^[\s\d]*$/.test(textOf(cell)) && /\d\s+\d|^\s*1\s*$/.test(textOf(cell)));
}

function* below(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    if (child.name === name) yield child;
    yield* below(child, name);
  }
}

function preOf(pre: Element, outer: Element): Element {
  const text = linesOf(pre).replaceAll('\r\n', '\n').replaceAll('\u00a0', ' ').replace(/^\n/, '').trimEnd();
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
    else if (!isGutter(child) && !isHidden(child)) {
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
