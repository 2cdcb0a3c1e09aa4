/** Finds the CREATE statements of SQL: tables, views, functions, procedures, triggers, indexes, types. */

import { placer } from '../lines.ts';
import type { SymbolKind } from '../structure.ts';
import type { Found, Scanner } from './scanner.ts';

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

export const sql: Scanner = (lines) => {
  const text = lines.join('\n');
  const place = placer(text);
  return [...statements(text)].flatMap(({ start, end }): Found[] => {
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
