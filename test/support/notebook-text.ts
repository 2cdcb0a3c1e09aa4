/** Reads the text form of a notebook back, as a host may that edits it: the cells without their outputs. */

const MARKER = /^# %% \[(code|markdown|raw|output)\](?: cell:(\d+))?$/;
const ESCAPED = /^# %%%+ \[(?:code|markdown|raw|output)\](?: cell:\d+)?\s*$/;

export function parseNotebookText(text: string): { type: string; index: number; source: string }[] {
  const cells: { type: string; index: number; lines: string[] }[] = [];
  for (const line of text === '' ? [] : text.split('\n')) {
    const [, type, index] = MARKER.exec(line) ?? [];
    if (type !== undefined) cells.push({ type, index: Number(index), lines: [] });
    else cells.at(-1)?.lines.push(ESCAPED.test(line) ? line.replace('%', '') : line);
  }
  return cells
    .filter(({ type }) => type !== 'output')
    .map(({ lines, ...cell }) => ({ ...cell, source: lines.join('\n') }));
}
