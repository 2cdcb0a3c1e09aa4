import { mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { SearchRun } from '../../src/search/search-run.ts';
import type { Call } from '../../src/types/call.ts';

function searchFor(pattern: string): SearchRun {
  const call = {
    signal: new AbortController().signal,
    deadline: performance.now() + 200_000,
  } as unknown as Call;
  return new SearchRun({ kind: 'search', pattern } as never, call, { before: 0, after: 0 });
}

test.each([
  ['needle', true],
  ['ne[[:alpha:]]dle\\.', true],
  ['ne[[:^alpha:]]dle', false],
  ['ne[^e]dle', false],
  ['ne.dle', false],
  ['Übung', false],
])('every match of %s is ASCII: %s', (pattern, isAscii) => {
  expect(searchFor(pattern).isAscii).toBe(isAscii);
});

const LINE = `${'a match '.repeat(8)}\n`;

test.runIf(process.platform === 'linux')(
  'a file truncated during its search gives no wrong matches',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'oriel-search-run-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const path = join(dir, 'log');
    writeFileSync(path, LINE.repeat(200_000));
    const search = searchFor('match');
    const left = 40_000;
    let said = '';
    for await (const chunk of search.overFile(['--line-number'], openSync(path, 'r'))) {
      // ripgrep waits with the next lines until these are read: it is not far yet.
      if (said === '') truncateSync(path, left * LINE.length);
      said += chunk.toString();
    }
    const whole = Array.from({ length: left }, (_, i) => `${i + 1}:${LINE}`).join('');
    expect(whole.startsWith(said)).toBe(true);
    expect(search.gaps).toMatchObject({ changed: 1, broken: false, timedOut: false });
  },
);

test.runIf(process.platform === 'linux')(
  'a file rewritten during its search gives no duplicate matches',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'oriel-search-run-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const path = join(dir, 'log');
    writeFileSync(path, LINE.repeat(200_000));
    const search = searchFor('match');
    let said = '';
    for await (const chunk of search.overFile(['--line-number', '--byte-offset'], openSync(path, 'r'))) {
      // Less than ripgrep has gone through by now.
      if (said === '') writeFileSync(path, 'match\n'.repeat(1_000));
      said += chunk.toString();
    }
    const begun = said.slice(0, said.lastIndexOf('\n') + 1);
    expect(begun).toContain(`${LINE}2:`);
    expect(begun.replaceAll(LINE, '')).toMatch(/^(\d+:\d+:)+$/);
    expect(search.gaps).toMatchObject({ changed: 1, broken: false, timedOut: false });
  },
);
