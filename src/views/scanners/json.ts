/** Finds the keys of the first two levels of JSON (with comments), or the items of a top-level array. */

import type { Place } from '../lines.ts';
import type { Found, Scanner } from './scanner.ts';

/** Levels of keys that are listed. */
const levels = 2;

interface Open {
  readonly bracket: '{' | '[';
  /** The current entry: a key of an object, or the index of an item. */
  entry?: { readonly name: string; readonly key: Place; readonly value: Place };
  items: number;
}

export const json: Scanner = (lines) => {
  const found: Found[] = [];
  const open: Open[] = [];
  const finish = (level: Open | undefined, end: Place): void => {
    if (level?.entry) found.push(foundOf(level.entry, end, lines));
    delete level?.entry;
  };
  let last: Place = { row: 0, column: 0 };
  for (const { text, row, column } of tokens(lines)) {
    const level = open.at(-1);
    const inObject = level?.bracket === '{' && open.length <= levels;
    const after = { row, column: column + text.length };
    if (text === '{' || text === '[') {
      const isItem = open.length === 1 && level?.bracket === '[';
      if (isItem) level.entry ??= { name: String(level.items), key: { row, column }, value: { row, column } };
      open.push({ bracket: text, items: 0 });
    } else if (text === '}' || text === ']') {
      if (inObject) finish(level, last);
      open.pop();
      if (open.length === 1 && open[0]?.bracket === '[') finish(open[0], after);
    } else if (text === ',') {
      if (level) level.items += 1;
      if (inObject) finish(level, { row, column });
    } else if (inObject && !level.entry && text.endsWith(':')) {
      level.entry = { name: unquoted(text), key: { row, column }, value: after };
    }
    last = after;
  }
  return found;
};

function foundOf(
  { name, key, value }: NonNullable<Open['entry']>,
  end: Place,
  lines: readonly string[],
): Found {
  const line = lines[value.row] ?? '';
  const shown = end.row === value.row ? line.slice(value.column, end.column) : line.slice(value.column);
  return {
    kind: 'key',
    name,
    signature: `${name}: ${shown.trim()}`,
    from: key.row + 1,
    to: end.row + 1,
    span: [order(key), order(end)],
    bodyFrom: key.row + 2,
    bodyTo: end.row,
  };
}

/** A number that increases with the position. Columns are below 2^25, the maximum characters of a text. */
function order({ row, column }: Place): number {
  return row * 2 ** 25 + column;
}

function unquoted(text: string): string {
  const name = text.slice(0, -1).trimEnd();
  return /^["']/.test(name) ? name.slice(1, -1) : name;
}

/** Strings (a key with its colon), bare keys and values, brackets, commas, comments. */
const token =
  /"(?:[^"\\]|\\.)*"(?:\s*:)?|'(?:[^'\\]|\\.)*'(?:\s*:)?|[A-Za-z_$][\w$]*\s*:|\/\/.*|\/\*|[{}[\],]|[^\s{}[\],"'/]+/g;

function* tokens(lines: readonly string[]): Iterable<{ text: string } & Place> {
  let comment = false;
  for (const [row, line] of lines.entries()) {
    token.lastIndex = 0;
    if (comment) {
      const end = line.indexOf('*/');
      if (end === -1) continue;
      comment = false;
      token.lastIndex = end + 2;
    }
    for (let match = token.exec(line); match; match = token.exec(line)) {
      if (match[0].startsWith('//')) break;
      if (match[0] === '/*') {
        const end = line.indexOf('*/', match.index + 2);
        comment = end === -1;
        if (comment) break;
        token.lastIndex = end + 2;
      } else yield { text: match[0], row, column: match.index };
    }
  }
}
