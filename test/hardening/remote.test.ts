/**
 * What servers send holds up nobody: the event loop goes on, whatever the size and shape of an answer.
 *
 * @module-tag slow
 */

import { describe, expect, test } from 'vitest';
import { place } from '../support/dialect.ts';
import { gitHubServer } from '../support/github.ts';
import { withoutLag } from '../support/lag.ts';
import { type Page, site } from '../support/web.ts';

const MIB = 1 << 20;

/** About `bytes` of JSON. */
const listOf = (item: string, bytes: number): string =>
  `[${`${item},`.repeat(bytes / (item.length + 1))}${item}]`;

const shapes: readonly (readonly [string, string])[] = [
  ['a list of objects', listOf('{}', 4 * MIB)],
  ['a list of lists', listOf('[[]]', 4 * MIB)],
  ['a list of numbers', listOf('1', 4 * MIB)],
  ['brackets', '['.repeat(2 * MIB) + ']'.repeat(2 * MIB)],
  ['one string', `["${'é'.repeat(2 * MIB)}"]`],
  ['labels', `{"title":"T","number":7,"labels":${listOf('{"name":"a"}', 4 * MIB)}}`],
  ['keys', `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":{}`).join()}}`],
];

async function read(page: Page): Promise<string> {
  const { url } = await site({ '/page': page });
  // One place remembers what it has read.
  const reader = () => place('oriel', { web: { allow: ['127.0.0.1'] }, display: 'plain' });
  // The first page loads what reads pages.
  await reader().call('read', { path: `${url}/first` });
  return (await withoutLag(() => reader().call('read', { path: `${url}/page` }))).text;
}

describe('pages', () => {
  test.each(shapes)('JSON: %s', async (_, body) => {
    expect(await read({ type: 'application/json', body })).toMatch(/\nMethod: json\n/);
  });

  test.each<[string, string, string | Uint8Array]>([
    ['26 MB of JSON in one line', 'application/json', listOf('{"id":1,"name":"a name"}', 26_000_000)],
    ['a feed', 'application/rss+xml', `<rss><channel>${'<item><title>x</title></item>'.repeat(100_000)}`],
    ['a page of tags', 'text/html', `<html><body>${'<a href=x><b>'.repeat(200_000)}`],
    ['comments', 'text/html', `${'<!---->'.repeat(500)}<feed>${'<!---->'.repeat(400_000)}`],
    ['lines', 'text/plain', 'x\n'.repeat(2 * MIB)],
    ['hidden characters', 'text/plain; charset=windows-1252', new Uint8Array(4 * MIB).fill(0x81)],
    ['invalid bytes', 'text/plain; charset=utf-8', new Uint8Array(4 * MIB).fill(0xff)],
    ['bytes', 'application/octet-stream', new Uint8Array(16 * MIB)],
  ])('%s', async (_, type, body) => {
    expect(await read({ type, body })).toMatch(/./);
  });

  test('a body that is sent byte by byte', async () => {
    await read((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (let i = 0; i < 20_000; i += 1) response.write('x');
      response.end();
    });
  });
});

describe('GitHub', () => {
  test.each(shapes)('%s', async (_, body) => {
    const github = await gitHubServer();
    github.instead = (_request, response) => response.end(body);
    const read = (path: string) => place('oriel', { display: 'plain' }).call('read', { path });
    for (const path of ['issue://acme/widget/7', 'pr://acme/widget']) {
      const { details } = await withoutLag(() => read(path));
      expect(details['error'] ?? {}).not.toMatchObject({ code: 'INTERNAL' });
    }
  });

  test('a diff of many files', async () => {
    const github = await gitHubServer();
    const file = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';
    github.instead = (_request, response) => response.end(file.repeat((4 * MIB) / file.length));
    for (const path of ['pr://acme/widget/12/diff', 'pr://acme/widget/12/diff/100000']) {
      await withoutLag(() => place('oriel', { display: 'plain' }).call('read', { path }));
    }
  });
});
