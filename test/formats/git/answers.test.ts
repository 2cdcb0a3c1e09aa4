/** Repositories with changes of all kinds: the answers on record are in `test/fixtures/answers`; `vitest -u` writes them. */

import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { commitAll, git } from '../../support/git.ts';
import { has } from '../../support/has.ts';
import { expectAsRecorded } from '../../support/recorded.ts';
import { unhurried, type Workspace, workspace } from '../../support/workspace.ts';

const lines = (from: number, to: number, mark = ''): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}${mark}\n`).join('');

const ODD = ['a..b', 'q?s', 'c:d', '50%', 'tab\tbed', '"quoted"', 'staged', 'ä', 'new\nline'];
const A_DAY_BEFORE = new Date('2026-01-01');

/** Two branches with a merge, tags, an upstream, odd names and contents. */
function commits(w: Workspace): void {
  git(w.W, 'init', '--quiet', '--initial-branch=main');
  for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'gone.ts', 'run.sh', 'turns.txt', 'moved away.ts'])
    w.write(name, lines(1, 14, name));
  for (const name of ODD) w.write(`odd/${name}`, `${name}\n`);
  w.write('odd/bytes', Buffer.from([65, 0, 66]));
  w.write('.gitignore', 'build/\n*.log\n!kept.log\n');
  w.write('deep/.gitignore', '*.tmp\n');
  w.write('deep/er/x.txt', 'x');
  w.write('dos.txt', 'a\r\nb\r\n');
  w.write('unix.txt', 'a\nb\n');
  w.write('empty.txt', '');
  w.write('vault/key.txt', 'SECRET\n');
  w.write('big.lfs', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n');
  w.write('.gitattributes', '*.lfs filter=lfs\n*.utf working-tree-encoding=UTF-16LE\n*.crlf text eol=crlf\n');
  w.write('x.utf', Buffer.from('x\n', 'utf16le'));
  w.write('x.crlf', 'x\r\ny\r\n');
  symlinkSync('a.ts', join(w.W, 'link'));
  for (const name of ['big.lfs', 'x.utf']) utimesSync(join(w.W, name), A_DAY_BEFORE, A_DAY_BEFORE);
  commitAll(w.W, 'Begin\nin two lines\n\nBody.\n\n  Indented.');
  git(w.W, 'tag', '--annotate', '--message', 'tagged', 'v1');
  git(w.W, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
  git(w.W, 'update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},gone-sub`);
  mkdirSync(join(w.W, 'sub'));
  w.write('a.ts', lines(1, 5, 'a.ts') + 'changed\n' + lines(7, 14, 'a.ts') + 'no end');
  rmSync(join(w.W, 'd.ts'));
  symlinkSync('c.ts', join(w.W, 'd.ts'));
  w.write('odd/bytes', Buffer.from([65, 0, 67]));
  w.write('vault/key.txt', 'SECRET 2\n');
  git(w.W, 'add', 'a.ts', 'd.ts', 'odd', 'vault');
  git(w.W, 'commit', '--quiet', '--message', 'Change', '--author', 'Eve Ä <eve@example.com>');
  git(w.W, 'checkout', '--quiet', '-b', 'feature/x', 'v1');
  mkdirSync(join(w.W, 'moved'));
  renameSync(join(w.W, 'moved away.ts'), join(w.W, 'moved/here.ts'));
  renameSync(join(w.W, 'b.ts'), join(w.W, 'b2.ts'));
  w.write('b2.ts', lines(3, 14, 'b.ts') + lines(1, 5, 'new'));
  chmodSync(join(w.W, 'run.sh'), 0o755);
  git(w.W, 'rm', '--quiet', 'c.ts', 'odd/ä');
  w.write('odd/ö', 'ö\n');
  commitAll(w.W, 'Move, remove\n');
  git(w.W, 'checkout', '--quiet', 'main');
  git(w.W, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'feature/x');
  git(w.W, 'branch', 'theirs', 'HEAD~1');
  git(w.W, 'config', 'branch.main.remote', '.');
  git(w.W, 'config', 'branch.main.merge', 'refs/heads/theirs');
}

/** And a work tree that is not clean. */
function changes(w: Workspace): void {
  const id = git(w.W, 'rev-parse', 'HEAD:a.ts').trim();
  w.write('a.ts', lines(1, 14, 'a.ts'));
  w.write('new.ts', 'one\ntwo');
  w.write('will.ts', 'intended\n');
  git(w.W, 'mv', 'moved/here.ts', 'moved/there.ts');
  git(w.W, 'add', 'a.ts', 'new.ts');
  git(w.W, 'add', '--intent-to-add', 'will.ts');
  w.write('a.ts', lines(2, 14, 'a.ts'));
  rmSync(join(w.W, 'gone.ts'));
  rmSync(join(w.W, 'deep'), { recursive: true });
  w.write('deep', 'a file\n');
  rmSync(join(w.W, 'turns.txt'));
  symlinkSync('a.ts', join(w.W, 'turns.txt'));
  rmSync(join(w.W, 'link'));
  symlinkSync('b2.ts', join(w.W, 'link'));
  chmodSync(join(w.W, 'run.sh'), 0o644);
  w.write('unix.txt', 'a\r\nb\r\n');
  w.write('dos.txt', 'a\nb\n');
  w.write('x.crlf', 'x\ny\n');
  w.write('big.lfs', 'the file itself\n');
  w.write('x.utf', Buffer.from('y\n', 'utf16le'));
  w.write('vault/key.txt', 'SECRET 3\n');
  w.write('vault/new.txt', 'SECRET 4\n');
  w.write('odd/bytes', Buffer.from([66, 0, 67]));
  w.write('empty.txt', 'no longer');
  for (const name of ['b2.ts', 'odd/50%']) w.write(name, 'assumed\n');
  git(w.W, 'update-index', '--assume-unchanged', 'b2.ts');
  git(w.W, 'update-index', '--skip-worktree', 'odd/50%');
  const other = git(w.W, 'rev-parse', 'HEAD:unix.txt').trim();
  const stages = [[1], [2], [1, 2], [3], [1, 3], [2, 3], [1, 2, 3]].flatMap((all, i) =>
    all.map((stage) => `100644 ${stage === 2 ? id : other} ${stage}\tc${i}\n`),
  );
  w.write('.git/stages', stages.join(''));
  git(w.W, '-c', 'alias.put=!git update-index --index-info <.git/stages', 'put');
  for (const i of [1, 2, 3, 5, 6]) w.write(`c${i}`, '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n');
  w.write('build/out.js', 'ignored\n');
  w.write('z.log', 'ignored\n');
  w.write('kept.log', 'a\nb');
  w.write('docs/x.md', lines(1, 7));
  w.write('docs/deep/y.bin', Buffer.from([0, 1]));
  w.write('picture.bin', Buffer.from([0, 1]));
  w.write('inner/.git/HEAD', 'ref: refs/heads/main\n');
  w.write('inner/x.txt', 'x\n');
  w.write('with/inner/.git', 'gitdir: elsewhere\n');
  w.write('with/x.txt', 'x\n');
  w.write('odd/un\ttracked', 'x\n');
  mkdirSync(join(w.W, 'empty'));
  w.write('.git/info/exclude', 'never\n');
  git(w.W, 'config', 'include.path', 'more');
}

const DIFFED = [
  'a.ts',
  'd.ts',
  'turns.txt',
  'link',
  'unix.txt',
  'x.crlf',
  'x.utf',
  'big.lfs',
  'odd',
  'c6',
  'sub',
];
const OF_DIFF = [
  '',
  ':raw',
  '/none',
  '/vault',
  '/vault/key.txt',
  '/./a.ts',
  '/./odd/staged',
  '/HEAD',
  '/HEAD~1',
  '/v1/odd',
];
const OF_STAGED = ['', ':raw', '/new.ts', '/moved', '/none', '/vault', '/a.ts:1..3'];
const BETWEEN = [
  'v1..',
  '..v1',
  'v1..main:raw',
  'v1..feature/x',
  'v1..feature/x/moved',
  'v1..main/odd:raw',
  'main..v1/odd',
];
const UNKNOWN = [
  'v1..none',
  'none..v1',
  'v1...main',
  'v1..main/none',
  'v1..main/vault/key.txt',
  'none',
  'feature/x',
  'v1/none',
];
const SHOWN = [
  '',
  '/v1',
  '/HEAD~1',
  '/HEAD^2',
  '/HEAD:1..6',
  '/none',
  '/HEAD~9',
  '/HEAD^3',
  '/v1^{tree}',
  '/HEAD@{1}',
];
const LOGS = [
  '',
  '/a.ts',
  '/moved',
  '/none',
  '/vault',
  '?limit=1',
  '?range=v1..',
  '?range=..v1',
  '?range=v1...main',
  '?x=1',
];
const QUERIES = [
  'author=eve',
  'author=eve&limit=1',
  'since=2026-01-03',
  'since=x',
  'limit=0',
  'limit=1.5',
  'range=none..v1',
];
const ENTRIES = [
  'HEAD',
  'HEAD/',
  'HEAD/odd',
  'HEAD/deep/er',
  'HEAD/sub',
  'HEAD/sub/x',
  'HEAD/link',
  'HEAD/big.lfs',
  'HEAD/vault',
];
const MISSING = [
  'HEAD/a.tt',
  'HEAD/deep/eg',
  'HEAD/deep/er/x.txt/y',
  'hed',
  'HEAD/odd/bytes',
  'v1/odd/q%3Fs',
  'HEAD/odd/c:d',
  'log?',
];

describe.runIf(has('git'))('answers about a repository', () => {
  const w = workspace({ ...unhurried, deny: ['vault/'] }, afterAll);
  commits(w);
  const of = (front: string, all: readonly string[]): string[] => all.map((one) => `git://${front}${one}`);

  test('commits and files at a revision are as recorded', async () => {
    const paths = [
      ...of('show', SHOWN),
      ...of('log', LOGS),
      ...of('log?', QUERIES),
      ...of('diff/', [...BETWEEN, ...UNKNOWN]),
      ...of('', [...ENTRIES, ...MISSING, '', 'diff']),
      'HEAD:odd/50%',
      'v1:./a.ts:1..2',
      'HEAD:../a.ts',
      'none:a.ts',
    ];
    await expectAsRecorded('repository', paths, w.text);
  });

  test('a work tree that is not clean is as recorded', async () => {
    changes(w);
    const paths = [
      ...of('', ['', ':1..2', ':raw', '?x']),
      ...of('diff', OF_DIFF),
      ...of('diff/', DIFFED),
      ...of('diff/staged', OF_STAGED),
    ];
    await expectAsRecorded('work-tree', paths, w.text);
    git(w.W, 'config', 'core.autocrlf', 'true');
    git(w.W, 'config', 'core.filemode', 'false');
    git(w.W, 'config', 'branch.main.merge', 'refs/heads/none');
    await expectAsRecorded(
      'work-tree-configured',
      ['git://', 'git://diff/unix.txt', 'git://diff/HEAD'],
      w.text,
    );
  });

  test.each([
    ['bare', ['config', 'core.bare', 'true']],
    ['elsewhere', ['config', 'core.worktree', '../../other']],
    ['unborn', ['checkout', '--quiet', '--orphan', 'other']],
    ['detached', ['checkout', '--quiet', '--detach']],
    ['unfetched', ['config', 'branch.main.remote', 'origin']],
  ])('a repository that is %s is as recorded', async (name, command) => {
    const one = workspace(unhurried);
    git(one.W, 'init', '--quiet', '--initial-branch=main');
    one.write('a.txt', 'a\n');
    commitAll(one.W, 'first');
    git(one.W, 'config', 'branch.main.merge', 'refs/heads/main');
    git(one.W, ...command);
    await expectAsRecorded(
      `repository-${name}`,
      ['git://', 'git://diff', 'git://diff/staged', 'git://log'],
      one.text,
    );
  });
});
