/** Converts inline content to Markdown: emphasis, code, links and images. */

import { isBlock } from './markdown-blocks.ts';
import { around, code, inOneLine } from './markdown-text.ts';
import { type Element, isElement, type Node } from './html-tree.ts';

/** `base` is the URL for resolving links. `block` gives the text of a block inside inline content. */
export class InlineWriter {
  readonly #base: string;
  readonly #block: (element: Element) => string;
  /** Open marks. The same mark is not repeated inside, because it would close them. */
  readonly #open = new Set<string>();

  constructor(base: string, block: (element: Element) => string) {
    this.#base = base;
    this.#block = block;
  }

  inline(nodes: readonly Node[]): string {
    const parts: string[] = [];
    for (let at = 0; at < nodes.length; at += 1) {
      const node = nodes[at] as Node;
      const mark = markOf(node);
      if (mark === undefined) {
        parts.push(isElement(node) ? this.span(node, parts.at(-1)) : spaced(node));
        continue;
      }
      // Adjacent elements with the same mark are joined, because `**a****b**` would be wrong.
      const inside: Node[] = [];
      for (; markOf(nodes[at]) === mark; at += 1) {
        for (const child of (nodes[at] as Element).children) inside.push(child);
      }
      at -= 1;
      parts.push(this.marked(mark, inside));
    }
    return parts.join('');
  }

  marked(mark: string, nodes: readonly Node[]): string {
    if (this.#open.has(mark)) return this.inline(nodes);
    this.#open.add(mark);
    const text = this.inline(nodes);
    this.#open.delete(mark);
    return around(mark, text);
  }

  /** `before` is the text in front of the element. */
  span(element: Element, before = ''): string {
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
      case 'wbr':
      case 'rp':
        return '';
      case 'rt':
        return `(${this.inline(element.children).trim()})`;
      default:
        // A block inside inline content, as in a link around a card.
        return isBlock(element) ? ` ${inOneLine(this.#block(element))} ` : this.inline(element.children);
    }
  }

  link(element: Element): string {
    const text = this.inline(element.children);
    const label = inOneLine(text.trim());
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

const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  del: '~~',
  s: '~~',
};

function markOf(node: Node | undefined): string | undefined {
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

function textWithBreaks(node: Node): string {
  if (!isElement(node)) return node;
  return node.name === 'br' ? ' ' : node.children.map(textWithBreaks).join('');
}

/** Superscripts that are not exponents: notes, ordinals, trademark signs. */
const NO_POWER = /^(?:\W*\[.*|[*†‡§,]+|st|nd|rd|th|[er]+|TM|SM|®|™)$/i;

/** A superscript: `10<sup>6</sup>` becomes `10^6`, not 106. */
function raised(text: string): string {
  const power = text.trim();
  if (power === '' || NO_POWER.test(power)) return text;
  return /^[-+−]?[\p{L}\d]+$/u.test(power) ? `^${power}` : `^(${power})`;
}

/** A subscript: `1010<sub>2</sub>` becomes `1010_2`, not 10102; `H<sub>2</sub>O` stays H2O. */
function lowered(text: string, before: string): string {
  return /\d$/.test(before) && /^\d/.test(text) ? `_${text}` : text;
}
