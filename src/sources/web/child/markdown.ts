/**
 * A tree of HTML as Markdown: in linear time, code and tables as they are, links absolute.
 *
 * Tried instead: turndown 7.2.5, which writes a bare `<pre>` as a paragraph, runs the lines of code with a gutter
 * together, and puts each cell of a table on a line of its own.
 */

import { type Element, isElement, type Node, textOf } from './tree.ts';

const BLOCKS = new Set(
  (
    'address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr html li main menu nav ol p pre root section summary table tbody td tfoot th thead tr ul ' +
    'video audio caption'
  ).split(' '),
);
const SKIPPED = new Set('head title textarea'.split(' '));

/** Cells of a row that stand for one that is wide. */
const MOST_SPAN = 20;

/** `base`: against which links are resolved. */
export function toMarkdown(root: Element, base: string): string {
  const text = new Writer(base).block(root);
  return `${text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

class Writer {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  /** The blocks inside `element`, with an empty line between them. */
  block(element: Element): string {
    const parts: string[] = [];
    let inline: Node[] = [];
    const flush = (): void => {
      const text = tidy(this.inline(inline));
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
        const text = tidy(this.inline(element.children)).replaceAll('\n', ' ');
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
        return `**${tidy(this.inline(element.children)).replaceAll('\n', ' ')}**`;
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
    const width = Math.max(0, ...rows.map((row) => row.length));
    const isLayout =
      width < 2 ||
      rows.length < 2 ||
      rows.some((row) =>
        row.some((cell) => cell.name !== 'empty' && (has(cell, 'table') || has(cell, 'pre'))),
      );
    const captions = table.children.filter(
      (child): child is Element => isElement(child) && child.name === 'caption',
    );
    if (isLayout) {
      return [...captions, ...rows.flat()]
        .map((cell) => this.block(cell))
        .filter((text) => text.trim() !== '')
        .join('\n\n');
    }
    const lines = rows.map((row) => {
      const cells = Array.from({ length: width }, (_, i) => (row[i] ? this.cell(row[i]) : ''));
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

  inline(nodes: readonly Node[]): string {
    return nodes
      .map((node) => (isElement(node) ? this.span(node) : node.replace(/[ \t\r\n\f]+/g, ' ')))
      .join('');
  }

  span(element: Element): string {
    const { name, attributes } = element;
    switch (name) {
      case 'br':
        return '\n';
      case 'img':
        return this.image(element);
      case 'input':
        return 'checked' in attributes ? '[x] ' : '[ ] ';
      case 'a':
        return this.link(element);
      case 'b':
      case 'strong':
        return around('**', this.inline(element.children));
      case 'i':
      case 'em':
        return around('*', this.inline(element.children));
      case 'del':
      case 's':
        return around('~~', this.inline(element.children));
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return code(textOf(element));
      case 'math':
        return attributes['alttext'] ? `$${attributes['alttext']}$` : this.inline(element.children);
      case 'annotation':
      case 'annotation-xml':
        return '';
      case 'wbr':
        return '';
      default:
        // A block inside a line, as in a link around a card.
        return isBlock(element)
          ? ` ${this.block(element).replace(/\s*\n\s*/g, ' ')} `
          : this.inline(element.children);
    }
  }

  link(element: Element): string {
    const text = this.inline(element.children);
    const label = text.trim().replace(/\s*\n\s*/g, ' ');
    const target = this.absolute(element.attributes['href']);
    if (label === '' || target === undefined) return text;
    const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
    return `${before}[${label}](${target})${after}`;
  }

  image({ attributes }: Element): string {
    const target = this.absolute(attributes['src'] || attributes['data-src']);
    const alt = (attributes['alt'] ?? '').replace(/\s+/g, ' ').trim();
    return target === undefined ? alt : `![${alt}](${target})`;
  }

  /** Undefined for what leads nowhere that can be read. */
  absolute(href: string | undefined): string | undefined {
    if (href === undefined || href.trim() === '' || href.startsWith('#')) return undefined;
    try {
      const url = new URL(href.trim(), this.#base);
      if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
      return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
    } catch {
      return undefined;
    }
  }
}

function isBlock({ name, children }: Element): boolean {
  if (BLOCKS.has(name)) return true;
  // An inline element around blocks is one, unless it is a link or an emphasis.
  return !/^(?:a|b|strong|i|em|del|s|code|span)$/.test(name)
    ? false
    : children.some(
        (child) => isElement(child) && (isBlockName(child.name) || (name !== 'code' && isBlock(child))),
      );
}

function isBlockName(name: string): boolean {
  return BLOCKS.has(name);
}

function has(element: Element, name: string): boolean {
  return element.children.some((child) => isElement(child) && (child.name === name || has(child, name)));
}

const EMPTY: Element = { name: 'empty', attributes: {}, children: [] };

function rowsOf(table: Element): Element[][] {
  const rows: Element[][] = [];
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (!isElement(child) || child.name === 'caption') continue;
      if (child.name === 'tr') rows.push(cellsOf(child));
      else if (child.name !== 'td' && child.name !== 'th') visit(child);
    }
  };
  visit(table);
  return rows.filter((row) => row.length > 0);
}

function cellsOf(row: Element): Element[] {
  return row.children.flatMap((cell) => {
    if (!isElement(cell) || (cell.name !== 'td' && cell.name !== 'th')) return [];
    const span = Math.min(Number(cell.attributes['colspan'] ?? 1) || 1, MOST_SPAN);
    return [cell, ...Array.from({ length: Math.max(0, span - 1) }, () => EMPTY)];
  });
}

function fenced(pre: Element): string {
  const text = textOf(pre).replace(/^\n/, '').trimEnd();
  if (text.trim() === '') return '';
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${pre.attributes['data-lang'] ?? ''}\n${text}\n${fence}`;
}

function code(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  if (flat.trim() === '') return flat;
  return flat.includes('`') ? `\`\` ${flat.trim()} \`\`` : `\`${flat.trim()}\``;
}

function around(mark: string, text: string): string {
  const inner = text.trim();
  if (inner === '' || inner.includes('\n\n')) return text;
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
  return `${before}${mark}${inner}${mark}${after}`;
}

function tidy(text: string): string {
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

/** A line of text that begins like a heading, a quote or a list is none. */
function atLineStart(text: string): string {
  return text.replace(/^(#{1,6}|>|[-+]|\d{1,9}[.)])(?= )/gm, (mark) =>
    mark.replace(/.$/, (last) => `\\${last}`),
  );
}

function prefixed(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, i) => (i === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n');
}

/** In an item, a list follows its text without an empty line. */
function tight(text: string): string {
  return text.replace(/\n\n(?=(?:[-*]|\d+\.) )/g, '\n');
}
