/**
 * Disks that are full and descriptors that have run out, at every write in turn: a file system of a few megabytes is
 * mounted where private files go, and a filler leaves room for so many pages (or files) and no more.
 *
 * @module-tag slow
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { run } from '../support/cli.ts';
import { temporaryFolder } from '../support/commands.ts';
import { mayMount } from '../support/has.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const library = built('index.js');

interface Outcome {
  /** Room that was left: pages of 4 KiB, or files. */
  readonly room: number;
  /** The stable code of the answer, or of what it says about its full output; OK without either. */
  readonly code: string;
  readonly text: string;
  /** Descriptors, and files and bytes in the file system, that the call left behind. */
  readonly left: readonly [descriptors: number, files: number];
  /** The same call with all the room in the world, right after. */
  readonly after: string;
}

/** In `D` the calls are made with the room that each of `rooms` says. */
function withRoom(
  W: string,
  call: readonly [tool: string, input: object],
  what: 'pages' | 'files',
  rooms: readonly number[],
): Outcome[] {
  const script = `
    import * as fs from 'node:fs';
    import { createOriel } from ${JSON.stringify(library)};
    const D = process.env.TMPDIR;
    const fill = D + '/filler';
    const [tool, input, what, rooms] = ${JSON.stringify([...call, what, rooms])};
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const files = () => fs.readdirSync(D, { recursive: true }).filter((name) => /\\d/.test(name) &&
      fs.lstatSync(D + '/' + name).isFile() && !name.startsWith('fill')).length;
    const codeOf = ({ details }) => details.error?.code ?? details.output?.unkept?.code ?? 'OK';
    const textOf = ({ content }) => content[0].text;
    const occupy = (room) => {
      if (what === 'pages') {
        const fd = fs.openSync(fill, 'w');
        const many = Buffer.alloc(1 << 20);
        try { for (;;) fs.writeSync(fd, many); } catch {}
        fs.ftruncateSync(fd, Math.max(0, (Math.floor(fs.fstatSync(fd).size / 4096) - room) * 4096));
        fs.closeSync(fd);
      } else {
        const made = [];
        try { for (;;) { fs.writeFileSync(fill + made.length, '', { flag: 'wx' }); made.push(fill + made.length); } } catch {}
        for (const path of made.slice(made.length - room)) fs.rmSync(path);
      }
    };
    const free = () => { for (const name of fs.readdirSync(D)) if (name.startsWith('filler')) fs.rmSync(D + '/' + name); };
    // Spare pipes come and go; they are files by their names.
    const isFile = (fd) => { try { const { mode } = fs.fstatSync(Number(fd)); return (mode & fs.constants.S_IFMT) === fs.constants.S_IFREG; } catch { return false; } };
    const outcomes = [];
    for (const room of rooms) {
      const oriel = createOriel({ cwd: ${JSON.stringify(W)}, spills: { state: D } });
      // What is made once is made before the count begins.
      await oriel.tool('bash').run({ command: 'true' });
      await oriel.tool('read').run({ path: 'small.txt' });
      const descriptors = () => fs.readdirSync('/proc/self/fd').filter(isFile).length;
      await sleep(30);
      const before = [descriptors(), files()];
      occupy(room);
      const answer = await oriel.tool(tool).run(input);
      // What went well is kept for the next call: an output under its name, what was unpacked, and a copy of it as a
      // database, without one.
      const [files0, descriptors0] = codeOf(answer) !== 'OK' ? [0, 0] : [answer.details.output ? 1 : 0, 2];
      const stillLeft = () => [Math.max(0, descriptors() - before[0] - descriptors0), files() - before[1] - files0];
      // What is removed loses its name at once, and its blocks in another thread; what was read is closed behind the answer.
      for (let i = 0; i < 400 && stillLeft().some((count) => count > 0); i += 1) await sleep(25);
      const left = stillLeft();
      free();
      const after = await oriel.tool(tool).run(input);
      outcomes.push({ room, code: codeOf(answer), text: textOf(answer), left, after: codeOf(after) });
      await oriel.close();
    }
    fs.writeSync(1, JSON.stringify(outcomes));
    process.exit();
  `;
  const mount = `mount -t tmpfs -o size=32m,nr_inodes=80 tmpfs /mnt && exec "$0" --input-type=module -e "$1"`;
  const said = execFileSync('unshare', ['-rm', 'sh', '-c', mount, process.execPath, script], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: '/mnt', XDG_CACHE_HOME: '/mnt/cache' },
    maxBuffer: 64 << 20,
  });
  return JSON.parse(said) as Outcome[];
}

function expectStable(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    const { code, after, left } = outcome;
    expect({ ...outcome, text: '', code: ['OK', 'LIMIT', 'BUSY'].includes(code) }).toMatchObject({
      code: true,
      left: [0, 0],
      after: 'OK',
    });
    expect(after).toBe('OK');
    expect(left).toEqual([0, 0]);
  }
  const codes = outcomes.map(({ code }) => code);
  expect(codes[0]).toBe('LIMIT');
  expect(codes.at(-1)).toBe('OK');
}

test.skipIf(!mayMount())('I01 an output whose n-th page overfills the disk', () => {
  const { W, write } = workspace();
  write('small.txt', 'small\n');
  const outcomes = withRoom(W, ['bash', { command: 'seq 30000' }], 'pages', [0, 1, 5, 16, 31, 32, 41, 60]);
  expectStable(outcomes);
  for (const { code, text } of outcomes) {
    expect(text).toContain('\n30000\n[Showing lines 28001-30000 of 30000. ');
    if (code === 'LIMIT') expect(text).toContain('The full output could not be kept: the disk is full]');
    else expect(text).toMatch(/Full output: \S+\.log\. Use artifact/);
  }
});

test.skipIf(!mayMount())('I01 an output whose n-th file cannot be created', () => {
  const { W, write } = workspace();
  write('small.txt', 'small\n');
  expectStable(withRoom(W, ['bash', { command: 'seq 30000' }], 'files', [0, 1, 2, 3, 6, 20]));
});

test.skipIf(!mayMount()).each([
  ['a member of a zip', 'z.zip:big.txt:-1'],
  ['a compressed file', 'big.txt.gz:-1'],
  ['a database in a zip', 'db.zip:data.db:t'],
  ['a text of conflicts', 'conflicts.txt:conflicts:-1'],
])('I02 %s too large for memory, on a full disk', async (_, path) => {
  const { W, write } = workspace();
  write('small.txt', 'small\n');
  const big = Buffer.from(`${'0123456789abcdef'.repeat(8)}\n`.repeat(40_000));
  write('z.zip', zip([{ name: 'big.txt', content: big }]));
  write('big.txt.gz', gzipSync(big));
  const filled = `create table t(a); with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000) insert into t select hex(zeroblob(500)) from n`;
  if (path.startsWith('db'))
    write('db.zip', zip([{ name: 'data.db', content: await databaseBytes(filled) }]));
  const side = `${'x'.repeat(127)}\n`.repeat(20_000);
  write('conflicts.txt', `<<<<<<< ours\n${side}=======\n${side}>>>>>>> theirs\n`);
  const outcomes = withRoom(W, ['read', { path }], 'pages', [0, 1, 1_030, 7_000]);
  expectStable(outcomes);
  expect(outcomes[0]?.text).toMatch(/could not be written to a temporary file: the disk is full/);
  const files = withRoom(W, ['read', { path }], 'files', [0, 1, 3]);
  expectStable(files);
});

test('I03 a removed session directory returns, and its numbers continue', async () => {
  const made = workspace();
  const state = temporaryFolder();
  const oriel = made.with({ spills: { state } });
  const bash = async (): Promise<string> =>
    ((await oriel.tool('bash').run({ command: 'seq 9000' })).details['output'] as { artifact: string })
      .artifact;
  const read = async (path: string): Promise<unknown> =>
    ((await oriel.tool('read').run({ path })).details['error'] as { code: string } | undefined)?.code;
  expect(await bash()).toBe('artifact://1');
  execFileSync('rm', ['-r', state]);
  expect(await read('artifact://1')).toBe('NOT_FOUND');
  expect(await bash()).toBe('artifact://2');
  expect(await read('artifact://2:1..2')).toBeUndefined();
  execFileSync('rm', ['-r', state]);
  expect(await bash()).toBe('artifact://3');
  // And while a command writes to it.
  const { details, isError } = await oriel
    .tool('bash')
    .run({ command: `seq 30000; sleep 0.3; rm -r ${state}; seq 30000` });
  expect(isError).toBe(false);
  expect(details['output']).toMatchObject({ totals: { lines: 60_000 }, unkept: { code: 'LIMIT' } });
  expect(await read('artifact://4')).toBe('NOT_FOUND');
  expect(await bash()).toBe('artifact://5');
  await oriel.close();
});

test('I03 without writable directory a command runs, its output unkept', async () => {
  const made = workspace();
  const state = join(temporaryFolder(), 'file');
  writeFileSync(state, '');
  const oriel = made.with({ spills: { state } });
  const answer = await oriel.tool('bash').run({ command: 'seq 9000' });
  expect(answer).toMatchObject({ isError: false, details: { output: { unkept: { code: 'LIMIT' } } } });
  expect(await oriel.tool('read').run({ path: 'artifact://1' })).toMatchObject({
    isError: true,
    details: { error: { code: 'LIMIT' } },
  });
  await oriel.close();
});

test.each([['read'], ['bash']])('I04 oriel %s that cannot write fails in one line', (name) => {
  const { W, write } = workspace();
  write('f', randomBytes(30_000).toString('hex'));
  const args = name === 'read' ? ['f'] : ['seq 3000'];
  const { err, code } = runTo('/dev/full', [name, ...args, '--cwd', W]);
  expect(err).toBe('oriel: The answer could not be written: the disk is full.\n');
  expect(code).toBe(name === 'bash' ? 125 : 2);
  expect(run(['read', 'f', '--cwd', W]).code).toBe(0);
});

function runTo(path: string, args: readonly string[]): { err: string; code: number | null } {
  const cli = built('faces/cli/main.js');
  const { stderr, status } = spawnSync(
    'sh',
    ['-c', `exec "$0" "$@" > ${path}`, process.execPath, cli, ...args],
    {
      encoding: 'utf8',
    },
  );
  return { err: stderr, code: status };
}

test.each([
  ['read', { path: 'big.txt.gz:-1' }],
  ['read', { path: 'data.db:t' }],
])('I05 %s %j without the n-th descriptor', async (tool, input) => {
  const { W, write } = workspace();
  write('big.txt.gz', gzipSync(Buffer.from(`${'0123456789abcdef'.repeat(8)}\n`.repeat(40_000))));
  write('data.db', await databaseBytes('create table t(a); insert into t values (1)'));
  const script = `
    import * as fs from 'node:fs';
    import { createOriel } from ${JSON.stringify(library)};
    const [tool, input] = ${JSON.stringify([tool, input])};
    const codeOf = ({ details }) => details.error?.code ?? details.output?.unkept?.code ?? 'OK';
    const opened = () => fs.readdirSync('/proc/self/fd').length;
    const outcomes = [];
    // What is loaded once is loaded before.
    const warm = createOriel({ cwd: ${JSON.stringify(W)} });
    await warm.tool(tool).run(input);
    await warm.close();
    for (const room of [0, 1, 2, 3, 4, 5, 6, 8, 10, 14]) {
      const oriel = createOriel({ cwd: ${JSON.stringify(W)} });
      const held = [];
      try { for (;;) held.push(fs.openSync('/dev/null', 'r')); } catch {}
      for (const fd of held.splice(0, room)) fs.closeSync(fd);
      const code = codeOf(await oriel.tool(tool).run(input));
      for (const fd of held) fs.closeSync(fd);
      const next = await oriel.tool(tool).run(input);
      const after = codeOf(next) === 'OK' ? 'OK' : next.content[0].text;
      await oriel.close();
      outcomes.push({ room, code, after });
    }
    await new Promise((resolve) => setTimeout(resolve, 1500));
    fs.writeSync(1, JSON.stringify({ outcomes, opened: opened() }));
    process.exit();
  `;
  const command = 'ulimit -n 100; exec "$0" --input-type=module -e "$1"';
  const said = execFileSync('sh', ['-c', command, process.execPath, script], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: temporaryFolder() },
  });
  const { outcomes, opened } = JSON.parse(said) as {
    outcomes: { room: number; code: string; after: string }[];
    opened: number;
  };
  for (const outcome of outcomes) {
    expect({ ...outcome, stable: ['OK', 'BUSY', 'LIMIT'].includes(outcome.code) }).toMatchObject({
      stable: true,
      after: 'OK',
    });
  }
  expect(outcomes.at(-1)?.code).toBe('OK');
  // Of ten sessions nothing is left but the spare pipes and the threads that rest.
  expect(opened).toBeLessThan(60);
});

test.skipIf(!mayMount())('I01 a search that overfills the disk admits the gap', () => {
  const { W, write } = workspace();
  write('small.txt', 'small\n');
  write('a.gz', gzipSync(Array.from({ length: 1_200_000 }, (_, i) => `${i + 1}\n`).join('')));
  const texts = (input: object): string[] =>
    withRoom(W, ['grep', { path: 'a.gz', ...input }], 'pages', [0, 500, 5_000]).map(({ text }) => text);
  const [read] = withRoom(W, ['read', { path: 'a.gz:1000000..' }], 'pages', [0]);
  expect(read?.text).toMatch(
    /^a\.gz cannot be read: .+: the disk is full\. Free space for temporary files, then make the same call again\.$/,
  );
  const unread =
    'No matches found\n[1 document, archive, member or table was not searched ("a.gz"): the disk for temporary files is full]';
  const whole = 'a.gz:1199999: 1199999';
  expect(texts({ pattern: '1199999' })).toEqual([unread, unread, whole]);
  const part =
    /^a\.gz: [1-9]\d*\n\[1 text searched in part: too large, damaged, cut off, or a BLOB\. Read [^\]]+\]$/;
  expect(texts({ pattern: '7777', output: 'count' })).toEqual([
    expect.stringMatching(part),
    expect.stringMatching(part),
    'a.gz: 318',
  ]);
});

test('I06 grep without descriptors is BUSY, the next finds ripgrep', () => {
  const { W, write } = workspace();
  write('t', 'needle\n');
  const script = `
    import * as fs from 'node:fs';
    import { createOriel } from ${JSON.stringify(library)};
    const codeOf = ({ details }) => details.error?.code ?? 'OK';
    const oriel = createOriel({ cwd: ${JSON.stringify(W)} });
    // What grep needs, without ripgrep.
    await oriel.tool('grep').run({ pattern: 'needle', path: 'absent' });
    const held = [];
    try { for (;;) held.push(fs.openSync('/dev/null', 'r')); } catch {}
    for (const fd of held.splice(0, Number(process.argv[1]))) fs.closeSync(fd);
    const codes = [];
    for (const type of [undefined, 'txt', undefined])
      codes.push(codeOf(await oriel.tool('grep').run({ pattern: 'needle', path: 't', ...(type && { type }) })));
    for (const fd of held) fs.closeSync(fd);
    const after = await oriel.tool('grep').run({ pattern: 'needle', path: 't' });
    fs.writeSync(1, JSON.stringify([...codes, after.content[0].text]));
    process.exit();
  `;
  const command = 'ulimit -n 100; exec "$0" --input-type=module -e "$1" "$2"';
  for (const room of [0, 1, 4]) {
    const args = ['-c', command, process.execPath, script, String(room)];
    const codes = JSON.parse(execFileSync('sh', args, { encoding: 'utf8' })) as string[];
    const after = codes.pop();
    expect({ room, codes: codes.filter((code) => code !== 'OK' && code !== 'BUSY'), after }).toEqual({
      room,
      codes: [],
      after: 't:1: needle',
    });
  }
});
