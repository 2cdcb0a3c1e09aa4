import { expect, onTestFinished, test } from 'vitest';
import { queues } from '../../../src/queues/queue-table.ts';
import { type PackedInput, pullFromWorker } from '../../../src/formats/archive/unpack.ts';
import { packed } from '../../support/packed.ts';

/** Unpacks to hundreds of kilobytes, chunk by chunk. */
const LINES = packed.bz2.lines;
const TEXT = 'hello line\n'.repeat(100_000);

const never = new AbortController().signal;

function inputOf(bytes: Uint8Array, size = bytes.length): PackedInput {
  return {
    size,
    async *read() {
      for (let at = 0; at < bytes.length; at += 50) yield bytes.subarray(at, at + 50);
    },
  };
}

const lines = (size?: number): AsyncGenerator<Uint8Array> =>
  pullFromWorker<Uint8Array>({ kind: 'bzip2' }, inputOf(LINES, size), never);

async function rest(stream: AsyncGenerator<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += Buffer.from(chunk).toString();
  return text;
}

async function first(stream: AsyncGenerator<Uint8Array>): Promise<string> {
  const step = await stream.next();
  return Buffer.from(step.value as Uint8Array).toString();
}

function withLimit(limit: number): void {
  for (const queue of [queues.unpack, queues.unpackSmall]) {
    const before = queue.limit;
    queue.limit = limit;
    onTestFinished(() => void (queue.limit = before));
  }
}

test('an idle decoder yields its slot and continues later', async () => {
  withLimit(1);
  const page = lines();
  const shown = await first(page);
  expect(shown.length).toBeLessThan(TEXT.length);
  expect(await rest(lines())).toBe(TEXT);
  expect(shown + (await rest(page))).toBe(TEXT);
  expect(queues.unpackSmall.stats).toMatchObject({ running: 0, waiting: 0 });
});

test('a decoder that waits for packed bytes blocks no others', async () => {
  withLimit(1);
  let come = (): void => {};
  const late = new Promise<void>((resolve) => (come = resolve));
  let reads = 0;
  const slow: PackedInput = {
    size: LINES.length,
    async *read() {
      reads += 1;
      yield LINES.subarray(0, 20);
      await late;
      yield LINES.subarray(20);
    },
  };
  const waiting = rest(pullFromWorker<Uint8Array>({ kind: 'bzip2' }, slow, never));
  expect(await rest(lines())).toBe(TEXT);
  come();
  expect(await waiting).toBe(TEXT);
  expect(reads).toBeGreaterThan(0);
});

test('small members never wait for large ones', async () => {
  withLimit(1);
  const large = lines(2 << 20);
  await first(large);
  expect(queues.unpack.stats.running).toBe(1);
  expect(await rest(lines())).toBe(TEXT);
  // Nobody waited, so nothing was taken back.
  expect(queues.unpack.stats.running).toBe(1);
  await large.return(undefined);
  expect(queues.unpack.stats.running).toBe(0);
});

test('a changed archive is not taken for the earlier one', async () => {
  withLimit(1);
  let times = 0;
  const changing: PackedInput = {
    size: LINES.length,
    async *read() {
      times += 1;
      yield times === 1 ? LINES : packed.bz2.hello;
    },
  };
  const page = pullFromWorker<Uint8Array>({ kind: 'bzip2' }, changing, never);
  await first(page);
  await rest(lines());
  await expect(rest(page)).rejects.toMatchObject({ code: 'BUSY' });
});

test('a finished call releases its slot, whatever its decoder does', { tags: 'slow' }, async () => {
  withLimit(1);
  const stop = new AbortController();
  const endless: PackedInput = {
    size: 100,
    async *read() {
      for (;;) yield LINES;
    },
  };
  const stream = pullFromWorker<Uint8Array>({ kind: 'bzip2' }, endless, stop.signal);
  await first(stream);
  const reading = rest(stream);
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await expect(reading).rejects.toThrow('enough');
  expect(queues.unpackSmall.stats.running).toBe(0);
});
