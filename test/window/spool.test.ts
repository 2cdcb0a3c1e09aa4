import { expect, test } from 'vitest';
import { Identity } from '../../src/identity.ts';
import { readAt } from '../../src/access/bytes.ts';
import { type Overflow, Spool } from '../../src/window/spool.ts';
import { createSession } from '../../src/session/session.ts';

function stream(
  chunks: number,
  size: number,
): { source: AsyncGenerator<Uint8Array>; pulled: () => number; ended: () => boolean } {
  let pulled = 0;
  let ended = false;
  async function* produce(): AsyncGenerator<Uint8Array> {
    try {
      for (let i = 0; i < chunks; i += 1) {
        pulled += 1;
        yield Buffer.alloc(size, i % 256);
      }
    } finally {
      ended = true;
    }
  }
  return { source: produce(), pulled: () => pulled, ended: () => ended };
}

test.each([
  ['in memory', 1 << 20],
  ['in a private file', 100],
])('bytes at offsets, %s, pulled as far as needed', async (_where, memory) => {
  const session = createSession();
  const { source, pulled } = stream(10, 64);
  const spool = new Spool(source, {
    identity: Identity.once('test'),
    memory,
    cap: 1 << 20,
    overflow: () => session.scratch(),
  });
  expect(await readAt(spool, 70, 4)).toStrictEqual(Buffer.alloc(4, 1));
  expect([pulled(), spool.size]).toStrictEqual([2, undefined]);
  expect(await readAt(spool, 630, 100)).toStrictEqual(Buffer.alloc(10, 9));
  expect([spool.size, spool.capped]).toStrictEqual([640, false]);
  expect(await readAt(spool, 0, 3)).toStrictEqual(Buffer.alloc(3, 0));
  await spool.close();
  await session.close();
});

test('the cap ends the stream', async () => {
  const { source, ended } = stream(1000, 64);
  const spool = new Spool(source, {
    identity: Identity.once('test'),
    memory: 1 << 20,
    cap: 100,
    overflow: () => Promise.reject(new Error('no file')),
  });
  expect((await readAt(spool, 0, 1000)).length).toBe(100);
  expect([spool.size, spool.capped, ended()]).toStrictEqual([100, true, true]);
});

test('an error of the stream is thrown only to readers that need bytes beyond it', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('good');
    throw new Error('broken');
  }
  const spool = new Spool(failing(), {
    identity: Identity.once('test'),
    memory: 100,
    cap: 100,
    overflow: () => Promise.reject(new Error('no')),
  });
  expect(Buffer.from(await readAt(spool, 0, 4)).toString()).toBe('good');
  await expect(readAt(spool, 2, 10)).rejects.toThrow('broken');
});

test('an overflow file that is opened while the spool is being closed is closed too', async () => {
  const { source, ended } = stream(10, 64);
  let open: (overflow: Overflow) => void = () => undefined;
  let closed = 0;
  const spool = new Spool(source, {
    identity: Identity.once('test'),
    memory: 100,
    cap: 1 << 20,
    overflow: () => new Promise((resolve) => (open = resolve)),
  });
  const reading = readAt(spool, 200, 10);
  await expect.poll(() => spool.held.memory).toBe(64);
  const closing = spool.close();
  open({
    append: () => Promise.resolve(),
    readInto: () => Promise.resolve(0),
    close: () => Promise.resolve(void (closed += 1)),
  });
  await closing;
  await expect(reading).rejects.toThrow('closed');
  expect([closed, ended(), spool.held]).toStrictEqual([1, true, { memory: 0, disk: 0, descriptors: 0 }]);
});

/** A stream whose next chunk comes when it is told to, and that may be stopped. */
function slowStream(): { source: AsyncGenerator<Uint8Array>; stop(): void; give(text: string): void } {
  const stopped = new AbortController();
  let give: (text: string) => void = () => undefined;
  async function* produce(): AsyncGenerator<Uint8Array> {
    for (;;) {
      yield Buffer.from(
        await new Promise<string>((resolve, reject) => {
          give = resolve;
          stopped.signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
      );
    }
  }
  return { source: produce(), stop: () => stopped.abort(), give: (text) => give(text) };
}

function slowSpool(): { spool: Spool; give(text: string): void } {
  const { source, stop, give } = slowStream();
  const spool = new Spool(source, {
    identity: Identity.once('test'),
    memory: 100,
    cap: 1 << 20,
    overflow: () => Promise.reject(new Error('no file')),
    stop,
  });
  return { spool, give };
}

test('a cancelled reader returns at once; the step continues for other readers and for those that come soon', async () => {
  const { spool, give } = slowSpool();
  const stop = new AbortController();
  const one = readAt(spool, 0, 4, stop.signal);
  const other = readAt(spool, 0, 4);
  stop.abort(new Error('cancelled'));
  await expect(one).rejects.toThrow('cancelled');
  give('abcd');
  expect(Buffer.from(await other).toString()).toBe('abcd');
  const third = new AbortController();
  const reading = readAt(spool, 4, 4, third.signal);
  third.abort(new Error('cancelled'));
  await expect(reading).rejects.toThrow('cancelled');
  give('efgh');
  expect(Buffer.from(await readAt(spool, 4, 4)).toString()).toBe('efgh');
  expect(spool.failed).toBe(false);
  await spool.close();
});

test('a step that does not end is aborted when nobody waits any more, and later bytes are never available', async () => {
  const { spool } = slowSpool();
  const stop = new AbortController();
  const reading = readAt(spool, 0, 4, stop.signal);
  stop.abort(new Error('cancelled'));
  await expect(reading).rejects.toThrow('cancelled');
  await expect.poll(() => spool.failed).toBe(true);
  await expect(readAt(spool, 0, 4)).rejects.toThrow('Nobody waits');
});

test('a spool can be closed while a step hangs', async () => {
  const { spool } = slowSpool();
  const reading = readAt(spool, 0, 4);
  await spool.close();
  await expect(reading).rejects.toThrow('closed');
});

test('the overflow file is closed although the stream fails at its end', async () => {
  const { source } = stream(10, 64);
  const stuck: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => source[Symbol.asyncIterator]().next(),
      return: () => Promise.reject(new Error('EIO')),
    }),
  };
  let closed = 0;
  const spool = new Spool(stuck, {
    identity: Identity.once('test'),
    memory: 0,
    cap: 1 << 20,
    overflow: () =>
      Promise.resolve({
        append: () => Promise.resolve(),
        readInto: () => Promise.resolve(0),
        close: () => Promise.resolve(void (closed += 1)),
      }),
  });
  await readAt(spool, 0, 10);
  await expect(spool.close()).rejects.toThrow('EIO');
  expect(closed).toBe(1);
});
