/**
 * A tree of HTML as Markdown: in linear time, code and tables as they are, links absolute.
 *
 * Tried instead: turndown 7.2.5, which writes a bare `<pre>` as a paragraph, runs the lines of code with a gutter
 * together, and puts each cell of a table on a separate line.
 */

import { isBlock } from './markdown-blocks.ts';
import { InlineWriter } from './markdown-inline.ts';
import { isLayout, rowsOf, widthOf } from './markdown-tables.ts';
import { atLineStart, code, fenced, inOneLine, prefixed, tidy } from './markdown-text.ts';
import { type Element, isElement, type Node, textOf } from './html-tree.ts';

const SKIPPED = new Set('head title textarea'.split(' '));

/** Columns up to which short rows of a table are filled up. */
const MOST_PADDED = 100;

/** `base`: against which links are resolved. */
export function toMarkdown(root: Element, base: string): string {
  return `${new Writer(base).block(root).trim()}\n`;
}

class Writer {
  readonly #inline: InlineWriter;

  constructor(base: string) {
    this.#inline = new InlineWriter(base, (element) => this.block(element));
  }

  /** The blocks inside `element`, with an empty line between them; in an item (`isTight`) none before a list. */
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
      // A list that is between items belongs to the one before it.
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

  /** A table of data; one that is there for the layout is read as blocks. */
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
      // Very wide tables have rows without number of empty cells, which Markdown does not ask for.
      const length = y > 0 && width > MOST_PADDED ? row.length : width;
      const cells = Array.from({ length }, (_, i) => (row[i] ? this.cell(row[i]) : ''));
      return `| ${cells.join(' | ')} |`;
    });
    const rule = `|${' --- |'.repeat(width)}`;
    const caption = captions.map((one) => this.block(one)).join('\n\n');
    const body = [lines[0], rule, ...lines.slice(1)].join('\n');
    return caption === '' ? body : `${caption}\n\n${body}`;
  }

  cell(cell: Element): string {
    const flat = inOneLine(this.block(withCodeInLine(cell)));
    return flat.replaceAll('|', '\\|').trim();
  }
}

/** With each line of a block of code as code in the line, where no block may be. */
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

/** What a link around blocks leads to: its first heading, otherwise its first line, is the link; otherwise it is below. */
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
