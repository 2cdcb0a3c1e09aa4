import { describe, expect, test } from 'vitest';
import { bytesHeld } from '../support/memory.ts';
import { fc } from '../support/properties.ts';
import { type LineFrame, FrameSplitter } from '../../src/text/bytes.ts';

const MOST = 4 << 20;

const shown = (frame: LineFrame): string => (frame.kind === 'line' ? frame.bytes.toString() : frame.kind);

describe('frames', () => {
  test('are lines, however they are split into chunks', { tags: 'slow' }, () => {
    const lines = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(lines, fc.array(fc.nat(40), { minLength: 1 }), (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const splitter = new FrameSplitter(MOST);
        const frames: string[] = [];
        for (let at = 0, i = 0; at < bytes.length; i += 1) {
          const size = 1 + (cuts[i % cuts.length] as number);
          frames.push(...[...splitter.push(bytes.subarray(at, at + size))].map(shown));
          at += size;
        }
        expect(frames).toEqual(texts.map((text) => Buffer.from(text).toString()));
        expect(splitter.end()).toBeUndefined();
      }),
    );
  });

  test('that are too long are dropped; the next is complete', () => {
    const splitter = new FrameSplitter(16);
    const push = (text: string): string[] => [...splitter.push(Buffer.from(text))].map(shown);
    expect(push('{"params":{"id":1,"x":"aaaa')).toEqual([]);
    expect(push('aaaaaaaaaaa"}')).toEqual([]);
    expect(push(',"id":7}\n1234567890123456\n')).toEqual(['oversized', '1234567890123456']);
  });

  test('that arrive byte by byte take little more memory', () => {
    const splitter = new FrameSplitter(MOST);
    const before = bytesHeld();
    for (let i = 0; i < 500_000; i += 1) splitter.push(Buffer.from('a')).next();
    expect(bytesHeld() - before).toBeLessThan(8 << 20);
    expect([...splitter.push(Buffer.from('b\n'))]).toMatchObject([
      { kind: 'line', bytes: { length: 500_001 } },
    ]);
  });

  test('the last one may lack its newline', () => {
    const splitter = new FrameSplitter(MOST);
    expect([...splitter.push(Buffer.from('{}\n{"a":1}'))].map(shown)).toEqual(['{}']);
    expect(splitter.end()).toEqual({ kind: 'line', bytes: Buffer.from('{"a":1}') });
  });
});
