/** The examples of docs/dialects.md are run, and its tables are held to the declarations. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dialectOf } from '../src/dialects/table.ts';
import { type DialectName, dialectNames } from '../src/index.ts';
import { place } from './support/dialect.ts';

const page = readFileSync('docs/dialects.md', 'utf8');
const log = Array.from({ length: 5000 }, (_, i) => `entry ${i + 1}\n`).join('');

const examples = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  [...block.matchAll(/^\$ oriel call (\w+) '(.*)' --dialect (\w+)\n([^$]*)/gm)].map(
    ([, tool = '', input = '', dialect = '', output = '']) => ({ tool, input, dialect, output }),
  ),
);

test.each(examples)('$dialect: $tool $input', async ({ tool, input, dialect, output }) => {
  const { call, write, folder } = place(dialect as DialectName);
  write('app.log', log);
  if (tool === 'ls') write('b.txt', '');
  const { text } = await call(tool, JSON.parse(input.replace('/srv/app/', `${folder}/`)) as object);
  const shown = (text.endsWith('\n') ? text : `${text}\n`).split('\n');
  // `…` stands for the lines that are left out.
  const [head = '', tail] = output.split('…\n');
  const first = head.split('\n').slice(0, -1);
  expect(shown.slice(0, first.length)).toEqual(first);
  if (tail === undefined) expect(shown).toHaveLength(first.length + 1);
  else expect(shown.slice(-tail.split('\n').length)).toEqual(tail.split('\n'));
});

test('there are examples of every dialect', () => {
  expect(log).toHaveLength(53_893);
  expect([...new Set(examples.map(({ dialect }) => dialect))].toSorted()).toEqual(
    dialectNames.filter((name) => name !== 'oriel').toSorted(),
  );
});

test('the table names every dialect with its tools', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (.*?) +\|/gm)].map(([, name = '', tools = '']) => [
    name,
    [...tools.matchAll(/`(\w+)`/g)].map(([, tool]) => tool),
  ]);
  expect(Object.fromEntries(rows)).toMatchObject(
    Object.fromEntries(dialectNames.map((name) => [name, dialectOf(name).tools.map((tool) => tool.name)])),
  );
});
