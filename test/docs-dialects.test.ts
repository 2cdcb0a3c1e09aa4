/**
 * The tables of docs/dialects.md are held to the declarations.
 *
 * @module-tag check
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dialectOf } from '../src/dialects/dialect-table.ts';
import { dialectNames } from '../src/index.ts';

const page = readFileSync('docs/dialects.md', 'utf8');

test('there are examples of every dialect', () => {
  const shown = [...page.matchAll(/^\$ oriel .* --dialect ([\w@.]+)$/gm)].map(([, dialect]) => dialect);
  expect([...new Set(shown)].toSorted()).toEqual(dialectNames.filter((name) => name !== 'oriel').toSorted());
});

test('the table names every dialect with its tools', () => {
  const rows = [...page.matchAll(/^\| `([\w@.]+)` +\| (.*?) +\|/gm)].map(([, name = '', tools = '']) => [
    name,
    [...tools.matchAll(/`(\w+)`/g)].map(([, tool]) => tool),
  ]);
  expect(Object.fromEntries(rows)).toMatchObject(
    Object.fromEntries(dialectNames.map((name) => [name, dialectOf(name).tools.map((tool) => tool.name)])),
  );
});
