/** The documentation is held to the code: snippets run, links lead somewhere, tables agree. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { defaultSettings } from '../src/assemble.ts';
import { baseLimits, limitNames } from '../src/limits.ts';
import { queues } from '../src/queues/table.ts';
import { parseSelection } from '../src/selector/selection.ts';

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs').map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));
const read = (page: string): string => readFileSync(page, 'utf8');
const snippets = pages.flatMap((page) =>
  [...read(page).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ''], i) => ({
    page,
    name: `${page} ${i + 1}`,
    code,
  })),
);

const folder = 'test/.snippets';
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('snippets run', () => {
  test.each(snippets)('$name', async ({ name, code }) => {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.ts`);
    const local = code.replaceAll(
      /from 'oriel(\/([\w-]+))?'/g,
      (all: string) => `from '${sources[all.slice("from '".length, -1)]?.[0]}'`,
    );
    writeFileSync(file, local);
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import(`../${file}`);
    const said = [...code.matchAll(/console\.log\(.*\); \/\/ (\{.*\})$/gm)].map(([, value = '']) =>
      value.replaceAll(/\s/g, ''),
    );
    const printed = log.mock.calls.map(([value]) =>
      JSON.stringify(value).replaceAll('"', '').replaceAll(/\s/g, ''),
    );
    log.mockRestore();
    for (const value of said) expect(printed).toContain(value.replaceAll("'", ''));
  });
});

/** `'oriel/client'` → the source that the package's exports name. */
const sources: Record<string, string[]> = Object.fromEntries(
  Object.entries(
    (JSON.parse(read('package.json')) as { exports: Record<string, { default?: string }> }).exports,
  )
    .filter(([, target]) => target.default !== undefined)
    .map(([entry, target]) => [
      entry.replace('.', 'oriel'),
      [`../../${target.default?.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`],
    ]),
);

test('examples that need a model or a server fit the types', { timeout: 120_000 }, () => {
  const examples = pages.flatMap((page) =>
    [...read(page).matchAll(/^```ts types\n([\s\S]*?)^```$/gm)].map(([, code = ''], i) => ({
      name: `${page.replaceAll(/\W+/g, '-')}-${i + 1}.ts`,
      code,
    })),
  );
  expect(examples.length).toBeGreaterThan(9);
  const at = join(folder, 'types');
  mkdirSync(at, { recursive: true });
  for (const { name, code } of examples) writeFileSync(join(at, name), code);
  const paths = Object.fromEntries(
    Object.entries(sources).map(([entry, files]) => [entry, files.map((file) => `../${file}`)]),
  );
  writeFileSync(
    join(at, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', compilerOptions: { paths }, include: ['*.ts'] }),
  );
  const { stdout, status } = spawnSync('node_modules/.bin/tsc', ['-p', join(at, 'tsconfig.json')], {
    encoding: 'utf8',
  });
  expect([stdout, status]).toEqual(['', 0]);
});

test('every block of a host’s configuration starts our server', () => {
  const blocks = [...read('docs/hosts.md').matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => {
    const [servers] = Object.values(JSON.parse(text) as Record<string, Record<string, { args: string[] }>>);
    return servers?.['oriel'];
  });
  expect(blocks).toHaveLength(5);
  for (const block of blocks) {
    expect(block).toMatchObject({ command: 'npx' });
    expect(block?.args.slice(0, 3)).toEqual(['-y', 'oriel', 'mcp']);
  }
});

test('links lead to files that exist', () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target) && !existsSync(normalize(join(dirname(page), target))))
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('the table of error codes is complete', () => {
  const [, union = ''] = /export type ErrorCode =([^;]*);/.exec(read('src/errors.ts')) ?? [];
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
  const rows = read('docs/errors.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const described = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code),
  );
  expect(codes.length).toBeGreaterThan(20);
  expect(described.toSorted()).toEqual(codes.toSorted());
});

test('every code is used', () => {
  const [, union = ''] = /export type ErrorCode =([^;]*);/.exec(read('src/errors.ts')) ?? [];
  const code = (readdirSync('src', { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts') && name !== 'errors.ts')
    .map((name) => read(join('src', name)))
    .join('');
  const codes = [...union.matchAll(/'[A-Z_]+'/g)].map(([code]) => code);
  expect(codes.filter((name) => !code.includes(name))).toEqual([]);
});

test('every selector in the table is one', () => {
  const rows = read('docs/selectors.md')
    .split('\n')
    .filter((line) => line.startsWith('| `:'));
  const forms = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`:([^`]+)`/g)].map(([, form = '']) => form),
  );
  expect(forms.length).toBeGreaterThan(12);
  expect(forms.filter((form) => parseSelection(form) === undefined)).toEqual([]);
});

test('the table of limits is the limits', () => {
  const page = read('docs/paging.md');
  const named = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
  expect(named).toEqual(limitNames);
  const defaults = Object.fromEntries(
    [...page.matchAll(/^\| `(\w+)` +\| ([^|]*?) +\|/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(defaults).toMatchObject({
    lines: baseLimits.lines.toLocaleString('en'),
    bytes: `${baseLimits.bytes / 1024} KiB`,
    window: `${baseLimits.window / 1024} KiB`,
    windowMax: `${baseLimits.windowMax / 1024} KiB`,
    countBytes: `${baseLimits.countBytes / 2 ** 30} GiB`,
  });
  expect(defaultSettings.display).toBe('numbers');
});

test('the table of queues is that of the code', () => {
  const stated = [...read('docs/concurrency.md').matchAll(/^\| `([\w-]+)` +\| (\d+) +\| (\d+) +\|/gm)].map(
    ([, name, limit, waiting]) => ({ name, limit: Number(limit), waiting: Number(waiting) }),
  );
  expect(stated).toEqual(
    Object.values(queues).map(({ name, limit, maxWaiting }) => ({ name, limit, waiting: maxWaiting })),
  );
});
