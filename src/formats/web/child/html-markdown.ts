/**
 * Converts an HTML tree to Markdown in linear time, with code and tables preserved and links absolute.
 *
 * turndown 7.2.5 was tried: it writes a bare `<pre>` as a paragraph, joins the lines of code that has a gutter, and puts
 * each cell of a table on a line of its own.
 */

import { markdownCell, tableLine, tableRule } from '../../../render/table.ts';
import { lowered, raised } from './raised.ts';
import { elementText, type HtmlElement, type HtmlNode, isElement } from './html-tree.ts';
import {
  around,
  atLineStart,
  code,
  countColumns,
  fenced,
  inOneLine,
  isLayout,
  prefixed,
  tableRows,
  tidy,
} from './markdown-text.ts';

const SKIPPED = new Set('head title textarea datalist'.split(' '));

/** Short rows are padded with empty cells in tables of up to this many columns. */
const MAX_PADDED_COLUMNS = 100;

/** `base` is the URL against which links are resolved. */
export function htmlToMarkdown(root: HtmlElement, base: string): string {
  return `${new Writer(base).block(root).trim()}\n`;
}

class Writer {
  readonly #base: string;
  /** Open marks. The same mark is not repeated inside, because it would close them. */
  readonly #open = new Set<string>();

  constructor(base: string) {
    this.#base = base;
  }

  /** The blocks inside `element`, separated by empty lines; with `isTight` (list items) there is none before a list. */
  block(element: HtmlElement, isTight = false): string {
    const parts: string[] = [];
    let inline: HtmlNode[] = [];
    const add = (text: string, isList = false): void => {
      if (parts.length > 0) parts.push(isTight && isList ? '\n' : '\n\n');
      parts.push(text);
    };
    const flush = (): void => {
      const text = tidy(this.inline(inline));
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

  one(element: HtmlElement, isTight = false): string {
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
        return tidy(this.marked('**', element.children)).replaceAll('\n', ' ');
      case 'dd':
        return prefixed(this.block(element), ': ', '  ');
      case 'hr':
        return '---';
      case 'table':
        return this.table(element);
      case 'a':
        return linked(this.block(element), this.absolute(element.attributes['href']));
      default:
        return this.block(element, isTight);
    }
  }

  list(list: HtmlElement): string {
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
  table(table: HtmlElement): string {
    const rows = tableRows(table);
    const captions = table.children.filter(
      (child): child is HtmlElement => isElement(child) && child.name === 'caption',
    );
    if (isLayout(rows)) {
      return [...captions, ...rows.flat()]
        .map((cell) => this.block(cell))
        .filter((text) => text.trim() !== '')
        .join('\n\n');
    }
    const width = countColumns(rows);
    const lines = rows.map((row, y) => {
      // Rows of very wide tables are not padded; Markdown does not require it.
      const length = y > 0 && width > MAX_PADDED_COLUMNS ? row.length : width;
      const cells = Array.from({ length }, (_, i) => (row[i] ? this.cell(row[i]) : ''));
      return tableLine(cells);
    });
    const caption = captions.map((one) => this.block(one)).join('\n\n');
    const body = [lines[0], tableRule(width), ...lines.slice(1)].join('\n');
    return caption === '' ? body : `${caption}\n\n${body}`;
  }

  cell(cell: HtmlElement): string {
    return markdownCell(inOneLine(this.block(withCodeInLine(cell))));
  }

  inline(nodes: readonly HtmlNode[]): string {
    const parts: string[] = [];
    for (let at = 0; at < nodes.length; at += 1) {
      const node = nodes[at] as HtmlNode;
      const mark = markOf(node);
      if (mark === undefined) {
        parts.push(isElement(node) ? this.span(node, parts.at(-1)) : spaced(node));
        continue;
      }
      // Adjacent elements with the same mark are joined, because `**a****b**` would be wrong.
      const inside: HtmlNode[] = [];
      for (; markOf(nodes[at]) === mark; at += 1) {
        for (const child of (nodes[at] as HtmlElement).children) inside.push(child);
      }
      at -= 1;
      parts.push(this.marked(mark, inside));
    }
    return parts.join('');
  }

  marked(mark: string, nodes: readonly HtmlNode[]): string {
    if (this.#open.has(mark)) return this.inline(nodes);
    this.#open.add(mark);
    const text = this.inline(nodes);
    this.#open.delete(mark);
    return around(mark, text);
  }

  /** `before` is the text in front of the element. */
  span(element: HtmlElement, before = ''): string {
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
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return code(textWithBreaks(element));
      case 'sup':
        return raised(this.inline(element.children));
      case 'sub':
        return lowered(this.inline(element.children), before);
      case 'q':
        return `“${this.inline(element.children)}”`;
      case 'wbr':
      case 'rp':
        return '';
      case 'rt':
        return `(${this.inline(element.children).trim()})`;
      default:
        // A block inside inline content, as in a link around a card.
        return isBlock(element) ? ` ${inOneLine(this.block(element))} ` : this.inline(element.children);
    }
  }

  link(element: HtmlElement): string {
    const text = this.inline(element.children);
    const label = inOneLine(text.trim());
    const target = this.absolute(element.attributes['href']);
    if (label === '' || target === undefined) return text;
    const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
    return `${before}[${label}](${target})${after}`;
  }

  image({ attributes }: HtmlElement): string {
    const target = this.absolute(attributes['src'] || attributes['data-src']);
    const alt = (attributes['alt'] ?? '').replace(/\s+/g, ' ').trim();
    return target === undefined ? alt : `![${alt}](${target})`;
  }

  /** The absolute URL of a link; undefined for links that cannot be read. */
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

/** Replaces code blocks by inline code, one per line, where Markdown allows no block. */
function withCodeInLine(element: HtmlElement): HtmlElement {
  const children = element.children.map((child) => {
    if (!isElement(child)) return child;
    return child.name === 'pre' ? linesOfCode(child) : withCodeInLine(child);
  });
  return { ...element, children };
}

function linesOfCode(pre: HtmlElement): HtmlElement {
  const lines = elementText(pre).split('\n');
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

function itemsOf(list: HtmlElement): number {
  return list.children.filter((child) => isElement(child) && child.name === 'li').length;
}

function wholeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*[-+]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}

const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  del: '~~',
  s: '~~',
};

function markOf(node: HtmlNode | undefined): string | undefined {
  return node !== undefined && isElement(node) && Object.hasOwn(MARKS, node.name)
    ? MARKS[node.name]
    : undefined;
}

/** Word break opportunities and special spaces, which would be shown as escapes. */
const BREAKS = /[\u00ad\u200b\u2060\ufeff]/g;
const SPACES = /[ \t\r\n\f\u2000-\u200a\u205f]+/g;

function spaced(text: string): string {
  return text.replace(BREAKS, '').replace(SPACES, ' ');
}

function textWithBreaks(node: HtmlNode): string {
  if (!isElement(node)) return node;
  return node.name === 'br' ? ' ' : node.children.map(textWithBreaks).join('');
}

const BLOCKS = new Set(
  (
    'address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr html legend li main menu nav ol p pre root section summary table tbody td tfoot th thead tr ul ' +
    'video audio caption'
  ).split(' '),
);

/** A cache: it is asked for each ancestor, which would take quadratic time for nested inline elements. */
const known = new WeakMap<HtmlElement, boolean>();

function isBlock(element: HtmlElement): boolean {
  let block = known.get(element);
  if (block === undefined) known.set(element, (block = holdsBlocks(element)));
  return block;
}

function holdsBlocks({ name, children }: HtmlElement): boolean {
  if (BLOCKS.has(name)) return true;
  // Any element that contains blocks is a block, such as a link, an emphasis or a custom element.
  return children.some(
    (child) => isElement(child) && (BLOCKS.has(child.name) || (name !== 'code' && isBlock(child))),
  );
}
