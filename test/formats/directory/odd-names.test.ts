/** Names that cannot be typed: what lists them gives the call that reads them. */

import { mkdirSync, writeFileSync } from 'node:fs';
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

test.skipIf(process.platform !== 'linux')('a name that is not UTF-8 is read by its URL', async () => {
  const { call, folder, write } = place('oriel', unhurried);
  mkdirSync(Buffer.concat([Buffer.from(`${folder}/d`), Buffer.of(0xfe)]));
  for (const name of [[0xff], [0xfe, 0x2f, 0x62]])
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/${name[1] ? 'd' : 'a'}`), Buffer.from(name)]), 'x\n');
  write('\ufffd.txt', '');
  const [file, directory] = [`file://${folder}/a%FF`, `file://${folder}/d%FE`];
  const { text } = await call('read', { path: '.' });
  expect(text).toContain(`a\\xff  2 B  now  (read ${file})`);
  expect(text).toContain(`d\\xfe/  now  (read ${directory})\n  b  2 B`);
  expect((await call('ls', {})).text).toBe(`a\\xff (read ${file})\nd\\xfe/ (read ${directory})\n\ufffd.txt`);
  expect((await call('find', { pattern: '**' })).text).toBe(
    `a\\xff (read ${file})\nd\\xfe/b (read ${directory}/b)\n\ufffd.txt`,
  );
  for (const path of [file, `${directory}/b`, `${directory}/b:1..1`])
    expect((await call('read', { path })).text).toBe('1|x\n');
  expect((await call('ls', { path: directory })).text).toBe('b');
  for (const [path, shown] of [
    [file, 'a\\xff'],
    [directory, 'd\\xfe/b'],
  ] as const)
    expect((await call('grep', { pattern: 'x', path, output: 'count' })).text).toContain(
      `${shown} (read file://`,
    );
});

test.skipIf(process.platform !== 'linux')('a private file is so in every spelling of its name', async () => {
  const { call, folder, write } = place('oriel', { ...unhurried, deny: ['*.key', '\u00e9*'] });
  write('\u00e9.txt', 'x\n');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff), Buffer.from('.key')]), 'x\n');
  for (const path of ['\u00e9.txt', '\udcc3\udca9.txt', '\udcff.key', `file://${folder}/%FF.key`])
    expect((await call('read', { path })).details['error']).toMatchObject({ code: 'PRIVATE' });
  expect((await call('ls', {})).text).toBe('\u00e9.txt (private)\n\\xff.key (private)');
  expect((await call('grep', { pattern: 'x' })).text).toContain('2 private files');
});
