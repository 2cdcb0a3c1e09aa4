/** `git://`, `git://diff` and `git://diff/staged`: what git status says, and diffs that git applies. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { commitAll, git, numberedLines as lines } from '../../support/git.ts';
import { has } from '../../support/has.ts';
import { bodyOf, textOf, unhurried, type Workspace, workspace } from '../../support/workspace.ts';

/** One commit, an upstream that has another one, and changes of all kinds. */
function fill(w: Workspace): Workspace {
  git(w.W, 'init', '--quiet', '--initial-branch=main');
  for (const name of ['a.ts', 'b.ts', 'c.ts', 'gone.ts', 'run.sh', 'kept.ts'])
    w.write(name, lines(1, 20, name));
  w.write('src/old name.ts', lines(1, 30));
  w.write('.gitignore', 'build/\n');
  w.write('.env', 'SECRET=1\n');
  commitAll(w.W, 'first');
  git(w.W, 'init', '--quiet', '--bare', join(w.O, 'origin'));
  git(w.W, 'remote', 'add', 'origin', join(w.O, 'origin'));
  commitAll(w.W, 'theirs');
  git(w.W, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  git(w.W, 'reset', '--quiet', '--hard', 'HEAD~1');
  for (const name of ['ours', 'and ours']) git(w.W, 'commit', '--quiet', '--allow-empty', '--message', name);
  w.write('a.ts', `first\n${lines(1, 20, 'a.ts')}`);
  w.write('new.ts', 'one\ntwo\n');
  git(w.W, 'mv', 'src/old name.ts', 'src/new name.ts');
  git(w.W, 'add', 'a.ts', 'new.ts');
  w.write('a.ts', `first\nsecond\n${lines(1, 20, 'a.ts')}`);
  w.write('b.ts', lines(2, 20, 'b.ts'));
  w.write('.env', 'SECRET=22\n');
  rmSync(join(w.W, 'gone.ts'));
  chmodSync(join(w.W, 'run.sh'), 0o755);
  w.write('notes.txt', 'a\nb\nc');
  w.write('docs/x.md', lines(1, 7));
  w.write('docs/deep/y.md', lines(1, 5));
  w.write('build/out.js', 'ignored\n');
  w.write('.git/info/exclude', '*.log\n');
  w.write('z.log', 'ignored\n');
  return w;
}

/** What git prints, without what oriel leaves out. */
const plain = (text: string): string => text.replace(/^index .*\n/gm, '').replace(/^(@@ .* @@).*$/gm, '$1');

describe.runIf(has('git'))('the state of a work tree', () => {
  const w = fill(workspace(unhurried, afterAll));

  test('is the branch and what is staged, changed and untracked', async () => {
    const head = git(w.W, 'rev-parse', '--short=12', 'HEAD').trim();
    const answer = await w.read('git://');
    expect(bodyOf(answer)).toBe(
      [
        `On main at ${head}, 2 ahead of origin/main and 1 behind`,
        '3 files staged, +3 -0. Read git://diff/staged, or with /path behind it:',
        '+1 -0  a.ts',
        '+2 -0  new.ts  (new)',
        '+0 -0  src/new name.ts  (was src/old name.ts)',
        '5 files changed and not staged, +2 -22. Read git://diff, or with /path behind it:',
        '+1 -1  .env',
        '+1 -0  a.ts',
        '+0 -1  b.ts',
        '+0 -20  gone.ts  (deleted)',
        '+0 -0  run.sh  (mode 100755)',
        '2 untracked:',
        '+12  docs/  (2 files)',
        '+3  notes.txt',
        '',
      ].join('\n'),
    );
    expect(textOf(answer)).toContain('(core.excludesFile) is not read');
    expect(await w.text('git://:1..1')).toMatch(/^On main/);
  });

  test('private files have only their names', async () => {
    const options = { deny: ['.env', 'docs/'] };
    const text = await w.text('git://', options);
    expect(text).toContain('5 files changed and not staged, +1 -21.');
    expect(text).toContain('\n.env  (private)\n');
    expect(text).toContain('\ndocs/  (private)\n');
    expect(await w.text('git://', { deny: ['*.md'] })).toContain('\ndocs/  (private)\n');
    for (const url of ['git://', 'git://diff'])
      expect(await w.text(url, options)).not.toMatch(/SECRET|\+1 -1/);
    expect(await w.text('git://diff/.env', options)).toContain('is private by the rule');
  });

  test('the diffs are those of git', async () => {
    expect(await w.text('git://diff/staged:raw')).toBe(plain(git(w.W, 'diff', '--cached')));
    expect(await w.text('git://diff:raw')).toBe(plain(git(w.W, 'diff')));
    expect(await w.text('git://diff/staged/a.ts:raw')).toBe(plain(git(w.W, 'diff', '--cached', 'a.ts')));
    expect(await w.text('git://diff/kept.ts:raw')).toBe('(no differences)\n');
    expect(await w.text('git://diff/src')).toContain('(no differences)');
  });

  test('a revision is compared with it, as git diff REV does', async () => {
    git(w.W, 'branch', 'topic/old', 'HEAD~2');
    for (const revision of ['HEAD', 'HEAD~2', 'topic/old', 'origin/main'])
      expect(await w.text(`git://diff/${revision}:raw`)).toBe(plain(git(w.W, 'diff', revision)));
    expect(await w.text('git://diff/topic/old/src:raw')).toBe(plain(git(w.W, 'diff', 'HEAD', 'src')));
    const options = { deny: ['.env'] };
    expect(await w.text('git://diff/HEAD', options)).not.toContain('SECRET');
    expect(await w.text('git://diff/HEAD/.env', options)).toContain('is private by the rule');
    expect(await w.text('git://diff/HEAD/none')).toContain('Use git://diff/HEAD for all files.');
    expect(await w.text('git://diff/./HEAD')).toContain('HEAD is no path in the index.');
    git(w.W, 'branch', '--delete', '--force', 'topic/old');
  });

  test('a file that looks as before is compared by its content', async () => {
    const at = new Date('2026-01-02T03:04:05Z');
    const path = w.write('kept.ts', lines(1, 20, 'kept.ts'));
    utimesSync(path, at, at);
    expect(await w.text('git://')).not.toContain('kept.ts');
    git(w.W, 'update-index', '-q', '--refresh');
    w.write('kept.ts', lines(1, 20, 'tepk.ts'));
    utimesSync(path, at, at);
    expect(await w.text('git://')).toContain('+20 -20  kept.ts\n');
    git(w.W, 'checkout', '--quiet', 'kept.ts');
  });
});

describe.runIf(has('git'))('a work tree of another kind', () => {
  function repository(...init: string[]): Workspace {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main', ...init);
    return w;
  }

  test('with private names that break lines, and in archives', async () => {
    const w = repository();
    w.write('a\nb.pem', '1\n');
    commitAll(w.W, 'first');
    w.write('a\nb.pem', '22\n');
    const fields = [16, 12, 6, 6, 8, 10].map((width, i) => (i === 0 ? '.env/' : '4').padEnd(width));
    w.write('t.a', `!<arch>\n${fields.join('')}\`\na\nb\n`);
    const options = { deny: ['*.pem', '.env'] };
    expect(await w.text('git://diff', options)).toContain(String.raw`"a\nb.pem"  (private)`);
    expect(await w.text('git://', options)).toContain('+0  t.a  (not counted)');
  });

  test('with entries that git does not look at', async () => {
    const w = repository();
    for (const name of ['assumed', 'skipped', 'gone']) w.write(name, 'a\n');
    w.write('in/side', 'a\n');
    commitAll(w.W, 'first');
    git(w.W, 'update-index', '--assume-unchanged', 'assumed');
    git(w.W, 'update-index', '--skip-worktree', 'skipped', 'gone');
    for (const name of ['assumed', 'skipped', 'intended']) w.write(name, 'b\n');
    rmSync(join(w.W, 'gone'));
    git(w.W, 'add', '--intent-to-add', 'intended');
    const text = await w.text('git://');
    expect(text).toMatch(/\n1 file changed .*\n\+1 -0 {2}intended {2}\(new\)\n$/);
    git(w.W, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'none');
    expect(await w.text('git://')).not.toContain('side');
  });

  test('a bare clone in a directory is read there', async () => {
    const w = repository();
    commitAll(w.W, 'first');
    git(w.W, 'clone', '--quiet', '--bare', w.W, 'bare.git');
    const read = w.with({ cwd: join(w.W, 'bare.git') }).tool('read');
    expect(textOf(await read.run({ path: 'git://log' }))).toContain('first');
  });

  test('a further work tree has its own index', async () => {
    const w = repository();
    w.write('a', 'a\n');
    commitAll(w.W, 'first');
    git(w.W, 'worktree', 'add', '--quiet', '-b', 'side', 'tree');
    w.write('tree/a', 'b\n');
    w.write('tree/new', 'b\n');
    w.write('.git/info/exclude', 'new\n');
    const read = w.with({ cwd: join(w.W, 'tree') }).tool('read');
    expect(textOf(await read.run({ path: 'git://' }))).toMatch(
      /^On side at \w+\n1 file changed and not staged, \+1 -1\..*\n\+1 -1 {2}a\n$/,
    );
    expect(await w.text('git://')).toContain('1 untracked:\n+0  tree/  (a repository)\n');
  });

  test('with a filter, which is said and not run', async () => {
    const w = repository();
    w.write('.gitattributes', '[attr]large filter=lfs\n[attr]stored large\n*.bin stored\n* text=auto\n');
    w.write('a.bin', 'a\n');
    w.write('crlf.txt', 'a\nb\n');
    commitAll(w.W, 'first');
    w.write('a.bin', 'b\n');
    w.write('crlf.txt', 'a\r\nb\r\n');
    const text = await w.text('git://');
    expect(text).toContain('+0 -0  a.bin  (not compared, filter lfs is not run)\n');
    expect(text).toContain('a file that has one may be unchanged for git');
    expect(text).toContain('+0 -0  crlf.txt  (unchanged as git stores it)\n');
    expect(await w.text('git://diff')).not.toContain('crlf.txt');
    w.write('crlf.txt', 'a\r\nB\r\n');
    expect(await w.text('git://diff/crlf.txt:raw')).toContain('@@ -1,2 +1,2 @@\n a\n-b\n+B\n');
  });

  test('with names of attributes in quotes, and the macro of git defined anew', async () => {
    const w = repository();
    w.write('.gitattributes', '"\\303\\274 a.txt" text\n*.b text\n[attr]binary\n*.b binary\n');
    for (const name of ['ü a.txt', 'c.b', 'other']) w.write(name, 'a\n');
    commitAll(w.W, 'first');
    for (const name of ['ü a.txt', 'c.b', 'other']) w.write(name, 'a\r\n');
    const text = await w.text('git://');
    for (const name of ['ü a.txt', 'c.b'])
      expect(text).toContain(`+0 -0  ${name}  (unchanged as git stores it)`);
    expect(await w.text('git://diff')).toMatch(/^diff --git a\/other b\/other\n(?!.*diff --git)/s);
  });

  test('with line ends that only the user configures', async () => {
    const w = repository();
    const path = w.write('dos.txt', 'a\r\nb\r\n');
    git(w.W, '-c', 'core.autocrlf=true', 'add', 'dos.txt');
    git(w.W, 'commit', '--quiet', '--message', 'first');
    utimesSync(path, 1, 1);
    const text = await w.text('git://');
    expect(text).toContain('+2 -2  dos.txt  (only its line ends differ)\n');
    expect(text).toContain("The user's core.autocrlf is not read");
  });

  test('a long file that became a link has its hunks', async () => {
    const w = repository();
    const path = w.write('a.txt', lines(1, 2_000));
    commitAll(w.W, 'first');
    rmSync(path);
    symlinkSync('b', path);
    expect(await w.text('git://diff/a.txt:raw')).toMatch(/^-line 1$/m);
  });

  test('a path that looks like a revision or a selector is reached', async () => {
    const w = repository();
    const names = ['staged', 'a..b', 'what?.md', 'c:5', '100%', 'd%41', 'tab\t', 'ä b'];
    for (const name of names) w.write(name, lines(1, 400));
    commitAll(w.W, 'first');
    for (const name of names) w.write(name, lines(1, 400, ` of ${name}`));
    const list = await w.text('git://diff');
    const calls = [...list.matchAll(/^\+400 -400 {2}(.+)$/gm)].map(([, call = '']) => call);
    expect(calls).toHaveLength(names.length);
    for (const call of calls) expect(await w.text(`${call}:raw`)).toMatch(/^\+line 1 of /m);
  });
});

describe.runIf(has('git'))('a hostile index', () => {
  const entry = (path: string, mode = 0o100644): Buffer => {
    const bytes = Buffer.alloc((62 + path.length + 8) & ~7);
    bytes.writeUInt32BE(mode, 24);
    bytes.writeUInt16BE(path.length, 60);
    bytes.write(path, 62, 'latin1');
    return bytes;
  };
  const index = (count: number, ...parts: Buffer[]): Buffer => {
    const head = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1');
    head.writeUInt32BE(count, 8);
    return Buffer.concat([head, ...parts, Buffer.alloc(20)]);
  };
  const cases: readonly (readonly [string, Buffer, RegExp])[] = [
    ['an absurd count', index(0xffff_ffff), /it says that it has 4294967295 entries/],
    ['more entries than bytes', index(2, entry('a')), /index of this repository is damaged/],
    ['a path that leads outside', index(1, entry('../outside/secret.txt')), /is damaged/],
    ['an absolute path', index(1, entry('/etc/passwd')), /is damaged/],
    ['a path in .git', index(1, entry('.git/config')), /is damaged/],
    ['entries out of order', index(2, entry('b'), entry('a')), /is damaged/],
    [
      'a part that must be understood',
      index(0, Buffer.from('abcd\0\0\0\0', 'latin1')),
      /its part "abcd" is unknown/,
    ],
    ['a split index', index(0, Buffer.from('link\0\0\0\x14', 'latin1'), Buffer.alloc(20, 1)), /it is split/],
    ['a split index with a replaced entry', index(1, entry('')), /it is split/],
    [
      'a directory that is not there',
      index(1, entry('a/', 0o040000), Buffer.from('sdir\0\0\0\0', 'latin1')),
      /missing/,
    ],
    ['no index at all', Buffer.from('DIRX'), /is damaged/],
  ];

  test('is bounded and said', async () => {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main');
    for (const [what, bytes, said] of cases) {
      w.write('.git/index', bytes);
      const answer = await w.read('git://');
      expect(textOf(answer), what).toMatch(said);
      expect(answer.isError, what).toBe(true);
    }
  });

  test('a tracked directory that became a link is not entered', async () => {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main');
    w.write('a/secret.txt', 'mine\n');
    commitAll(w.W, 'first');
    rmSync(join(w.W, 'a'), { recursive: true });
    symlinkSync(w.O, join(w.W, 'a'));
    expect(await w.text('git://')).toMatch(
      /\+0 -1 {2}a\/secret\.txt {2}\(deleted\)\n1 untracked:\n\+0 {2}a {2}\(not counted\)\n/,
    );
    expect(await w.text('git://diff:raw')).not.toContain('TOPSECRET');
  });
});

describe.runIf(has('git'))('alternates', () => {
  test('of alternates are read', async () => {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main');
    w.write('a', 'far\n');
    commitAll(w.W, 'first');
    renameSync(join(w.W, '.git/objects'), join(w.W, 'far'));
    w.write('near/info/alternates', `../far\n${join(w.O, 'none')}\n../near\n`);
    w.write('.git/objects/info/alternates', '../../near\n');
    expect(await w.text('HEAD:a:raw')).toMatch(/^far\n/);
    expect(await w.text('HEAD:a')).toContain('is not read (OUTSIDE_ROOT)');
  });
});

/** The states that porcelain shows, as the lines of `git://`. Letters of git and what they are called here. */
const CONFLICTS: Readonly<Record<string, string>> = {
  DD: 'both deleted',
  AU: 'added by us',
  UD: 'deleted by them',
  UA: 'added by them',
  DU: 'deleted by us',
  AA: 'both added',
  UU: 'both modified',
};

function statusOf(directory: string): string[] {
  const fields = git(directory, 'status', '--porcelain=v2', '-z').split('\0').filter(Boolean);
  const found: string[] = [];
  for (let i = 0; i < fields.length; i += 1) {
    const field = Buffer.from(fields[i] as string, 'latin1').toString('utf8');
    const words = field.split(' ');
    const isRenamed = field.startsWith('2');
    if (field.startsWith('?')) found.push(`untracked: ${field.slice(2)}`);
    else if (field.startsWith('u'))
      found.push(`in conflict: ${words.slice(10).join(' ')}, ${CONFLICTS[words[1] as string]}`);
    else {
      const path = words.slice(isRenamed ? 9 : 8).join(' ');
      const [head, index, tree] = words.slice(3, 6);
      const was = isRenamed ? Buffer.from(fields[(i += 1)] as string, 'latin1').toString('utf8') : '';
      const add = (what: string, letter: string, [from, to]: readonly (string | undefined)[]): void => {
        const mode = from === to || !'MR'.includes(letter) ? '' : `, mode ${to}`;
        if (letter === 'T') found.push(`${what}: ${path}, deleted`, `${what}: ${path}, new`);
        else if (letter === 'A') found.push(`${what}: ${path}, new`);
        else if (letter === 'D') found.push(`${what}: ${path}, deleted`);
        else if (letter !== '.') found.push(`${what}: ${path}${mode}${letter === 'R' ? `, was ${was}` : ''}`);
      };
      add('staged', words[1]?.charAt(0) ?? '', [head, index]);
      add('changed', words[1]?.charAt(1) ?? '', [index, tree]);
    }
  }
  return found.toSorted();
}

function statesIn(text: string): string[] {
  let what = '';
  const found: string[] = [];
  for (const line of text.trimEnd().split('\n').slice(1)) {
    const head = /^\d+ (?:files? )?(staged|changed|in conflict|untracked)\b/.exec(line);
    const [, path, facts] = /^(?:\+\d+ (?:-\d+ )?)? ?(.*?)(?: {2}\(([^()]*)\))?$/.exec(line) ?? [];
    if (head) what = head[1] as string;
    else if (!line.startsWith('Nothing'))
      found.push([`${what}: ${path}`, what === 'untracked' ? undefined : facts].filter(Boolean).join(', '));
  }
  return found.toSorted();
}

describe.runIf(has('git'))('random operations', () => {
  /** Numbers below `most`, the same in each run. */
  function numbers(seed: number): (most: number) => number {
    let state = seed;
    return (most) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
  }

  const FRONTS = ['', 'a/', 'a/b/', 'a.c/', 'build/', 'ü/'];
  const NAMES = ['x', 'y.txt', 'z z.txt', 'k.log', 'é', 'a', 'b', 'lib.ts', '[w]'];
  const RULES = ['*.log', 'build/', '!k.log', '/x', 'a/b', '!a/b', '**/a', 'é', 'b/**', '[a-b]', 'a.?/'];

  function operate(W: string, below: (most: number) => number): void {
    const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const all = readdirSync(W, { recursive: true, withFileTypes: true })
      .filter((one) => !one.isDirectory() && !/\/\.git(?:\/|$)/.test(join(one.parentPath, one.name)))
      .map((one) => join(one.parentPath, one.name).slice(W.length + 1))
      .toSorted();
    const some = all.length > 0 ? pick(all) : 'x';
    const path = pick(FRONTS) + pick(NAMES);
    const at = join(W, path);
    const text = (): string => lines(below(5), 5 + below(20)) + lines(1, below(3), ' other');
    const run = (...args: string[]): unknown =>
      spawnSync('git', args, {
        cwd: W,
        env: {
          PATH: process.env['PATH'],
          HOME: '/nonexistent',
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_AUTHOR_NAME: 'A',
          GIT_AUTHOR_EMAIL: 'a',
          GIT_COMMITTER_NAME: 'A',
          GIT_COMMITTER_EMAIL: 'a',
        },
      });
    const steps: readonly (() => unknown)[] = [
      () => writeFileSync(at, text()),
      () => writeFileSync(at, text()),
      () => writeFileSync(join(W, some), readFileSync(join(W, some), 'utf8').replace(/\d/, '7')),
      () => rmSync(join(W, some)),
      () => renameSync(join(W, some), at),
      () => chmodSync(join(W, some), pick([0o644, 0o755])),
      () => symlinkSync(pick(['x', '../none']), at),
      () => writeFileSync(join(W, pick(['', 'a/']), '.gitignore'), `${pick(RULES)}\n${pick(RULES)}\n`),
      () => run('add', '--all'),
      () => run('add', '--', some),
      () => run('add', '--intent-to-add', '--', some),
      () => run('rm', '--quiet', '--cached', '--', some),
      () => run('mv', '--', some, path),
      () => run('commit', '--quiet', '--message', 'next'),
      () => run('checkout', '--quiet', '-b', `b${below(3)}`),
      () => run('checkout', '--quiet', pick(['main', 'b0', 'b1', 'b2'])),
      () => run('merge', '--quiet', `b${below(3)}`),
      () => run('reset', '--quiet', pick(['--hard', 'HEAD~1'])),
      () => run('update-index', '--index-version', pick(['2', '3', '4'])),
      () =>
        run(
          'update-index',
          pick(['--skip-worktree', '--no-skip-worktree', '--assume-unchanged']),
          '--',
          some,
        ),
    ];
    mkdirSync(dirname(at), { recursive: true });
    pick(steps)();
  }

  /** The operations of which the system refuses some. */
  function attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }

  test.each([{ seed: 1, steps: 12 }, ...Array.from({ length: 9 }, (_, i) => ({ seed: i + 2, steps: 40 }))])(
    'leave the state of git status: seed $seed',
    { tags: 'slow' },
    async ({ seed, steps }) => {
      const w = workspace(unhurried);
      git(w.W, 'init', '--quiet', '--initial-branch=main');
      const below = numbers(seed);
      for (let i = 0; i < steps; i += 1) {
        for (let j = 0; j < 3; j += 1) attempt(() => operate(w.W, below));
        // Both before and after: git status itself may refresh the index.
        const answer = bodyOf(await w.read('git://:raw'));
        expect(statesIn(answer), `step ${i}`).toEqual(statusOf(w.W));
      }
    },
  );
});
