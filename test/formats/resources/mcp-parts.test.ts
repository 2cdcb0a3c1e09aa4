/**
 * `mcp://`: resources that have parts. Every call that an answer suggests for them works, and so does every spelling of
 * one.
 */

import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOriel } from '../../../src/index.ts';
import { callsOf } from '../../support/dialect.ts';
import { notesServer } from '../../support/mcp.ts';
import { databaseBytes } from '../../support/sqlite.ts';
import { zip } from '../../support/zip.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-test-')));
const oriel = createOriel({ cwd: folder, display: 'plain', mcpServers: notesServer(folder) });
const call = callsOf(oriel);
const read = (path: string) => call('read', { path });

beforeAll(async () => {
  const files = join(folder, 'files');
  mkdirSync(files);
  for (const name of ['report.pdf', 'slides.pptx', 'sheet.xlsx', 'sheet.ods', 'report.docx']) {
    copyFileSync(join('test/fixtures/documents', name), join(files, name));
  }
  writeFileSync(
    join(files, 'app.db'),
    await databaseBytes('create table users (name text)', "insert into users values ('Ada'), ('Bob')"),
  );
  copyFileSync(join(files, 'report.pdf'), join(files, 'plain'));
  copyFileSync(join(files, 'app.db'), join(files, 'table'));
  const member = (name: string, data: string | Uint8Array) => ({ name, content: data });
  const inner = zip([member('deep.txt', 'deep\n')]);
  writeFileSync(
    join(files, 'all.zip'),
    zip([member('dir/a.txt', 'one\ntwo\n'), member('odd:name.txt', 'odd\n'), member('inner.zip', inner)]),
  );
});

afterAll(async () => {
  await oriel.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['mcp://notes/doc:/', 'mcp://notes/any://files'])('%s', (at) => {
  test.each([
    ['slides.pptx:p1', /\S/],
    ['report.docx:1..2', /\S/],
    ['app.db:users', /Ada/],
    ['app.db:users:2', /Bob/],
    ["app.db:users?where=name='Bob'", /Bob/],
    ['app.db?q=select name from users order by name desc', /Bob[^]*Ada/],
    ["app.db?q=select 'a:b' as c", /a:b/],
    ['all.zip:dir/a.txt', /^one\ntwo\n/],
    ['all.zip:dir/a.txt:2..2', /^two\n/],
    ['all.zip:dir', /a\.txt/],
    ['all.zip:odd:name.txt', /^odd\n/],
    ['all.zip:inner.zip:deep.txt', /^deep\n/],
  ])('%s', async (part, shown) => {
    const { text, isError } = await read(`${at}/${part}`);
    expect(isError, text).toBe(false);
    expect(text).toMatch(shown);
  });

  test.each(['report.pdf:p1', 'report.pdf:p1:1..2'])('%s', { tags: 'slow' }, async (part) => {
    expect(await read(`${at}/${part}`)).toMatchObject({ isError: false, text: expect.stringMatching(/\S/) });
  });

  test.each(['sheet.xlsx', 'sheet.ods', 'app.db', 'all.zip', 'slides.pptx', 'report.pdf:outline'])(
    'the calls named in %s can be read',
    { tags: 'slow' },
    async (name) => {
      const { text, isError } = await read(`${at}/${name}`);
      expect(isError, text).toBe(false);
      const calls = [...text.matchAll(/mcp:\/\/notes\/[^\s\]|,;]+/g)].map(([call]) =>
        call.replace(/[.)]+$/, ''),
      );
      for (const call of calls) expect(await read(call), call).toMatchObject({ isError: false });
    },
  );

  test('oriel reports a missing part, the server a missing resource', async () => {
    expect(await read(`${at}/app.db:nope`)).toMatchObject({ isError: true });
    expect((await read(`${at}/app.db:nope`)).text).toContain('There is no table nope');
    expect((await read(`${at}/nope.pdf:p1`)).text).toMatch(/^The MCP server notes answers: /);
  });
});

test('a listed resource continues only as a template URI', async () => {
  expect((await read('mcp://notes/note:list')).text).toBe('listed\n');
  expect((await read('mcp://notes/note:list:b')).text).toBe('b of the list\n');
  expect((await read('mcp://notes/note://one:p7')).text).toMatch(
    /^:?p7 is not a selector of mcp:\/\/notes\/note:\/\/one\./,
  );
});

test('a type is detected by content, not by name', async () => {
  expect(await read('mcp://notes/any://files/plain:p1')).toMatchObject({ isError: false });
  expect((await read('mcp://notes/any://files/table:users:2')).text).toContain('Bob');
});
