/**
 * The index of code under what happens to whole processes: several at once, killed ones, full disks, changing files.
 *
 * @module-tag slow
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtUrl } from '../support/built.ts';
import { cli, type Outcome, run, runAsync } from '../support/cli.ts';
import { racer } from '../support/racer.ts';
import { textOf, type Workspace, workspace } from '../support/workspace.ts';

const MAP = ['read', 'src:outline?bytes=16K'];

/** `front` lines, then a function of three. */
const source = (name: string, front: number): string =>
  `${'// a comment\n'.repeat(front)}export function ${name}() {\n  return ${front};\n}\n`;

interface Tree extends Workspace {
  readonly cache: string;
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
}

function tree(files: number): Tree {
  const w = workspace();
  for (let i = 0; i < files; i += 1) w.write(`src/f${i}.ts`, source(`name${i}`, 1));
  const home = join(w.O, 'home');
  const cache = join(home, 'oriel/derived');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  return { ...w, cache, options: { cwd: w.W, env: { ...process.env, XDG_CACHE_HOME: home } } };
}

/** What a process that knows nothing says. */
const mapAlone = ({ options }: Tree): Outcome => run([...MAP, '--no-cache'], options);

const NAME = /^[0-9a-f]{64}$/;

/** The list of what is kept of a directory, what was scanned, and what was parsed of it. */
const INDEX = Array.from({ length: 3 }, () => expect.stringMatching(NAME) as string);

test('one directory indexed by several processes gives the same answers', async () => {
  const w = tree(150);
  const all = await Promise.all([1, 2].map(() => runAsync(MAP, w.options)));
  const alone = mapAlone(w);
  expect(alone).toMatchObject({ code: 0, err: '' });
  expect(alone.out).toContain('[150 files of src');
  for (const one of all) expect(one).toEqual(alone);
  const kept = readdirSync(w.cache);
  expect(kept.filter((name) => !NAME.test(name))).toEqual([]);
  // One list, and the parts of each process at most.
  expect(kept.length).toBeGreaterThanOrEqual(INDEX.length);
  expect(kept.length).toBeLessThanOrEqual(2 * INDEX.length - 1);
  expect(run(MAP, w.options)).toEqual(alone);
});

/** Ends the process at once: at the second batch of parsed files, or when the index begins to be written. */
const KILLED = {
  'while files are parsed': `(message) => message.startsWith('parsed 1') && process.kill(process.pid, 'SIGKILL')`,
  'while the index is written': `() => {
    watching ??= watch(cache, (_, name) => name.endsWith('.tmp') && process.kill(process.pid, 'SIGKILL'));
  }`,
};

test.each(Object.entries(KILLED))('after a process is killed %s, answers are correct', async (_, act) => {
  const w = tree(150);
  const alone = mapAlone(w);
  const script = `
    import { watch } from 'node:fs';
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const cache = ${JSON.stringify(w.cache)};
    let watching;
    const act = ${act};
    const oriel = createOriel({ cwd: ${JSON.stringify(w.W)}, roots: [${JSON.stringify(w.W)}], cache: { directory: cache } });
    await oriel.tool('read').run({ path: 'src:outline' }, { onProgress: ({ message = '' }) => act(message) });
    await oriel.close();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  expect(run(MAP, w.options)).toEqual(alone);
  expect(readdirSync(w.cache).filter((name) => !name.endsWith('.tmp'))).toEqual(INDEX);
});

test.skipIf(process.platform === 'win32')('an index that cannot be written still answers completely', () => {
  const w = tree(150);
  // The kernel writes no more than this to a file, as where the disk is full.
  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, cli, ...MAP],
    { ...w.options, encoding: 'utf8' },
  );
  expect({ out: stdout, err: stderr, code: status }).toEqual(mapAlone(w));
  // At most the list, which is short: what it names and is not there is parsed again.
  expect(readdirSync(w.cache).length).toBeLessThanOrEqual(1);
  expect(run(MAP, w.options)).toEqual(mapAlone(w));
});

test.skipIf(process.platform === 'win32')(
  'a symbol of a constantly changing file is shown whole',
  async () => {
    const w = workspace();
    const versions = [source('target', 1), source('target', 40)];
    versions.forEach((text, i) => w.write(`versions/${i}`, text));
    w.write('src/a.ts', source('other', 1));
    w.write('src/b.ts', versions[0] as string);
    // Replaced as a whole, and written over in place.
    const change = versions.map(
      (_, i) => `cp versions/${i} n; mv n src/b.ts; cat versions/${1 - i} > src/b.ts`,
    );
    const stop = racer(`cd '${w.W}'; while :; do ${change.join('; ')}; done`);
    const seen = new Set<string>();
    try {
      for (let i = 0; i < 30; i += 1) {
        const text = await w.text('src:#target');
        const found = /^(\d+)\|export function target\(\) \{\n(\d+)\|  return (\d+);\n(\d+)\|\}\n/.exec(text);
        if (found) {
          const [first, second, front, last] = found.slice(1).map(Number) as [number, number, number, number];
          expect([first, second, last], text).toEqual([front + 1, front + 2, front + 3]);
          seen.add(`read ${front}`);
        } else
          expect(text).toMatch(/declares no|No code below|has no symbols|has changed|changed while|is empty/);
      }
    } finally {
      await stop();
    }
    w.write('src/b.ts', versions[1] as string);
    expect(textOf(await w.read('src:#target'))).toContain(
      '41|export function target() {\n42|  return 40;\n43|}\n',
    );
    expect(seen.size).toBeGreaterThan(0);
  },
);
