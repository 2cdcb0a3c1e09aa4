/** Messages of a server that sends them in the smallest pieces. */

import { describe, expect, test } from 'vitest';
import { MAX_DIRECTLY_PARSED_BYTES, messagesIn, eventsWith } from '../../src/network/mcp-http.ts';
import { bytesHeld } from '../support/memory.ts';

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

  test('that come byte by byte take little more memory', { tags: 'slow' }, async () => {
    const before = bytesHeld();
    let held = 0;
    const chunks = bytesOf(Buffer.from(line(BYTES)), () => (held = bytesHeld() - before));
    for await (const message of messagesIn(chunks, MOST, whole))
      expect(message.length).toBeGreaterThan(BYTES);
    expect(held).toBeLessThan(8 << 20);
  });

  test.each([7, 1000, 2 * MOST])('above the size limit are refused, in pieces of %d', async (size) => {
    async function* chunks(): AsyncGenerator<Buffer> {
      const text = Buffer.from(line(MOST));
      for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
    }
    const all = drain(messagesIn(chunks(), MOST, whole));
    await expect(all).rejects.toMatchObject({ code: 'LIMIT' });
  });
});

test('an event that comes byte by byte takes little memory', { tags: 'slow' }, async () => {
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

describe('a message', () => {
  const message = (bytes: number): string => {
    const [front, end] = ['{"jsonrpc":"2.0","x":"', '"}'];
    return front + 'a'.repeat(bytes - front.length - end.length) + end;
  };

  /** The messages in these chunks. */
  async function seenIn(chunks: readonly string[], most = MOST, reduce = whole): Promise<string[]> {
    async function* all(): AsyncGenerator<Buffer> {
      for (const chunk of chunks) yield Buffer.from(chunk);
    }
    const seen: string[] = [];
    for await (const one of messagesIn(all(), most, reduce)) seen.push(Buffer.from(one).toString());
    return seen;
  }

  test('is a complete line that names the protocol', async () => {
    const [one, two] = [message(50), message(60)];
    const text = `starting\n${one}\n\n{"a":1}\n${two}\n${message(70)}`;
    expect(await seenIn([text])).toEqual([one, two]);
    expect(await seenIn([text.slice(0, 30), text.slice(30, 31), text.slice(31)])).toEqual([one, two]);
  });

  test('stays as it is while further chunks are read', async () => {
    const chunk = Buffer.from(`${message(50)}\n`);
    async function* all(): AsyncGenerator<Buffer> {
      yield chunk.subarray(0, 20);
      yield chunk.subarray(20);
      yield chunk;
    }
    const seen: Uint8Array[] = [];
    for await (const one of messagesIn(all(), MOST, whole)) seen.push(one);
    expect(seen.map(String)).toEqual(Array(2).fill(String(Buffer.from(message(50)))));
  });

  test.each([
    ['in one piece', (text: string) => [text]],
    ['in pieces', (text: string) => [text.slice(0, 30), text.slice(30)]],
  ])('may be as large as the limit, %s, no larger', async (_, cut) => {
    expect(await seenIn(cut(`${message(100)}\n`), 100)).toEqual([message(100)]);
    await expect(seenIn(cut(`${message(101)}\n`), 100)).rejects.toMatchObject({
      code: 'LIMIT',
      message: 'The MCP server sent more than 0 MiB at once, and was ended.',
    });
    // Also while it is not complete.
    await expect(seenIn(cut(message(101)), 100)).rejects.toMatchObject({ code: 'LIMIT' });
  });

  test('says in MiB what was too much', async () => {
    await expect(seenIn([message(3 << 20)], 2 << 20)).rejects.toThrow(
      'The MCP server sent more than 2 MiB at once, and was ended.',
    );
  });

  test('is reduced if it is large', async () => {
    const reduced = (): Promise<Uint8Array> => Promise.resolve(Buffer.from('reduced'));
    const texts = [message(MAX_DIRECTLY_PARSED_BYTES), message(MAX_DIRECTLY_PARSED_BYTES + 1)];
    expect(await seenIn([`${texts.join('\n')}\n`], MOST, reduced)).toEqual([texts[0], 'reduced']);
  });
});

async function drain(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}
