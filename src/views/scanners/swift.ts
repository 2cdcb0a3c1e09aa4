/** Finds the types, extensions, functions, initialisers and fields of Swift. There is no grammar of Swift in the package. */

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

/** Maximum lines of a declaration before its brace. */
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
  return [...found, ...fieldsIn(found, blank, lines)];
};

const field = new RegExp(String.raw`^\s*${modifiers}(?:var|let|case)\s+(\w+|` + '`[^`]+`)');

const types: ReadonlySet<SymbolKind> = new Set(['class', 'struct', 'enum', 'interface', 'impl']);

/** Stored properties and cases directly in a type, not in anything inside it. */
function fieldsIn(found: readonly Found[], blank: readonly string[], lines: readonly string[]): Found[] {
  const fields: Found[] = [];
  const open: Found[] = [];
  let next = 0;
  for (const [row, line] of blank.entries()) {
    const no = row + 1;
    const named = next;
    for (let one = found[next]; one && one.from <= no; one = found[(next += 1)]) open.push(one);
    while ((open.at(-1)?.to ?? no) < no) open.pop();
    const around = open.at(-1);
    const name = named === next && around && types.has(around.kind) ? field.exec(line)?.[1] : undefined;
    if (name === undefined) continue;
    const stored = lines[row] ?? '';
    const code = line.trimEnd().length;
    const isCommented = stored.slice(code).trim().startsWith('//');
    const signature = (isCommented ? stored.slice(0, code) : stored).trim().replace(/\s*\{\s*$/, '');
    const span = [row + 0.1, row + 0.9] as const;
    fields.push({ kind: 'property', name: name.replaceAll('`', ''), signature, from: no, to: no, span });
  }
  return fields;
}

/** The brace that opens the body; undefined if another declaration or the end of the surrounding body comes first. */
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
