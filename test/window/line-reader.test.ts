import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { memoryBytes } from '../../src/access/bytes.ts';
import { utf8 } from '../../src/text/encoding.ts';
import { LineReader, type StoredLine } from '../../src/window/line-reader.ts';

/** Lines long enough that a few of them fill what is decoded in one step, most of them plain. */
const line = fc
  .tuple(
    fc.constantFrom(
      'a',
      'some words\t',
      'é',
      '\u202e',
      '\0',
      '\r',
      '日本',
      'x'.repeat(700),
      '-'.repeat(9_000),
    ),
    fc.integer({ min: 0, max: 12 }),
    fc.constantFrom('\n', '\n', '\r\n'),
  )
  .map(([piece, times, end]) => piece.repeat(times) + end);

const PLAIN = /^(?:[\t\n\x20-\x7e]|\r\n)*$/;

test('lines are complete and in order, and only plain lines are decoded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 60 }), fc.boolean(), async (lines, open) => {
      const text = lines.join('') + (open ? 'the last one' : '');
      const reader = new LineReader(memoryBytes(text), utf8, 0, 256 << 10);
      const read: StoredLine[] = [];
      for (;;) {
        const stored = reader.buffered() ?? (await reader.next());
        if (!stored) break;
        read.push(stored);
      }
      const stored = read.map(({ bytes }) => Buffer.from(bytes).toString());
      expect(stored.join('')).toBe(text);
      expect(stored.every((one, i) => one.endsWith('\n') || i === stored.length - 1)).toBe(true);
      for (const [i, { text: decoded }] of read.entries()) {
        if (decoded !== undefined) expect(decoded).toBe(stored[i]);
        if (decoded !== undefined) expect(decoded).toMatch(PLAIN);
      }
    }),
    { numRuns: 60 },
  );
});

test('every line of a plain text is decoded; a hidden character affects only the lines next to it', async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i} of some length\n`);
  lines[2_000] = 'é\n';
  const reader = new LineReader(memoryBytes(lines.join('')), utf8, 0, 1_000);
  let decoded = 0;
  for (let i = 0; i < lines.length; i += 1) {
    const stored = reader.buffered() ?? (await reader.next());
    if (stored?.text !== undefined) decoded += 1;
  }
  expect(decoded).toBeGreaterThan(4_900);
});
