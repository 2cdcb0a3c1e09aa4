import { expect, test } from 'vitest';
import { readAt } from '../../src/access/bytes.ts';
import { Spool } from '../../src/window/spool.ts';
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
  const spool = new Spool(source, { version: 'v', memory, cap: 1 << 20, overflow: () => session.scratch() });
  expect(await readAt(spool, 70, 4)).toEqual(Buffer.alloc(4, 1));
  expect([pulled(), spool.size]).toEqual([2, undefined]);
  expect(await readAt(spool, 630, 100)).toEqual(Buffer.alloc(10, 9));
  expect([spool.size, spool.capped]).toEqual([640, false]);
  expect(await readAt(spool, 0, 3)).toEqual(Buffer.alloc(3, 0));
  await spool.close();
  await session.close();
});

test('the cap ends the stream', async () => {
  const { source, ended } = stream(1000, 64);
  const spool = new Spool(source, {
    version: 'v',
    memory: 1 << 20,
    cap: 100,
    overflow: () => Promise.reject(new Error('no file')),
  });
  expect((await readAt(spool, 0, 1000)).length).toBe(100);
  expect([spool.size, spool.capped, ended()]).toEqual([100, true, true]);
});

test('what a stream throws is thrown to whoever needs the bytes behind it, and to nobody else', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('good');
    throw new Error('broken');
  }
  const spool = new Spool(failing(), {
    version: 'v',
    memory: 100,
    cap: 100,
    overflow: () => Promise.reject(new Error('no')),
  });
  expect(Buffer.from(await readAt(spool, 0, 4)).toString()).toBe('good');
  await expect(readAt(spool, 2, 10)).rejects.toThrow('broken');
});
