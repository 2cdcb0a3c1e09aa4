import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignDown, codePoints, cutHead, cutTail } from '../../src/text/cut.ts';
import { encodingOf, utf8 } from '../../src/text/encoding.ts';

const cost = (text: string): number => Buffer.byteLength(text);
const head = (text: string, budget: number): string =>
  Buffer.from(text)
    .subarray(0, cutHead(Buffer.from(text), utf8, budget, cost))
    .toString();
const tail = (text: string, budget: number): string => {
  const bytes = Buffer.from(text);
  return bytes.subarray(bytes.length - cutTail(bytes, utf8, budget, cost)).toString();
};

test.each([
  ['abcdef', 3, 'abc', 'def'],
  ['aé', 2, 'a', 'é'],
  ['ab\r\n', 3, 'ab', 'b\r\n'],
  ['\r\n\r\n', 3, '\r\n', '\r\n'],
  ['x👩‍👩‍👧y', 12, 'x', 'y'],
  ['e\u0301e\u0301', 3, 'e\u0301', 'e\u0301'],
  ['😀', 1, '😀', '😀'],
])('%j within %i bytes', (text, budget, first, last) => {
  expect(head(text, budget)).toBe(first);
  expect(tail(text, budget)).toBe(last);
});

test('a cluster longer than 64 code points is cut between code points', () => {
  const zalgo = `a${'\u0301'.repeat(500)}`;
  expect(head(zalgo, 401)).toBe(`a${'\u0301'.repeat(200)}`);
});

test('code points cover every byte once, and alignDown finds each of them again', () => {
  const encodings = (['utf-8', 'utf-16le', 'utf-16be', 'utf-32le'] as const).map((name) => encodingOf(name));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...encodings), (bytes, encoding) => {
      let at = 0;
      for (const { length } of codePoints(bytes, encoding)) {
        expect(alignDown(bytes, at, encoding)).toBe(at);
        at += length;
      }
      expect(at).toBe(bytes.length);
    }),
    { numRuns: 2000 },
  );
});

test('invalid bytes are walked in the maximal subparts that a decoder replaces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const walked = [...codePoints(bytes, utf8)].map((point) => point.text).join('');
      expect(walked).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    }),
    { numRuns: 2000 },
  );
});
