import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assemble } from '../../src/assemble.ts';
import { OrielError } from '../../src/errors.ts';
import { Tree } from '../support/tree.ts';

let work: Tree;

/** Seconds since the epoch, by path. */
const times: Readonly<Record<string, number>> = {
  'a.txt': 1_000,
  'b.txt': 3_000,
  'c/d.txt': 2_000,
  'c/e.txt': 3_000,
  'f.txt': 5_000,
};

beforeEach(async () => {
  work = await Tree.create({
    'a.txt': 'x1\nx2\n',
    'b.txt': 'x1\n',
    'c/d.txt': 'x1\nx2\nx3\n',
    'c/e.txt': 'x1\n',
    'f.txt': 'no\n',
  });
  for (const [path, time] of Object.entries(times)) await utimes(join(work.path, path), time, time);
});

afterEach(() => work.remove());

const inOrder = [
  'b.txt:1: x1',
  'c/e.txt:1: x1',
  'c/d.txt:1: x1',
  'c/d.txt:2: x2',
  'c/d.txt:3: x3',
  'a.txt:1: x1',
  'a.txt:2: x2',
];

test('newest files first, those of equal times by path', { tags: 'slow' }, async () => {
  expect(await work.text('grep', { pattern: 'x', sort: 'time' })).toBe(inOrder.join('\n'));
  expect(await work.text('grep', { pattern: 'x', sort: 'path' })).toBe(inOrder.toSorted().join('\n'));
  expect(await work.text('grep', { pattern: 'x', sort: 'time', output: 'count' })).toBe(
    'b.txt: 1\nc/e.txt: 1\nc/d.txt: 3\na.txt: 2',
  );
  expect(await work.text('grep', { pattern: 'x', sort: 'time', output: 'files', path: 'c' })).toBe(
    'c/e.txt\nc/d.txt',
  );
  expect(await work.text('grep', { pattern: 'x1', sort: 'time', glob: '*.txt', multiline: true })).toBe(
    'b.txt:1: x1\nc/e.txt:1: x1\nc/d.txt:1: x1\na.txt:1: x1',
  );
  expect(await work.text('grep', { pattern: 'x2', sort: 'time', path: 'a.txt' })).toBe('a.txt:2: x2');
});

test('an offset beyond the last match is explained', async () => {
  expect(await work.text('grep', { pattern: 'x', sort: 'time', offset: 9 })).toBe(
    '[offset=9 is beyond the last of 7 matches. Use offset=0 to begin again]',
  );
});

test('find: paths, pages and no result', async () => {
  expect(await work.text('find', { pattern: '*.txt', sort: 'time' })).toBe(
    'f.txt\nb.txt\nc/e.txt\nc/d.txt\na.txt',
  );
  expect(await work.text('find', { pattern: '*.txt', sort: 'time', limit: 2, offset: 1 })).toBe(
    'b.txt\nc/e.txt\n[2 results limit reached. Use offset=3 to continue, limit=4 for more, or refine pattern]',
  );
  expect(await work.text('find', { pattern: '*.md', sort: 'time' })).toBe('No files found matching pattern');
  expect(await work.text('find', { pattern: '*.txt', sort: 'path', limit: 1 })).toContain('a.txt\n');
});

test('texts in containers have no time; the error names alternatives', async () => {
  expect(await work.answer('grep', { pattern: 'x', sort: 'time', inside: true })).toMatchObject({
    content: [
      {
        text: 'Members of documents and archives cannot be sorted by time. Use sort=time without inside, or inside without sort.',
      },
    ],
    details: { error: { code: 'BAD_INPUT', next: '{"pattern":"x","inside":false,"sort":"time"}' } },
    isError: true,
  });
});

test.each([
  ['CORRUPT', 'not searched'],
  ['DENIED', 'permission denied'],
  ['LIMIT', 'not searched'],
  ['TIMEOUT', 'not searched'],
  ['NOT_FOUND', undefined],
  ['BUSY', 'these results are partial'],
] as const)('a found file that becomes unreadable (%s) is a gap', { tags: 'slow' }, async (code, said) => {
  const { engine, run, tool } = assemble({ cwd: work.path, telemetry: false });
  const { open } = engine.access;
  Object.assign(engine.access, {
    open: async (path: string, signal: AbortSignal) => {
      if (path.endsWith('e.txt')) throw new OrielError(code, 'Made by a test.');
      return open(path, signal);
    },
  });
  const { content } = await run(tool('grep'), { pattern: 'x', sort: 'time' });
  const { text } = content[0] as { text: string };
  const notice = said === undefined ? '' : `\n[${text.split('\n[')[1]}`;
  const others = inOrder.filter((line) => !line.startsWith('c/e.txt')).join('\n');
  expect(notice).toContain(said ?? '');
  if (said === 'these results are partial') expect(others).toContain(text.replace(notice, ''));
  else expect(text).toBe(others + notice);
});
