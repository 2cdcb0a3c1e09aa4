/**
 * Finds the classes, protocols, methods, properties, functions and types of Objective-C and Objective-C++. A hand-written
 * scanner, as for Perl: a body ends at the brace in the column of its declaration, as clang-format writes it.
 */

import type { SymbolKind } from '../structure.ts';
import type { Found, Scanner } from './scanner.ts';

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
const MOST_HEAD = 40;

/** Maximum characters of a line that are searched for a declaration. */
const LONGEST = 400;

export const objectiveC: Scanner = (lines) => {
  const code = withoutComments(lines);
  if (!code.some((line) => MARK.test(line))) return [];
  const closing = new Closing(code);
  const found: Found[] = [];
  for (let row = 0; row < code.length; row += 1) {
    const line = code[row] as string;
    if (line.length > LONGEST) continue;
    const one = sectionAt(code, row) ?? propertyAt(line, row) ?? blockAt(code, row, closing);
    if (!one) continue;
    found.push({ ...one, signature: signatureOf(lines, one) });
    // Nothing inside a body or a macro is a declaration.
    if (!NESTS.has(one.kind)) row = one.to - 1;
  }
  return found;
};

type Declared = Omit<Found, 'signature'>;

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
  const last = Math.min(code.length - 1, row + MOST_HEAD);
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
      : Math.min(bodyFrom === undefined ? to : bodyFrom - 1, from + MOST_HEAD);
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
