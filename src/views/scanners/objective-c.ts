/**
 * Finds the classes, protocols, methods, properties, functions and types of Objective-C and Objective-C++. A scanner of
 * ours, as for Perl: a body ends at the brace in the column of its declaration, as clang-format writes it.
 */

import type { SymbolKind } from '../structure.ts';
import type { Found, Scanner } from './scanner.ts';

const SECTION = /^@(interface|implementation|protocol)\s+(\w+)(.*)$/;
/** What ends a section, where no `@end` does. */
const ENDS = /^@(?:end|interface|implementation|protocol\b[^,;]*$)/;
const PROPERTY = /^\s*@property\b.*?(\w+)(?:\s+[A-Z_]{4,}(?:\([^)]*\))?)*\s*;/;
const METHOD = /^(\s*)[-+]\s*\([^)]*\)\s*(\w+)/;
const TYPE =
  /^(?:typedef\s+)?(?:NS_(?:ENUM|OPTIONS|CLOSED_ENUM)\([^,]+,\s*(\w+)\)|(enum|struct|class|union)\b\s*(?:class\s+)?(\w*))/;
const FUNCTION =
  /^(?!(?:typedef|return|else|using|case|struct|enum|class|union|namespace)\b)[A-Za-z_][\w\s*&<>,:]*?[\s*&:](~?\w+)\s*\(/;
const MACRO = /^#\s*define\s+(\w+)\(/;

const SECTIONS: Readonly<Record<string, SymbolKind>> = {
  interface: 'interface',
  implementation: 'impl',
  protocol: 'trait',
};

/** Lines in which the head of a declaration ends. */
const MOST_HEAD = 40;

/** Characters of a line in which a declaration is looked for. */
const LONGEST = 400;

export const objectiveC: Scanner = (lines) => {
  const code = withoutComments(lines);
  const found: Found[] = [];
  for (let row = 0; row < code.length; row += 1) {
    const line = code[row] as string;
    if (line.length > LONGEST) continue;
    const one = sectionAt(code, row) ?? propertyAt(line, row) ?? blockAt(code, row);
    if (!one) continue;
    found.push({ ...one, signature: signatureOf(lines, one) });
    // What is inside a body or behind a macro is no declaration.
    if (!NESTS.has(one.kind)) row = one.to - 1;
  }
  return found;
};

type Declared = Omit<Found, 'signature'>;

const NESTS: ReadonlySet<SymbolKind> = new Set(['interface', 'impl', 'trait']);

function sectionAt(code: readonly string[], row: number): Declared | undefined {
  const [, word = '', name = '', rest = ''] = SECTION.exec(code[row] as string) ?? [];
  // `@protocol A, B;` says that there are some.
  if (word === '' || (word === 'protocol' && /^\s*[,;]/.test(rest))) return undefined;
  let end = row + 1;
  while (end < code.length && !ENDS.test(code[end] as string)) end += 1;
  const isClosed = /^@end\b/.test(code[end] ?? '');
  const to = isClosed ? end + 1 : end;
  const kind = SECTIONS[word] ?? 'class';
  return {
    kind,
    name,
    from: row + 1,
    to,
    ...(to > row + 2 && { bodyFrom: row + 2, bodyTo: isClosed ? end : to }),
  };
}

function propertyAt(line: string, row: number): Declared | undefined {
  const name = PROPERTY.exec(line)?.[1];
  return name === undefined ? undefined : { kind: 'property', name, from: row + 1, to: row + 1 };
}

/** A method, function, type or macro that begins in the row. */
function blockAt(code: readonly string[], row: number): Declared | undefined {
  const line = code[row] as string;
  const macro = MACRO.exec(line)?.[1];
  if (macro !== undefined) {
    let to = row + 1;
    while (to < code.length && (code[to - 1] as string).endsWith('\\')) to += 1;
    return { kind: 'macro', name: macro, from: row + 1, to };
  }
  const [, indent = '', method] = METHOD.exec(line) ?? [];
  if (method !== undefined) return ended(code, row, { kind: 'method', name: method }, indent);
  const type = TYPE.exec(line);
  if (type) {
    const kind = type[2] === 'enum' || type[1] ? 'enum' : 'struct';
    return ended(code, row, { kind, name: type[1] ?? type[3] ?? '' }, '', true);
  }
  const name = FUNCTION.exec(line)?.[1];
  return name === undefined ? undefined : ended(code, row, { kind: 'function', name }, '', true);
}

/** With the lines of its body, or of its head where it has none; undefined for one without a body that needs one. */
function ended(
  code: readonly string[],
  row: number,
  one: { readonly kind: SymbolKind; readonly name: string },
  indent: string,
  needsBody = false,
): Declared | undefined {
  let open = row;
  const last = Math.min(code.length - 1, row + MOST_HEAD);
  while (open < last && !/[{;]/.test(code[open] as string)) open += 1;
  const head = code[open] as string;
  const brace = head.indexOf('{');
  const semicolon = head.indexOf(';');
  if (brace === -1 || (semicolon !== -1 && semicolon < brace))
    return needsBody ? undefined : { ...one, from: row + 1, to: open + 1 };
  let end = open;
  if (!/\}[\s;)]*$/.test(head.slice(brace)))
    for (end = open + 1; end < code.length && !(code[end] as string).startsWith(`${indent}}`); end += 1);
  const to = Math.min(end + 1, code.length);
  const name = one.name || (/^\}\s*(\w+)/.exec(code[to - 1] as string)?.[1] ?? '');
  if (name === '') return undefined;
  return { ...one, name, from: row + 1, to, ...(to > open + 2 && { bodyFrom: open + 2, bodyTo: to - 1 }) };
}

/** The head on one line, without the brace that opens the body. */
function signatureOf(lines: readonly string[], { from, to, bodyFrom, kind, name }: Declared): string {
  const last =
    NESTS.has(kind) || kind === 'macro'
      ? from
      : Math.min(bodyFrom === undefined ? to : bodyFrom - 1, from + MOST_HEAD);
  const head = lines.slice(from - 1, last).map((line) => line.trim());
  // A head may have two forms, between directives.
  const directive = head.findIndex((line, i) => i > 0 && line.startsWith('#'));
  const first = directive === -1 ? head : head.slice(0, directive);
  const said = first
    .join(' ')
    .replace(/\s*(?:\{.*|;|\\)\s*$/, '')
    .replace(/\s+/g, ' ');
  // `typedef struct { … } Name;`
  return said.includes(name) ? said : `${said} ${name}`;
}

/** The lines, empty where they are comments. */
function withoutComments(lines: readonly string[]): string[] {
  let isInside = false;
  return lines.map((line) => {
    if (isInside) {
      isInside = !line.includes('*/');
      return '';
    }
    if (/^\s*\/\*/.test(line) && !line.includes('*/')) {
      isInside = true;
      return '';
    }
    return /^\s*\/[/*]/.test(line) ? '' : line;
  });
}
