/**
 * What holds after any mixed bag of calls, whatever each of them asked for.
 *
 * @module-tag slow
 */

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listProcesses, processStat } from '../../src/process/process-tree.ts';
import type { Answer, Oriel } from '../../src/index.ts';
import { temporaryFolder } from '../support/commands.ts';
import { openBelow } from '../support/descriptors.ts';
import { packed } from '../support/packed.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { SECRET, textOf, type Workspace, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

type Call = readonly [tool: string, input: object];

const reads: readonly string[] = [
  ...(
    'f f:3..4 f:-2 f:@10+64 f:raw f:9-1 f:99 c.py c.py:outline d z.zip z.zip:a/b.txt z.zip:nope ' +
    'cut.zip data.db data.db:t'
  ).split(' '),
  'data.db?q=delete from t',
  'n.ipynb',
  'bin',
  'none',
  '../outside/secret.txt',
  'out/secret.txt',
  'p',
  '\x1b[2J\n<system>',
  'x'.repeat(5000),
];

const calls: readonly Call[] = [
  ...reads.map((path): Call => ['read', { path }]),
  ['read', { path: 5 }],
  ['grep', { pattern: 'line' }],
  ['grep', { pattern: '[' }],
  ['grep', { pattern: SECRET }],
  ['find', { pattern: '**/*' }],
  ['ls', { path: 'd' }],
  ['ls', { path: '..' }],
];

const commands: readonly Call[] = [
  ['bash', { command: 'seq 1 9000' }],
  ['bash', { command: 'echo a; sleep 30 & echo b' }],
  ['bash', { command: 'sleep 30', timeout: 0.2 }],
  ['bash', { command: 'exit 3' }],
];

/** One of everything, good and bad. */
async function furnish({ W, O, write }: Workspace): Promise<void> {
  write('f', Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join(''));
  write('c.py', 'def f(x):\n    if x:\n        return 1\n    return 2\n\n'.repeat(40));
  write('d/1.txt', 'line\n');
  const archive = zip([{ name: 'a/b.txt', content: 'line\n'.repeat(2000) }]);
  write('z.zip', archive);
  write('cut.zip', archive.subarray(0, archive.length / 2));
  write('data.db', await databaseBytes('create table t(a); insert into t values(1),(2);'));
  write('n.ipynb', '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}');
  write('bin', Buffer.of(0, 1, 2, 3));
  fs.symlinkSync(O, `${W}/out`);
  execFileSync('mkfifo', [`${W}/p`]);
}

function childrenOf(pid: number): number[] {
  return [...(listProcesses() ?? [])].filter((child) => processStat(child)?.parent === pid);
}

/** Names, sizes and times of all that is below `folder`. */
function stateOf(folder: string): string[] {
  return (fs.readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const { size, mtimeMs, mode } = fs.lstatSync(`${folder}/${name}`);
    return `${name} ${size} ${mtimeMs} ${mode}`;
  });
}

/** True as soon as `holds` does, false when it does not within a hundred seconds. */
async function soon(holds: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < 100_000; waited += 50) {
    if (holds()) return true;
    await sleep(50);
  }
  return holds();
}

/** Every rule that one answer has to keep by itself. */
function expectProper(answer: Answer, what: Call): void {
  const text = textOf(answer);
  expect(JSON.stringify(answer), JSON.stringify(what)).not.toContain(SECRET);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
  const { error } = answer.details as { error?: { code: string; message: string } };
  if (!answer.isError || error === undefined || error.code === 'EXIT') return;
  expect(error.code).not.toBe('INTERNAL');
  expect(error.message).not.toContain('\n');
  expect(error.message).not.toMatch(/x{201}/);
}

describe('after calls of many kinds', () => {
  async function bag(act: (oriel: Oriel) => Promise<void>): Promise<void> {
    const made = workspace();
    await furnish(made);
    const state = temporaryFolder();
    const oriel = made.with({ spills: { state } });
    const before = stateOf(made.W);
    const children = childrenOf(process.pid).length;
    await act(oriel);
    expect(await soon(() => openBelow(made.W).length === 0)).toBe(true);
    expect(await soon(() => childrenOf(process.pid).length <= children)).toBe(true);
    expect(stateOf(made.W)).toEqual(before);
    expect(textOf(await oriel.tool('read').run({ path: 'f:1..1' }))).toBe('1|line 1\n');
    await oriel.close();
    const left = (fs.readdirSync(state, { recursive: true }) as string[]).filter((name) =>
      fs.statSync(`${state}/${name}`).isFile(),
    );
    expect(left).toEqual([]);
  }

  test('G3 G5 G6 G7 G8 G9 sequentially', () =>
    bag(async (oriel) => {
      for (const call of [...calls, ...commands]) {
        expectProper(await oriel.tool(call[0]).run(call[1]), call);
      }
    }));

  test('G5 concurrently, five times', () =>
    bag(async (oriel) => {
      const many = Array.from({ length: 5 }, () => [...calls, ...commands]).flat();
      await Promise.all(many.map(async (call) => expectProper(await oriel.tool(call[0]).run(call[1]), call)));
    }));

  test('G5 cancelled at every stage', () =>
    bag(async (oriel) => {
      for (let ms = 0; ms < 40; ms += 7) {
        await Promise.all(
          [...calls, ...commands].map(async (call) => {
            const signal = AbortSignal.timeout(ms);
            expectProper(await oriel.tool(call[0]).run(call[1], { signal }), call);
          }),
        );
      }
    }));
});

test('G5 threads that are cancelled during loading leave nothing open', async () => {
  const { write, with: walled } = workspace();
  write('data.db', await databaseBytes('create table t(a)'));
  write('t.tar.xz', packed.xz.tar);
  write('c.py', 'def f():\n    return 1\n');
  write('m.md', '# a\n\n## b\n');
  const modules = (): string[] => openBelow(process.cwd()).filter((path) => /\.m?js$/.test(path));
  const before = modules();
  for (let ms = 0; ms < 60; ms += 8) {
    // A session of its own each: what one has unpacked is not unpacked again.
    const oriel = walled({});
    await Promise.all(
      ['data.db:t', 't.tar.xz', 'c.py:outline', 'm.md:outline'].map((path) =>
        oriel.tool('read').run({ path }, { signal: AbortSignal.timeout(ms) }),
      ),
    );
    await oriel.close();
  }
  expect(await soon(() => modules().length <= before.length)).toBe(true);
});
