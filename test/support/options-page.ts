/** The lists of docs/options.md, generated from the doc comments of the library's options. */

import { readFileSync } from 'node:fs';

/** Where the interface of each group of options is declared, and the prefix of its names. */
const GROUPS = [
  { marker: 'library', file: 'src/options.ts', name: 'OrielOptions', front: '' },
  { marker: 'read', file: 'src/options.ts', name: 'ReadOptions', front: 'read.' },
  { marker: 'run', file: 'src/types/settings.ts', name: 'RunSettings', front: 'run.' },
  { marker: 'telemetry', file: 'src/options.ts', name: 'TelemetrySettings', front: 'telemetry.' },
  { marker: 'state', file: 'src/session/shared.ts', name: 'StateOptions', front: 'state.' },
  { marker: 'spills', file: 'src/session/spills.ts', name: 'SpillOptions', front: 'spills.' },
];

/** `page` with the lists between its markers regenerated. */
export function withLists(page: string): string {
  const lists = new Map<string, readonly string[]>();
  for (const { marker, file, name, front } of GROUPS) {
    lists.set(marker, libraryList(readFileSync(file, 'utf8'), name, front));
  }
  return page.replaceAll(
    /(<!-- list: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, marker: string, end: string) => {
      const list = lists.get(marker);
      if (!list) throw new Error(`there is no list ${marker}`);
      return `${begin}\n${list.join('\n')}\n\n${end}`;
    },
  );
}

function libraryList(source: string, name: string, front: string): string[] {
  const [, body] = new RegExp(String.raw`interface ${name} \{\n([\s\S]*?)\n\}`).exec(source) ?? [];
  if (body === undefined) throw new Error(`there is no interface ${name}`);
  const members = [...body.matchAll(/ {2}(?:\/\*\*([\s\S]*?)\*\/\n {2})?readonly (\w+)\??: /g)];
  return members.map(([, comment = '', option = '']) => {
    const text = comment.replaceAll(/\s*\n\s*\* ?/g, ' ').trim();
    const [about, value] = text.split(/\s*@default /);
    if (!about) throw new Error(`${name}.${option} has no comment`);
    const absent = value === undefined || value === 'none' ? '' : ` (${defaultText(value.trim())})`;
    return `- \`${front}${option}\`${absent}: ${about.replace(/\.$/, '')}`;
  });
}

/** A default as code if it is a value, as plain text if it is a sentence. */
function defaultText(value: string): string {
  return /^(?:'.*'|\[\]|\{.*\}|[\w.]+(?:\(\))?)$/.test(value) ? `\`${value}\`` : value;
}
