/** Messages of a server that sends them in the smallest pieces. */

import { describe, expect, test } from 'vitest';
import { messagesIn } from '../../../src/access/mcp/messages.ts';
import { eventsWith } from '../../../src/access/mcp/reduced-events.ts';
import { bytesHeld } from '../../support/memory.ts';

const MOST = 1 << 20;
const BYTES = 400_000;
const whole = (message: Uint8Array): Promise<Uint8Array> => Promise.resolve(message);

/** Byte by byte, each in a buffer of its own, as a socket gives them; `before` is called near the end. */
async function* bytesOf(text: Buffer, before: () => void = () => undefined): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += 1) {
    if (at === text.length - 3) before();
    yield Buffer.from(Uint8Array.of(text[at] as number).buffer);
    if (at % 10_000 === 0) await Promise.resolve();
  }
}

describe('lines', () => {
  const line = (length: number): string => `{"jsonrpc":"2.0","x":"${'a'.repeat(length)}"}\n`;

  test('are the same however they are cut', async () => {
    const text = Buffer.from(line(3) + line(0) + line(70_000));
    const seen: string[] = [];
    for await (const message of messagesIn(bytesOf(text), MOST, whole)) seen.push(`${String(message)}\n`);
    expect(seen.join('')).toBe(text.toString());
  });

  test('that come byte by byte take little more memory than their bytes', async () => {
    const before = bytesHeld();
    let held = 0;
    const chunks = bytesOf(Buffer.from(line(BYTES)), () => (held = bytesHeld() - before));
    for await (const message of messagesIn(chunks, MOST, whole))
      expect(message.length).toBeGreaterThan(BYTES);
    expect(held).toBeLessThan(8 << 20);
  });

  test.each([1, 1000, 2 * MOST])('of more than the most are refused, in pieces of %d', async (size) => {
    async function* chunks(): AsyncGenerator<Buffer> {
      const text = Buffer.from(line(MOST));
      for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
    }
    const all = drain(messagesIn(chunks(), MOST, whole));
    await expect(all).rejects.toMatchObject({ code: 'LIMIT' });
  });
});

test('an event that comes byte by byte is the same, and takes little more memory than its bytes', async () => {
  const text = `event: message\ndata: ${'a'.repeat(250_000)}\n\n`;
  const before = bytesHeld();
  let held = 0;
  const bytes = bytesOf(Buffer.from(text), () => (held = bytesHeld() - before));
  const seen: Uint8Array[] = [];
  const events = ReadableStream.from(bytes).pipeThrough(eventsWith(whole, MOST));
  for await (const part of events) seen.push(part);
  expect(Buffer.concat(seen).toString()).toBe(text);
  expect(held).toBeLessThan(8 << 20);
});

async function drain(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}
