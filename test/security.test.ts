/**
 * SECURITY.md and docs/assurance.md say nothing that no test holds, and no case of the catalogue is without a test.
 *
 * @module-tag check
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from './hardening/catalogue.ts';
import { cases } from './hardening/ways/cases/table.ts';
import { wayNames } from './hardening/ways/way.ts';

const page = ['SECURITY.md', 'docs/assurance.md'].map((path) => readFileSync(path, 'utf8')).join('\n');

/**
 * Ids with which the name of a test, or of a group of them, begins: `'P11 name too long'`, `'I01, I03 and I04 …'`, and of
 * what runs on the ways in.
 */
const tested = new Set([
  ...(readdirSync('test', { recursive: true }) as string[])
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(join('test', name), 'utf8').matchAll(/['"`]((?:[A-Z]\d\d(?:,? | and )?)+)\b/g),
    ])
    .flatMap(([, ids = '']) => ids.match(/[A-Z]\d\d/g) ?? []),
  ...cases.map(({ id }) => id),
]);

const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

const rows = (title: string): string[][] =>
  [...section(title).matchAll(/^\|(.*)\|$/gm)]
    .slice(2)
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim()));

test('every case of the catalogue has a test by name', () => {
  expect(Object.keys(catalogue).length).toBeGreaterThan(150);
  expect(Object.keys(catalogue).filter((id) => !tested.has(id))).toEqual([]);
});

test('every case that SECURITY.md names is tested', () => {
  const named = [...page.matchAll(/`([A-Z]\d\d)`/g)].map(([, id = '']) => id);
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((id) => !tested.has(id))).toEqual([]);
});

test('every row of the boundaries says what holds and remains', () => {
  expect(rows('Boundaries').length).toBeGreaterThan(15);
  for (const [control, boundary, held, remains] of rows('Boundaries')) {
    expect(boundary, control).toMatch(/^(?:yes\b|\*\*no\*\*$)/);
    expect(held, control).toMatch(/^(?:`[A-Z]\d\d` ?)+$/);
    expect(remains, control).not.toBe('');
  }
});

test('an exception is a catalogue case and has a reason', () => {
  for (const [id = '', reason] of rows('Exceptions')) {
    expect(Object.keys(catalogue).map((one) => `\`${one}\``)).toContain(id);
    expect(reason).toMatch(/^where /);
  }
});

test('every case runs on every way in, or is listed', () => {
  const inCode = (cell = ''): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
  const listed = new Map(
    rows('On every way in').flatMap(([ids, ways, why]) => {
      expect(why).not.toBe('');
      return inCode(ids).map((id) => [id, inCode(ways)] as const);
    }),
  );
  const run = new Map(cases.map(({ id, ways = wayNames }) => [id, Array.from(ways)]));
  expect(run.size).toBe(cases.length);
  for (const id of new Set([...Object.keys(catalogue), ...run.keys(), ...listed.keys()])) {
    expect([id, listed.get(id) ?? wayNames]).toEqual([id, run.get(id) ?? []]);
  }
});
