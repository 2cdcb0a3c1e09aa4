/** The names of file types, as the installed ripgrep lists them. */

import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type * as types from '../../src/process/ripgrep.ts';
import type { searchSlots } from '../../src/process/ripgrep.ts';
import type { queues } from '../../src/queues/queue-table.ts';
import { temporaryFolder } from '../support/commands.ts';

/** A program instead of the installed ripgrep. */
let program: string | undefined;

vi.mock('../../src/process/ripgrep-path.ts', async (original) => {
  const real = await original<typeof import('../../src/process/ripgrep-path.ts')>();
  return { ...real, ripgrepPath: () => program ?? real.ripgrepPath() };
});

let fileTypes: typeof types.fileTypes;
let slots: typeof searchSlots;
let table: typeof queues;

beforeEach(async () => {
  // The types are read once for each process.
  vi.resetModules();
  program = undefined;
  ({ fileTypes } = await import('../../src/process/ripgrep.ts'));
  ({ searchSlots: slots } = await import('../../src/process/ripgrep.ts'));
  ({ queues: table } = await import('../../src/queues/queue-table.ts'));
});
afterEach(() => vi.unstubAllEnvs());

const { signal } = new AbortController();

/** A shell script that is run instead of ripgrep. */
function script(text: string): string {
  const path = join(temporaryFolder(), 'rg');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('the globs of each type', async () => {
  const found = await fileTypes(signal);
  expect(found.get('json')).toContain('*.json');
  expect(found.get('make')).toEqual(expect.arrayContaining(['*.mk', '*.mak']));
  expect(found.get('py')).toStrictEqual(found.get('python'));
  for (const [name, globs] of found) {
    expect(name).toMatch(/^[\w+-]+$/);
    expect(globs.filter((glob) => glob === '' || glob.trim() !== glob || glob.includes(', '))).toEqual([]);
  }
});

test.runIf(process.platform !== 'win32')('a list is read by lines, once for each process', async () => {
  const asked = join(temporaryFolder(), 'asked');
  program = script(`echo "$@" >> '${asked}'
printf 'make: *.mak, *.mk, Makefile\\nall: a: b\\n\\nno type here\\nc: *.[chH] \\n'`);
  const expected = new Map([
    ['make', ['*.mak', '*.mk', 'Makefile']],
    ['all', ['a: b']],
    ['c', ['*.[chH]']],
  ]);
  expect(await fileTypes(signal)).toStrictEqual(expected);
  expect(await fileTypes(signal)).toStrictEqual(expected);
  expect(readFileSync(asked, 'utf8')).toBe('--no-config --type-list\n');
});

test.runIf(process.platform !== 'win32')('it runs without the environment of this process', async () => {
  vi.stubEnv('RIPGREP_CONFIG_PATH', '/etc/ripgreprc');
  vi.stubEnv('SystemRoot', '/windows');
  program = script('echo "config: <${RIPGREP_CONFIG_PATH-}${SystemRoot-}>"');
  expect(await fileTypes(signal)).toStrictEqual(new Map([['config', ['<>']]]));
});

test.runIf(process.platform !== 'win32')('a ripgrep that fails is asked again the next time', async () => {
  program = script('echo "a: b"; exit 2');
  const failed = fileTypes(signal);
  await expect(failed).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: 'ripgrep could not be asked for its file types. Use glob instead.',
    cause: new Error('ripgrep ended with 2'),
  });
  program = script('echo "a: b"');
  expect(await fileTypes(signal)).toStrictEqual(new Map([['a', ['b']]]));
});

test.runIf(process.platform !== 'win32')(
  'without descriptors it is asked again, and not called unsupported',
  async () => {
    program = script('echo "a: b"');
    const held: number[] = [];
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    try {
      for (;;) held.push(openSync('/dev/null', 'r'));
    } catch {
      // None is left.
    }
    const failed = await fileTypes(signal).catch((error: unknown) => error);
    for (const fd of held) closeSync(fd);
    expect(failed).toMatchObject({ code: 'EMFILE' });
    expect(await fileTypes(signal)).toStrictEqual(new Map([['a', ['b']]]));
  },
);

test('a ripgrep that cannot be started', async () => {
  program = join(temporaryFolder(), 'missing');
  expect(existsSync(program)).toBe(false);
  await expect(fileTypes(signal)).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    cause: { code: 'ENOENT' },
  });
});

test.runIf(process.platform !== 'win32')('it holds a search slot until it ends or fails', async () => {
  const { ripgrep } = table;
  const [taken, running]: [ReturnType<typeof vi.spyOn>, number[]] = [vi.spyOn(slots, 'take'), []];
  for (const text of ['echo "a: b"; exit 1', 'echo "a: b"']) {
    program = script(text);
    const asked = fileTypes(signal).catch(() => undefined);
    await expect.poll(() => taken.mock.results.length).toBeGreaterThan(running.length);
    await taken.mock.results.at(-1)?.value;
    running.push(ripgrep.stats.running);
    await asked;
    expect(ripgrep.stats.running).toBe(0);
  }
  expect(running).toStrictEqual([1, 1]);
});

test('a call cancelled while waiting for a slot starts nothing', async () => {
  const { ripgrep } = table;
  const held = await Promise.all(
    Array.from({ length: ripgrep.limit }, () => slots.take(new AbortController().signal)),
  );
  const stop = new AbortController();
  const asked = fileTypes(stop.signal);
  stop.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  for (const slot of held) slot.release();
  expect(ripgrep.stats).toMatchObject({ running: 0, waiting: 0 });
});
