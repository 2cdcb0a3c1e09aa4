/** What was changed lately, read from the objects of real repositories, whole and damaged. */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type RecentChanges, recentChanges } from '../../../src/code/history/recent.ts';
import { GitRepository } from '../../../src/git/objects.ts';
import { has } from '../../support/has.ts';
import { some } from '../../support/properties.ts';
import { type Workspace, workspace } from '../../support/workspace.ts';

const DAY = 24 * 60 * 60;

class Repo {
  readonly w: Workspace = workspace();
  #time: number;
  /** The commit of HEAD, as long as git has changed nothing. */
  #head: Buffer | undefined;

  /** With a copy of what is below a directory, whose last commit is `days` after the first of all. */
  constructor(copied?: string, days = 0) {
    this.#time = Date.UTC(2026, 0, 1) / 1000 + days * DAY;
    if (copied !== undefined) {
      cpSync(copied, this.w.W, { recursive: true });
      return;
    }
    this.git('init', '--quiet', '--initial-branch=main');
    // Written by hand: what a test makes must not depend on the machine's configuration.
    this.git('config', 'gc.auto', '0');
  }

  git(...args: string[]): string {
    const who = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    };
    const date = `${this.#time} +0000`;
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd: this.w.W,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: this.w.W,
        GIT_CONFIG_NOSYSTEM: '1',
        ...who,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      },
    });
    this.#head = undefined;
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  /** Writes the files, `days` after the last commit, and commits them. */
  commit(days: number, ...paths: string[]): void {
    this.#time += days * DAY;
    for (const path of paths) this.w.write(path, `${path} ${this.#time}\n`);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'x');
  }

  recent(): RecentChanges {
    const path = join(this.w.W, '.git');
    const fd = openSync(path, 'r');
    const git = { path, fd };
    const kept = { places: [], files: new Set<string>(), markedBy: undefined };
    const repository = new GitRepository({ git, common: git, alternates: [], roots: [this.w.W], kept });
    try {
      const head = this.#head ?? Buffer.from(this.git('rev-parse', 'HEAD'), 'hex');
      this.#head = head;
      return recentChanges((id) => repository.read(id), head);
    } finally {
      repository.close();
      closeSync(fd);
    }
  }

  order(): readonly string[] {
    return this.recent().paths;
  }

  /** Files of its objects and packs. */
  files(directory: string): string[] {
    return readdirSync(join(this.w.W, '.git/objects', directory)).map((name) =>
      join(this.w.W, '.git/objects', directory, name),
    );
  }
}

/** What git has made once. */
let made: string | undefined;
afterAll(() => {
  if (made !== undefined) rmSync(made, { recursive: true });
});

function history(): Repo {
  if (made === undefined) {
    const repo = new Repo();
    repo.commit(0, 'a.ts', 'b.ts', 'lib/c.ts', 'lib/deep/d.ts', 'e.ts');
    repo.commit(10, 'e.ts');
    repo.commit(200, 'lib/deep/d.ts', 'b.ts');
    repo.commit(1, 'lib/c.ts');
    made = mkdtempSync(join(tmpdir(), 'oriel-history-'));
    cpSync(repo.w.W, made, { recursive: true });
  }
  return new Repo(made, 211);
}

const LATELY = ['lib/c.ts', 'b.ts', 'lib/deep/d.ts', 'e.ts'];

describe.runIf(has('git'))('what was changed lately', () => {
  test('newest changes count most, large ones less, the first nothing', () => {
    const { paths, weights } = history().recent();
    expect(paths).toEqual(LATELY);
    expect(weights[0]).toBe(1);
    expect([...weights]).toEqual([...weights].toSorted((a, b) => b - a));
    expect(weights[3]).toBeLessThan(0.1);
  });

  test('a pack with deltas equals single objects', { tags: 'slow' }, () => {
    const repo = history();
    const many = Array.from({ length: 300 }, (_, i) => `many/file-${i}.ts`);
    repo.commit(1, ...many);
    for (let i = 0; i < 5; i += 1) repo.commit(1, `many/file-${i}.ts`);
    const before = repo.recent();
    repo.git('gc', '--quiet', '--aggressive', '--prune=now');
    expect(
      repo.git('verify-pack', '-v', ...repo.files('pack').filter((one) => one.endsWith('.idx'))),
    ).toMatch(/tree .* \d+ [0-9a-f]{40}/);
    expect(repo.recent()).toEqual(before);
  });

  test('a merge is one change', { tags: 'slow' }, () => {
    const repo = history();
    repo.git('checkout', '--quiet', '-b', 'side');
    repo.commit(1, 'side.ts');
    repo.git('checkout', '--quiet', 'main');
    repo.commit(1, 'main.ts');
    repo.git('merge', '--quiet', '--no-ff', '--message', 'x', 'side');
    expect(repo.order().slice(0, 2)).toEqual(['main.ts', 'side.ts']);
  });

  test('a shallow clone has what it has', { tags: 'slow' }, () => {
    const repo = history();
    const shallow = new Repo();
    rmSync(join(shallow.w.W, '.git'), { recursive: true });
    shallow.git('clone', '--quiet', '--depth=2', `file://${repo.w.W}`, '.');
    expect(shallow.order()).toEqual(['lib/c.ts']);
  });

  test('submodules, links and names beyond UTF-8 are left out', { tags: 'slow' }, () => {
    const repo = history();
    symlinkSync('a.ts', join(repo.w.W, 'link.ts'));
    writeFileSync(Buffer.concat([Buffer.from(`${repo.w.W}/`), Buffer.from([0xff, 0x2e, 0x74, 0x73])]), 'x\n');
    repo.commit(1, 'größe.ts');
    // One of two files that were changed together.
    expect(repo.order().slice(0, 2)).toEqual(['lib/c.ts', 'größe.ts']);
  });

  test('a change of very many files is ignored', { tags: 'slow' }, () => {
    const repo = history();
    repo.commit(1, ...Array.from({ length: 600 }, (_, i) => `made/${i}.ts`));
    expect(repo.order()).toEqual(LATELY);
  });
});

describe.runIf(has('git'))('a damaged or hostile repository', () => {
  test('missing or damaged objects end the history without an error', { tags: 'slow' }, () => {
    const repo = history();
    for (const directory of readdirSync(join(repo.w.W, '.git/objects')).filter((name) => name.length === 2)) {
      for (const file of repo.files(directory)) {
        const whole = readFileSync(file);
        rmSync(file);
        for (const bytes of [whole.subarray(0, whole.length / 2), Buffer.from('no zlib'), Buffer.alloc(0)]) {
          writeFileSync(file, bytes);
          expect(repo.recent().paths.every((path) => LATELY.includes(path))).toBe(true);
          rmSync(file);
        }
        writeFileSync(file, whole);
      }
    }
    expect(repo.order()).toEqual(LATELY);
  });

  test('a pack and index damaged at any place throw nothing', { tags: 'slow' }, () => {
    const repo = history();
    repo.git('gc', '--quiet', '--prune=now');
    for (const file of repo.files('pack').filter((name) => /\.(?:pack|idx)$/.test(name))) {
      const whole = readFileSync(file);
      rmSync(file);
      for (const at of some([...whole.keys()], 40)) {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] as number) ^ 0xff;
        writeFileSync(file, bytes);
        expect(Array.isArray(repo.recent().paths)).toBe(true);
        truncateSync(file, at);
        expect(Array.isArray(repo.recent().paths)).toBe(true);
      }
      writeFileSync(file, whole);
    }
    expect(repo.order()).toEqual(LATELY);
  });

  test('alternates and what is behind links are not read', () => {
    const repo = history();
    const objects = join(repo.w.W, '.git/objects');
    const elsewhere = join(repo.w.O, 'objects');
    renameSync(objects, elsewhere);
    repo.w.write('.git/objects/info/alternates', `${elsewhere}\n`);
    expect(repo.git('log', '--format=%s')).toContain('x');
    expect(repo.order()).toEqual([]);
    rmSync(objects, { recursive: true });
    symlinkSync(elsewhere, objects);
    expect(repo.order()).toEqual([]);
    expect(dirname(elsewhere)).toBe(repo.w.O);
  });
});
