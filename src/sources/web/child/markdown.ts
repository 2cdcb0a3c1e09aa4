/**
 * A tree of HTML as Markdown: in linear time, code and tables as they are, links absolute.
 *
 * Tried instead: turndown 7.2.5, which writes a bare `<pre>` as a paragraph, runs the lines of code with a gutter
 * together, and puts each cell of a table on a line of its own.
 */

import { isBlock } from './markdown-blocks.ts';
import { InlineWriter } from './markdown-inline.ts';
import { isLayout, rowsOf, widthOf } from './markdown-tables.ts';
import { atLineStart, fenced, prefixed, tidy, tight } from './markdown-text.ts';
import { type Element, isElement, type Node } from './tree.ts';

const SKIPPED = new Set('head title textarea'.split(' '));

/** Columns up to which short rows of a table are filled up. */
const MOST_PADDED = 100;

/** `base`: against which links are resolved. */
export function toMarkdown(root: Element, base: string): string {
  const text = new Writer(base).block(root);
  return `${text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

class Writer {
  readonly #inline: InlineWriter;

  constructor(base: string) {
    this.#inline = new InlineWriter(base, (element) => this.block(element));
  }

  /** The blocks inside `element`, with an empty line between them. */
  block(element: Element): string {
    const parts: string[] = [];
    let inline: Node[] = [];
    const flush = (): void => {
      const text = tidy(this.#inline.inline(inline));
      if (text !== '') parts.push(atLineStart(text));
      inline = [];
    };
    for (const child of element.children) {
      if (isElement(child) && SKIPPED.has(child.name)) continue;
      if (isElement(child) && isBlock(child)) {
        flush();
        const text = this.one(child);
        if (text.trim() !== '') parts.push(text);
      } else inline.push(child);
    }
    flush();
    return parts.join('\n\n');
  }

  one(element: Element): string {
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
        return `**${tidy(this.#inline.inline(element.children)).replaceAll('\n', ' ')}**`;
      case 'dd':
        return prefixed(this.block(element), ': ', '  ');
      case 'hr':
        return '---';
      case 'table':
        return this.table(element);
      default:
        return this.block(element);
    }
  }

  list(list: Element): string {
    let number = Number(list.attributes['start'] ?? 1);
    if (!Number.isSafeInteger(number)) number = 1;
    const items: string[] = [];
    for (const child of list.children) {
      if (!isElement(child)) {
        if (child.trim() !== '') items.push(child.trim());
        continue;
      }
      // A list that stands between items belongs to the one before it.
      if (child.name !== 'li') {
        const text = this.one(child);
        if (text.trim() !== '') items.push(prefixed(text, '  ', '  '));
        continue;
      }
      const mark = list.name === 'ol' ? `${number}. ` : '- ';
      number += 1;
      const text = this.block(child);
      if (text.trim() !== '') items.push(prefixed(tight(text), mark, ' '.repeat(mark.length)));
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
    const flat = this.block(cell).replace(/\s*\n\s*/g, ' ');
    return flat.replaceAll('|', '\\|').trim();
  }
}
