import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { alignDown, codePoints, cutHead, cutTail } from '../../src/text/bytes.ts';
import { unicodeEncoding, utf8 } from '../../src/text/encoding.ts';

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

test('a cluster over 64 code points is cut between them', () => {
  const zalgo = `a${'\u0301'.repeat(500)}`;
  expect(head(zalgo, 401)).toBe(`a${'\u0301'.repeat(200)}`);
});

test('code points cover every byte, which alignDown finds in each', () => {
  const encodings = (['utf-8', 'utf-16le', 'utf-16be', 'utf-32le'] as const).map((name) =>
    unicodeEncoding(name),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...encodings), (bytes, encoding) => {
      let at = 0;
      for (const { length } of codePoints(bytes, encoding)) {
        for (let i = 0; i < length; i += 1) expect(alignDown(bytes, at + i, encoding)).toBe(at);
        at += length;
      }
      expect(at).toBe(bytes.length);
    }),
    { numRuns: 2000 },
  );
});

test('invalid bytes are walked as a decoder replaces them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const walked = [...codePoints(bytes, utf8)].map((point) => point.text).join('');
      expect(walked).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    }),
    { numRuns: 2000 },
  );
});

/** Greedy and point by point: what the cuts of whole chunks must agree with. */
function cutByPoints(points: readonly { length: number; text: string }[], budget: number): number {
  let spent = 0;
  let used = 0;
  for (const { length, text } of points) {
    spent += cost(text);
    if (spent > budget && used > 0) break;
    used += length;
  }
  return used;
}

test('cuts match a walk over code points in every encoding', () => {
  const letters = fc.array(fc.constantFrom('a', '漢', '😀', 'yyyyyyyy', '-'), { maxLength: 40 });
  const names = fc.constantFrom('utf-8', 'utf-16le', 'utf-16be', 'utf-32le');
  fc.assert(
    fc.property(letters, names, fc.integer({ min: -2, max: 300 }), (parts, name, budget) => {
      const encoding = unicodeEncoding(name as 'utf-8');
      const bytes = encoded(parts.join(''), name);
      const points = [...codePoints(bytes, encoding)];
      expect(cutHead(bytes, encoding, budget, cost)).toBe(cutByPoints(points, budget));
      expect(cutTail(bytes, encoding, budget, cost)).toBe(cutByPoints(points.toReversed(), budget));
    }),
    { numRuns: 2000 },
  );
});

function encoded(text: string, name: string): Uint8Array {
  if (name === 'utf-8') return Buffer.from(text);
  if (name === 'utf-32le') {
    return Buffer.concat([...text].map((c) => Buffer.from(Uint32Array.of(c.codePointAt(0)!).buffer)));
  }
  const bytes = Buffer.from(text, 'utf16le');
  return name === 'utf-16le' ? bytes : bytes.swap16();
}

test.each(['x', '漢', '\x07', '\udc00'])('cutting an oversized line of %j costs few calls', (character) => {
  const bytes = Buffer.from(character.repeat(200_000));
  for (const cut of [cutHead, cutTail]) {
    let calls = 0;
    const counting = (text: string): number => ((calls += 1), cost(text));
    expect(cut(bytes, utf8, 65_536, counting)).toBeGreaterThan(65_000);
    expect(calls).toBeLessThan(40);
  }
});
