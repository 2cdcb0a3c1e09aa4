/** Reading pipes of child processes, and streams in their place: order, backpressure, ends. */

import { closeSync, mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type OutputIntake,
  openPipes,
  pollInto,
  readStream,
  type TakeChunk,
} from '../../src/process/command.ts';
import { closeSparePipes, sparePipes } from '../../src/files/descriptors.ts';

interface Read {
  readonly intake: OutputIntake;
  write(text: string): void;
  /** Closes the writing end. */
  end(): void;
}

/** All kinds, each with a writing end that stands for a child process. */
const KINDS: Record<string, (take: TakeChunk) => Promise<Read>> = {
  async pipe(take) {
    const directory = mkdtempSync(join(tmpdir(), 'oriel-'));
    const [pipe] = (await openPipes(directory, 1)) ?? [];
    if (!pipe) throw new Error('there is no mkfifo');
    const { openSync } = await import('node:fs');
    const child = openSync(`/proc/self/fd/${pipe.writeEnd}`, 'w');
    const intake = pipe.read(take);
    rmSync(directory, { recursive: true });
    return { intake, write: (text) => void writeSync(child, text), end: () => closeSync(child) };
  },
  async 'polled pipe'(take) {
    const directory = mkdtempSync(join(tmpdir(), 'oriel-'));
    (await openPipes(directory, 1))?.[0]?.discard();
    const ends = sparePipes.pop();
    if (!ends) throw new Error('there is no mkfifo');
    rmSync(directory, { recursive: true });
    const intake = pollInto(Buffer.alloc(1024), ends.readEnd, take);
    return {
      intake,
      write: (text) => void writeSync(ends.writeEnd, text),
      end: () => closeSync(ends.writeEnd),
    };
  },
  stream(take) {
    const stream = new PassThrough();
    const intake = readStream(stream, take);
    return Promise.resolve({
      intake,
      write: (text) => void stream.write(text),
      end: () => void stream.end(),
    });
  },
};

afterEach(() => closeSparePipes());

describe.runIf(process.platform === 'linux').each(Object.entries(KINDS))('%s', (_, open) => {
  test('gives what is written, until the writing end is closed', async () => {
    const taken: string[] = [];
    const { intake, write, end } = await open((chunk) => {
      taken.push(Buffer.from(chunk).toString());
      return undefined;
    });
    let isOver = false;
    void intake.ended.then(() => (isOver = true));
    write('one');
    await expect.poll(() => taken.join('')).toBe('one');
    write('two');
    await expect.poll(() => taken.join('')).toBe('onetwo');
    expect([isOver, intake.paused]).toEqual([false, false]);
    end();
    await intake.ended;
    expect(taken.join('')).toBe('onetwo');
  });

  test('gives nothing while paused, and everything afterwards', async () => {
    const taken: string[] = [];
    const waiting: (() => void)[] = [];
    const { intake, write, end } = await open((chunk) => {
      taken.push(Buffer.from(chunk).toString());
      return new Promise((resolve) => void waiting.push(resolve));
    });
    write('one');
    await expect.poll(() => taken).toEqual(['one']);
    expect(intake.paused).toBe(true);
    write('two');
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect(taken).toEqual(['one']);
    waiting.shift()?.();
    await expect.poll(() => taken).toEqual(['one', 'two']);
    expect(intake.paused).toBe(true);
    waiting.shift()?.();
    await expect.poll(() => intake.paused).toBe(false);
    end();
    await intake.ended;
  });

  test('is over when closed, and gives nothing any more', async () => {
    const taken: string[] = [];
    const { intake, write, end } = await open((chunk) => {
      taken.push(Buffer.from(chunk).toString());
      return undefined;
    });
    intake.close();
    await intake.ended;
    try {
      write('late');
    } catch (error) {
      // A child gets this error, or the signal SIGPIPE.
      expect(error).toMatchObject({ code: 'EPIPE' });
    }
    end();
    expect(taken).toEqual([]);
  });
});

test('an error of a stream ends it', async () => {
  const stream = new PassThrough();
  const { ended } = readStream(stream, () => undefined);
  stream.destroy(new Error('read ECONNRESET'));
  await ended;
});

test('an error of a stream ends it without a close', async () => {
  const stream = new PassThrough({ emitClose: false });
  const { ended } = readStream(stream, () => undefined);
  stream.destroy(new Error('read ECONNRESET'));
  await ended;
});

test('a pipe without a child is closed at both ends', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-'));
  const { fstatSync } = await import('node:fs');
  const [pipe] = (await openPipes(directory, 1)) ?? [];
  const fd = pipe?.writeEnd ?? -1;
  expect(fstatSync(fd).isFIFO()).toBe(true);
  pipe?.discard();
  expect(() => fstatSync(fd)).toThrow('EBADF');
  rmSync(directory, { recursive: true });
});

test('without mkfifo there is no pipe', async () => {
  vi.stubEnv('PATH', '/nowhere');
  expect(await openPipes(tmpdir(), 1)).toBeUndefined();
  vi.unstubAllEnvs();
});
