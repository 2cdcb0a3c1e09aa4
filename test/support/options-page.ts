/** The tables and lists of docs/options.md, generated from the doc comments of the library's options and from the command line's options. */

import { readFileSync } from 'node:fs';
import type { CliOption } from '../../src/faces/cli/options.ts';

/** Where the interface of each group of options is declared, and the prefix of its names. */
const GROUPS = [
  { marker: 'library', file: 'src/options.ts', name: 'OrielOptions', front: '' },
  { marker: 'read', file: 'src/options.ts', name: 'ReadOptions', front: 'read.' },
  { marker: 'run', file: 'src/types/settings.ts', name: 'RunSettings', front: 'run.' },
  { marker: 'telemetry', file: 'src/options.ts', name: 'TelemetrySettings', front: 'telemetry.' },
  { marker: 'state', file: 'src/state/open-state.ts', name: 'StateOptions', front: 'state.' },
  { marker: 'spills', file: 'src/session/spills.ts', name: 'SpillOptions', front: 'spills.' },
];

/** `page` with the tables between its markers regenerated; `mcp` and `serve` are the options of these commands. */
export function withTables(
  page: string,
  { mcp, serve }: { readonly mcp: readonly CliOption[]; readonly serve: readonly CliOption[] },
): string {
  const tables = new Map<string, readonly string[]>();
  for (const { marker, file, name, front } of GROUPS) {
    tables.set(marker, libraryTable(readFileSync(file, 'utf8'), name, front));
  }
  tables.set('servers', serverList(mcp, serve));
  return page.replaceAll(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, marker: string, end: string) => {
      const table = tables.get(marker);
      if (!table) throw new Error(`there is no table ${marker}`);
      return `${begin}\n${table.join('\n')}\n\n${end}`;
    },
  );
}

function libraryTable(source: string, name: string, front: string): string[] {
  const [, body] = new RegExp(String.raw`interface ${name} \{\n([\s\S]*?)\n\}`).exec(source) ?? [];
  if (body === undefined) throw new Error(`there is no interface ${name}`);
  const members = [...body.matchAll(/ {2}(?:\/\*\*([\s\S]*?)\*\/\n {2})?readonly (\w+)\??: /g)];
  const rows = members.map(([, comment = '', option = '']) => {
    const text = comment.replaceAll(/\s*\n\s*\* ?/g, ' ').trim();
    const [about, value] = text.split(/\s*@default /);
    if (!about) throw new Error(`${name}.${option} has no comment`);
    return [
      `\`${front}${option}\``,
      value === undefined ? '' : valueCell(value.trim()),
      about.replace(/\.$/, ''),
    ];
  });
  return table(['option', 'when absent', 'effect'], rows);
}

/** A default as code if it is a value, as plain text if it is a sentence. */
function valueCell(value: string): string {
  return /^(?:'.*'|\[\]|\{.*\}|[\w.]+(?:\(\))?)$/.test(value) && value !== 'none' ? `\`${value}\`` : value;
}

function serverList(mcp: readonly CliOption[], serve: readonly CliOption[]): string[] {
  const names = new Set(mcp.map(({ name }) => name));
  const both = serve.filter(({ name }) => names.has(name));
  const http = serve.filter(({ name }) => !names.has(name));
  const item = ({ name, value, help }: CliOption): string =>
    `- \`--${name}${value ? ` ${value}` : ''}\`: ${help}`;
  return [...both.map(item), '', 'Of `oriel serve` alone:', '', ...http.map(item)];
}

/** A table in the formatter's style: each column is as wide as its widest cell. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [heads, ...rows].map((cells) => cells.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = heads.map((_, i) => Math.max(...all.map((cells) => Array.from(cells[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - Array.from(cell).length)).join(' | ')} |`;
  const [head = [], ...below] = all;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...below.map(line)];
}
