/** A search in archives: its cost with many members, and the notices about parts that were not searched. */

import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SearchRun } from '../../src/search/search-run.ts';
import { sheetRow, xlsx } from '../support/documents.ts';
import { tar } from '../support/tar.ts';
import { textOf, unhurried, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const PART = '[1 text searched in part: too large, damaged, cut off, or a BLOB.';

function archives() {
  const { write, oriel, read } = workspace(unhurried);
  const grep = async (pattern: string, path: string): Promise<string> =>
    textOf(await oriel.tool('grep').run({ pattern, path }));
  return { write, oriel, read, grep };
}

interface TextMember {
  readonly name: string;
  readonly content: string;
}

const members = (count: number): TextMember[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `d/f${i}.txt`,
    content: `word${i}end ${randomBytes(400).toString('hex')}\n`,
  }));

test('a compressed tar with many members is unpacked once', { tags: 'slow' }, async () => {
  const { write, oriel, grep } = archives();
  write('many.tar.gz', gzipSync(tar(members(600))));
  expect(await grep('word599end', 'many.tar.gz')).toContain('many.tar.gz:d/f599.txt:1: word599end');
  expect(oriel.session.store.stats().get('unpacked stream')?.misses).toBeLessThan(5);
});

test.each([
  ['packed', (of: readonly TextMember[]) => zip(of), ''],
  ['stored', (of: readonly TextMember[]) => zip(of.map((one) => ({ ...one, method: 0 }))), ''],
  ['in a compressed tar', (of: readonly TextMember[]) => gzipSync(tar(of)), ''],
  ['or is too large to be looked through', (of: readonly TextMember[]) => zip(of), 'x'.repeat(1 << 20)],
])('only a member with the word starts a process: %s', async (_, pack, rest) => {
  const { write, grep } = archives();
  const run = vi.spyOn(SearchRun.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  const large = { name: 'large.txt', content: `another ${randomBytes(40_000).toString('hex')}\n${rest}` };
  write('a.bin', pack([...members(12), large]));
  expect(await grep('word7end', 'a.bin')).toMatch(/^a\.bin:d\/f7\.txt:1: word7end /);
  // One more is prepared for plain files, and not started.
  expect(run).toHaveBeenCalledTimes(rest === '' ? 2 : 3);
});

test('a truncated archive gives a notice with and without matches', { tags: 'slow' }, async () => {
  const { write, grep } = archives();
  const whole = gzipSync(tar(members(600)));
  write('cut.tar.gz', whole.subarray(0, whole.length / 2));
  write('cut.tar', tar(members(600)).subarray(0, 300_700));
  for (const name of ['cut.tar.gz', 'cut.tar']) {
    expect(await grep('word3end', name)).toMatch(/f3\.txt:1: word3end[^]*\n\[1 text searched in part/);
    expect(await grep('word599end', name)).toContain(PART);
  }
  write(
    'cut.log.gz',
    gzipSync(`first\n${randomBytes(300_000).toString('hex')}\nlast\n`).subarray(0, 200_000),
  );
  expect(await grep('last', 'cut.log.gz')).toContain(PART);
});

test('members that are addressed only by number are searched', async () => {
  const { write, read, grep } = archives();
  write(
    'twice.tar',
    tar([
      { name: 'a.txt', content: 'the old needle\n' },
      { name: 'a.txt', content: 'the new needle\n' },
      { name: '../out.txt', content: 'needle outside\n' },
    ]),
  );
  const found = await grep('needle', 'twice.tar');
  expect(found).toContain('twice.tar:a.txt:1: the new needle');
  const [call = ''] = /^twice\.tar:%~\d+(?=:1: the old needle$)/m.exec(found) ?? [];
  expect(textOf(await read(call))).toContain('the old needle');
  expect(found).not.toContain('outside');
});

test('a timeout in a document shows the matches so far', { tags: 'slow' }, async () => {
  const { write, with: withOptions } = workspace(unhurried);
  write('a.txt', 'the needle\n');
  const rows = Array.from({ length: 200_000 }, (_, i) => sheetRow(i + 1, [i, `row ${i}`, i / 7, i * 3]));
  write('z.xlsx', xlsx([['S', `<sheetData>${rows.join('')}</sheetData>`]]));
  const grep = withOptions({ timeoutMs: 4_000 }).tool('grep');
  const answer = await grep.run({ pattern: 'needle', path: '.', inside: true });
  expect([answer.isError, textOf(answer)]).toEqual([
    false,
    expect.stringMatching(/^a\.txt:1: the needle\n[^]*The time limit was reached/),
  ]);
});
