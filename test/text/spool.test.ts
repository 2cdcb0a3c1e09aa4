import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Identity } from '../../src/identity.ts';
import { readAt } from '../../src/text/bytes.ts';
import { type Overflow, Spool, type SpoolOptions, SpoolReader } from '../../src/text/spool.ts';
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

/** A spool of these chunks, by default in memory. */
function spoolOf(
  chunks: readonly string[] | AsyncIterable<Uint8Array>,
  options: Partial<SpoolOptions> = {},
): Spool {
  async function* produce(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  const overflow = (): Promise<Overflow> => Promise.reject(new Error('no file'));
  const whole = { identity: Identity.once('test'), memory: 1 << 20, cap: 1 << 20, overflow };
  return new Spool(Symbol.asyncIterator in chunks ? chunks : produce(), { ...whole, ...options });
}

test.each([
  ['in memory', 1 << 20],
  ['in a private file', 100],
])('bytes at offsets, %s, pulled as far as needed', async (_where, memory) => {
  const session = createSession();
  const { source, pulled } = stream(10, 64);
  const spool = spoolOf(source, { memory, overflow: () => session.scratch() });
  expect(await readAt(spool, 70, 4)).toStrictEqual(Buffer.alloc(4, 1));
  expect([pulled(), spool.size]).toStrictEqual([2, undefined]);
  expect(await readAt(spool, 630, 100)).toStrictEqual(Buffer.alloc(10, 9));
  expect([spool.size, spool.capped]).toStrictEqual([640, false]);
  expect(await readAt(spool, 0, 3)).toStrictEqual(Buffer.alloc(3, 0));
  await spool.close();
  await session.close();
});

test('a stream error reaches only readers of bytes beyond it', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('good');
    throw new Error('broken');
  }
  const spool = spoolOf(failing());
  expect(Buffer.from(await readAt(spool, 0, 4)).toString()).toBe('good');
  await expect(readAt(spool, 2, 10)).rejects.toThrow('broken');
});

test('an overflow file opened while the spool closes is closed', async () => {
  const { source, ended } = stream(10, 64);
  let open: (overflow: Overflow) => void = () => undefined;
  let closed = 0;
  const overflow = (): Promise<Overflow> => new Promise((resolve) => (open = resolve));
  const spool = spoolOf(source, { memory: 100, overflow });
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
  return { spool: spoolOf(source, { stop }), give };
}

test('a cancelled reader returns at once, others get the step', async () => {
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

test('a spool can be closed while a step hangs', async () => {
  const { spool } = slowSpool();
  const reading = readAt(spool, 0, 4);
  await spool.close();
  await expect(reading).rejects.toThrow('closed');
});

test('the overflow file is closed though the stream fails', async () => {
  const { source } = stream(10, 64);
  const stuck: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => source[Symbol.asyncIterator]().next(),
      return: () => Promise.reject(new Error('EIO')),
    }),
  };
  let closed = 0;
  const spool = spoolOf(stuck, {
    memory: 0,
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

const textAt = async (source: Spool | SpoolReader, offset: number, length: number): Promise<string> =>
  Buffer.from(await readAt(source, offset, length)).toString();

test('bytes are found across chunks that their owner may reuse', async () => {
  const chunk = Buffer.from('abcd');
  async function* reusing(): AsyncGenerator<Uint8Array> {
    for (const text of ['abcd', 'efgh', 'ijkl']) {
      chunk.write(text);
      yield chunk;
    }
  }
  const spool = spoolOf(reusing());
  const all = 'abcdefghijkl';
  for (let offset = 0; offset <= 13; offset += 1)
    for (let length = 0; length <= 13; length += 1)
      expect([offset, length, await textAt(spool, offset, length)]).toStrictEqual([
        offset,
        length,
        all.slice(offset, offset + length),
      ]);
  expect([spool.size, spool.failed, spool.held]).toStrictEqual([
    12,
    false,
    { memory: 12, disk: 0, descriptors: 0 },
  ]);
});

test('a stream is cut only beyond its cap', async () => {
  const whole = spoolOf(['abcd', 'efgh'], { cap: 8 });
  expect([await textAt(whole, 0, 99), whole.size, whole.capped]).toStrictEqual(['abcdefgh', 8, false]);
  const cut = spoolOf(['abcd', 'efgh'], { cap: 7 });
  expect([await textAt(cut, 0, 99), cut.size, cut.capped]).toStrictEqual(['abcdefg', 7, true]);
  const { source, ended } = stream(1000, 64);
  expect((await readAt(spoolOf(source, { cap: 100 }), 0, 1000)).length).toBe(100);
  expect(ended()).toBe(true);
});

test('a file is written only beyond the limit of memory', async () => {
  const appended: string[] = [];
  const content = (): Buffer => Buffer.from(appended.join(''));
  const spool = spoolOf(['abcd', 'efgh', 'i'], {
    memory: 8,
    cap: 100,
    overflow: () =>
      Promise.resolve({
        append: (bytes) => Promise.resolve(void appended.push(Buffer.from(bytes).toString())),
        readInto: (target, offset) => Promise.resolve(content().copy(target, 0, offset)),
        close: () => Promise.resolve(),
      }),
  });
  expect([await textAt(spool, 0, 8), appended, spool.held]).toStrictEqual([
    'abcdefgh',
    [],
    { memory: 8, disk: 0, descriptors: 0 },
  ]);
  expect([await textAt(spool, 2, 99), appended, spool.held]).toStrictEqual([
    'cdefghi',
    ['abcd', 'efgh', 'i'],
    { memory: 0, disk: 9, descriptors: 1 },
  ]);
});

test('a file that cannot be filled fails the stream', async () => {
  let closed = 0;
  const spool = spoolOf(['abcd', 'efgh'], {
    memory: 4,
    cap: 100,
    overflow: () =>
      Promise.resolve({
        append: () => Promise.reject(new Error('ENOSPC')),
        readInto: () => Promise.resolve(0),
        close: () => Promise.resolve(void (closed += 1)),
      }),
  });
  expect(await textAt(spool, 0, 4)).toBe('abcd');
  await expect(readAt(spool, 0, 5)).rejects.toThrow('ENOSPC');
  expect([closed, spool.failed, spool.size]).toStrictEqual([1, true, undefined]);
});

test('an unwanted step ends after a second, unless someone comes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { spool, give } = slowSpool();
  const leave = async (): Promise<void> => {
    const stop = new AbortController();
    const reading = readAt(spool, 0, 4, stop.signal).catch((error: Error) => error.message);
    stop.abort(new Error('cancelled'));
    expect(await reading).toBe('cancelled');
  };
  await leave();
  await vi.advanceTimersByTimeAsync(999);
  // Someone waits again when the second is over.
  const reading = readAt(spool, 0, 4, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(1);
  expect(spool.failed).toBe(false);
  give('abcd');
  expect(Buffer.from(await reading).toString()).toBe('abcd');
  const next = new AbortController();
  const later = readAt(spool, 4, 4, next.signal).catch((error: Error) => error.message);
  next.abort(new Error('cancelled'));
  expect(await later).toBe('cancelled');
  await vi.advanceTimersByTimeAsync(999);
  expect(spool.failed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(spool.failed).toBe(true);
});

test('a reader without a signal keeps its step from ending', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { spool, give } = slowSpool();
  const stop = new AbortController();
  const patient = readAt(spool, 0, 4);
  const reading = readAt(spool, 0, 4, stop.signal).catch((error: Error) => error.message);
  stop.abort(new Error('cancelled'));
  expect(await reading).toBe('cancelled');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(spool.failed).toBe(false);
  give('abcd');
  expect(Buffer.from(await patient).toString()).toBe('abcd');
});

test('a reader leaves no listener at its signal', async () => {
  const { spool, give } = slowSpool();
  const [one, other] = [new AbortController(), new AbortController()];
  const reading = [one, other].map(({ signal }) =>
    readAt(spool, 0, 4, signal).catch((error: Error) => error.message),
  );
  expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
  one.abort(new Error('cancelled'));
  expect(await reading[0]).toBe('cancelled');
  give('abcd');
  expect(Buffer.from((await reading[1]) as Uint8Array).toString()).toBe('abcd');
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
  // A signal that was aborted before does not begin another step.
  await expect(readAt(spool, 4, 4, one.signal)).rejects.toThrow('cancelled');
  expect(Buffer.from(await readAt(spool, 0, 4, one.signal)).toString()).toBe('abcd');
});

describe('a reader of a shared spool', () => {
  test('knows the size only after reading beyond the end', async () => {
    const spool = spoolOf(['abcd', 'efgh']);
    const [one, other] = [new SpoolReader(spool), new SpoolReader(spool)];
    expect([one.identity, one.streamed]).toStrictEqual([spool.identity, true]);
    expect([await textAt(one, 0, 8), spool.size, one.size]).toStrictEqual(['abcdefgh', undefined, undefined]);
    expect([await textAt(one, 4, 5), spool.size, one.size]).toStrictEqual(['efgh', 8, 8]);
    expect([await textAt(one, 0, 2), one.size]).toStrictEqual(['ab', 8]);
    expect([await textAt(other, 0, 8), other.size]).toStrictEqual(['abcdefgh', undefined]);
    expect([await textAt(other, 8, 1), other.size]).toStrictEqual(['', 8]);
  });

  test('and then whether the stream was cut', async () => {
    const spool = spoolOf(['abcd', 'efgh'], { cap: 6 });
    const [one, other] = [new SpoolReader(spool), new SpoolReader(spool)];
    expect([await textAt(one, 0, 99), one.size, one.capped]).toStrictEqual(['abcdef', 6, true]);
    expect([await textAt(other, 0, 3), spool.capped, other.capped]).toStrictEqual(['abc', true, false]);
    const whole = new SpoolReader(spoolOf(['abcd']));
    expect([await textAt(whole, 0, 99), whole.capped]).toStrictEqual(['abcd', false]);
  });
});
