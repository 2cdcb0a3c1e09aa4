import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { memoryBytes } from '../../../src/text/bytes.ts';
import { readTextStart } from '../../../src/formats/notebook/render.ts';

const { signal } = new AbortController();

function loose(value: unknown, most: number, joint?: string): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(value));
  return readTextStart(memoryBytes(bytes), { start: 0, end: bytes.length }, most, signal, joint);
}

const texts = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());

test('returns the text of a string or list of strings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, fc.array(texts)), async (value) => {
      expect(await loose(value, 1e6)).toBe(Array.isArray(value) ? value.join('') : value);
    }),
  );
});

test('partial JSON gives a prefix of the text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(texts, fc.array(texts)),
      fc.integer({ min: 1, max: 40 }),
      async (value, most) => {
        const whole = Array.isArray(value) ? value.join('') : value;
        expect(whole.startsWith(await loose(value, most))).toBe(true);
      },
    ),
  );
});

test('list items are joined', async () => {
  expect(await loose(['a', 'b'], 100, '\n')).toBe('a\nb');
});

test('other JSON is returned as stored', async () => {
  expect(await loose({ a: [1, 2] }, 100)).toBe('{"a":[1,2]}');
  expect(await loose([1, 2], 100)).toBe('[1,2]');
});
