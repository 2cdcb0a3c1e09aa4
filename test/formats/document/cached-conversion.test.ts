/** Cached texts of documents: found by the bytes of the document and nothing else, also by later processes. */

import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOriel } from '../../../src/index.ts';
import { readParts } from '../../../src/session/disk-cache.ts';
import { createSession } from '../../../src/session/session.ts';
import type { DiskCache } from '../../../src/types/session.ts';
import { docx, fixture, paragraph } from '../../support/documents.ts';
import { textOf, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

/** A cache in memory; each read is that of a process of its own. */
function cached(): {
  readonly write: (path: string, content: string | Uint8Array) => string;
  readonly entries: Map<string, Buffer>;
  read(path: string): Promise<string>;
} {
  const entries = new Map<string, Buffer>();
  const disk: DiskCache = {
    get: (key) => Promise.resolve(entries.get(key)),
    async getPieces(key, begin) {
      const take = begin();
      const value = entries.get(key);
      for (let at = 0; value && at < value.length; at += 9_999)
        await take(Buffer.from(value.subarray(at, at + 9_999)));
      return value !== undefined;
    },
    async put(key, parts) {
      entries.set(key, Buffer.from(await readParts(parts, 0, Infinity)));
    },
    remove: (key) => void entries.delete(key),
  };
  const { write, with: withOptions } = workspace();
  return {
    write,
    entries,
    async read(path) {
      const session = createSession();
      try {
        return textOf(
          await withOptions({ session: { ...session, disk } })
            .tool('read')
            .run({ path }),
        );
      } finally {
        await session.close();
      }
    },
  };
}

test('the cached text is found by other names and archives', async () => {
  const { write, read, entries } = cached();
  write('a.docx', docx(paragraph('the text')));
  expect(await read('a.docx')).toContain('the text');
  expect(entries.size).toBe(1);
  // So it can be seen where an answer comes from.
  for (const [key, value] of entries)
    entries.set(key, Buffer.from(value.toString('latin1').replace('the text', 'THE TEXT'), 'latin1'));
  expect(await read('a.docx')).toContain('THE TEXT');
  write('b.docx', docx(paragraph('the text')));
  expect(await read('b.docx')).toContain('THE TEXT');
  write('c.zip', zip([{ name: 'in/c.docx', content: docx(paragraph('the text')) }]));
  expect(await read('c.zip:in/c.docx')).toContain('THE TEXT');
  expect(entries.size).toBe(1);
});

test('another version and another page are other entries', { tags: 'slow' }, async () => {
  const { write, read, entries } = cached();
  write('a.docx', docx(paragraph('one')));
  await read('a.docx');
  write('a.docx', docx(paragraph('two')));
  expect(await read('a.docx')).toContain('two');
  write('r.pdf', fixture('report.pdf'));
  const pages = [await read('r.pdf:p1'), await read('r.pdf:p2')];
  expect([await read('r.pdf:p1'), await read('r.pdf:p2')]).toEqual(pages);
  expect(pages[0]).not.toBe(pages[1]);
  expect(entries.size).toBe(4);
});

test('a modified entry is not used', async () => {
  const { write, read, entries } = cached();
  write('a.docx', docx(paragraph('the text')));
  const whole = await read('a.docx');
  for (const [key, value] of entries) entries.set(key, value.subarray(0, -1));
  expect(await read('a.docx')).toBe(whole);
  for (const key of entries.keys()) entries.set(key, Buffer.alloc(0));
  expect(await read('a.docx')).toBe(whole);
  for (const key of entries.keys()) entries.set(key, Buffer.alloc(30_000, 255));
  expect(await read('a.docx')).toBe(whole);
});

test('text too large for memory is cached completely, or unused', async () => {
  const { write, read, entries } = cached();
  const line = 'word '.repeat(100);
  write('large.docx', docx(Array.from({ length: 4_000 }, (_, i) => paragraph(`${i} ${line}`)).join('')));
  const last = 'large.docx:-1:raw';
  expect(await read(last)).toContain('3999 word');
  const [[key, value] = ['', Buffer.alloc(0)]] = entries;
  expect(value.length).toBeGreaterThan(1 << 20);
  const other = Buffer.from(value);
  other.write('THE END', value.lastIndexOf('3999 word'));
  entries.set(key, other);
  expect(await read(last)).toContain('THE END');
  entries.set(key, other.subarray(0, -1));
  expect(await read(last)).toContain('3999 word');
});

test('refusals and encrypted documents are not cached', async () => {
  const { write, read, entries } = cached();
  write('broken.docx', docx(paragraph('x')).subarray(0, 200));
  expect(await read('broken.docx')).toContain('Cannot read');
  write('e.pdf', fixture('encrypted-user-pw-secret.pdf'));
  expect(await read('e.pdf:password=secret:p1')).toContain('COLSEQ-001');
  expect(entries.size).toBe(0);
});

test('cache files outlive the session, `cache: false` leaves none', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { write } = workspace();
  const path = write('a.docx', docx(paragraph('the text')));
  for (const [cache, count] of [
    [false, 0],
    [{ directory }, 1],
    [{ directory }, 1],
  ] as const) {
    const oriel = createOriel({ cache });
    expect(textOf(await oriel.tool('read').run({ path }))).toContain('the text');
    await oriel.close();
    expect(readdirSync(directory)).toHaveLength(count);
  }
});

test('a document with equal name, size, times is told apart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { write } = workspace();
  const read = async (path: string): Promise<string> => {
    const oriel = createOriel({ cache: { directory } });
    const text = textOf(await oriel.tool('read').run({ path }));
    await oriel.close();
    return text;
  };
  const secret = 'the text of the secret document';
  const path = write('secret.docx', docx(paragraph(secret)));
  expect(await read(path)).toContain(secret);
  const { atime, mtime } = statSync(path);
  write('secret.docx', docx(paragraph(secret.replace('secret', 'public'))));
  utimesSync(path, atime, mtime);
  expect(await read(path)).not.toContain(secret);
  // Neither the name of the document nor its digest tells which file has its text.
  expect(readdirSync(directory).every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
});
