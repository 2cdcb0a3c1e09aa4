/**
 * Hostile servers, pages and addresses, by the numbers of their classes.
 *
 * @module-tag slow
 */

import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { offerOptions } from '../../src/faces/cli/server-options.ts';
import { createOriel } from '../../src/index.ts';
import { temporaryFolder } from '../support/commands.ts';
import { place } from '../support/dialect.ts';
import { article, type Page, paragraphs, site } from '../support/web.ts';
import { session } from '../support/wire.ts';

const reader = () => place('oriel', { web: { allow: ['127.0.0.1'] }, display: 'plain' });

async function readOne(page: Page) {
  const { url } = await site({ '/page': page });
  return reader().call('read', { path: `${url}/page` });
}

describe('U: bodies and pages', () => {
  test.each([
    ['U22 nested tables', `<html><body>${'<table><tr><td>'.repeat(8_000)}deep`],
    ['U22 two million times "<"', '<'.repeat(2_000_000)],
    [
      'U22 200,000 attributes',
      `<html><body><p ${Array.from({ length: 200_000 }, (_, i) => `a${i}=1`).join(' ')}>x`,
    ],
    ['U22 comments without an end', `<html><body>${'<!--'.repeat(500_000)}`],
    ['U22 deep inline elements', `<html><body>${'<b><i><a href=x>'.repeat(100_000)}text`],
  ])('%s', async (_, page) => {
    const { isError, text } = await readOne(page);
    expect(isError).toBe(false);
    expect(text).toMatch(/^URL: http:/);
  });

  test('U22 a table of 500×300, and a billion-column cell', async () => {
    const row = `<tr>${'<td>cell</td>'.repeat(300)}</tr>`;
    expect((await readOne(`<html><body><table>${row.repeat(500)}</table>`)).text).toContain(
      '| cell | cell |',
    );
    const wide = `<table><tr><th>a</th><th>b</th></tr><tr><td colspan="1000000000">wide</td></tr></table>`;
    expect((await readOne(article('A', paragraphs(3) + wide))).text).toContain('wide');
  });
});

test('X04 a header of an answer is always one line', async () => {
  const { text } = await readOne({ type: 'text/plain; x="\u009b"', body: 'x\n' });
  expect(text.split('\n---\n')[0]).toMatch(/^URL: .*\nContent-Type: [\x20-\x7e]*\nMethod: text\n$/);
});

test('X06 within roots the library reads no page unless asked', async () => {
  const folder = temporaryFolder();
  const readable = (options: object): unknown => {
    const oriel = createOriel({ cwd: folder, ...options });
    onTestFinished(() => oriel.close());
    return oriel.tool('read').effects.openWorld;
  };
  const roots = [folder];
  expect([readable({}), readable({ roots: [] }), readable({ web: false, s3: false })]).toEqual([
    true,
    true,
    false,
  ]);
  expect(readable({ roots })).toBe(false);
  for (const asked of [{ web: true }, { web: {} }, { s3: true }, { s3: { buckets: ['b'] } }])
    expect(readable({ roots, ...asked }), JSON.stringify(asked)).toBe(true);
});

test('X06 a server reads no web pages without --web', async () => {
  const optionsOf = (values: Record<string, unknown>) =>
    offerOptions({ values, operands: [temporaryFolder()] } as never, {
      err: process.stderr,
      signal: new AbortController().signal,
      tokens: {},
    });
  expect((await optionsOf({})).web).toBe(false);
  expect((await optionsOf({ 'allow-net': ['docs.example'] })).web).toBe(false);
  expect((await optionsOf({ web: true, 'allow-net': ['docs.example'] })).web).toEqual({
    allow: ['docs.example'],
  });
  // Why, for those who open it.
  expect(readFileSync('docs/web.md', 'utf8').replaceAll('\n', ' ')).toContain(
    'A page can contain instructions for a model, and a model that reads private files can be tricked into sending them away in a URL.',
  );
});

test.each([
  [[], false],
  [['--web'], true],
  [['--offline'], false],
])('X06 `oriel mcp` with %j declares an open world: %j', async (args, openWorldHint) => {
  const { result } = await (await session(args)).ask(1, 'tools/list');
  const tools = result?.['tools'] as { name: string; annotations: object }[];
  expect(tools.find(({ name }) => name === 'read')?.annotations).toMatchObject({ openWorldHint });
  expect(tools.find(({ name }) => name === 'grep')?.annotations).toMatchObject({ openWorldHint: false });
});
