/** `git://log`, `git://show` and `git://diff/A..B`: the commits of git, and diffs that git applies. */

import { rmSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { diffText } from '../../../src/formats/git/diff.ts';
import type { TreeEntry } from '../../../src/git/trees.ts';
import { commitAll, git, numberedLines as lines } from '../../support/git.ts';
import { has } from '../../support/has.ts';
import { bodyOf, nextOf, unhurried, type Workspace, workspace } from '../../support/workspace.ts';

/** Changes of all kinds, one commit each, and a merge. */
function fill(w: Workspace): Workspace {
  git(w.W, 'init', '--quiet', '--initial-branch=main');
  w.write('src/app.ts', lines(1, 200));
  w.write('dos.txt', 'a\r\nb\r\nc\r\n');
  w.write('end.txt', 'no newline');
  w.write('a b.txt', 'blank\n');
  w.write('.env', 'SECRET=1\n');
  w.write('gone.txt', lines(1, 5));
  commitAll(w.W, 'Begin\n\nWith a body.');
  w.write('src/app.ts', lines(1, 99) + 'changed\n' + lines(101, 180) + lines(190, 200));
  w.write('dos.txt', 'a\r\nB\r\nc\r\n');
  w.write('end.txt', 'no newline\nbut more');
  w.write('a b.txt', 'blank\nand more\n');
  w.write('.env', 'SECRET=2\n');
  w.write('new/file.txt', 'new\n');
  w.write('empty', '');
  w.write('binary', Buffer.from([0, 1, 2]));
  rmSync(join(w.W, 'gone.txt'));
  symlinkSync('a b.txt', join(w.W, 'link'));
  commitAll(w.W, 'Change');
  renameSync(join(w.W, 'src/app.ts'), join(w.W, 'src/main.ts'));
  writeFileSync(
    join(w.W, 'src/main.ts'),
    `first\n${lines(1, 99)}changed\n${lines(101, 180)}${lines(190, 200)}`,
  );
  commitAll(w.W, 'Rename');
  git(w.W, 'checkout', '--quiet', '-b', 'side', 'HEAD~1');
  w.write('side.txt', 'side\n');
  git(w.W, 'add', '--all');
  git(w.W, 'commit', '--quiet', '--message', 'Side', '--author', 'Eve <eve@example.com>');
  git(w.W, 'checkout', '--quiet', 'main');
  git(w.W, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'side');
  return w;
}

const FORMAT = ['log', '--date=short', '--abbrev=12', '--format=%h %ad %an: %s'];

describe.runIf(has('git'))('of a repository', () => {
  const w = fill(workspace(unhurried, afterAll));

  test.each([
    ['git://log', []],
    ['git://log/src', ['--', 'src']],
    ['git://log/dos.txt', ['--', 'dos.txt']],
    ['git://log?range=HEAD~2..HEAD', ['HEAD~2..HEAD']],
    ['git://log/side.txt?range=side', ['side', '--', 'side.txt']],
    ['git://log?author=EVE@', ['--author=eve@']],
    ['git://log?limit=2', ['-2']],
    ['git://log?since=2026-01-02', ['--since=2026-01-02T00:00:00Z']],
  ])('%s has the commits of git log', async (url, args) => {
    const text = await w.text(`${url}:raw`);
    expect(text.replace(/\n*\[.*\]\n*$/s, '\n')).toBe(git(w.W, ...FORMAT, ...args));
  });

  test('a log that is cut names the call for more', async () => {
    expect(await w.text('git://log?limit=2')).toContain('Use git://log?limit=20 for more');
    expect(await w.text('git://log?limit=2&author=ada&since=3 years ago')).toContain(
      'Use git://log?author=ada&since=3 years ago&limit=20 for more',
    );
    expect(await w.text('git://log?since=3 years ago&limit=1:1..1')).toMatch(/^[0-9a-f]{12} /);
    expect(await w.text('git://log?since=9999-01-01')).toBe('(no commits)\n');
  });

  test('a commit is shown with its message and its diff', async () => {
    const text = await w.text('git://show/HEAD~1:raw');
    expect(text).toMatch(
      /^commit [0-9a-f]{40}\nAuthor: Ada <ada@example\.com>\nDate: {3}2026-01-02 03:04:05 \+0100\n\n {4}Rename\n\ndiff --git a\/src\/app\.ts b\/src\/main\.ts\nsimilarity index \d\d%\nrename from src\/app\.ts\nrename to src\/main\.ts\n--- a\/src\/app\.ts\n\+\+\+ b\/src\/main\.ts\n@@ -1,3 \+1,4 @@\n\+first\n/,
    );
    expect(await w.text('git://show/HEAD:raw')).toContain('(its diff is to the first)');
  });

  test('a diff applies with git', async () => {
    const [from, to] = ['HEAD~2', 'HEAD~1'];
    git(w.W, 'worktree', 'add', '--quiet', '--detach', 'tree', from);
    writeFileSync(join(w.W, 'patch'), await w.text(`git://diff/${from}..${to}:raw`));
    git(join(w.W, 'tree'), 'apply', '--index', join(w.W, 'patch'));
    expect(git(join(w.W, 'tree'), 'write-tree')).toBe(git(w.W, 'rev-parse', `${to}^{tree}`));
    git(w.W, 'worktree', 'remove', '--force', 'tree');
    rmSync(join(w.W, 'patch'));
  });

  test('every file of a diff applies by its own call', async () => {
    git(w.W, 'worktree', 'add', '--quiet', '--detach', 'tree', 'HEAD~3');
    const paths = git(w.W, 'diff', '--name-only', '-z', 'HEAD~3..HEAD~2').split('\0').filter(Boolean);
    for (const path of paths.filter((one) => one !== 'binary')) {
      writeFileSync(join(w.W, 'patch'), await w.text(`git://diff/HEAD~3..HEAD~2/${path}:raw`));
      git(join(w.W, 'tree'), 'apply', '--index', join(w.W, 'patch'));
    }
    expect(git(join(w.W, 'tree'), 'diff', '--cached', '--name-only', 'main~2')).toBe('binary\n');
    git(w.W, 'worktree', 'remove', '--force', 'tree');
    rmSync(join(w.W, 'patch'));
  });

  test('private files have no hunks, counts and logs', async () => {
    const options = { deny: ['.env'] };
    const diff = await w.text('git://diff/HEAD~3..HEAD:raw', options);
    expect(diff).toContain('.env  (private)\n');
    expect(diff).not.toContain('SECRET');
    for (const path of ['git://diff/HEAD~3..HEAD/.env', 'git://log/.env'])
      expect(await w.text(path, options)).toContain('is private by the rule');
    for (const path of ['git://log/new', 'git://diff/HEAD~3..HEAD/new/none'])
      expect(await w.text(path, { deny: ['new/'] })).toContain('is private by the rule');
  });

  test.each([
    ['git://diff/HEAD~1..HEAD/none', 'none exists neither at HEAD~1 nor at HEAD.'],
    ['git://diff/none', 'none is neither a path in the index nor a revision.'],
    ['git://diff/staged/none', 'none is no path in the index.'],
    ['git://log?limt=3', 'git://log takes no ?limt=.'],
    ['git://log?since=soon', 'since=soon is neither a date (2026-01-31) nor an age (2 weeks).'],
    ['git://log/none', 'No commit of HEAD changes none.'],
    ['git://show/none', 'none is not a branch, a tag or the id of a commit here.'],
  ])('%s is refused with a call that works', async (path, said) => {
    const answer = await w.read(path);
    expect(answer.content[0]?.type === 'text' && answer.content[0].text).toContain(said);
    const { next } = (answer.details as { error: { next: string } }).error;
    expect((await w.read(next)).isError).toBe(false);
  });
});

describe.runIf(has('git'))('a diff with rare files', () => {
  /** Commits the files, and again after the change. */
  function twoCommits(before: Record<string, string>, change: (w: Workspace) => void): Workspace {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main');
    for (const [name, text] of Object.entries(before)) w.write(name, text);
    commitAll(w.W, 'first');
    change(w);
    commitAll(w.W, 'second');
    return w;
  }

  test('a file that cannot be read hides no other file', async () => {
    const w = twoCommits({ a: 'text\n', b: lines(1, 9), c: lines(1, 9) }, ({ write, W }) => {
      write('a', 'other\n');
      write('b', lines(1, 8));
      renameSync(join(W, 'c'), join(W, 'd'));
      write('d', lines(2, 9));
    });
    for (const name of ['HEAD~1:a', 'HEAD:d']) {
      const id = git(w.W, 'rev-parse', name).trim();
      rmSync(join(w.W, '.git/objects', id.slice(0, 2), id.slice(2)));
    }
    const text = await w.text('git://show/HEAD');
    expect(text).toContain('Not compared, an object is missing or damaged: a/a and b/a differ\n');
    expect(text).toContain('@@ -6,4 +6,3 @@\n line 6\n line 7\n line 8\n-line 9\n');
  });
});

describe('a diff of many files', () => {
  /** Changed files with these texts. */
  function diffOf(
    files: readonly (readonly [path: string, before: string, after: string])[],
    path = '',
  ): string {
    const entry = (name: string, text: string): TreeEntry => ({
      name,
      mode: '100644',
      kind: 'file',
      id: Buffer.from(text),
    });
    const changes = files.map(([name, before, after]) => ({
      path: name,
      before: entry(name, before),
      after: entry(name, after),
    }));
    const context = {
      bytesOf: ({ id }: TreeEntry) => id,
      headOf: () => undefined,
      isPrivate: () => undefined,
    };
    return diffText(changes, { url: 'git://diff/A..B', path }, context).toString();
  }

  test('a path behind the largest number of files is shown', { tags: 'slow' }, () => {
    const files = Array.from({ length: 20_001 }, (_, i) => [`a/${i}`, 'x', 'y'] as const);
    expect(diffOf([...files, ['z', '1\n', '2\n']], 'z')).toBe(
      'diff --git a/z b/z\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-1\n+2\n',
    );
    expect(diffOf(files)).toMatch(/^20000 files or more changed/);
  });

  test('lines in another order cost only so much together', { tags: 'slow' }, () => {
    const numbers = Array.from({ length: 3_000 }, (_, i) => i);
    const inOrder = (factor: number): string => numbers.map((i) => `${(i * factor) % 3_000}\n`).join('');
    const files = numbers.slice(0, 100).map((i) => [`${i}`, inOrder(7), inOrder(1009)] as const);
    const text = diffOf([...files, ['last', lines(1, 2_000), `${lines(1, 1_999)}other\n`]]);
    expect(text).toMatch(/^\+1 -1 {2}git:\/\/diff\/A\.\.B\/last$/m);
  });
});

describe.runIf(has('git'))('a large diff', () => {
  test('is its files with their counts and calls', async () => {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main');
    const names = Array.from({ length: 46 }, (_, i) => `lib/file-${i}.ts`);
    for (const name of names) w.write(name, lines(1, 100));
    w.write('lib/.env', 'SECRET\n');
    commitAll(w.W, 'first');
    for (const name of names) w.write(name, lines(1, 50) + lines(51, 60, ' new') + lines(61, 100));
    w.write('lib/.env', 'OTHER\n');
    commitAll(w.W, 'second');
    const text = await w.text('git://diff/HEAD~1..HEAD', { deny: ['.env'] });
    expect(text).toMatch(/^47 files changed, \+460 -460\. Read one for its hunks:\n/);
    expect(text).toContain('lib/.env  (private)\n');
    expect(text.length).toBeLessThan(0.4 * git(w.W, 'diff', 'HEAD~1..HEAD').length);
    const calls = [...text.matchAll(/^\+10 -10 {2}(git:\S+)$/gm)].map(([, call = '']) => call);
    expect(calls).toHaveLength(46);
    for (const call of calls.slice(0, 3)) {
      const hunks = (await w.text(`${call}:raw`)).split('\n').slice(1);
      const path = call.replace('git://diff/HEAD~1..HEAD/', '');
      const expected = git(w.W, 'diff', 'HEAD~1..HEAD', '--', path).split('\n').slice(2);
      expect(hunks.join('\n')).toBe(expected.join('\n').replace(/^(@@ .* @@).*$/m, '$1'));
    }
  });

  test('has pages of whole hunks, and a larger hunk goes on where it was cut', async () => {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main');
    w.write('a.txt', lines(1, 3_000));
    commitAll(w.W, 'first');
    const changed = Array.from({ length: 60 }, (_, i) => lines(20 * i + 1, 20 * i + 8, ' new'));
    const long = lines(2_001, 2_300, ` new ${'x'.repeat(60)}`);
    w.write(
      'a.txt',
      changed.map((one, i) => one + lines(20 * i + 9, 20 * i + 20)).join('') +
        lines(1_201, 2_000) +
        long +
        lines(2_301, 3_000),
    );
    const pages: string[] = [];
    for (let next: string | undefined = 'git://diff'; next !== undefined && pages.length < 40;) {
      const answer = await w.read(next, { limits: { bytes: 6_000 } });
      pages.push(bodyOf(answer).replace(/\n*$/, '\n'));
      next = nextOf(answer);
    }
    const expected = git(w.W, 'diff')
      .split('\n')
      .slice(2)
      .join('\n')
      .replace(/^(@@ .* @@).*$/gm, '$1');
    expect(pages.join('').split('\n').slice(1).join('\n')).toBe(`${expected.trimEnd()}\n`);
    const large = pages.findIndex((page) => page.startsWith('@@ -1998'));
    expect(large).toBeGreaterThan(1);
    for (const page of pages.slice(1, large + 1)) expect(page).toMatch(/^@@ /);
    expect(pages.length).toBeGreaterThan(large + 2);
  });
});
