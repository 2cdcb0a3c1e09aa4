/** Finds the targets of a Makefile with their recipes, and its `define` blocks. */

import type { Found, Scanner } from './scanner.ts';

const rule = /^([^\s#:=][^#:=]*?)\s*::?(?![=:])(.*)$/;

export const makefile: Scanner = (lines) => {
  const found: Found[] = [];
  for (let row = 0; row < lines.length; row += 1) {
    const text = lines[row] ?? '';
    const defined = /^\s*(?:override\s+|export\s+)?define\s+(\S+)/.exec(text);
    const match = rule.exec(text);
    if (defined) {
      const end = lines.findIndex((line, at) => at > row && /^\s*endef\b/.test(line));
      const to = end === -1 ? lines.length : end + 1;
      found.push({ kind: 'macro', name: defined[1] ?? '', signature: text, from: row + 1, to });
      row = to - 1;
    } else if (
      match &&
      !/^(?:\.[A-Z]+|ifeq|ifneq|ifdef|ifndef|else|endif|include|-include|export|vpath)\b/.test(text)
    ) {
      const from = row + 1;
      while (continues(lines, row)) row += 1;
      let to = row + 1;
      while (row + 1 < lines.length && /^(?:\t|\s*$|\s*#)/.test(lines[row + 1] ?? '')) {
        row += 1;
        if ((lines[row] ?? '').startsWith('\t')) to = row + 1;
        while (continues(lines, row)) to = (row += 1) + 1;
      }
      const name = match[1] ?? '';
      found.push({ kind: 'target', name, signature: text, from, to, bodyFrom: from + 1, bodyTo: to });
    }
  }
  return found;
};

function continues(lines: readonly string[], row: number): boolean {
  return row + 1 < lines.length && (lines[row] ?? '').endsWith('\\');
}
