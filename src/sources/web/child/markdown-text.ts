/** Helpers for Markdown syntax: fences, marks, escapes and white space. */

import { type Element, textOf } from './html-tree.ts';

export function fenced(pre: Element): string {
  const text = withoutBlankEnd(textOf(pre).replace(/^\n/, ''));
  if (text.trim() === '') return '';
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${pre.attributes['data-lang'] ?? ''}\n${text}\n${fence}`;
}

/** Removes blank lines at the end. */
export function withoutBlankEnd(text: string): string {
  const end = text.indexOf('\n', text.trimEnd().length);
  return end === -1 ? text : text.slice(0, end);
}

export function code(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  if (flat.trim() === '') return flat;
  return flat.includes('`') ? `\`\` ${flat.trim()} \`\`` : `\`${flat.trim()}\``;
}

export function around(mark: string, text: string): string {
  const inner = text.trim();
  if (inner === '' || inner.includes('\n\n')) return text;
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
  return `${before}${mark}${inner}${mark}${after}`;
}

/** Joins lines with single spaces. */
export function inOneLine(text: string): string {
  return text.includes('\n')
    ? text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ')
    : text;
}

export function tidy(text: string): string {
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Escapes the start of lines that look like a heading, quote or list. */
export function atLineStart(text: string): string {
  return text.replace(/^(#{1,6}|>|[-+]|\d{1,9}[.)])(?= )/gm, (mark) =>
    mark.replace(/.$/, (last) => `\\${last}`),
  );
}

export function prefixed(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, i) => (i === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n');
}
