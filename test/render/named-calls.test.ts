/** The calls that the sentence of a notice names are those that stand in it. */

import { expect, test } from 'vitest';
import { callsIn, callsOf, withCalls, sentence, wording } from '../../src/render/notices.ts';
import type { Notice } from '../../src/types/answer.ts';

const notices: readonly (readonly [Notice, readonly string[]])[] = [
  [{ kind: 'empty', target: 'f' }, []],
  [{ kind: 'around', line: 9, use: 'f:50..' }, ['f:50..']],
  [{ kind: 'invalid', count: 1, encoding: 'UTF-8' }, []],
  [
    {
      kind: 'past-end',
      target: 'f',
      asked: 'Line 9',
      totals: {},
      use: ['f:3', 'f:1'],
      continued: 'f?offset=9',
    },
    ['f?offset=9', 'f:3', 'f:1'],
  ],
  [{ kind: 'past-end', target: 'f', asked: 'Line 9', totals: {}, use: ['f:3'] }, ['f:3']],
  [
    { kind: 'summary', target: 'a.ts', elidedLines: 2, use: 'a.ts:4..7', whole: 'a.ts:1..', left: 1 },
    ['a.ts:4..7', 'a.ts:1..', 'a.ts:outline'],
  ],
  [
    { kind: 'outline', target: 'a.ts', symbols: 2, example: { name: 'b\n', from: 3, to: 9 } },
    ['a.ts:3..9', 'a.ts:#b\\n'],
  ],
  [{ kind: 'outline', target: 'a.ts', symbols: 2 }, []],
  [{ kind: 'no-structure', what: 'outline', why: 'size', target: 'a.ts' }, ['a.ts']],
  [{ kind: 'no-structure', what: 'map', why: 'size' }, []],
  [
    { kind: 'symbols', target: 'a\t', name: 'r', candidates: [{ name: 'A.r', use: 'u' }], more: 1 },
    ['u', 'a\\t:outline'],
  ],
  [{ kind: 'said', text: 'Use x, or y', use: 'x', calls: ['y'] }, ['x', 'y']],
  [{ kind: 'said', text: 'nothing' }, []],
];

test.each(notices)('%j', (notice, expected) => {
  const calls = callsIn(notice).filter((call) => call !== undefined);
  expect(calls).toStrictEqual(expected);
  for (const call of calls) expect(sentence(notice, wording)).toContain(call);
});

test('a detail of another process names none', () => {
  const detail = withCalls({ kind: 'x' }, ['a', undefined, 'b']);
  expect([callsOf(detail), callsOf({ ...detail })]).toStrictEqual([['a', 'b'], []]);
});
