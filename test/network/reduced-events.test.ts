/** Events of a server over HTTP: which pass, which are reduced, and which are refused. */

import { describe, expect, test } from 'vitest';
import { MAX_DIRECTLY_PARSED_BYTES, type ReduceMessage, eventsWith } from '../../src/network/mcp-http.ts';

const MOST = 4 << 20;
/** Keeps the length of a message only. */
const short: ReduceMessage = (message) => Promise.resolve(Buffer.from(`{"bytes":${message.length}}`));

/** The events that come through, with each input as a chunk of its own. */
async function through(
  chunks: readonly string[],
  reduce: ReduceMessage = short,
  most = MOST,
): Promise<string> {
  const input = ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
  const parts: Uint8Array[] = [];
  for await (const part of input.pipeThrough(eventsWith(reduce, most))) parts.push(part);
  return Buffer.concat(parts).toString();
}

const event = (data: string): string => `event: message\ndata: ${data}\n\n`;

describe('small events', () => {
  test.each([1, 2, 3, 7, 1_000])('pass as they are, in pieces of %d', async (size) => {
    const text = `id: 1\r\ndata: {"a":1}\r\n\r\n: comment\n\ndata: two\ndata: lines\n\n`;
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    expect(await through(pieces)).toBe(text);
  });

  test('pass with single blank lines between them, and none before', async () => {
    expect(await through([`\n\r\n\n${event('a')}\n\n\r\n${event('b')}\n`])).toBe(event('a') + event('b'));
  });

  test('a carriage return alone is no blank line', async () => {
    expect(await through(['data: a\n\rdata: b\n\n'])).toBe('data: a\n\rdata: b\n\n');
  });

  test('an event that is not complete passes at the end', async () => {
    expect(await through(['data: a\n\nda', 'ta: b'])).toBe('data: a\n\ndata: b');
    expect(await through([])).toBe('');
  });

  test('what is complete passes before the next chunk comes', async () => {
    const { writable, readable } = eventsWith(short, MOST);
    const writer = writable.getWriter();
    const reader = readable.getReader();
    void writer.write(Buffer.from('data: a\n\ndata'));
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: a\n\n');
    void writer.close();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data');
  });
});

describe('large data', () => {
  const line = (bytes: number): string => `data:${'x'.repeat(bytes - 6)}\n`;
  const MANY = 'The MCP server sent a large message in many lines, and was ended.';

  test.each([1, 2])('in %d pieces is reduced if on one line', async (pieces) => {
    const text = `id: 7\n${line(MAX_DIRECTLY_PARSED_BYTES + 6)}\n`;
    const chunks = pieces === 1 ? [text] : [text.slice(0, 99), text.slice(99)];
    // With the newline, which is part of the line.
    const reduced = `id: 7\ndata:{"bytes":${MAX_DIRECTLY_PARSED_BYTES + 1}}\n\n`;
    expect(await through(chunks)).toBe(reduced);
  });

  test('that is barely small passes', async () => {
    const text = `${line(MAX_DIRECTLY_PARSED_BYTES)}\n`;
    expect(await through([text])).toBe(text);
  });

  test('that its name and newline make large passes unreduced', async () => {
    const text = `${line(MAX_DIRECTLY_PARSED_BYTES + 1)}\n`;
    expect(await through([text])).toBe(text);
  });

  test('that cannot be reduced is refused', async () => {
    await expect(
      through([line(MAX_DIRECTLY_PARSED_BYTES + 6)], () => Promise.resolve(undefined)),
    ).rejects.toMatchObject({
      code: 'LIMIT',
      message: 'The MCP server sent a message that takes too long to parse, and was ended.',
    });
  });

  test('on several lines is refused if too large together', async () => {
    const half = line(MAX_DIRECTLY_PARSED_BYTES / 2);
    expect(await through([`${half}${half}\n${half}${half}\n`])).toBe(`${half}${half}\n${half}${half}\n`);
    await expect(through([`${half}${half}x\n`])).rejects.toMatchObject({ code: 'LIMIT', message: MANY });
  });

  test('of another name is refused', async () => {
    const text = `event:${'x'.repeat(MAX_DIRECTLY_PARSED_BYTES)}\n`;
    await expect(through([text])).rejects.toMatchObject({ code: 'LIMIT', message: MANY });
  });

  test('without a newline is refused at its end', async () => {
    const text = `:${'x'.repeat(MAX_DIRECTLY_PARSED_BYTES)}`;
    await expect(through([text])).rejects.toMatchObject({ code: 'LIMIT', message: MANY });
  });
});

test('more than 10,000 events are refused', async () => {
  const text = 'data: a\n\n'.repeat(10_000);
  expect(await through([text])).toBe(text);
  await expect(through([text, 'data: a\n\n'])).rejects.toMatchObject({
    code: 'LIMIT',
    message: 'The MCP server sent more than 10000 events at once, and was ended.',
  });
});

test('a line of the limit passes, a longer one fails', async () => {
  const most = 1_000;
  const within = ['x'.repeat(600), 'x'.repeat(400)];
  expect(await through(within, short, most)).toBe(within.join(''));
  for (const chunks of [[...within, 'x'], [...within, '\n'], ['x'.repeat(1_001)], [`${'x'.repeat(1_000)}\n`]])
    await expect(through(chunks, short, most)).rejects.toMatchObject({
      code: 'LIMIT',
      message: 'The MCP server sent more than 0 MiB at once, and was ended.',
    });
});
