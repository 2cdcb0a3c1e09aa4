/** Owns the declarations of Swift, for which no grammar is carried: types, extensions, functions, initialisers. */

import type { SymbolKind } from '../structure.ts';
import { blanked, bracePairs } from './braces.ts';
import type { Found, Scanner } from './scanner.ts';

const modifiers = String.raw`(?:(?:@\w+(?:\([^)]*\))?|public|private|fileprivate|internal|open|package|static|class|final|override|mutating|nonmutating|indirect|required|convenience|lazy|weak|unowned|async|nonisolated|isolated|distributed|prefix|postfix|infix|dynamic|optional)(?:\(\w+\))?\s+)*`;
const declaration = new RegExp(
  String.raw`^\s*${modifiers}(class|struct|enum|protocol|extension|actor|func|init|deinit|subscript|typealias|macro)\b[?!]?\s*([\w.]+|[-+*/=<>!&|^~%?]+|` +
    '`[^`]+`' +
    String.raw`)?`,
);

const kinds: Readonly<Record<string, SymbolKind>> = {
  class: 'class',
  actor: 'class',
  struct: 'struct',
  enum: 'enum',
  protocol: 'interface',
  extension: 'impl',
  typealias: 'type',
  macro: 'macro',
  func: 'function',
};

/** Lines that a declaration may take before its brace. */
const longestHead = 40;

export const swift: Scanner = (lines) => {
  const blank = blanked(lines, { nestedComments: true });
  const pairs = bracePairs(blank);
  const found: Found[] = [];
  for (const [row, line] of blank.entries()) {
    const match = declaration.exec(line);
    const word = match?.[1];
    if (!match || word === undefined) continue;
    const nameless = word === 'init' || word === 'deinit' || word === 'subscript';
    const name = nameless ? word : match[2];
    if (name === undefined) continue;
    const kind = kinds[word] ?? 'method';
    const open = word === 'typealias' ? undefined : opening(blank, row, match[0].length);
    const close = open && pairs.get(`${open.row}:${open.column}`);
    const head = open
      ? lines.slice(row, open.row).concat((lines[open.row] ?? '').slice(0, open.column))
      : [lines[row]];
    found.push({
      kind,
      name: name.replaceAll('`', ''),
      signature: head.join('\n'),
      from: row + 1,
      to: (close?.row ?? (open ? lines.length - 1 : row)) + 1,
      span: [row, close ? close.row + close.column / 1e6 : open ? lines.length : row + 0.9],
      ...(open && { bodyFrom: open.row + 2, bodyTo: close?.row ?? lines.length }),
    });
  }
  return found;
};

/** The brace that opens the body, unless another declaration or the end of the surrounding body comes first. */
function opening(
  blank: readonly string[],
  row: number,
  after: number,
): { row: number; column: number } | undefined {
  let parens = 0;
  for (let at = row; at < Math.min(blank.length, row + longestHead); at += 1) {
    const line = blank[at] ?? '';
    if (
      at > row &&
      parens === 0 &&
      (declaration.test(line) || /^\s*(?:(?:static|private|public)\s+)*(?:var|let|case)\b/.test(line))
    ) {
      return undefined;
    }
    for (let column = at === row ? after : 0; column < line.length; column += 1) {
      const char = line[column];
      if (char === '(' || char === '[') parens += 1;
      else if (char === ')' || char === ']') parens -= 1;
      else if (char === '{' && parens <= 0) return { row: at, column };
      else if (char === '}') return undefined;
    }
  }
  return undefined;
}
