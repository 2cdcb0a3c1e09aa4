/** Finds the tables of TOML, the sections of INI files, and the keys before the first of them. */

import type { Found, Scanner } from './scanner.ts';

const table = /^\s*(\[\[?)\s*([^[\]]+?)\s*\]\]?\s*(?:[#;].*)?$/;
const key = /^\s*([\w."'-]+)\s*=\s*(.*)$/;

export const toml: Scanner = (lines) => {
  const found: { name: string; signature: string; kind: 'table' | 'key'; from: number; to: number }[] = [];
  let inTable = false;
  let quote: string | undefined;
  let brackets = 0;
  for (const [row, text] of lines.entries()) {
    const last = found.at(-1);
    const inside = quote !== undefined || brackets > 0;
    if (last && (inside || /^\s*[^\s#;]/.test(text)) && !(table.test(text) && !inside)) {
      if (inTable || inside) last.to = row + 1;
    }
    if (!inside) {
      const header = table.exec(text);
      if (header) {
        inTable = true;
        found.push({
          kind: 'table',
          name: header[2] ?? '',
          signature: text.trim(),
          from: row + 1,
          to: row + 1,
        });
        continue;
      }
      const match = key.exec(text);
      if (match && !inTable) {
        found.push({ kind: 'key', name: match[1] ?? '', signature: text.trim(), from: row + 1, to: row + 1 });
      }
    }
    ({ quote, brackets } = after(text, { quote, brackets }));
  }
  return found.map((one): Found => ({ ...one, bodyFrom: one.from + 1, bodyTo: one.to }));
};

interface Value {
  /** The open multi-line quote: `"""` or `'''`. */
  readonly quote: string | undefined;
  /** Number of open brackets of a value. */
  readonly brackets: number;
}

const value = /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*|[[\]]|=/g;

/** The state after a line: whether a value continues. */
function after(text: string, { quote, brackets }: Value): Value {
  let open = quote;
  let depth = brackets;
  let started = brackets > 0 || quote !== undefined;
  for (const [part] of text.matchAll(value)) {
    if (part === '"""' || part === "'''") open = open === undefined ? part : open === part ? undefined : open;
    else if (open !== undefined) continue;
    else if (part === '=') started = true;
    else if (part === '[' && started) depth += 1;
    else if (part === ']' && depth > 0) depth -= 1;
  }
  return { quote: open, brackets: depth };
}
