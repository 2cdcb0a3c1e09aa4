/**
 * The telemetry file: private, rotated, complete lines, never through a link; no call waits for it or fails because of
 * it.
 */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkTelemetryFile, TelemetryFile } from '../../src/telemetry/telemetry-file.ts';
import { call } from '../support/telemetry.ts';
import { temporaryFolder } from '../support/commands.ts';

/** Replaces the synchronous write: takes at most this many bytes at once; then fails, if it is said. */
const { writes } = vi.hoisted(() => ({ writes: { most: Infinity, until: Infinity } }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (fd: number, bytes: Uint8Array, offset = 0): number => {
    if (writes.until <= 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    const written = fs.writeSync(
      fd,
      bytes,
      offset,
      Math.min(bytes.length - offset, writes.most, writes.until),
    );
    writes.until -= written;
    return written;
  };
  return { ...fs, writeSync };
});

function place(): { path: string; folder: string } {
  const folder = temporaryFolder();
  return { path: join(folder, 't.jsonl'), folder };
}

/** Adds a call of each of these tools, and writes them. */
function write(file: TelemetryFile, ...tools: readonly string[]): void {
  for (const tool of tools) file.add(call({ tool }));
  file.flush();
}

const toolsIn = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { tool: string }).tool);

test('events are JSON lines in a private file', () => {
  const { path } = place();
  const file = new TelemetryFile({ path });
  write(file, 'one', 'two\u2028\u202e');
  expect(toolsIn(path)).toEqual(['one', 'two\u2028\u202e']);
  expect(readFileSync(path, 'utf8')).toMatch(/^[\x20-\x7e\n]+$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an existing file is appended to and made private', () => {
  const { path } = place();
  writeFileSync(path, `${JSON.stringify(call({ tool: 'before' }))}\n`);
  chmodSync(path, 0o644);
  const file = new TelemetryFile({ path });
  write(file, 'after');
  expect(toolsIn(path)).toEqual(['before', 'after']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('after an incomplete line an event begins a new one', () => {
  const { path } = place();
  writeFileSync(path, `${JSON.stringify(call({ tool: 'before' }))}\n{"kind":"call","task":"cut o`);
  const file = new TelemetryFile({ path });
  write(file, 'after');
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines).toHaveLength(4);
  const tools = [lines[0], lines[2]].map((line) => (JSON.parse(line ?? '') as { tool: string }).tool);
  expect(tools).toEqual(['before', 'after']);
});

test('a link, FIFO, directory or second name: refused, later dropped', () => {
  const { path, folder } = place();
  const target = join(folder, 'target');
  const [hard, fifo, directory, nowhere] = ['hard', 'fifo', 'directory', 'none/t'].map((name) =>
    join(folder, name),
  );
  writeFileSync(target, 'precious');
  symlinkSync(target, path);
  linkSync(target, hard as string);
  spawnSync('mkfifo', [fifo as string]);
  mkdirSync(directory as string);
  const why = [
    [path, 'it is a link'],
    [hard, 'it has several names'],
    [fifo, 'it is not a regular file'],
    [directory, 'it is a directory'],
    [nowhere, 'its directory does not exist'],
  ] as [string, string][];
  for (const [wrong, reason] of why) {
    expect(() => checkTelemetryFile(wrong)).toThrow(`Telemetry cannot be written to ${wrong}: ${reason}.`);
    const told: unknown[] = [];
    const file = new TelemetryFile({ path: wrong, onError: (error) => void told.push(error) });
    for (let i = 0; i < 4; i += 1) write(file, 'a');
    // Told once, and counted each time.
    expect([told.length, file.dropped]).toEqual([1, 4]);
  }
  expect(readFileSync(target, 'utf8')).toBe('precious');
  expect(readlinkSync(path)).toBe(target);
});

test.skipIf(!process.getuid)('C12 nothing is written where others could replace the file', () => {
  const { path, folder } = place();
  const target = join(folder, 'target');
  mkdirSync(target);
  writeFileSync(join(target, 't.jsonl'), 'precious', { mode: 0o600 });
  mkdirSync(join(folder, 'own'));
  symlinkSync(target, join(folder, 'own/calls'));
  const through = join(folder, 'own/calls/t.jsonl');
  chmodSync(join(folder, 'own'), 0o777);
  expect(() => checkTelemetryFile(through)).toThrow(
    `Telemetry cannot be written to ${through}: other users can change ${join(folder, 'own')}.`,
  );
  const file = new TelemetryFile({ path: through, rotateAt: 1 });
  write(file, 'a');
  expect([readdirSync(target), file.dropped]).toEqual([['t.jsonl'], 1]);
  expect(readFileSync(join(target, 't.jsonl'), 'utf8')).toBe('precious');
  expect(existsSync(path)).toBe(false);
});

test('events of a failed write are dropped, counted, reported once', () => {
  const told: unknown[] = [];
  const file = new TelemetryFile({ path: '/dev/full', onError: (error) => void told.push(error) });
  write(file, 'a', 'b');
  write(file, 'a');
  expect([file.dropped, told.length]).toEqual([3, 1]);
});

test('rotation removes the oldest part and loses no other event', () => {
  const { path } = place();
  const file = new TelemetryFile({ path, rotateAt: 400 });
  for (let i = 0; i < 20; i += 1) {
    file.add(call({ tool: `call ${i}`, host: 'x'.repeat(300) }));
    file.flush();
  }
  file.flush();
  const parts = [4, 3, 2, 1].map((n) => `${path}.${n}`);
  const kept = [...parts, path].flatMap(toolsIn);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => `call ${20 - kept.length + i}`));
  expect([existsSync(`${path}.5`), existsSync(`${path}.lock`)]).toEqual([false, false]);
  for (const part of parts) expect(statSync(part).mode & 0o777).toBe(0o600);
});

test('a failed rotation is reported; the file at most doubles', () => {
  const { path } = place();
  mkdirSync(join(`${path}.lock`, 'in-the-way'), { recursive: true });
  const told: unknown[] = [];
  const file = new TelemetryFile({ path, rotateAt: 2_000, onError: (error) => void told.push(error) });
  for (let i = 0; i < 20; i += 1) {
    file.add(call({ host: 'x'.repeat(300) }));
    file.flush();
  }
  file.flush();
  expect([told.length, file.dropped > 5, statSync(path).size < 5_000]).toEqual([1, true, true]);
});

test('two writers rotate one file together and lose no event', () => {
  const { path } = place();
  const writers = [0, 1].map(() => new TelemetryFile({ path, rotateAt: 6_000 }));
  for (let i = 0; i < 40; i += 1) {
    for (const [w, writer] of writers.entries())
      writer.add(call({ tool: `${w} ${i}`, host: 'x'.repeat(200) }));
    for (const writer of writers) writer.flush();
  }
  const parts = ['', '.1', '.2', '.3', '.4'].map((part) => path + part);
  const kept = parts.filter(existsSync).flatMap(toolsIn);
  expect(kept.toSorted()).toEqual(
    [0, 1].flatMap((w) => Array.from({ length: 40 }, (_, i) => `${w} ${i}`)).toSorted(),
  );
});

test('a file that was moved away is created again', () => {
  const { path } = place();
  const file = new TelemetryFile({ path });
  write(file, 'old');
  renameSync(path, `${path}.away`);
  write(file, 'new');
  expect([toolsIn(`${path}.away`), toolsIn(path)]).toEqual([['old'], ['new']]);
});

test('short writes are continued, lines after failures are counted', () => {
  const { path } = place();
  const told: unknown[] = [];
  const file = new TelemetryFile({ path, onError: (error) => void told.push(error) });
  onTestFinished(() => void Object.assign(writes, { most: Infinity, until: Infinity }));
  writes.most = 7;
  write(file, 'a', 'b', 'c');
  expect([toolsIn(path), file.dropped, told]).toEqual([['a', 'b', 'c'], 0, []]);
  const line = readFileSync(path).length / 3;
  // The disk takes one line and a half.
  writes.until = Math.floor(line * 1.5);
  write(file, 'd', 'e', 'f');
  expect([file.dropped, told.length]).toEqual([2, 1]);
  writes.until = Infinity;
  write(file, 'g');
  file.flush();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const whole = lines.filter((_, at) => at !== 4).map((one) => (JSON.parse(one) as { tool: string }).tool);
  expect([lines.length, whole]).toEqual([6, ['a', 'b', 'c', 'd', 'g']]);
});

test('the buffer is bounded', () => {
  const { path } = place();
  const file = new TelemetryFile({ path });
  for (let i = 0; i < 60; i += 1) file.add(call({ host: 'x'.repeat(100_000) }));
  expect(file.dropped).toBeGreaterThan(10);
  file.flush();
  expect(statSync(path).size).toBeLessThan(5 << 20);
});
