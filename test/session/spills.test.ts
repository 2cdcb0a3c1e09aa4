import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { readAt } from '../../src/access/bytes.ts';
import { stateFolder } from '../../src/session/folder.ts';
import { Spills } from '../../src/session/spills.ts';
import { temporaryFolder } from '../support/commands.ts';

const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1_000);

async function keep(spills: Spills, text: string): Promise<{ url: string; path: string; capped: boolean }> {
  const writer = spills.create();
  await writer.write(Buffer.from(text));
  return writer.finish();
}

async function readBack(spills: Spills, number: number): Promise<string> {
  const { file } = await spills.open(number);
  const text = Buffer.from(await readAt(file.bytes, 0, file.size)).toString();
  await file.close();
  return text;
}

test('spills are numbered, private and readable until the session ends', async () => {
  const spills = new Spills({ state: temporaryFolder() });
  const one = await keep(spills, 'one\n');
  const two = await keep(spills, 'two\n');
  expect([one.url, two.url]).toEqual(['artifact://1', 'artifact://2']);
  expect([mode(one.path), mode(dirname(one.path))]).toEqual(['600', '700']);
  expect([await readBack(spills, 1), await readBack(spills, 2)]).toEqual(['one\n', 'two\n']);
  spills.close();
  expect(existsSync(dirname(one.path))).toBe(false);
});

test('what is not there is answered with what is', async () => {
  const spills = new Spills({ state: temporaryFolder() });
  await expect(spills.open(7)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no artifact://7. No output has been kept.',
  });
  await keep(spills, 'one\n');
  await keep(spills, 'two\n');
  await expect(spills.open(7)).rejects.toMatchObject({
    message: 'There is no artifact://7. The last one kept is artifact://2.',
    next: 'artifact://2',
  });
});

test('two sessions do not see each other', async () => {
  const state = temporaryFolder();
  const [first, second] = [new Spills({ state }), new Spills({ state })];
  await keep(first, 'first\n');
  await expect(second.open(1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('kept for a working directory, they outlive their process and go by age', async () => {
  const state = temporaryFolder();
  const [workingFolder, other] = [temporaryFolder(), temporaryFolder()];
  const first = new Spills({ state, workingFolder });
  const { path } = await keep(first, 'one\n');
  first.close();
  const second = new Spills({ state, workingFolder });
  expect(await readBack(second, 1)).toBe('one\n');
  await expect(new Spills({ state, workingFolder: other }).open(1)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  utimesSync(path, yesterday, yesterday);
  expect((await keep(second, 'two\n')).url).toBe('artifact://1');
  expect(await readBack(second, 1)).toBe('two\n');
});

test('a working directory has one set of spills however it is reached', async () => {
  const state = temporaryFolder();
  const folder = temporaryFolder();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(folder, link);
  await keep(new Spills({ state, workingFolder: folder }), 'one\n');
  expect(await readBack(new Spills({ state, workingFolder: link }), 1)).toBe('one\n');
});

test('two processes that keep at once do not take the same number', async () => {
  const options = { state: temporaryFolder(), workingFolder: temporaryFolder() };
  const kept = await Promise.all(Array.from({ length: 8 }, (_, i) => keep(new Spills(options), `${i}\n`)));
  expect(new Set(kept.map(({ url }) => url)).size).toBe(8);
});

test('folders of processes that ended without a word go by age, those of the living stay', async () => {
  const state = temporaryFolder();
  const ended = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
  const sessions = join(state, 'sessions');
  const [old, fresh, living] = [`${ended}-a`, `${ended}-b`, `${process.pid}-c`].map((name) => {
    mkdirSync(join(sessions, name), { recursive: true });
    return name;
  }) as [string, string, string];
  for (const name of [old, living]) utimesSync(join(sessions, name), yesterday, yesterday);
  const spills = new Spills({ state });
  await keep(spills, 'one\n');
  expect(readdirSync(sessions)).toEqual(expect.arrayContaining([fresh, living]));
  expect(readdirSync(sessions)).not.toContain(old);
});

test('the cap ends the keeping of one output and leaves a mark', async () => {
  const spills = new Spills({ state: temporaryFolder(), cap: 5 });
  const spill = await keep(spills, '1234567');
  expect(spill).toMatchObject({ bytes: 5, capped: true });
  expect(await readBack(spills, 1)).toBe('12345');
  const opened = await spills.open(1);
  expect(opened.capped).toBe(true);
  await opened.file.close();
});

test('the oldest spills make room for new ones', async () => {
  const spills = new Spills({ state: temporaryFolder(), cap: 10, total: 25 });
  for (const text of ['1', '2', '3', '4']) await keep(spills, text.repeat(10));
  await expect(spills.open(2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await readBack(spills, 3)).toBe('3333333333');
  expect(await readBack(spills, 4)).toBe('4444444444');
});

test('chunks of every size arrive in order', async () => {
  const spills = new Spills({ state: temporaryFolder() });
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

test('a full disk ends the keeping, not the output', async () => {
  const { openSync } = await import('node:fs');
  const { SpillWriter } = await import('../../src/session/spill-writer.ts');
  const path = join(temporaryFolder(), 'full');
  const writer = new SpillWriter(openSync('/dev/full', 'w'), path, 'artifact://1', 1 << 30);
  for (let i = 0; i < 10; i += 1) await writer.write(Buffer.alloc(60_000));
  expect(await writer.finish()).toEqual({ url: 'artifact://1', path, bytes: 0, capped: true });
});

beforeEach(() => {
  vi.stubEnv('TMPDIR', temporaryFolder());
  return () => vi.unstubAllEnvs();
});

test('the state folder is under XDG_CACHE_HOME, or in tmp where that cannot be', () => {
  const cache = temporaryFolder();
  expect(stateFolder({ XDG_CACHE_HOME: cache })).toBe(join(cache, 'oriel'));
  expect(mode(join(cache, 'oriel'))).toBe('700');
  expect(stateFolder({ XDG_CACHE_HOME: 'relative', HOME: cache })).toBe(join(cache, '.cache', 'oriel'));
  const file = join(cache, 'file');
  writeFileSync(file, '');
  expect(stateFolder({ XDG_CACHE_HOME: file })).toMatch(/\/oriel-\w+$/);
});

test('a link that lies where the state folder should be is not followed', () => {
  const [cache, elsewhere] = [temporaryFolder(), temporaryFolder()];
  symlinkSync(elsewhere, join(cache, 'oriel'));
  expect(stateFolder({ XDG_CACHE_HOME: cache })).toMatch(/\/oriel-\w+$/);
  expect(readdirSync(elsewhere)).toEqual([]);
});
