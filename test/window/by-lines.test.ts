/** Windows by line numbers. */

import { expect, test } from 'vitest';
import { excerpt } from '../../src/window/excerpt.ts';
import { inputOf, plainFit, textOf, windowOf } from '../support/windows.ts';

test('a first line with more tokens than the limit is shown, and nothing after it', async () => {
  // The shortest slice is a few characters, whatever a host's counter says of them.
  const fit = plainFit({ tokens: 32 }, { tokens: (text) => 5 * text.length });
  const input = inputOf('abcdefg\n\n\n');
  const first = await excerpt(input, undefined, fit);
  expect([textOf(first), first.cutBy, first.next]).toEqual([
    'abcdefg\n',
    'tokens',
    { by: 'lines', ranges: [{ from: 2 }] },
  ]);
  const second = await excerpt(input, first.next && windowOf(first.next), fit);
  expect([textOf(second), second.next]).toEqual(['\n\n', undefined]);
});

test('a slice with more tokens than the limit has no context', async () => {
  const fit = plainFit({ tokens: 32 }, { tokens: (text) => 5 * text.length });
  const window = { by: 'lines', ranges: [{ from: 2, to: 3 }], context: true } as const;
  const { parts, oversized } = await excerpt(inputOf('\nabcdefghij\n\n'), window, fit);
  expect(parts.flat().map(({ no, text }) => [no, text])).toEqual([[2, 'abcdefgh']]);
  expect(oversized).toEqual({ no: 2, start: 1, bytes: 11 });
});

test('context is within the limit of tokens', async () => {
  const fit = plainFit({ tokens: 32 }, { tokens: (text) => 4 * text.length });
  const window = { by: 'lines', ranges: [{ from: 2, to: 2 }], context: true } as const;
  const { parts } = await excerpt(inputOf('a\nb\nc\ndd\ne\n'), window, fit);
  // 8 tokens, 8, 8; then 12 are too many.
  expect(parts.flat().map(({ no, role }) => [no, role])).toEqual([
    [1, 'context'],
    [2, 'asked'],
    [3, 'context'],
  ]);
});
