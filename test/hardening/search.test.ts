/**
 * Search and walks against hostile trees: what is opened, what an answer may tell, and what happens when helpers die.
 *
 * @module-tag slow
 */

import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Answer, Oriel } from '../../src/index.ts';
import { cli } from '../support/cli.ts';
import { withoutLag } from '../support/lag.ts';
import { layRace, oftenOf, race, raceCalls } from '../support/race.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

const hasStrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;

/** What lies in the tree, each in a directory of its own, with a file `kept.txt` that must be found. */
const shapes: Record<string, (at: string, outside: string) => void | Promise<void>> = {
  'links out': (at, outside) => {
    fs.symlinkSync(outside, `${at}/directory`);
    fs.symlinkSync(`${outside}/secret.txt`, `${at}/file`);
    fs.symlinkSync(`${outside}/nothing`, `${at}/dangling`);
  },
  'ignore files that are links': (at, outside) => {
    fs.symlinkSync(`${outside}/rules`, `${at}/.gitignore`);
    fs.symlinkSync(`${outside}/rules`, `${at}/.ignore`);
  },
  'gitdir out': (at, outside) => fs.writeFileSync(`${at}/.git`, `gitdir: ${outside}/git\n`),
  'commondir out': (at, outside) => {
    fs.mkdirSync(`${at}/.git`);
    fs.writeFileSync(`${at}/.git/HEAD`, 'ref: refs/heads/main\n');
    fs.writeFileSync(`${at}/.git/commondir`, `${outside}/git\n`);
    fs.symlinkSync(`${outside}/git/info`, `${at}/.git/info`);
  },
  'git linked out': (at, outside) => fs.symlinkSync(`${outside}/git`, `${at}/.git`),
  'exclude linked out': (at, outside) => {
    fs.mkdirSync(`${at}/.git/info`, { recursive: true });
    fs.symlinkSync(`${outside}/rules`, `${at}/.git/info/exclude`);
  },
  FIFOs: (at) => {
    fs.mkdirSync(`${at}/below/.git/info`, { recursive: true });
    const names = ['.gitignore', '.ignore', 'pipe', 'below/.gitignore', 'below/.git/info/exclude'];
    execFileSync(
      'mkfifo',
      names.map((name) => `${at}/${name}`),
    );
  },
  'a FIFO for .git': (at) => void execFileSync('mkfifo', [`${at}/.git`]),
  sockets: async (at) => {
    for (const name of ['.gitignore', 'socket']) {
      // By its whole path: that is what `close` removes.
      const server = createServer().listen(`${at}/${name}`);
      await new Promise((resolve) => server.once('listening', resolve));
      onTestFinished(() => void server.close());
    }
  },
  'device links': (at) => {
    fs.symlinkSync('/dev/zero', `${at}/.gitignore`);
    fs.symlinkSync('/dev/zero', `${at}/zero`);
    fs.symlinkSync('/proc/self/environ', `${at}/environ`);
  },
  'directories for files': (at) => {
    fs.mkdirSync(`${at}/.gitignore`);
    fs.mkdirSync(`${at}/.ignore`);
  },
};

async function makeShapes(W: string, O: string): Promise<string[]> {
  fs.mkdirSync(`${O}/git/info`, { recursive: true });
  fs.writeFileSync(`${O}/rules`, '*\n');
  fs.writeFileSync(`${O}/git/info/exclude`, '*\n');
  for (const [name, make] of Object.entries(shapes)) {
    fs.mkdirSync(`${W}/${name}`);
    fs.writeFileSync(`${W}/${name}/kept.txt`, 'kept\n');
    await make(`${W}/${name}`, O);
  }
  return Object.keys(shapes)
    .toSorted()
    .map((name) => `${name}/kept.txt`);
}

describe('what is opened', () => {
  test.each([
    ['W01 grep', ['grep', 'kept']],
    ['W02 find', ['find', 'kept.txt']],
    ['W03 a path that does not exist', ['read', 'no/such/file.txt']],
    ['W04 ls', ['ls', 'links out']],
  ])('%s: opens nothing outside the roots and no special file', async (_title, args) => {
    if (!hasStrace) return console.warn('skipped: strace is not installed, or may not trace here');
    const { W, O } = workspace();
    await makeShapes(W, O);
    const log = join(W, '..', 'trace');
    const words = [process.execPath, cli, ...args, '--root', W];
    spawnSync('strace', ['-f', '-y', '-s', '4096', '-e', 'trace=%file', '-o', log, ...words], { cwd: W });
    const calls = fs.readFileSync(log, 'utf8').split('\n');
    const irregular = /(?:pipe|socket|zero|environ|\.(?:git)?ignore|exclude|\.git)>?$/;
    const opened = calls
      .filter((call) => /\bopen(?:at2?)?\(/.test(call))
      .flatMap((call) => /= \d+<(.*)>$/.exec(call)?.[1] ?? []);
    expect(opened.some((path) => path.startsWith(W))).toBe(true);
    expect(opened.filter((path) => path.startsWith(O))).toEqual([]);
    expect(opened.filter((path) => path.startsWith('/dev/zero') || path.endsWith('/environ'))).toEqual([]);
    // Only directories of these names are entered.
    const special = opened.filter((path) => path.startsWith(W) && irregular.test(path));
    expect(special.filter((path) => !fs.lstatSync(path).isDirectory())).toEqual([]);
    const asked = calls.filter((call) => call.includes(`"${O}`) && !call.includes('readlink'));
    expect(asked).toEqual([]);
  });

  test('W05 special shapes change no matches; ignored rules are reported', async () => {
    const { W, O, oriel } = workspace();
    const kept = await makeShapes(W, O);
    const found = textOf(await oriel.tool('find').run({ pattern: 'kept.txt' }));
    expect(found).toBe(
      `${kept.join('\n')}\n[9 ignore files not used: unreadable, larger than 1 MiB, or not a regular file]`,
    );
    const matched = textOf(await oriel.tool('grep').run({ pattern: 'kept' }));
    expect(matched.split('\n').slice(0, -1)).toEqual(kept.map((path) => `${path}:1: kept`));
    const newest = textOf(await oriel.tool('find').run({ pattern: 'kept.txt', sort: 'time' }));
    expect(newest.split('\n').slice(0, -1).toSorted()).toEqual(kept);
    for (const how of [{ sort: 'time' }, { multiline: true }, { type: 'txt' }]) {
      const files = textOf(await oriel.tool('grep').run({ pattern: 'kept', output: 'files', ...how }));
      expect(files.split('\n').slice(0, -1).toSorted()).toEqual(kept);
    }
  });

  test('W06 ignore files above the root are not used', async () => {
    const { W, write, with: walled } = workspace();
    fs.mkdirSync(`${W}/.git/info`, { recursive: true });
    write('.gitignore', 'a.txt\n');
    write('.git/info/exclude', 'b.txt\n');
    for (const name of ['a', 'b', 'c']) write(`root/${name}.txt`, 'x\n');
    const inside = walled({ cwd: `${W}/root`, roots: [`${W}/root`] });
    expect(textOf(await inside.tool('find').run({ pattern: '*' }))).toBe('a.txt\nb.txt\nc.txt');
    const above = walled({ cwd: `${W}/root` });
    expect(textOf(await above.tool('find').run({ pattern: '*' }))).toBe('c.txt');
    await Promise.all([inside.close(), above.close()]);
  });
});

/** Of the long run, by every kind of call together; some rounds without it. */
const SECONDS = Number(process.env['ORIEL_RACE_SECONDS'] ?? 0);

/** What was opened so far in all threads, where `count-opens.mjs` counts it. */
const opens = (globalThis as { opens?: () => number }).opens;

test(
  'W10 a swapped directory: answers show only contents of roots',
  { timeout: 300_000 + SECONDS * 2_000 },
  async () => {
    const ground = workspace();
    layRace(ground);
    const questions = raceCalls.map(([tool, input]) => ({
      name: `${tool} ${JSON.stringify(input)}`,
      often: oftenOf(tool),
      async ask() {
        const answer = await run(ground.oriel, [tool, input]);
        return { whole: JSON.stringify(answer), isError: answer.isError, text: textOf(answer) };
      },
    }));
    const before = opens?.() ?? 0;
    const { asked, wrong } = await race(ground, questions, { atLeast: 150, seconds: SECONDS });
    if (SECONDS > 0)
      console.log(`${asked} calls, ${(opens?.() ?? 0) - before} opens, ${wrong.length} wrong answers`);
    expect(wrong).toEqual([]);
  },
);

function run(oriel: Oriel, [tool, input]: [string, object]): Promise<Answer> {
  return oriel.tool(tool).run(input);
}

describe('helpers that are killed', () => {
  test('W20 ripgrep killed at any moment: incomplete answers say so', async () => {
    const { write, oriel } = workspace();
    for (let i = 0; i < 60; i += 1) write(`f${100 + i}.txt`, `${'some words on a line\n'.repeat(20_000)}`);
    write('z.txt', 'the needle\n');
    const grep = (): Promise<Answer> => oriel.tool('grep').run({ pattern: 'ne+dle|x{3}y+z' });
    const whole = JSON.stringify(await grep());
    const seen = { whole: 0, part: 0 };
    for (let i = 0; i < 16; i += 1) {
      const answer = grep();
      await sleep((i * 17) % 150);
      for (const pid of ripgreps()) kill(pid);
      if (JSON.stringify(await answer) === whole) seen.whole += 1;
      else {
        const { details, isError } = await answer;
        const code = isError ? codeOf(await answer) : (details['incomplete'] as { code: string }).code;
        expect(code).toBe('LIMIT');
        seen.part += 1;
      }
    }
    expect(seen.part).toBeGreaterThan(0);
    expect(JSON.stringify(await grep())).toBe(whole);
  });

  test('W21 matches before ripgrep was killed are shown, with notice', async () => {
    const { write, oriel } = workspace();
    // The first portion holds the match, the others take a while.
    write('a.txt', 'the needle\n');
    for (let i = 0; i < 60; i += 1) write(`f${100 + i}.txt`, `${'some words on a line\n'.repeat(20_000)}`);
    for (let i = 0; i < 60; i += 1) {
      const going = oriel.tool('grep').run({ pattern: '(?i)the ne+dle|(q|w){3}[a-z]{5}x{3}y+z' });
      await sleep(100 + i * 5);
      for (const pid of ripgreps()) kill(pid);
      const { content, details, isError } = await going;
      if (isError || details['incomplete'] === undefined) continue;
      expect(content).toEqual([
        {
          type: 'text',
          text: 'a.txt:1: the needle\n[LIMIT: the search ended before it was complete, so these results are partial. Narrow the path or the pattern]',
        },
      ]);
      return;
    }
    console.warn('ripgrep was never met between its first and its last portion');
  });
});

/** Those that this process has started. */
function ripgreps(): number[] {
  const listed = spawnSync('ps', ['-o', 'pid=,comm=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return listed.stdout
    .split('\n')
    .filter((line) => line.endsWith(' rg'))
    .map((line) => Number.parseInt(line, 10));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

describe('expensive rules and names', () => {
  test('W30 ignore files over 1 MiB are reported as unused', async () => {
    const { W, write, oriel } = workspace();
    write('.gitignore', '');
    fs.truncateSync(`${W}/.gitignore`, 400 << 20);
    write('d/.gitignore', `b.txt\n${'#'.repeat(1 << 20)}`);
    write('e/.gitignore', `b.txt\n${'#'.repeat((1 << 20) - 6)}`);
    for (const at of ['d', 'e']) write(`${at}/b.txt`, 'x\n');
    expect(textOf(await oriel.tool('find').run({ pattern: 'b.txt' }))).toBe(
      'd/b.txt\n[2 ignore files not used: unreadable, larger than 1 MiB, or not a regular file]',
    );
  });

  test.each([
    ['stars', `${'*a'.repeat(60)}b`],
    ['any depth', `${'**/a*/'.repeat(20)}b`],
    ['classes', `${'[a-z]*[!b]'.repeat(20)}q`],
    ['plain names', 'some-name-or-other'],
  ])('W31 1 MiB of rules (%s): the event loop runs', async (_title, rule) => {
    const { write, oriel } = workspace();
    let rules = '';
    for (let i = 0; rules.length < (1 << 20) - 300; i += 1) rules += `${rule}${i}\n`;
    write('.gitignore', rules);
    for (let i = 0; i < 20; i += 1) write(`${'a/'.repeat(8)}${'a'.repeat(200)}${i}`, 'x\n');
    const answer = await withoutLag(() => oriel.tool('find').run({ pattern: 'a*' }));
    expect(textOf(answer)).toContain('a/a/');
  });

  test('W32 256 alternatives of a glob: the event loop runs', async () => {
    const { write, oriel } = workspace();
    for (let i = 0; i < 50; i += 1) write(`${'a'.repeat(200)}${i}`, 'x\n');
    const pattern = `${'{a,b}'.repeat(8)}${'*a'.repeat(110)}`;
    for (const [tool, input] of [
      ['find', { pattern }],
      ['grep', { pattern: 'x', glob: pattern }],
    ] as const) {
      await withoutLag(() => oriel.tool(tool).run(input));
    }
  });
});
