/** The length of what a caller may write into a field, whatever the tool and the dialect. */

import { expect, test } from 'vitest';
import { type Answer, dialectNames } from '../src/index.ts';
import { withoutLag } from './support/lag.ts';
import { workspace } from './support/workspace.ts';

const MOST = 65_536;

const UNITS = [
  'a',
  '(a',
  ':1',
  '1,',
  '*',
  '{a,',
  '\n',
  '\\ ',
  "'",
  '#a,',
  '\u202e',
  '\ud800',
  '%2F',
  '@9',
  'L1-2,',
];

test.each(dialectNames)('%s: a too long field is refused before any use', async (dialect) => {
  const { with: made, write } = workspace();
  write('a.txt', 'text\n');
  for (const { name, jsonSchema, run } of made({ dialect }).tools) {
    const properties = Object.entries(Object(jsonSchema['properties']) as Record<string, { type?: unknown }>);
    for (const [field] of properties.filter(([, { type }]) => type === 'string')) {
      if (field === 'command') continue;
      const unit = UNITS[(name.length + field.length) % UNITS.length] as string;
      const input = {
        path: 'a.txt',
        pattern: 'text',
        [field]: unit.repeat(Math.ceil(2_000_000 / unit.length)),
      };
      const { isError, details, content } = await withoutLag(() => run(input) as Promise<Answer>);
      expect([isError, details]).toMatchObject([true, { error: { code: 'BAD_INPUT' } }]);
      expect(JSON.stringify(content), field).toContain(`at most ${MOST} are allowed`);
    }
  }
});

test.each(UNITS)('the longest allowed text of %j in fields blocks nobody', async (unit) => {
  const { oriel, write } = workspace();
  write('a.ts', 'export const text = 1;\n');
  const text = unit.repeat(Math.floor(MOST / unit.length));
  const inputs = {
    grep: [{ pattern: text }, { pattern: 'text', glob: text }, { pattern: 'text', path: text }],
    find: [{ pattern: text }, { symbol: text }, { pattern: '*', path: text }],
    ls: [{ path: text }],
  };
  for (const [tool, all] of Object.entries(inputs)) {
    for (const input of all) {
      const { content } = await withoutLag(() => oriel.tool(tool).run(input) as Promise<Answer>);
      expect(JSON.stringify(content).length).toBeLessThan(4_000);
    }
  }
});

test('of very many unknown fields a few are named', { tags: 'slow' }, async () => {
  const { oriel } = workspace();
  const keys = Array.from(
    { length: 100_000 },
    (_, i) => `path${'_'.repeat(i % 7)}${'-'.repeat(i % 11)}${i % 3}${i}`,
  );
  const input = Object.fromEntries(keys.map((name) => [name, 1]));
  const { content, isError } = await withoutLag(() => oriel.tool('read').run(input) as Promise<Answer>);
  expect(isError).toBe(true);
  expect(JSON.stringify(content).length).toBeLessThan(1_000);
});
