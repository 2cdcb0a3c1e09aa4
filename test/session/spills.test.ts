import { execFileSync, spawn } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readAt } from '../../src/text/bytes.ts';
import { stateDirectory, ownName } from '../../src/session/directories.ts';
import { SpillQuota } from '../../src/session/spill-writer.ts';
import { LocalSpills } from '../../src/session/spills.ts';
import { temporaryFolder } from '../support/commands.ts';

/** Directories on a file system that is mounted read-only. */
const readOnly = vi.hoisted(() => ({ paths: new Set<string>() }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const accessSync: typeof real.accessSync = (path, wanted) => {
    if (readOnly.paths.has(path as string)) throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
    real.accessSync(path, wanted);
  };
  return { ...real, accessSync };
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1_000);

async function keep(
  spills: LocalSpills,
  text: string,
): Promise<{ url: string; path: string; capped: boolean }> {
  const writer = spills.create();
  await writer.write(Buffer.from(text));
  return writer.finish();
}

async function readBack(spills: LocalSpills, number: number): Promise<string> {
  const { file } = await spills.open(number);
  const text = Buffer.from(await readAt(file.bytes, 0, file.size)).toString();
  await file.close();
  return text;
}

test('spills are numbered, private and readable until the session ends', async () => {
  const spills = new LocalSpills({ state: temporaryFolder() });
  const one = await keep(spills, 'one\n');
  const two = await keep(spills, 'two\n');
  expect([one.url, two.url]).toEqual(['artifact://1', 'artifact://2']);
  expect([mode(one.path), mode(dirname(one.path))]).toEqual(['600', '700']);
  expect([await readBack(spills, 1), await readBack(spills, 2)]).toEqual(['one\n', 'two\n']);
  expect([one.path, `${one.path}.txt`, '/1.log'].filter((path) => spills.has(path))).toEqual([one.path]);
  await spills.close();
  expect(existsSync(dirname(one.path))).toBe(false);
});

test('a missing output is answered with the existing ones', async () => {
  const state = temporaryFolder();
  const spills = new LocalSpills({ state });
  expect([spills.isEmpty, readdirSync(state)]).toEqual([true, []]);
  await expect(spills.open(7)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no artifact://7. No output has been kept.',
    next: '.',
  });
  await keep(spills, 'one\n');
  await keep(spills, 'two\n');
  expect(spills.isEmpty).toBe(false);
  await expect(spills.open(7)).rejects.toMatchObject({
    message: 'There is no artifact://7. The last one kept is artifact://2.',
    next: 'artifact://2',
  });
});

test('two sessions do not see each other', async () => {
  const state = temporaryFolder();
  const [first, second] = [new LocalSpills({ state }), new LocalSpills({ state })];
  await keep(first, 'first\n');
  await expect(second.open(1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('kept outputs outlive their process and are removed by age', async () => {
  const state = temporaryFolder();
  const [workingDirectory, other] = [temporaryFolder(), temporaryFolder()];
  const first = new LocalSpills({ state, workingDirectory });
  const { path } = await keep(first, 'one\n');
  await first.close();
  const second = new LocalSpills({ state, workingDirectory });
  expect(await readBack(second, 1)).toBe('one\n');
  await expect(new LocalSpills({ state, workingDirectory: other }).open(1)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const foreign = ['README', '1.log.txt', 'x1.log', 'locals'].map((name) => join(dirname(path), name));
  const made = [`${path}.capped`, second.local(), path.replace('1.log', '12.log')];
  for (const file of [...foreign, made[0], made[2]]) writeFileSync(file as string, '');
  for (const old of [path, ...foreign, ...made]) utimesSync(old, yesterday, yesterday);
  expect((await keep(second, 'two\n')).url).toBe('artifact://1');
  expect(await readBack(second, 1)).toBe('two\n');
  expect([foreign.every(existsSync), made.some(existsSync)]).toEqual([true, false]);
});

test('each working directory has one set, whichever path is used', async () => {
  const state = temporaryFolder();
  const folder = temporaryFolder();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(folder, link);
  await keep(new LocalSpills({ state, workingDirectory: folder }), 'one\n');
  expect(await readBack(new LocalSpills({ state, workingDirectory: link }), 1)).toBe('one\n');
  await keep(new LocalSpills({ state, workingDirectory: `${folder}/gone` }), 'two\n');
  expect(await readBack(new LocalSpills({ state, workingDirectory: `${folder}/./gone` }), 1)).toBe('two\n');
});

test('two concurrent processes do not use the same number', async () => {
  const options = { state: temporaryFolder(), workingDirectory: temporaryFolder() };
  const kept = await Promise.all(
    Array.from({ length: 8 }, (_, i) => keep(new LocalSpills(options), `${i}\n`)),
  );
  expect(new Set(kept.map(({ url }) => url)).size).toBe(8);
});

test('folders of crashed processes are removed by age, others stay', async () => {
  const state = temporaryFolder();
  const ended = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
  const sessions = join(state, 'sessions');
  // As on another machine, so that only their age counts.
  const names = [
    `${ended}-${'0'.repeat(16)}`,
    `${ended}-${'1'.repeat(16)}`,
    `${process.pid}-${'2'.repeat(16)}`,
    `${ended}-${'3'.repeat(16)}-removed-12`,
  ];
  const [old, fresh, living, aside] = names as [string, string, string, string];
  const foreign = ['projects', '2024-notes', `${old}.txt`, `x${old}`];
  for (const name of [...names, ...foreign]) mkdirSync(join(sessions, name), { recursive: true });
  for (const name of [old, living, aside, ...foreign]) utimesSync(join(sessions, name), yesterday, yesterday);
  const spills = new LocalSpills({ state });
  await keep(spills, 'one\n');
  expect(readdirSync(sessions)).toEqual(expect.arrayContaining([fresh, living, ...foreign]));
  expect(readdirSync(sessions).filter((name) => [old, aside].includes(name))).toEqual([]);
});

test('an output is truncated at the cap, with a mark', async () => {
  const spills = new LocalSpills({ state: temporaryFolder(), cap: 5 });
  const spill = await keep(spills, '1234567');
  expect(spill).toMatchObject({ bytes: 5, capped: true });
  expect(await readBack(spills, 1)).toBe('12345');
  const opened = await spills.open(1);
  expect(opened.capped).toBe(true);
  await opened.file.close();
  const large = new LocalSpills({ state: temporaryFolder(), cap: 150_000 });
  const writer = large.create();
  for (const size of [60_000, 100_000, 100_000]) await writer.write(Buffer.alloc(size));
  expect(await writer.finish()).toMatchObject({ bytes: 150_000, capped: true });
});

test('an output once cut takes no more, even with room', async () => {
  const spills = new LocalSpills({ state: temporaryFolder() }, new SpillQuota(100));
  const [one, other] = [spills.create(), spills.create()];
  await one.write(Buffer.alloc(60));
  await other.write(Buffer.alloc(60));
  one.discard();
  await other.write(Buffer.alloc(10));
  expect(await other.finish()).toMatchObject({ bytes: 40, capped: true });
  expect(await spills.create().finish(true)).toMatchObject({ bytes: 0, capped: true });
});

test('the oldest spills are evicted for new ones', async () => {
  const spills = new LocalSpills({ state: temporaryFolder(), cap: 10, total: 25 });
  for (const text of ['1', '2', '3', '4']) await keep(spills, text.repeat(10));
  await expect(spills.open(2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await readBack(spills, 3)).toBe('3333333333');
  expect(await readBack(spills, 4)).toBe('4444444444');
});

test('chunks of every size arrive in order', { tags: 'slow' }, async () => {
  const spills = new LocalSpills({ state: temporaryFolder() });
  const writer = spills.create();
  let expected = '';
  for (let i = 0; i < 400; i += 1) {
    const chunk = `${i}:${'x'.repeat((i * 7_919) % 150_000)}\n`;
    expected += chunk;
    await writer.write(Buffer.from(chunk));
  }
  const { path, bytes } = await writer.finish();
  expect(bytes).toBe(expected.length);
  expect(readFileSync(path, 'latin1') === expected).toBe(true);
});

test('of a working directory as many are evicted as needed', async () => {
  const [state, workingDirectory] = [temporaryFolder(), temporaryFolder()];
  const spills = new LocalSpills({ state, workingDirectory, cap: 10, total: 45 });
  for (let i = 0; i < 6; i += 1) await keep(spills, 'x'.repeat(10));
  expect(spills.list().map(({ url }) => url)).toEqual([3, 4, 5, 6].map((number) => `artifact://${number}`));
  const { path } = await keep(spills, 'x');
  expect([path, `${path}.txt`, '/6.log'].filter((one) => spills.has(one))).toEqual([path]);
});

test('a working directory keeps a thousand outputs', async () => {
  const spills = new LocalSpills({ state: temporaryFolder(), workingDirectory: temporaryFolder() });
  for (let i = 1; i <= 1_000; i += 1) writeFileSync(join(spills.directory, `${i}.log`), '');
  const { url } = await keep(spills, 'text');
  expect([url, spills.list().length, spills.list()[0]?.url]).toEqual([
    'artifact://1001',
    1_000,
    'artifact://2',
  ]);
});

test('after a slow write the others are written in the background', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
  onTestFinished(() => clock.mockRestore());
  const spills = new LocalSpills({ state: temporaryFolder() });
  const [writer, other] = [spills.create(), spills.create()];
  const chunks = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(150_000));
  const waits = chunks.map((chunk) => writer.write(Buffer.from(chunk)));
  expect(waits.map((wait) => wait !== undefined)).toEqual([false, true, true, true]);
  const { path, bytes } = await writer.finish();
  expect([bytes, readFileSync(path, 'latin1') === chunks.join('')]).toEqual([600_000, true]);
  const [, wait] = chunks.map((chunk) => other.write(Buffer.from(chunk)));
  other.discard();
  await wait;
  await expect.poll(() => existsSync(other.path)).toBe(false);
  await expect(other.finish()).rejects.toMatchObject({ code: 'LIMIT' });
});

test('a full disk ends keeping: the file is removed', async () => {
  const { openSync, readlinkSync } = await import('node:fs');
  const { SpillWriter } = await import('../../src/session/spill-writer.ts');
  const path = join(temporaryFolder(), 'full');
  writeFileSync(path, '');
  const fd = openSync('/dev/full', 'w');
  const writer = new SpillWriter(fd, path, 'artifact://1', 1 << 30);
  const opened = () => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return undefined;
    }
  };
  expect(opened()).toBe('/dev/full');
  for (let i = 0; i < 10; i += 1) await writer.write(Buffer.alloc(60_000));
  // Not that the number is free: another thread of this process may have been given it meanwhile. It is closed in one.
  await expect.poll(opened).not.toBe('/dev/full');
  expect(existsSync(path)).toBe(false);
  await expect(writer.finish()).rejects.toMatchObject({
    code: 'LIMIT',
    message: 'The full output could not be kept: the disk is full.',
  });
});

test('an output removed during writing is not reported as kept', async () => {
  const spills = new LocalSpills({ state: temporaryFolder() });
  const writer = spills.create();
  await writer.write(Buffer.from('one\n'));
  rmSync(writer.path);
  await expect(writer.finish()).rejects.toMatchObject({ code: 'LIMIT' });
});

beforeEach(() => {
  vi.stubEnv('TMPDIR', temporaryFolder());
  return () => vi.unstubAllEnvs();
});

test('the state folder is under XDG_CACHE_HOME, or in tmp', () => {
  const cache = temporaryFolder();
  expect(stateDirectory({ XDG_CACHE_HOME: cache })).toBe(join(cache, 'oriel'));
  expect(mode(join(cache, 'oriel'))).toBe('700');
  expect(stateDirectory({ XDG_CACHE_HOME: 'relative', HOME: cache })).toBe(join(cache, '.cache', 'oriel'));
  const file = join(cache, 'file');
  writeFileSync(file, '');
  expect(stateDirectory({ XDG_CACHE_HOME: file })).toMatch(/\/oriel-\w+$/);
});

test('a state folder no longer writable is replaced in tmp', () => {
  const cache = temporaryFolder();
  expect(stateDirectory({ XDG_CACHE_HOME: cache })).toBe(join(cache, 'oriel'));
  readOnly.paths.add(join(cache, 'oriel'));
  expect(stateDirectory({ XDG_CACHE_HOME: cache })).toMatch(/\/oriel-\w+$/);
});

test.each<[string, (path: string, elsewhere: string) => void]>([
  ['a link', (path, elsewhere) => symlinkSync(elsewhere, path)],
  ['a file', (path) => writeFileSync(path, '')],
  ['one that everybody may enter', (path) => (mkdirSync(path), chmodSync(path, 0o777))],
])('%s in place of a session directory is not used', async (_, replace) => {
  const elsewhere = temporaryFolder();
  const spills = new LocalSpills({ state: temporaryFolder() });
  const { path } = await keep(spills, 'first');
  rmSync(dirname(path), { recursive: true });
  replace(dirname(path), elsewhere);
  const second = await keep(spills, 'second');
  expect(mode(dirname(second.path))).toBe('700');
  expect(await readBack(spills, 2)).toBe('second');
  expect(readdirSync(elsewhere)).toEqual([]);
  await spills.close();
});

// Others can replace it; nothing is removed from it.
test('C12 a replaceable state folder is not used, tmp is', async () => {
  const [cache, elsewhere] = [temporaryFolder(), temporaryFolder()];
  vi.stubEnv('XDG_CACHE_HOME', cache);
  const spills = new LocalSpills();
  const first = await keep(spills, 'first');
  expect(first.path.startsWith(cache)).toBe(true);
  // Another account could do this.
  renameSync(join(cache, 'oriel'), join(elsewhere, 'oriel'));
  symlinkSync(join(elsewhere, 'oriel'), join(cache, 'oriel'));
  chmodSync(cache, 0o777);
  const second = await keep(spills, 'second');
  expect(second.path.startsWith(process.env['TMPDIR'] as string)).toBe(true);
  await spills.close();
  expect(existsSync(first.path)).toBe(true);
  chmodSync(process.env['TMPDIR'] as string, 0o777);
  const reason = `other users can change ${process.env['TMPDIR']}.`;
  expect(() => new LocalSpills().create()).toThrow(`The full output could not be kept: ${reason}`);
  expect(() => new LocalSpills({ workingDirectory: elsewhere }).list()).toThrow(
    `No output can be kept: ${reason}`,
  );
});

test('a link as state folder is not followed', () => {
  const [cache, elsewhere] = [temporaryFolder(), temporaryFolder()];
  symlinkSync(elsewhere, join(cache, 'oriel'));
  expect(stateDirectory({ XDG_CACHE_HOME: cache })).toMatch(/\/oriel-\w+$/);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('irregular files are not listed, not opened, and never block', async () => {
  const spills = new LocalSpills({ state: temporaryFolder() });
  const { path } = await keep(spills, 'one\n');
  const directory = dirname(path);
  writeFileSync(join(directory, 'local.txt'), 'x'.repeat(1_000));
  execFileSync('mkfifo', [join(directory, '7.log')]);
  mkdirSync(join(directory, '8.log'));
  symlinkSync('local.txt', join(directory, '9.log'));
  for (const number of [7, 8, 9]) {
    await expect(spills.open(number)).rejects.toMatchObject({ code: 'NOT_FOUND', next: 'artifact://1' });
  }
  expect(spills.list()).toEqual([{ url: 'artifact://1', bytes: 4 }]);
  expect((await keep(spills, 'two\n')).url).toBe('artifact://10');
  expect(await readBack(spills, 1)).toBe('one\n');
  await spills.close();
});

test('a FIFO in place of an output is not opened', async () => {
  const spills = new LocalSpills({ state: temporaryFolder() });
  const { path } = await keep(spills, 'one\n');
  execFileSync('mkfifo', [join(dirname(path), '7.log')]);
  const writer = spawn('sh', ['-c', `echo hi > ${join(dirname(path), '7.log')}`], { stdio: 'ignore' });
  try {
    await Promise.all(Array.from({ length: 8 }, () => spills.open(7).catch(() => undefined)));
    await sleep(100);
    expect(writer.exitCode).toBeNull();
  } finally {
    writer.kill('SIGKILL');
    await spills.close();
  }
});

describe('removal unlinks immediately and frees blocks in another thread', () => {
  /** Names that are being removed below the directory, and how many bytes they have. */
  const leaving = (directory: string): number[] =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?:^|\/)\d+-[0-9a-f]{16}-removed-\d+$/.test(name))
      .map((name) => statSync(join(directory, name)).size);
  const gone = (directory: string): Promise<void> => expect.poll(() => leaving(directory)).toEqual([]);

  test('an evicted output', async () => {
    const state = temporaryFolder();
    const spills = new LocalSpills({ state }, new SpillQuota(100));
    const first = await keep(spills, 'x'.repeat(80));
    const writer = spills.create();
    void writer.write(Buffer.alloc(50));
    expect(existsSync(first.path)).toBe(false);
    expect(leaving(state)).toEqual([80]);
    await gone(state);
    await writer.finish();
    await spills.close();
  });

  test('one of a working directory', async () => {
    const [state, workingDirectory] = [temporaryFolder(), temporaryFolder()];
    const spills = new LocalSpills({ state, workingDirectory, cap: 60, total: 100 });
    const first = await keep(spills, 'x'.repeat(60));
    const writer = spills.create();
    expect(existsSync(first.path)).toBe(false);
    expect(leaving(state)).toEqual([60]);
    await gone(state);
    // As one leaves it that is killed meanwhile.
    writer.discard();
    writeFileSync(join(dirname(first.path), `${leftBy(999_999_999)}-removed-1`), 'left');
    spills.create().discard();
    await gone(state);
  });

  test('a closed session, and leftovers of killed processes', async () => {
    const state = temporaryFolder();
    const spills = new LocalSpills({ state });
    const { path } = await keep(spills, 'x');
    const closing = spills.close();
    expect(existsSync(dirname(path))).toBe(false);
    expect(leaving(state)).toHaveLength(1);
    await closing;
    expect(leaving(state)).toEqual([]);
    const left = join(state, 'sessions', leftBy(999_999_999));
    mkdirSync(left);
    const next = new LocalSpills({ state });
    expect(next.directory).not.toBe(left);
    expect(existsSync(left)).toBe(false);
    expect(leaving(state)).toHaveLength(1);
    await gone(state);
    await next.close();
  });

  test('an output that could not be written completely', async () => {
    const spills = new LocalSpills({ state: temporaryFolder() });
    const writer = spills.create();
    void writer.write(Buffer.alloc(1 << 20));
    const held = (): string[] =>
      readdirSync('/proc/self/fd').filter((fd) => nameOf(fd).startsWith(dirname(writer.path)));
    const nameOf = (fd: string): string => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    };
    // Threads are busy for a while.
    for (let i = 0; i < 32; i += 1) pbkdf2('x', 'y', 20_000, 64, 'sha512', () => undefined);
    writer.discard();
    expect(held()).toHaveLength(1);
    await expect.poll(held).toEqual([]);
    await spills.close();
  });
});

/** The name that a process of this machine with that id gives. */
function leftBy(pid: number): string {
  return ownName().replace(/^\d+/, String(pid));
}
