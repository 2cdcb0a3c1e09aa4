import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { UnsentMessages } from '../../src/network/mcp-stdio.ts';

/** A pipe that takes `room` bytes, and more after `read`. */
function pipe(room: number): { input: Writable; sent: string[]; read: () => void } {
  const sent: string[] = [];
  const waiting: (() => void)[] = [];
  const input = new Writable({
    highWaterMark: room,
    write(chunk: Buffer, _, done) {
      sent.push(chunk.toString());
      waiting.push(done);
    },
  });
  return { input, sent, read: () => waiting.shift()?.() };
}

test('messages are written in their order, as far as the server reads', async () => {
  const { input, sent, read } = pipe(4);
  const unsent = new UnsentMessages(input);
  for (const text of ['one ', 'two ', 'three']) unsent.add(Buffer.from(text));
  expect(sent).toEqual(['one ']);
  read();
  await expect.poll(() => sent).toEqual(['one ', 'two ']);
  read();
  await expect.poll(() => sent).toEqual(['one ', 'two ', 'three']);
  expect(unsent.isFull).toBe(false);
});

test('a request that is removed was not sent, or it was', async () => {
  const { input, sent, read } = pipe(4);
  const unsent = new UnsentMessages(input);
  unsent.add(Buffer.from('one '), 1);
  unsent.add(Buffer.from('two '), 2);
  unsent.add(Buffer.from('three'), 3);
  expect([unsent.remove(1), unsent.remove(2), unsent.remove(2), unsent.remove(9)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
  read();
  await expect.poll(() => sent).toEqual(['one ', 'three']);
});

test('a mebibyte that is not sent is full; what is sent or removed is not counted', async () => {
  const { input, read } = pipe(1);
  const unsent = new UnsentMessages(input);
  const half = Buffer.alloc(1 << 19);
  unsent.add(half, 'sent at once');
  unsent.add(half, 'first');
  unsent.add(half.subarray(1), 'second');
  expect(unsent.isFull).toBe(false);
  unsent.add(Buffer.of(1), 'third');
  expect(unsent.isFull).toBe(true);
  unsent.remove('third');
  expect(unsent.isFull).toBe(false);
  unsent.add(half, 'fourth');
  expect(unsent.isFull).toBe(true);
  read();
  await expect.poll(() => unsent.isFull).toBe(false);
  expect(unsent.remove('first')).toBe(false);
});
