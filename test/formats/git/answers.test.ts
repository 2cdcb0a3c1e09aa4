/** Repositories with changes of all kinds: the answers on record are in `test/fixtures/answers`; `vitest -u` writes them. */

import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { commitAll, git, numberedLines as lines } from '../../support/git.ts';
import { has } from '../../support/has.ts';
import { expectAsRecorded } from '../../support/recorded.ts';
import { unhurried, type Workspace, workspace } from '../../support/workspace.ts';

const ODD = ['a..b', 'q?s', 'c:d', '50%', 'tab\tbed', '"quoted"', 'staged', 'ä', 'new\nline'];
const A_DAY_BEFORE = new Date('2026-01-01');

function put(w: Workspace, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) w.write(name, content);
}

const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
const ATTRIBUTES = '*.lfs filter=lfs\n*.utf working-tree-encoding=UTF-16LE\n*.crlf text eol=crlf\n';

/** Two branches with a merge, tags, an upstream, odd names and contents. */
function commits(w: Workspace): void {
  const { W } = w;
  git(W, 'init', '--quiet', '--initial-branch=main');
  for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'gone.ts', 'run.sh', 'turns.txt', 'moved away.ts'])
    w.write(name, lines(1, 14, name));
  for (const name of ODD) w.write(`odd/${name}`, `${name}\n`);
  put(w, {
    'odd/bytes': Buffer.from('A\0B'),
    'deep/er/x.txt': 'x',
    'empty.txt': '',
    'vault/key.txt': 'SECRET\n',
  });
  put(w, {
    '.gitignore': 'build/\n*.log\n!kept.log\n',
    'deep/.gitignore': '*.tmp\n',
    'dos.txt': 'a\r\nb\r\n',
  });
  put(w, { 'unix.txt': 'a\nb\n', 'big.lfs': LFS, '.gitattributes': ATTRIBUTES, 'x.crlf': 'x\r\ny\r\n' });
  w.write('x.utf', Buffer.from('x\n', 'utf16le'));
  symlinkSync('a.ts', join(W, 'link'));
  for (const name of ['big.lfs', 'x.utf']) utimesSync(join(W, name), A_DAY_BEFORE, A_DAY_BEFORE);
  commitAll(W, 'Begin\nin two lines\n\nBody.\n\n  Indented.');
  git(W, 'tag', '--annotate', '--message', 'tagged', 'v1');
  for (const entry of [`${'1'.repeat(40)},sub`, `${'2'.repeat(40)},gone-sub`])
    git(W, 'update-index', '--add', '--cacheinfo', `160000,${entry}`);
  mkdirSync(join(W, 'sub'));
  w.write('a.ts', `${lines(1, 5, 'a.ts')}changed\n${lines(7, 14, 'a.ts')}no end`);
  rmSync(join(W, 'd.ts'));
  symlinkSync('c.ts', join(W, 'd.ts'));
  put(w, { 'odd/bytes': Buffer.from('A\0C'), 'vault/key.txt': 'SECRET 2\n' });
  git(W, 'add', 'a.ts', 'd.ts', 'odd', 'vault');
  git(W, 'commit', '--quiet', '--message', 'Change', '--author', 'Eve Ä <eve@example.com>');
  git(W, 'checkout', '--quiet', '-b', 'feature/x', 'v1');
  mkdirSync(join(W, 'moved'));
  git(W, 'mv', 'moved away.ts', 'moved/here.ts');
  git(W, 'mv', 'b.ts', 'b2.ts');
  put(w, { 'b2.ts': lines(3, 14, 'b.ts') + lines(1, 5, 'new'), 'odd/ö': 'ö\n' });
  chmodSync(join(W, 'run.sh'), 0o755);
  git(W, 'rm', '--quiet', 'c.ts', 'odd/ä');
  commitAll(W, 'Move, remove\n');
  git(W, 'checkout', '--quiet', 'main');
  git(W, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'feature/x');
  git(W, 'branch', 'theirs', 'HEAD~1');
  git(W, 'config', 'branch.main.remote', '.');
  git(W, 'config', 'branch.main.merge', 'refs/heads/theirs');
}

/** And a work tree that is not clean. */
function changes(w: Workspace): void {
  const { W } = w;
  const [id, other] = ['a.ts', 'unix.txt'].map((name) => git(W, 'rev-parse', `HEAD:${name}`).trim());
  put(w, { 'a.ts': lines(1, 14, 'a.ts'), 'new.ts': 'one\ntwo', 'will.ts': 'intended\n' });
  git(W, 'mv', 'moved/here.ts', 'moved/there.ts');
  git(W, 'add', 'a.ts', 'new.ts');
  git(W, 'add', '--intent-to-add', 'will.ts');
  for (const name of ['gone.ts', 'deep', 'turns.txt', 'link']) rmSync(join(W, name), { recursive: true });
  symlinkSync('a.ts', join(W, 'turns.txt'));
  symlinkSync('b2.ts', join(W, 'link'));
  chmodSync(join(W, 'run.sh'), 0o644);
  put(w, { 'a.ts': lines(2, 14, 'a.ts'), deep: 'a file\n', 'unix.txt': 'a\r\nb\r\n', 'dos.txt': 'a\nb\n' });
  put(w, { 'x.crlf': 'x\ny\n', 'big.lfs': 'the file itself\n', 'x.utf': Buffer.from('y\n', 'utf16le') });
  put(w, { 'vault/key.txt': 'SECRET 3\n', 'vault/new.txt': 'SECRET 4\n', 'odd/bytes': Buffer.from('B\0C') });
  put(w, { 'empty.txt': 'no longer', 'b2.ts': 'assumed\n', 'odd/50%': 'assumed\n' });
  git(W, 'update-index', '--assume-unchanged', 'b2.ts');
  git(W, 'update-index', '--skip-worktree', 'odd/50%');
  const stages = [[1], [2], [1, 2], [3], [1, 3], [2, 3], [1, 2, 3]].flatMap((all, i) =>
    all.map((stage) => `100644 ${stage === 2 ? id : other} ${stage}\tc${i}\n`),
  );
  w.write('.git/stages', stages.join(''));
  git(W, '-c', 'alias.put=!git update-index --index-info <.git/stages', 'put');
  for (const i of [1, 2, 3, 5, 6]) w.write(`c${i}`, '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n');
  put(w, { 'build/out.js': 'ignored\n', 'z.log': 'ignored\n', 'kept.log': 'a\nb', 'docs/x.md': lines(1, 7) });
  put(w, {
    'docs/deep/y.bin': Buffer.from('\0'),
    'picture.bin': Buffer.from('\0'),
    'odd/un\ttracked': 'x\n',
  });
  put(w, { 'inner/.git/HEAD': 'ref: refs/heads/main\n', 'inner/x.txt': 'x\n', 'with/x.txt': 'x\n' });
  put(w, { 'with/inner/.git': 'gitdir: elsewhere\n', '.git/info/exclude': 'never\n' });
  mkdirSync(join(W, 'empty'));
  git(W, 'config', 'include.path', 'more');
}

/** What is asked for. */
const DIFFED = 'a.ts d.ts turns.txt link unix.txt x.crlf x.utf big.lfs odd c6 sub';
const OF_DIFF = ' :raw /none /vault /vault/key.txt /./a.ts /./odd/staged /HEAD /HEAD~1 /v1/odd';
const OF_STAGED = ' :raw /new.ts /moved /none /vault /a.ts:1..3';
const BETWEEN = 'v1.. ..v1 v1..main:raw v1..feature/x v1..feature/x/moved v1..main/odd:raw main..v1/odd';
const UNKNOWN = 'v1..none none..v1 v1...main v1..main/none v1..main/vault/key.txt none feature/x v1/none';
const SHOWN = ' /v1 /HEAD~1 /HEAD^2 /HEAD:1..6 /none /HEAD~9 /HEAD^3 /v1^{tree} /HEAD@{1}';
const LOGS = ' /a.ts /moved /none /vault ?limit=1 ?range=v1.. ?range=..v1 ?range=v1...main ?x=1';
const QUERIES = 'author=eve author=eve&limit=1 since=2026-01-03 since=x limit=0 limit=1.5 range=none..v1';
const ENTRIES = 'HEAD HEAD/ HEAD/odd HEAD/deep/er HEAD/sub HEAD/sub/x HEAD/link HEAD/big.lfs HEAD/vault';
const MISSING =
  'HEAD/a.tt HEAD/deep/eg HEAD/deep/er/x.txt/y hed HEAD/odd/bytes v1/odd/q%3Fs HEAD/odd/c:d log?';

describe.runIf(has('git'))('answers about a repository', () => {
  const w = workspace({ ...unhurried, deny: ['vault/'] }, afterAll);
  commits(w);
  const of = (front: string, all: string): string[] => all.split(' ').map((one) => `git://${front}${one}`);

  test('commits and files at a revision are as recorded', async () => {
    const paths = [
      ...of('show', SHOWN),
      ...of('log', LOGS),
      ...of('log?', QUERIES),
      ...of('diff/', `${BETWEEN} ${UNKNOWN}`),
      ...of('', `${ENTRIES} ${MISSING}  diff`),
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
      ...of('', ' :1..2 :raw ?x'),
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
