/** `git://` and `REV:path`: what is shown of a repository is what git itself shows, inside the roots and without private files. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { OrielOptions } from '../../../src/index.ts';
import { cli } from '../../support/cli.ts';
import { commitAll, git } from '../../support/git.ts';
import { has } from '../../support/has.ts';
import { textOf, unhurried, type Workspace, workspace } from '../../support/workspace.ts';

/** Three commits, a merge, a tag, and a branch with a slash in its name. */
function fill(w: Workspace, ...init: string[]): Workspace {
  git(w.W, 'init', '--quiet', '--initial-branch=main', ...init);
  w.write('src/app.ts', 'export const one = 1;\n');
  w.write('src/deep/a b.txt', 'blank\n');
  w.write('.env', 'SECRET=1\n');
  w.write('vault/x.txt', 'SECRET=2\n');
  commitAll(w.W, 'first');
  git(w.W, 'tag', '--annotate', '--message', 'tagged', 'v1');
  w.write('src/app.ts', 'export const one = 1;\nexport const two = 2;\n');
  symlinkSync('src/app.ts', join(w.W, 'link'));
  commitAll(w.W, 'second');
  git(w.W, 'checkout', '--quiet', '-b', 'feature/x', 'v1');
  w.write('src/app.ts', 'export const other = 3;\n');
  commitAll(w.W, 'side');
  git(w.W, 'checkout', '--quiet', 'main');
  git(w.W, 'merge', '--quiet', '--no-edit', '--strategy=ours', 'feature/x');
  return w;
}

async function readIn(w: Workspace, cwd: string, path: string, options: OrielOptions = {}): Promise<string> {
  return textOf(
    await w
      .with({ cwd, ...options })
      .tool('read')
      .run({ path }),
  );
}

/** Every file of every commit equals that of git. */
async function expectEqual(w: Workspace, directory = w.W): Promise<void> {
  const ids = git(directory, 'rev-list', '--all').trim().split('\n');
  const oriel = w.with({ cwd: directory });
  for (const id of ids) {
    for (const line of git(directory, 'ls-tree', '-r', '-z', id).split('\0').filter(Boolean)) {
      const path = line.split('\t')[1] as string;
      const text = textOf(await oriel.tool('read').run({ path: `git://${id}/${path}:raw` }));
      expect(text.startsWith(git(directory, 'show', `${id}:${path}`)), `${id}:${path}\n${text}`).toBe(true);
    }
  }
}

describe.runIf(has('git'))('a file at a revision', () => {
  const w = fill(workspace(unhurried, afterAll));

  test.each('HEAD main v1 heads/main refs/tags/v1 feature/x HEAD^ HEAD^2~1 main~2 v1^{commit}'.split(' '))(
    '%s is the commit of git',
    async (revision) => {
      const { details } = await w.read(`git://${revision}/src/app.ts`);
      const commit = git(w.W, 'rev-parse', `${revision}^{commit}`).trim();
      expect((details as { meta: { commit: string } }).meta.commit).toBe(commit);
      expect(await w.text(`git://${commit.slice(0, 7)}/src/app.ts:raw`)).toBe(
        await w.text(`${revision}:src/app.ts:raw`),
      );
    },
  );

  test('its bytes are those of git show', async () => {
    for (const path of ['src/app.ts', 'src/deep/a b.txt', '.env'])
      expect(await w.text(`HEAD~1:${path}:raw`)).toBe(git(w.W, 'show', `HEAD~1:${path}`));
    expect(await w.text('git://HEAD/src/deep/a%20b.txt:raw')).toBe('blank\n');
  });

  test.each([
    ['packed', 'gc --quiet --aggressive --prune=now', 'sha1'],
    ['loose, of SHA-256', 'status', 'sha256'],
    ['packed, of SHA-256', 'gc --quiet', 'sha256'],
  ])('all files are those of git show: %s', { tags: 'slow' }, async (_, command, format) => {
    const one = fill(workspace(), `--object-format=${format}`);
    git(one.W, ...command.split(' '));
    await expectEqual(one);
  });

  test('a further work tree and its own HEAD are read', async () => {
    const one = fill(workspace());
    git(one.W, 'worktree', 'add', '--quiet', 'tree', 'feature/x');
    expect(await readIn(one, join(one.W, 'tree'), 'HEAD:src/app.ts:raw')).toBe('export const other = 3;\n');
    await expectEqual(one, join(one.W, 'tree'));
  });

  test('selectors, outlines and other kinds work as for files', async () => {
    expect(await w.text('git://HEAD/src/app.ts:2..2')).toBe('2|export const two = 2;\n');
    expect(await w.text('HEAD:src/app.ts:#two')).toContain('export const two = 2;');
    expect(await w.text('HEAD:link')).toContain('is a symbolic link');
  });

  test('a directory is listed', async () => {
    expect(await w.text('git://HEAD')).toBe('.env\nlink@\nsrc/\nvault/\n');
    expect(await w.text('v1:src/')).toBe('app.ts\ndeep/\n');
    expect(await w.text('git://feature/x/src/deep')).toBe('a b.txt\n');
    expect(await w.text('git://HEAD:2..3')).toBe('link@\nsrc/\n');
  });

  test('REV:path is a file of that name where there is one', async () => {
    w.write('main:src', 'a file\n');
    expect(await w.text('main:src:raw')).toBe('a file\n');
    rmSync(join(w.W, 'main:src'));
    expect(await w.text('main:src')).toBe('app.ts\ndeep/\n');
  });

  test('a path that begins with a dot is relative', async () => {
    const cwd = join(w.W, 'src/deep');
    expect(await readIn(w, cwd, 'HEAD:./a b.txt:raw')).toBe('blank\n');
    expect(await readIn(w, cwd, 'v1:../app.ts:raw')).toBe('export const one = 1;\n');
  });

  test.each([
    ['git://HEAD/src/ap.ts', 'Did you mean git://HEAD/src/app.ts?'],
    ['git://mian/src', 'Did you mean main? Use git://main.'],
    ['git://dif/src', 'Did you mean diff? Use git://diff.'],
    ['HEAD:nothing', 'nothing does not exist at HEAD. Use git://HEAD for the list.'],
    ['git://HEAD~9/src', 'has 0 parents. Use git://'],
    ['HEAD@{1}:src/app.ts', 'the reflog and upstream branches (@{…}) are not read.'],
    ['git://HEAD^{tree}/src', 'is not a branch, a tag or the id of a commit here.'],
    ['none:src/app.ts', 'none:src/app.ts does not exist.'],
  ])('%s is refused with a call that works', async (path, said) => {
    const answer = await w.read(path);
    expect(textOf(answer)).toContain(said);
    const { next } = (answer.details as { error: { next?: string } }).error;
    if (next !== undefined) expect((await w.read(next)).isError).toBe(false);
  });

  test('private files are private at every revision', async () => {
    const options = { deny: ['.env', 'vault/'] };
    const tree = git(w.W, 'rev-parse', 'HEAD:vault').trim();
    const blob = git(w.W, 'rev-parse', 'HEAD:.env').trim();
    expect(await w.text('git://HEAD', options)).toBe('.env  (private)\nlink@\nsrc/\nvault/  (private)\n');
    for (const path of ['git://HEAD/.env', 'HEAD:./.env', 'v1:.env:raw', 'v1:vault/x.txt', 'v1:vault']) {
      expect(await w.text(path, options)).toMatch(/^\S+ is private by the rule/);
    }
    // No name in a private directory is said, as that of a similar file.
    for (const path of ['git://HEAD/vault/y.txt', 'v1:vault/x.txt/y', 'v1:vault/'])
      expect(await w.text(path, options)).toMatch(/^\S+ is private by the rule vault\//);
    // By the id of its directory, or its own: only commits are revisions.
    for (const path of [`git://${tree}/x.txt`, `git://${blob}`, `${tree.slice(0, 8)}:x.txt`])
      expect(await w.text(path, options)).toMatch(/is not a commit but a (?:tree|blob)/);
  });

  test('another name of a private file is private at every revision', async () => {
    writeFileSync(join(w.W, 'private.pem'), 'KEY=s3cret\n');
    linkSync(join(w.W, 'private.pem'), join(w.W, 'src/open.txt'));
    git(w.W, 'add', 'src/open.txt');
    git(w.W, 'commit', '-qm', 'a link');
    const options = { deny: ['*.pem'] };
    for (const path of ['git://HEAD/src/open.txt', 'HEAD:src/open.txt:raw', 'git://log/src/open.txt'])
      expect(await w.text(path, options)).toMatch(/^\S+ is private by the rule \*\.pem/);
    for (const path of ['git://show/HEAD', 'git://diff/HEAD~1..HEAD']) {
      expect(await w.text(path, options)).toContain('src/open.txt  (private)\n');
      expect(await w.text(path, options)).not.toContain('s3cret');
    }
    expect(await w.text('git://show/HEAD')).toContain('+KEY=s3cret');
  });
});

/** Writes a loose object as it is, under the id that it would have, or another one. */
function loose(w: Workspace, head: string, body: Buffer | string, id?: string): string {
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
  const name = id ?? createHash('sha1').update(bytes).digest('hex');
  const path = join(w.W, '.git/objects', name.slice(0, 2), name.slice(2));
  mkdirSync(join(path, '..'), { recursive: true });
  rmSync(path, { force: true });
  writeFileSync(path, deflateSync(bytes));
  return name;
}

const object = (w: Workspace, what: string): string => git(w.W, 'rev-parse', what).trim();

/** A pack whose only two objects are deltas of each other. */
function deltaCycle(w: Workspace): void {
  const ids = [object(w, 'HEAD:src/app.ts'), 'f'.repeat(40)];
  const delta = deflateSync(Buffer.from([1, 1, 0x90, 1]));
  const entry = (base = ''): Buffer => Buffer.concat([Buffer.from([0x74]), Buffer.from(base, 'hex'), delta]);
  const [one, two] = [entry(ids[1]), entry(ids[0])];
  const number = (value: number): Buffer => Buffer.from([0, 0, 0, value]);
  const fanout = Array.from({ length: 256 }, (_, i) =>
    number((i >= Number.parseInt(ids[0]?.slice(0, 2) ?? '', 16) ? 1 : 0) + (i === 255 ? 1 : 0)),
  );
  const name = `pack-${'a'.repeat(40)}`;
  w.write(
    `.git/objects/pack/${name}.pack`,
    Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x02'), one, two]),
  );
  w.write(
    `.git/objects/pack/${name}.idx`,
    Buffer.concat([
      Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
      ...fanout,
      ...ids.map((id) => Buffer.from(id, 'hex')),
      number(0),
      number(0),
      number(12),
      number(12 + one.length),
    ]),
  );
  const id = ids[0] as string;
  rmSync(join(w.W, '.git/objects', id.slice(0, 2), id.slice(2)));
}

describe.runIf(has('git'))('a hostile or damaged repository', () => {
  const hostile: readonly [string, (w: Workspace) => void, RegExp][] = [
    [
      'deltas in a cycle',
      deltaCycle,
      /Cannot read the object .* of git:\/\/HEAD\/src\/app\.ts: it is damaged\./,
    ],
    [
      'a wrong size',
      (w) => loose(w, 'blob 99\0', 'short', object(w, 'HEAD:src/app.ts')),
      /: it is damaged\./,
    ],
    [
      'other bytes than its id says',
      (w) => loose(w, 'blob 5\0', 'other', object(w, 'HEAD:src/app.ts')),
      /is damaged, its bytes are those of another\./,
    ],
    [
      'an object that is too large',
      (w) => loose(w, `blob ${33 << 20}\0`, Buffer.alloc(33 << 20), object(w, 'HEAD:src/app.ts')),
      /: it has more than 32 MiB\./,
    ],
    [
      'a missing object',
      (w) => {
        const id = object(w, 'HEAD:src/app.ts');
        rmSync(join(w.W, '.git/objects', id.slice(0, 2), id.slice(2)));
      },
      /This repository does not have the object [0-9a-f]{40} of git:\/\/HEAD\/src\/app\.ts\./,
    ],
    ['a ref in a cycle', (w) => w.write('.git/HEAD', 'ref: HEAD\n'), /HEAD has no commit yet/],
    [
      'a ref outside of its directory',
      (w) => w.write('.git/HEAD', 'ref: refs/../../../outside/secret.txt\n'),
      /HEAD has no commit yet/,
    ],
    [
      'a ref behind a link',
      (w) => {
        renameSync(join(w.W, '.git/refs/heads'), join(w.O, 'heads'));
        symlinkSync(join(w.O, 'heads'), join(w.W, '.git/refs/heads'));
      },
      /HEAD has no commit yet/,
    ],
    [
      '.git as a link',
      (w) => {
        renameSync(join(w.W, '.git'), join(w.O, 'git'));
        symlinkSync(join(w.O, 'git'), join(w.W, '.git'));
      },
      /outside the directories that may be read/,
    ],
    [
      'a .git file that leads outside',
      (w) => {
        renameSync(join(w.W, '.git'), join(w.O, 'git'));
        w.write('.git', `gitdir: ${join(w.O, 'git')}\n`);
      },
      /\.git names the repository \S+\/outside\/git, which is outside the roots\./,
    ],
    [
      'objects behind alternates outside',
      (w) => {
        renameSync(join(w.W, '.git/objects'), join(w.O, 'objects'));
        w.write('.git/objects/info/alternates', `${join(w.O, 'objects')}\n`);
      },
      /does not have the object .* Its alternate \S+\/outside\/objects is not read \(OUTSIDE_ROOT\)/,
    ],
    [
      'a reftable',
      (w) => w.write('.git/config', '[extensions]\n\trefStorage = reftable\n'),
      /are a reftable, which is not read/,
    ],
    [
      'a configuration of empty lines',
      (w) => {
        w.write('.git/config', '\n'.repeat(1_000_000));
        w.write('.git/HEAD', 'ref: HEAD\n');
      },
      /HEAD has no commit yet/,
    ],
    [
      'directories that contain themselves',
      (w) => {
        const id = object(w, 'HEAD:src');
        loose(w, 'tree 32\0', Buffer.concat([Buffer.from('40000 app.ts\0'), Buffer.from(id, 'hex')]), id);
      },
      /damaged|is not|does not exist/,
    ],
  ];

  test.each(hostile)('%s is bounded and said', { tags: 'slow' }, async (_, damage, said) => {
    const w = fill(workspace());
    damage(w);
    const answer = await w.read('git://HEAD/src/app.ts');
    expect(textOf(answer)).toMatch(said);
    expect(answer.isError).toBe(true);
  });

  test('an alternate inside the roots is read', async () => {
    const w = fill(workspace());
    renameSync(join(w.W, '.git/objects'), join(w.W, 'objects'));
    w.write('.git/objects/info/alternates', '../../objects\n');
    expect(await w.text('HEAD:src/app.ts:1..1')).toContain('export const one');
  });

  test('each of 40 packs is looked into, with few descriptors too', { tags: 'slow' }, async () => {
    const w = workspace();
    git(w.W, 'init', '--quiet', '--initial-branch=main');
    for (let i = 0; i < 40; i += 1) {
      w.write('f', `${i}\n`);
      commitAll(w.W, `commit ${i}`);
      git(w.W, 'repack', '-d', '--quiet');
    }
    const ids = git(w.W, 'rev-list', 'HEAD').trim().split('\n');
    for (const id of ids) expect(await w.text(`git://show/${id.slice(0, 10)}`)).toContain(`commit ${id}`);
    const few = ['-c', 'ulimit -n 40; exec "$0" "$@"', process.execPath, cli, 'read', 'git://log'];
    const { stdout } = spawnSync('sh', few, { cwd: w.W, encoding: 'utf8' });
    expect(stdout.match(/: commit \d+$/gm)).toHaveLength(40);
  });

  test('a shallow clone says where it ends', async () => {
    const w = fill(workspace());
    git(w.W, 'clone', '--quiet', '--depth=1', `file://${w.W}`, 'clone');
    const clone = join(w.W, 'clone');
    expect(await readIn(w, clone, 'HEAD:src/app.ts:1..1')).toContain('export const one');
    expect(await readIn(w, clone, 'git://HEAD~1')).toContain('is beyond the end of this shallow clone');
  });

  test('a repository above the roots is not opened', async () => {
    const w = fill(workspace());
    const root = join(w.W, 'src');
    expect(await readIn(w, root, 'git://HEAD', { roots: [root] })).toContain('There is no .git');
    expect(await readIn(w, root, 'HEAD:./app.ts', { roots: [root] })).toContain('does not exist');
  });
});
