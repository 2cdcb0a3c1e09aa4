import { expect, test } from 'vitest';
import { listWording, sayTogether, shownName } from '../../src/render/list-notices.ts';

test('every sentence, as it is', () => {
  const say = (...notices: Parameters<typeof sayTogether>[0]): string => sayTogether(notices, listWording);
  expect(say({ kind: 'limit', of: 'matches', limit: 100, next: 100 })).toBe(
    '100 matches limit reached. Use offset=100 to continue, limit=200 for more, or refine pattern',
  );
  expect(say({ kind: 'limit', of: 'results', limit: 1000, next: 3000 })).toBe(
    '1000 results limit reached. Use offset=3000 to continue, limit=2000 for more, or refine pattern',
  );
  expect(say({ kind: 'limit', of: 'entries', limit: 500, next: 500 })).toBe(
    '500 entries limit reached. Use offset=500 to continue, limit=1000 for more',
  );
  const budget = { kind: 'budget', by: 'bytes', budget: 51_200, shown: 50, found: 100, next: 150 } as const;
  expect(say({ ...budget, of: 'matches', more: true })).toBe(
    '50 KiB limit reached (50 of 100+ matches shown). Use offset=150 to continue',
  );
  expect(say({ ...budget, of: 'matches', more: false })).toBe(
    '50 KiB limit reached (50 of 100 matches shown). Use offset=150 to continue',
  );
  expect(say({ ...budget, of: 'results', more: true })).toBe(
    '50 KiB limit reached. Use offset=150 to continue',
  );
  expect(say({ ...budget, of: 'entries', by: 'tokens', budget: 900, more: true })).toBe(
    '900 token limit reached. Use offset=150 to continue',
  );
  expect(say({ kind: 'clipped', characters: 500, use: 'a.js:1..1' })).toBe(
    'Some lines truncated to 500 chars. Use read a.js:1..1 to see the first of them in full',
  );
  expect(say({ kind: 'clipped', characters: 500 })).toBe(
    'Some lines truncated to 500 chars. Use read to see full lines',
  );
  expect(say({ kind: 'beyond', of: 'results', offset: 9, total: 3 })).toBe(
    'offset=9 is beyond the last of 3 results. Use offset=0 to begin again',
  );
  expect(say({ kind: 'timed-out' }, { kind: 'denied' }, { kind: 'too-deep' }, { kind: 'too-many' })).toBe(
    'The time limit was reached: more may follow. Narrow the path or the pattern. ' +
      'Some files or directories could not be read (permission denied). ' +
      'Directories whose paths are longer than 4096 bytes were left out. ' +
      'The directory has more entries than are read: some were left out',
  );
  expect(say({ kind: 'unnamed', count: 2 })).toBe('2 files left out whose name is not UTF-8');
  expect(say()).toBe('');
});

test('a name is one line and cannot be one of our sentences', () => {
  expect(shownName('a\nb\t\x1b')).toBe('a\\nb\\t\\x1b');
  expect(shownName('[slug]')).toBe('[slug]');
  expect(shownName('[500 entries limit reached. Use limit=1000 for more]')).toBe(
    '"[500 entries limit reached. Use limit=1000 for more]"',
  );
});
