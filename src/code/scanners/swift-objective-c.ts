/** Scanners of Swift and of Objective-C, with the matching of braces that both need. */

import type { LineScanner, ScannedSymbol, SymbolKind, TextPosition } from '../structure.ts';

// Finds the types, extensions, functions, initialisers and fields of Swift. There is no grammar of Swift in the package.

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
const MAX_SWIFT_HEAD_LINES = 40;

export const scanSwift: LineScanner = (lines) => {
  const blank = blanked(lines, { nestedComments: true });
  const pairs = bracePairs(blank);
  const found: ScannedSymbol[] = [];
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
      bodyFrom: open ? open.row + 2 : undefined,
      bodyTo: open ? (close?.row ?? lines.length) : undefined,
    });
  }
  return [...found, ...fieldsIn(found, blank, lines)];
};

const field = new RegExp(String.raw`^\s*${modifiers}(?:var|let|case)\s+(\w+|` + '`[^`]+`)');

const types: ReadonlySet<SymbolKind> = new Set(['class', 'struct', 'enum', 'interface', 'impl']);

/** Stored properties and cases directly in a type, not in anything inside it. */
function fieldsIn(
  found: readonly ScannedSymbol[],
  blank: readonly string[],
  lines: readonly string[],
): ScannedSymbol[] {
  const fields: ScannedSymbol[] = [];
  const open: ScannedSymbol[] = [];
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
  for (let at = row; at < Math.min(blank.length, row + MAX_SWIFT_HEAD_LINES); at += 1) {
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

// Finds the classes, protocols, methods, properties, functions and types of Objective-C and Objective-C++. A hand-written
// scanner, as for Perl: a body ends at the brace in the column of its declaration, as clang-format writes it.

/** Lines that only Objective-C has: MATLAB and Mathematica files also end with `.m`. `# include` is a comment in Octave. */
const MARK = /^\s*(?:@(?:interface|implementation|protocol|class|import)\b|#\s*(?:import|include)\s*[<"])/;
/** Not the forward declaration `@protocol A, B;`. */
const SECTION = /^@(?:(interface|implementation)|(protocol)(?!\s+\w+\s*[,;]))\s+(\w+)/;
const PROPERTY = /^\s*@property\b([^;]*);/;
/** `void (^name)(int)`. */
const POINTER = /\(\s*[\^*]([\s\w]*\w)\s*\)/;
/** A type, and a name after it. */
const TYPED = /[\w>)\]][\s*]+\w+$/;
/** An attribute macro: `__deprecated`, `NS_AVAILABLE_IOS`. */
const ATTRIBUTE = /^(?:__\w+|[A-Z\d]+_[A-Z\d_]+)$/;
/** Its type may be a block: `(void (^)(int))`. */
const METHOD = /^(\s*)[-+]\s*\((?:[^()]|\([^()]*\))*\)\s*(\w+)/;
const TYPE =
  /^(?:typedef\s+)?(?:NS_(?:ENUM|OPTIONS|CLOSED_ENUM)\([^,]+,\s*(\w+)\)|(enum|struct|class|union)\b\s*(?:class\s+)?(\w*))/;
const FUNCTION =
  /^(?!(?:typedef|return|function|else|using|case|struct|enum|class|union|namespace)\b)[A-Za-z_][\w\s*&<>,:]*?[\s*&:](~?\w+)\s*\(/;
const MACRO = /^#\s*define\s+(\w+)\(/;

const SECTIONS = { interface: 'interface', implementation: 'impl', protocol: 'trait' } as const;

/** Maximum lines of the head of a declaration. */
const MAX_OBJECTIVE_C_HEAD_LINES = 40;

/** Maximum characters of a line that are searched for a declaration. */
const MAX_SEARCHED_CHARACTERS = 400;

export const scanObjectiveC: LineScanner = (lines) => {
  const code = withoutComments(lines);
  if (!code.some((line) => MARK.test(line))) return [];
  const closing = new Closing(code);
  const found: ScannedSymbol[] = [];
  for (let row = 0; row < code.length; row += 1) {
    const line = code[row] as string;
    if (line.length > MAX_SEARCHED_CHARACTERS) continue;
    const one = sectionAt(code, row) ?? propertyAt(line, row) ?? blockAt(code, row, closing);
    if (!one) continue;
    found.push({ ...one, signature: signatureOf(lines, one) });
    // Nothing inside a body or a macro is a declaration.
    if (!NESTS.has(one.kind)) row = one.to - 1;
  }
  return found;
};

type Declared = Omit<ScannedSymbol, 'signature'>;

const NESTS: ReadonlySet<SymbolKind> = new Set(['interface', 'impl', 'trait']);

function sectionAt(code: readonly string[], row: number): Declared | undefined {
  const line = code[row] as string;
  const match = SECTION.exec(line);
  if (!match) return undefined;
  const [head, type, protocol, name = ''] = match;
  const kind = SECTIONS[(type ?? protocol) as keyof typeof SECTIONS];
  if (/^[^/]*@end\b/.test(line.slice(head.length))) return { kind, name, from: row + 1, to: row + 1 };
  let end = row + 1;
  // Stops where the next section begins, so that each line is examined once.
  while (end < code.length && !isEnd(code[end] as string) && !SECTION.test(code[end] as string)) end += 1;
  const isClosed = isEnd(code[end] ?? '');
  const to = isClosed ? end + 1 : end;
  return {
    kind,
    name,
    from: row + 1,
    to,
    ...(to > row + 2 && { bodyFrom: row + 2, bodyTo: isClosed ? end : to }),
  };
}

function isEnd(line: string): boolean {
  return /^@end\b/.test(line);
}

function propertyAt(line: string, row: number): Declared | undefined {
  const declared = PROPERTY.exec(line.replace(/"(?:[^"\\]|\\.)*"/g, ''))?.[1];
  if (declared === undefined) return undefined;
  const text = withoutAttributes(declared.trim().replace(/^\([^)]*\)\s*/, ''));
  const name = lastWord(POINTER.exec(text)?.[1] ?? text);
  return name === '' ? undefined : { kind: 'property', name, from: row + 1, to: row + 1 };
}

/** `int level NS_AVAILABLE_IOS(3_0) __attribute__((unused))` → `int level`. */
function withoutAttributes(declared: string): string {
  let text = declared;
  for (;;) {
    const head = text.slice(0, groupAt(text)).trimEnd();
    const word = lastWord(head);
    const left = head.slice(0, head.length - word.length).trimEnd();
    // A name may look like an attribute.
    if (!ATTRIBUTE.test(word) || !(TYPED.test(left) || left.endsWith(')'))) return text;
    text = left;
  }
}

/** The start of the parentheses at the end of a text; its length if there are none. */
function groupAt(text: string): number {
  if (!text.endsWith(')')) return text.length;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === ')') depth += 1;
    else if (text[at] === '(') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** The word at the end of a text; empty if there is none. */
function lastWord(text: string): string {
  return text.split(/\W+/).at(-1) ?? '';
}

/** A method, function, type or macro that begins in the row. */
function blockAt(code: readonly string[], row: number, closing: Closing): Declared | undefined {
  const line = code[row] as string;
  const macro = MACRO.exec(line)?.[1];
  if (macro !== undefined) {
    let to = row + 1;
    while (to < code.length && (code[to - 1] as string).endsWith('\\')) to += 1;
    return { kind: 'macro', name: macro, from: row + 1, to };
  }
  const [, indent = '', method] = METHOD.exec(line) ?? [];
  if (method !== undefined) return ended(code, closing, row, { kind: 'method', name: method }, indent);
  const type = TYPE.exec(line);
  if (type) {
    const kind = type[2] === 'enum' || type[1] ? 'enum' : 'struct';
    return ended(code, closing, row, { kind, name: type[1] ?? type[3] ?? '' }, '', true);
  }
  const name = FUNCTION.exec(line)?.[1];
  return name === undefined ? undefined : ended(code, closing, row, { kind: 'function', name }, '', true);
}

/** The declaration with the lines of its body, or of its head if it has no body. Undefined if it must have a body but has none. */
function ended(
  code: readonly string[],
  closing: Closing,
  row: number,
  one: { readonly kind: SymbolKind; readonly name: string },
  indent: string,
  needsBody = false,
): Declared | undefined {
  let open = row;
  const last = Math.min(code.length - 1, row + MAX_OBJECTIVE_C_HEAD_LINES);
  while (open < last && !/[{;]/.test(code[open] as string)) open += 1;
  const head = code[open] as string;
  const brace = head.indexOf('{');
  const semicolon = head.indexOf(';');
  if (brace === -1 || (semicolon !== -1 && semicolon < brace))
    return needsBody ? undefined : { ...one, from: row + 1, to: open + 1 };
  const isOneLine = /\}[\s;)]*$/.test(head.slice(brace));
  const to = isOneLine ? open + 1 : Math.min(closing.after(open, indent) + 1, code.length);
  const name = one.name || (/^\}\s*(\w+)/.exec(code[to - 1] as string)?.[1] ?? '');
  if (name === '') return undefined;
  return { ...one, name, from: row + 1, to, ...(to > open + 2 && { bodyFrom: open + 2, bodyTo: to - 1 }) };
}

/** The rows that begin with a closing brace. Queries must be in increasing order, so that each row is examined once. */
class Closing {
  readonly #rows = new Map<string, number[]>();
  readonly #count: number;

  constructor(code: readonly string[]) {
    this.#count = code.length;
    // In reverse order, so that the next one can be popped.
    for (let row = code.length - 1; row >= 0; row -= 1) {
      const indent = /^(\s*)\}/.exec(code[row] as string)?.[1];
      if (indent === undefined) continue;
      const rows = this.#rows.get(indent);
      if (rows) rows.push(row);
      else this.#rows.set(indent, [row]);
    }
  }

  /** The next row with a closing brace in that column; the number of rows if there is none. */
  after(row: number, indent: string): number {
    const rows = this.#rows.get(indent) ?? [];
    while ((rows.at(-1) ?? this.#count) <= row) rows.pop();
    return rows.at(-1) ?? this.#count;
  }
}

/** The head on one line, without the brace that opens the body. */
function signatureOf(lines: readonly string[], { from, to, bodyFrom, kind, name }: Declared): string {
  const last =
    NESTS.has(kind) || kind === 'macro'
      ? from
      : Math.min(bodyFrom === undefined ? to : bodyFrom - 1, from + MAX_OBJECTIVE_C_HEAD_LINES);
  const head = lines.slice(from - 1, last).map((line) => line.trim());
  // A head may have two variants in preprocessor directives.
  const directive = head.findIndex((line, i) => i > 0 && line.startsWith('#'));
  const first = directive === -1 ? head : head.slice(0, directive);
  const said = first
    .join(' ')
    // Spaces are collapsed first: the next pattern is slow on long runs of spaces.
    .replace(/\s+/g, ' ')
    .replace(/ ?(?:\{.*|;|\\) ?$/, '');
  // `typedef struct { … } Name;`
  return said.includes(name) ? said : `${said} ${name}`;
}

/** The lines, with comment lines emptied. */
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

// Blanks strings and comments of a C-like text, and matches its braces.

/** The lines with strings and comments replaced by spaces, so that patterns match only code. */
function blanked(lines: readonly string[], syntax: { readonly nestedComments: boolean }): string[] {
  let depth = 0;
  let long = false;
  return lines.map((line) => {
    let result = '';
    let at = 0;
    while (at < line.length) {
      if (depth > 0) {
        const next = /\*\/|\/\*/g;
        next.lastIndex = at;
        const match = next.exec(line);
        const end = match ? match.index + 2 : line.length;
        if (match) depth += match[0] === '*/' ? -1 : syntax.nestedComments ? 1 : 0;
        result += ' '.repeat(end - at);
        at = end;
      } else if (long) {
        const end = line.indexOf('"""', at);
        long = end === -1;
        const stop = long ? line.length : end + 3;
        result += ' '.repeat(stop - at);
        at = stop;
      } else if (line.startsWith('"""', at)) {
        long = true;
        result += '   ';
        at += 3;
      } else if (line.startsWith('//', at)) {
        result += ' '.repeat(line.length - at);
        at = line.length;
      } else if (line.startsWith('/*', at)) {
        depth = 1;
        result += '  ';
        at += 2;
      } else if (line[at] === '"') {
        const end = stringEnd(line, at);
        result += ' '.repeat(end - at);
        at = end;
      } else {
        result += line[at];
        at += 1;
      }
    }
    return result;
  });
}

/** The position after the closing quote, or the end of the line. */
function stringEnd(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') return at + 1;
  }
  return line.length;
}

/** The closing brace of each opening brace, by `row:column` of the opening one. Unclosed braces are absent. */
function bracePairs(blank: readonly string[]): Map<string, TextPosition> {
  const pairs = new Map<string, TextPosition>();
  const open: string[] = [];
  for (const [row, line] of blank.entries()) {
    for (let column = 0; column < line.length; column += 1) {
      if (line[column] === '{') open.push(`${row}:${column}`);
      else if (line[column] === '}') {
        const opener = open.pop();
        if (opener !== undefined) pairs.set(opener, { row, column });
      }
    }
  }
  return pairs;
}
