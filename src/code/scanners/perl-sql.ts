/** Scanners of Perl and SQL. */

import { type LineScanner, placer, type ScannedSymbol, type SymbolKind } from '../structure.ts';

// Finds the packages, classes and subroutines of Perl. A hand-written scanner: no grammar package includes WebAssembly
// (tree-sitter-perl 2.0.0, @ganezdragon/tree-sitter-perl 1.1.1, tree-sitter-wasms 0.1.13). A body ends at the brace in
// the column of its declaration, as perltidy writes it: braces in patterns and strings cannot mislead it.

const DECLARATION =
  /^([ \t]*)(?:(?:my|our|state)[ \t]+)?(package|class|role|sub|method|has)[ \t]+(?:'([\w:]+)'|"([\w:]+)"|\+?([A-Za-z_][\w:']*))(.*)$/;

const KINDS: Readonly<Record<string, SymbolKind>> = {
  package: 'module',
  class: 'class',
  role: 'trait',
  sub: 'function',
  method: 'method',
  has: 'property',
};

/** The terminators of the heredocs that begin on a line. */
const HEREDOC = /<<~?(?:"([^"\n]+)"|'([^'\n]+)'|([A-Za-z_]\w*))/g;

interface Declared {
  readonly word: string;
  readonly name: string;
  readonly indent: string;
  readonly row: number;
  readonly rest: string;
}

export const scanPerl: LineScanner = (lines) => {
  const code = codeOf(lines);
  const declared = code.flatMap((line, row): Declared[] => {
    const match = DECLARATION.exec(line);
    if (!match) return [];
    const [, indent = '', word = '', single, double, bare, rest = ''] = match;
    // `has => 1` is a key, `sub name;` is a forward declaration.
    if (word === 'has' && !/^[ \t]*(?:=>|,)/.test(rest)) return [];
    if (/^(?:sub|method)$/.test(word) && /^[^{]*;/.test(rest)) return [];
    return [{ word, name: single ?? double ?? bare ?? '', indent, row, rest }];
  });
  const after = followersOf(declared);
  return declared.map((one, at): ScannedSymbol => {
    const to = endOf(one, after[at] ?? {}, code);
    const signature = (lines[one.row] ?? '').trim().replace(/\s*\{.*$|\s*;\s*$/, '');
    const from = one.row + 1;
    const opens = one.row + (opening(code, one.row) ?? 0);
    return {
      kind: KINDS[one.word] ?? 'function',
      name: one.name,
      signature,
      from,
      to,
      ...(to > opens + 1 && { bodyFrom: opens + 2, bodyTo: isClosed(code[to - 1]) ? to - 1 : to }),
    };
  });
};

/** The next declarations that are not indented more. */
interface Followers {
  readonly next?: Declared | undefined;
  /** The next one with the same keyword. */
  readonly nextAlike?: Declared | undefined;
}

/** The followers of each declaration, in linear time: goes backwards with a stack of possible followers. */
function followersOf(declared: readonly Declared[]): Followers[] {
  const all: Declared[] = [];
  const alike = new Map<string, Declared[]>();
  const found = declared.toReversed().map((one): Followers => {
    const same = alike.get(one.word) ?? [];
    alike.set(one.word, same);
    const [next, nextAlike] = [follower(all, one), follower(same, one)];
    return { next, nextAlike };
  });
  return found.toReversed();
}

/** The nearest declaration in the stack `open` that is not indented more than `one`; replaces those that are by `one`. */
function follower(open: Declared[], one: Declared): Declared | undefined {
  while ((open.at(-1)?.indent.length ?? 0) > one.indent.length) open.pop();
  const next = open.at(-1);
  open.push(one);
  return next;
}

function isClosed(line = ''): boolean {
  return /^\s*[})]/.test(line);
}

/** The number of rows from the declaration to the line with its opening brace; undefined if there is none. */
function opening(code: readonly string[], row: number): number | undefined {
  const at = code.slice(row, row + 20).findIndex((line) => line.includes('{'));
  return at === -1 ? undefined : at;
}

/** The last line (1-based) of a declaration. */
function endOf(
  { word, indent, row, rest }: Declared,
  { next: follows, nextAlike }: Followers,
  code: readonly string[],
): number {
  const isStatement = /^(?:package|class)$/.test(word) && !rest.includes('{');
  if (isStatement) {
    return lastCode(code, row, nextAlike?.row ?? code.length);
  }
  const closing = word === 'has' ? `${indent})` : `${indent}}`;
  const ends = word === 'has' ? /;\s*(?:#.*)?$/ : /\}\s*;?\s*(?:#.*)?$/;
  if (ends.test(rest) && (word === 'has' || rest.includes('{'))) return row + 1;
  const next = follows?.row ?? code.length;
  for (let at = row + 1; at < next; at += 1) if ((code[at] ?? '').startsWith(closing)) return at + 1;
  return lastCode(code, row, next);
}

function lastCode(code: readonly string[], row: number, end: number): number {
  let to = end;
  while (to > row + 1 && (code[to - 1] ?? '').trim() === '') to -= 1;
  return to;
}

/** The lines, with documentation, comments, heredocs and everything after `__END__` emptied. */
function codeOf(lines: readonly string[]): string[] {
  const waiting: string[] = [];
  let isDocumentation = false;
  let isOver = false;
  const known = new Set(lines.map((line) => line.trim()));
  return lines.map((line) => {
    if (isOver) return '';
    const [mark] = waiting;
    if (mark !== undefined) {
      if (line.trim() === mark) waiting.shift();
      return '';
    }
    if (/^=[A-Za-z]/.test(line)) isDocumentation = !/^=cut\b/.test(line);
    if (isDocumentation || /^(?:=cut\b|\s*#)/.test(line)) return '';
    if (/^__(?:END|DATA)__\s*$/.test(line)) {
      isOver = true;
      return '';
    }
    for (const [, double, single, bare] of line.matchAll(HEREDOC)) {
      const end = double ?? single ?? bare ?? '';
      // Otherwise the `<<` is in a string or is a shift operator.
      if (known.has(end)) waiting.push(end);
    }
    return line;
  });
}

// Finds the CREATE statements of SQL: tables, views, functions, procedures, triggers, indexes, types.

const name = String.raw`((?:"[^"]+"|\`[^\`]+\`|\[[^\]]+\]|[\w$]+)(?:\s*\.\s*(?:"[^"]+"|\`[^\`]+\`|\[[^\]]+\]|[\w$]+))*)`;
const create = new RegExp(
  String.raw`^\s*(?:CREATE|ALTER)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|FOREIGN|UNIQUE|CLUSTERED|NONCLUSTERED|FULLTEXT|MATERIALIZED|RECURSIVE|VIRTUAL|CONSTRAINT|EVENT|DEFINER\s*=\s*\S+)\s+)*(TABLE|VIEW|FUNCTION|PROCEDURE|PROC|TRIGGER|INDEX|TYPE|DOMAIN|SCHEMA|SEQUENCE|PACKAGE(?:\s+BODY)?)\s+(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:ONLY\s+)?${name}`,
  'i',
);

const kinds: Readonly<Record<string, SymbolKind>> = {
  table: 'table',
  view: 'table',
  function: 'function',
  procedure: 'function',
  proc: 'function',
  trigger: 'function',
  package: 'module',
  type: 'type',
  domain: 'type',
};

export const scanSql: LineScanner = (lines) => {
  const text = lines.join('\n');
  const place = placer(text);
  return [...statements(text)].flatMap(({ start, end }): ScannedSymbol[] => {
    const statement = text.slice(start, end);
    const match = create.exec(statement.slice(0, 2_000));
    if (!match) return [];
    const word = (match[1] ?? '').toLowerCase().split(/\s/, 1)[0] ?? '';
    const from = place(start).row + 1;
    const to = place(end - 1).row + 1;
    const last = /^\s*(?:\)|\$|end\b)/i.test(lines[to - 1] ?? '') ? to - 1 : to;
    return [
      {
        kind: kinds[word] ?? 'statement',
        name: (match[2] ?? '').replace(/["`[\]\s]/g, ''),
        signature: head(statement, word),
        from,
        to,
        bodyFrom: bodyRow(lines, from, to),
        bodyTo: last,
      },
    ];
  });
};

/** The head of a statement: of a table up to its columns, of a routine up to its body, of others all of it. */
function head(statement: string, word: string): string {
  const start = statement.slice(0, 400).replace(/--[^\n]*/g, '');
  const end = word === 'table' || word === 'type' ? /\(/ : /\$\w*\$|\bBEGIN\b|\bAS\s*\n|;/i;
  return start.split(end, 1)[0] ?? '';
}

/** The line (1-based) after the one that opens the columns or the body. */
function bodyRow(lines: readonly string[], from: number, to: number): number {
  for (let row = from; row < to; row += 1) {
    if (/(?:\(|\bAS\b.*|\bBEGIN\b|\$\w*\$)\s*$/i.test(lines[row - 1] ?? '')) return row + 1;
  }
  return from + 1;
}

/** Comments, strings, dollar quotes, a separator on its own line, words, and other characters. */
const token =
  /--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|'(?:[^']|'')*'?|"[^"\n]*"?|(\$\w*\$)[\s\S]*?(?:\1|(?![\s\S]))|^[ \t]*(?:GO|\/)[ \t]*$|[A-Za-z_][\w$]*|\S/gim;

/** Half-open character offsets. */
interface Statement {
  readonly start: number;
  readonly end: number;
}

/**
 * A statement ends at a `;` outside of the `BEGIN … END` of a routine, or at a line with only `GO` (T-SQL) or `/` (Oracle).
 */
function* statements(text: string): Iterable<Statement> {
  let start: number | undefined;
  let end = 0;
  let blocks = 0;
  let routine = false;
  for (const { 0: part, index } of text.matchAll(token)) {
    if (part.startsWith('--') || part.startsWith('/*')) continue;
    const separator = /^\s*(?:go|\/)\s*$/i.test(part);
    if (start === undefined) {
      if (separator || part === ';') continue;
      [start, blocks, routine] = [index, 0, false];
    }
    if (separator) {
      yield { start, end };
      start = undefined;
      continue;
    }
    end = index + part.length;
    if (/^(?:function|procedure|proc|trigger|package)$/i.test(part)) routine = true;
    else if (/^(?:begin|case)$/i.test(part) && routine) blocks += 1;
    else if (/^end$/i.test(part)) blocks = Math.max(0, blocks - 1);
    else if (part === ';' && blocks === 0) {
      yield { start, end };
      start = undefined;
    }
  }
  if (start !== undefined) yield { start, end };
}
