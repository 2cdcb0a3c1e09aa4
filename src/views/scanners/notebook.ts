/** Finds the cells of a notebook, in its JSON or in the text with `# %% [code] cell:N` markers. */

import { json } from './json.ts';
import type { Found, Scanner } from './scanner.ts';

const marker = /^# %% \[(\w+)\] cell:(\d+)/;

export const notebook: Scanner = (lines) => {
  const marked = markers(lines);
  return marked.length > 0 ? marked : stored(lines);
};

function markers(lines: readonly string[]): Found[] {
  const cells = lines.flatMap((text, row) => {
    const match = marker.exec(text);
    return match ? [{ row, kind: match[1] ?? '', number: match[2] ?? '' }] : [];
  });
  return cells.map(({ row, kind, number }, index) => {
    const end = cells[index + 1]?.row ?? lines.length;
    let to = end;
    while (to > row + 1 && (lines[to - 1] ?? '').trim() === '') to -= 1;
    const first = lines.slice(row + 1, end).find((line) => line.trim() !== '') ?? '';
    const signature = `[${kind}] cell:${number} ${first.trim()}`;
    return {
      kind: 'cell',
      name: `cell:${number}`,
      signature,
      from: row + 1,
      to,
      bodyFrom: row + 2,
      bodyTo: to,
    };
  });
}

/** The cells in the JSON, if it is indented as Jupyter saves it. */
function stored(lines: readonly string[]): Found[] {
  const cells = json(lines).find(({ name, from, to }) => name === 'cells' && to > from);
  if (!cells) return [];
  // The lines inside the list are parsed as an array of their own, whose items are the cells.
  const inner = json(['[', ...lines.slice(cells.from, cells.to - 1), ']']).filter(({ name }) =>
    /^\d+$/.test(name),
  );
  return inner.map((item, index) => {
    const from = item.from + cells.from - 1;
    const to = item.to + cells.from - 1;
    const text = lines.slice(from - 1, to);
    const kind = /"cell_type"\s*:\s*"(\w+)"/.exec(text.join('\n'))?.[1] ?? 'cell';
    const first = firstSource(text);
    return { kind: 'cell', name: `cell:${index}`, signature: `[${kind}] cell:${index} ${first}`, from, to };
  });
}

function firstSource(cell: readonly string[]): string {
  const at = cell.findIndex((line) => /"source"\s*:/.test(line));
  const string = /^\s*("(?:[^"\\]|\\.)*")/;
  const line = cell.slice(at + 1).find((text) => string.test(text));
  const inline = /"source"\s*:\s*\[?\s*("(?:[^"\\]|\\.)*")/.exec(cell[at] ?? '')?.[1];
  const quoted = inline ?? (at === -1 ? undefined : string.exec(line ?? '')?.[1]);
  try {
    return quoted === undefined ? '' : String(JSON.parse(quoted)).trim();
  } catch {
    return '';
  }
}
