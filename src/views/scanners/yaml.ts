/** Finds the keys of the first two levels of each YAML document, by indentation. */

import type { Found, Scanner } from './scanner.ts';

/** Levels of keys that are listed. */
const levels = 2;

const entry = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#'"[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)(.*)$/;

/** A value whose lines follow, more indented: `|`, `>-`, `|2`. */
const blockScalar = /(?::|^-)\s+(?:[!&]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$/;

interface Key {
  /** In columns. An item has half a column more, because it may have the same indentation as its key. */
  readonly indent: number;
  readonly name: string;
  readonly signature: string;
  readonly line: number;
}

export const yaml: Scanner = (lines) => {
  const found: Found[] = [];
  const open: Key[] = [];
  let last = 0;
  /** The indentation of the key whose block scalar is being skipped. */
  let scalar = Number.POSITIVE_INFINITY;
  const close = (indent: number): void => {
    for (let key = open.at(-1); key && key.indent >= indent; key = open.at(-1)) {
      open.pop();
      const { name, signature, line } = key;
      found.push({ kind: 'key', name, signature, from: line, to: last, bodyFrom: line + 1, bodyTo: last });
    }
  };
  for (const [row, text] of lines.entries()) {
    const content = text.trimStart();
    if (content === '' || content.startsWith('#')) continue;
    if (/^(?:---|\.\.\.)(?:\s|$)/.test(text)) {
      close(0);
      continue;
    }
    const spaces = text.length - content.length;
    if (spaces > scalar) {
      last = row + 1;
      continue;
    }
    scalar = blockScalar.test(content) ? spaces : Number.POSITIVE_INFINITY;
    const isItem = /^-(?:\s|$)/.test(content);
    const indent = spaces + (isItem ? 0.5 : 0);
    close(indent);
    last = row + 1;
    const key = open.length < levels ? keyOf(content, isItem) : undefined;
    if (key) open.push({ ...key, indent, line: row + 1 });
  }
  close(0);
  return found;
};

function keyOf(content: string, isItem: boolean): Pick<Key, 'name' | 'signature'> | undefined {
  if (isItem) return { name: content.slice(1).trim(), signature: content };
  const match = entry.exec(content);
  if (!match) return undefined;
  const name = (match[1] ?? '').replace(/^(["'])(.*)\1$/, '$2');
  const value = (match[2] ?? '').replace(/\s#.*$/, '').trim();
  return { name, signature: `${name}: ${value}` };
}
