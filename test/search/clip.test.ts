import { expect, test } from 'vitest';
import { clipAround, clipHead } from '../../src/search/quote.ts';

const whole = { fromStart: true, toEnd: true };

test('a head counts code points, and keeps surrogate pairs together', () => {
  expect(clipHead('abc', 3, true)).toEqual({ text: 'abc' });
  expect(clipHead('abc', 3, false)).toEqual({ text: 'abc', clipped: 'end' });
  expect(clipHead('a😀b😀c', 4, true)).toEqual({ text: 'a😀b😀', clipped: 'end' });
  expect(clipHead('😀😀', 2, true)).toEqual({ text: '😀😀' });
});

test('around a position, a third is before it', () => {
  const around = { before: 'x'.repeat(50), after: 'y'.repeat(50), ...whole };
  expect(clipAround(around, 9)).toEqual({ text: 'xxxyyyyyy', clipped: 'both' });
});

test('near one end the other side gets the rest', () => {
  const near = { before: 'x'.repeat(50), after: 'yy', ...whole };
  expect(clipAround(near, 9)).toEqual({ text: 'xxxxxxxyy', clipped: 'start' });
  expect(clipAround({ before: 'x', after: 'y'.repeat(50), ...whole }, 9)).toEqual({
    text: 'xyyyyyyyy',
    clipped: 'end',
  });
});

test('an unread part counts as left out', () => {
  const part = { before: 'x', after: 'y' };
  expect(clipAround({ ...part, fromStart: false, toEnd: true }, 9)).toEqual({ text: 'xy', clipped: 'start' });
  expect(clipAround({ ...part, fromStart: true, toEnd: false }, 9)).toEqual({ text: 'xy', clipped: 'end' });
  expect(clipAround({ ...part, ...whole }, 9)).toEqual({ text: 'xy' });
});

test('surrogate pairs are not split on either side', () => {
  const emoji = { before: '😀'.repeat(5), after: '😂'.repeat(5), ...whole };
  expect(clipAround(emoji, 3)).toEqual({ text: '😀😂😂', clipped: 'both' });
});
