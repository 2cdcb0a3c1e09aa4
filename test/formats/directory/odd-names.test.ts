/** Names that cannot be typed: the listing gives the call that reads them, or counts them. */

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { place } from '../../support/dialect.ts';
import { unhurried } from '../../support/workspace.ts';

test('a name with control characters has the call that reads it', async () => {
  const { call, write } = place('oriel', unhurried);
  const url = pathToFileURL(write('new\nline.txt', 'text\n')).href;
  expect((await call('read', { path: '.' })).text).toBe(`new\\nline.txt  5 B  now  (read ${url})\n`);
  expect((await call('read', { path: url })).text).toContain('1|text');
  expect((await call('grep', { pattern: 'text', path: url })).text).toContain('new\\nline.txt:1: text');
});

test.skipIf(process.platform !== 'linux')('names that are not UTF-8 are counted', async () => {
  const { call, folder, write } = place('oriel', unhurried);
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad-`), Buffer.of(0xff)]), '');
  expect((await call('read', { path: '.' })).text).toBe('… 1 name left out that is not UTF-8\n');
  expect((await call('ls', {})).text).toBe('(empty directory)\n[1 file left out whose name is not UTF-8]');
  write('\ufffd.txt', '');
  expect((await call('ls', {})).text).toBe('\ufffd.txt\n[1 file left out whose name is not UTF-8]');
});
