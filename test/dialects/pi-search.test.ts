/** What pi's grep, find and ls answer over real files. */

import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { numbered, place } from '../support/dialect.ts';

describe('grep', () => {
  test('the match limit is hit', async () => {
    const { write, call } = place('pi');
    write('file.ts', numbered(1, 300, ' match'));
    const { text, details } = await call('grep', { pattern: 'match' });
    const lines = text.split('\n');
    expect(lines.slice(0, 2)).toEqual(['file.ts:1: 1 match', 'file.ts:2: 2 match']);
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe('[100 matches limit reached. Use limit=200 for more, or refine pattern]');
    expect(details).toMatchObject({ matchLimitReached: 100 });
    const more = await call('grep', { pattern: 'match', limit: 200 });
    expect(more.text.split('\n')).toHaveLength(201);
    expect(more.text.startsWith(lines.slice(0, 100).join('\n'))).toBe(true);
  });

  test('the byte limit is hit', async () => {
    const { write, call } = place('pi');
    // `file.ts:N: ` and 489 characters: 60 lines of about 500 bytes fit.
    write('file.ts', `${'m'.repeat(489)}\n`.repeat(90));
    const { text, details } = await call('grep', { pattern: 'm' });
    expect(text.split('\n').at(-1)).toBe('[30KB limit reached (59 of 90 matches shown)]');
    expect(details).toMatchObject({ truncation: { truncatedBy: 'bytes', outputLines: 59, totalLines: 90 } });
    write('file.ts', `${'m'.repeat(489)}\n`.repeat(120));
    const more = await call('grep', { pattern: 'm' });
    expect(more.text.split('\n').at(-1)).toBe('[30KB limit reached (59 of 100+ matches shown)]');
    expect(more.details['matchLimitReached']).toBeUndefined();
  });

  test('several notices share one bracket', async () => {
    const { write, call } = place('pi');
    write('file.ts', `${'x'.repeat(600)}\n`.repeat(2));
    const { text } = await call('grep', { pattern: 'x', limit: 1 });
    expect(text.split('\n').at(-1)).toBe(
      '[1 matches limit reached. Use limit=2 for more, or refine pattern. Some lines truncated to 500 chars. Use read tool to see full lines]',
    );
  });

  test('long lines are shown by their first 500 characters', async () => {
    const { write, call } = place('pi');
    write('file.ts', `${'x'.repeat(499)}needle${'y'.repeat(100)}\nnormal needle\n`);
    const { text, details } = await call('grep', { pattern: 'needle' });
    expect(text).toBe(
      `file.ts:1: ${'x'.repeat(499)}n... [truncated]\nfile.ts:2: normal needle\n[Some lines truncated to 500 chars. Use read tool to see full lines]`,
    );
    expect(details).toMatchObject({ linesTruncated: true });
  });
});

test('find: the result limit is hit', async () => {
  const { write, call } = place('pi');
  for (let i = 0; i < 12; i += 1) write(`src/file${String(i).padStart(2, '0')}.ts`, '');
  const { text, details } = await call('find', { pattern: '*.ts', limit: 3 });
  expect(text).toBe(
    'src/file00.ts\nsrc/file01.ts\nsrc/file02.ts\n[3 results limit reached. Use limit=6 for more, or refine pattern]',
  );
  expect(details).toMatchObject({ resultLimitReached: 3 });
  expect((await call('find', { pattern: '*.ts' })).text.split('\n')).toHaveLength(12);
});

test('find and ls: the byte limit is hit', async () => {
  const { write, call } = place('pi', { limits: { bytes: 1000 } });
  for (let i = 0; i < 50; i += 1) write(`${'d'.repeat(50)}/file${i}.ts`, '');
  const { text, details } = await call('find', { pattern: '*.ts' });
  expect(text.split('\n').at(-1)).toBe('[1KB limit reached]');
  expect(details).toMatchObject({ truncation: { truncatedBy: 'bytes' } });
  for (let i = 0; i < 20; i += 1) write(`e/${'f'.repeat(60)}${i}`, '');
  expect((await call('ls', { path: 'e' })).text.split('\n').at(-1)).toBe('[1KB limit reached]');
});

test('nothing', async () => {
  const { folder, call } = place('pi');
  mkdirSync(`${folder}/empty`);
  expect((await call('grep', { pattern: 'x' })).text).toBe('No matches found');
  expect((await call('find', { pattern: '*.ts' })).text).toBe('No files found matching pattern');
  expect((await call('ls', { path: 'empty' })).text).toBe('(empty directory)');
});

test('ls: the entry limit is hit', async () => {
  const { write, call } = place('pi');
  write('.gitignore', '');
  write('README.md', '');
  write('src/a.ts', '');
  write('z', '');
  const { text, details } = await call('ls', { limit: 3 });
  expect(text).toBe('.gitignore\nREADME.md\nsrc/\n[3 entries limit reached. Use limit=6 for more]');
  expect(details).toMatchObject({ entryLimitReached: 3 });
});
