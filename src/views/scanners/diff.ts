/** Finds the files and hunks of a unified diff. */

import type { Found, Scanner } from './scanner.ts';

const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

interface Part {
  readonly kind: 'file' | 'hunk';
  readonly name: string;
  readonly signature: string;
  readonly from: number;
  to: number;
}

export const diff: Scanner = (lines) => {
  const parts: Part[] = [];
  let file: Part | undefined;
  let fresh = true;
  const begin = (row: number, name: string): void => {
    file = { kind: 'file', name, signature: name, from: row + 1, to: row + 1 };
    parts.push(file);
  };
  for (let row = 0; row < lines.length; row += 1) {
    const text = lines[row] ?? '';
    const header = hunk.exec(text);
    if (text.startsWith('diff ')) {
      begin(row, / b\/(.+)$/.exec(text)?.[1] ?? text.slice(5));
      fresh = false;
    } else if (text.startsWith('--- ') && (lines[row + 1] ?? '').startsWith('+++ ')) {
      if (fresh) begin(row, nameOf(lines[row + 1] ?? '', text));
      row += 1;
    } else if (header) {
      const end = hunkEnd(lines, row, Number(header[1] ?? 1), Number(header[2] ?? 1));
      parts.push({ kind: 'hunk', name: header[0], signature: text, from: row + 1, to: end + 1 });
      row = end;
      // If there are no `diff` lines, the next `---` begins another file.
      fresh = !lines[(file?.from ?? 1) - 1]?.startsWith('diff ');
    }
    if (file && text !== '') file.to = row + 1;
  }
  return parts.map((part): Found => ({ ...part, bodyFrom: part.from + 1, bodyTo: part.to }));
};

/** The last row of a hunk. Lines are counted, because a removed line may look like a header. */
function hunkEnd(lines: readonly string[], row: number, removed: number, added: number): number {
  let end = row;
  let [before, after] = [removed, added];
  while (end + 1 < lines.length && (before > 0 || after > 0)) {
    const mark = (lines[end + 1] ?? '')[0];
    if (mark === '-') before -= 1;
    else if (mark === '+') after -= 1;
    else if (mark === ' ' || mark === undefined) [before, after] = [before - 1, after - 1];
    else if (mark !== '\\') break;
    end += 1;
  }
  if ((lines[end + 1] ?? '').startsWith('\\')) end += 1;
  return end;
}

function nameOf(added: string, removed: string): string {
  const path = (line: string): string => line.slice(4).split('\t', 1)[0]?.trim() ?? '';
  const name = path(added) === '/dev/null' ? path(removed) : path(added);
  return name.replace(/^[ab]\//, '');
}
