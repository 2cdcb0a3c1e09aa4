/**
 * Converts an HTML tree to Markdown in linear time, with code and tables preserved and links absolute.
 *
 * turndown 7.2.5 was tried: it writes a bare `<pre>` as a paragraph, joins the lines of code that has a gutter, and puts
 * each cell of a table on a line of its own.
 */

import { markdownCell, tableLine, tableRule } from '../../../render/table.ts';
import { isBlock } from './markdown-blocks.ts';
import { InlineWriter } from './markdown-inline.ts';
import { isLayout, rowsOf, widthOf } from './markdown-tables.ts';
import { atLineStart, code, fenced, inOneLine, prefixed, tidy } from './markdown-text.ts';
import { type Element, isElement, type Node, textOf } from './html-tree.ts';

const SKIPPED = new Set('head title textarea'.split(' '));

/** Short rows are padded with empty cells in tables of up to this many columns. */
const MOST_PADDED = 100;

/** `base` is the URL against which links are resolved. */
export function toMarkdown(root: Element, base: string): string {
  return `${new Writer(base).block(root).trim()}\n`;
}

class Writer {
  readonly #inline: InlineWriter;

  constructor(base: string) {
    this.#inline = new InlineWriter(base, (element) => this.block(element));
  }

  /** The blocks inside `element`, separated by empty lines; with `isTight` (list items) there is none before a list. */
  block(element: Element, isTight = false): string {
    const parts: string[] = [];
    let inline: Node[] = [];
    const add = (text: string, isList = false): void => {
      if (parts.length > 0) parts.push(isTight && isList ? '\n' : '\n\n');
      parts.push(text);
    };
    const flush = (): void => {
      const text = tidy(this.#inline.inline(inline));
      if (text !== '') add(atLineStart(text));
      inline = [];
    };
    for (const child of element.children) {
      if (isElement(child) && SKIPPED.has(child.name)) continue;
      if (isElement(child) && isBlock(child)) {
        flush();
        const text = this.one(child, isTight);
        if (text.trim() !== '') add(text, LISTS.has(child.name));
      } else inline.push(child);
    }
    flush();
    return parts.join('');
  }

  one(element: Element, isTight = false): string {
    const { name } = element;
    switch (name) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6': {
        const text = tidy(this.#inline.inline(element.children)).replaceAll('\n', ' ');
        return text === '' ? '' : `${'#'.repeat(Number(name[1]))} ${text}`;
      }
      case 'pre':
        return fenced(element);
      case 'blockquote':
        return prefixed(this.block(element), '> ', '> ');
      case 'ul':
      case 'ol':
      case 'menu':
        return this.list(element);
      case 'dt':
        return tidy(this.#inline.marked('**', element.children)).replaceAll('\n', ' ');
      case 'dd':
        return prefixed(this.block(element), ': ', '  ');
      case 'hr':
        return '---';
      case 'table':
        return this.table(element);
      case 'a':
        return linked(this.block(element), this.#inline.absolute(element.attributes['href']));
      default:
        return this.block(element, isTight);
    }
  }

  list(list: Element): string {
    const step = 'reversed' in list.attributes ? -1 : 1;
    let number = wholeOf(list.attributes['start']) ?? (step === 1 ? 1 : itemsOf(list));
    const items: string[] = [];
    for (const child of list.children) {
      if (!isElement(child)) {
        if (child.trim() !== '') items.push(child.trim());
        continue;
      }
      // A nested list between items belongs to the item before it.
      if (child.name !== 'li') {
        const text = this.one(child);
        if (text.trim() !== '') items.push(prefixed(text, '  ', '  '));
        continue;
      }
      number = wholeOf(child.attributes['value']) ?? number;
      const mark = list.name === 'ol' ? `${number}. ` : '- ';
      number += step;
      const text = this.block(child, true);
      if (text.trim() !== '') items.push(prefixed(text, mark, ' '.repeat(mark.length)));
    }
    return items.join('\n');
  }

  /** A data table as a Markdown table; a layout table as blocks. */
  table(table: Element): string {
    const rows = rowsOf(table);
    const captions = table.children.filter(
      (child): child is Element => isElement(child) && child.name === 'caption',
    );
    if (isLayout(rows)) {
      return [...captions, ...rows.flat()]
        .map((cell) => this.block(cell))
        .filter((text) => text.trim() !== '')
        .join('\n\n');
    }
    const width = widthOf(rows);
    const lines = rows.map((row, y) => {
      // Rows of very wide tables are not padded; Markdown does not require it.
      const length = y > 0 && width > MOST_PADDED ? row.length : width;
      const cells = Array.from({ length }, (_, i) => (row[i] ? this.cell(row[i]) : ''));
      return tableLine(cells);
    });
    const caption = captions.map((one) => this.block(one)).join('\n\n');
    const body = [lines[0], tableRule(width), ...lines.slice(1)].join('\n');
    return caption === '' ? body : `${caption}\n\n${body}`;
  }

  cell(cell: Element): string {
    return markdownCell(inOneLine(this.block(withCodeInLine(cell))));
  }
}

/** Replaces code blocks by inline code, one per line, where Markdown allows no block. */
function withCodeInLine(element: Element): Element {
  const children = element.children.map((child) => {
    if (!isElement(child)) return child;
    return child.name === 'pre' ? linesOfCode(child) : withCodeInLine(child);
  });
  return { ...element, children };
}

function linesOfCode(pre: Element): Element {
  const lines = textOf(pre).split('\n');
  return { name: 'span', attributes: {}, children: [lines.map(code).join('<br>')] };
}

/** A link around blocks: its first heading or first line becomes the link text; otherwise the link is added below. */
function linked(text: string, target: string | undefined): string {
  if (text.trim() === '' || target === undefined) return text;
  const line = /^(#{1,6} )(?!.*\]\()(.+)$/m.exec(text) ?? /^()(?![-|>`~:\d]|.*\]\()(\S.*)/.exec(text);
  if (!line) return `${text}\n\n<${target}>`;
  const [whole, mark = '', label] = line;
  const end = line.index + whole.length;
  return `${text.slice(0, line.index)}${mark}[${label}](${target})${text.slice(end)}`;
}

const LISTS = new Set('ul ol menu'.split(' '));

function itemsOf(list: Element): number {
  return list.children.filter((child) => isElement(child) && child.name === 'li').length;
}

function wholeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*[-+]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
