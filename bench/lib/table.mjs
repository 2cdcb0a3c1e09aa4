// Prints a Markdown table from rows of plain objects; the columns are the keys in the order of first appearance.

export function printTable(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '–')))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  console.log(line(cells[0]));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of cells.slice(1)) console.log(line(row));
}

/** NaN: the peer failed. */
export const ms = (value) => {
  if (Number.isNaN(value)) return 'failed';
  return value === undefined ? undefined : `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
};
export const mb = (value) => (value === undefined ? undefined : `${Math.round(value)} MB`);
/** Two significant digits: `0.0034×`. */
export const ratio = (ours, theirs) => {
  if (!Number.isFinite(ours / theirs)) return undefined;
  const value = ours / theirs;
  return `${value < 0.095 ? Number(value.toPrecision(2)) : value.toFixed(2)}×`;
};
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
