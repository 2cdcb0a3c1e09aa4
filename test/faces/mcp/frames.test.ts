import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Frame, FrameSplitter } from '../../../src/faces/mcp/frames.ts';
import { idIn } from '../../../src/faces/mcp/request-id.ts';

const shown = (frame: Frame): string =>
  frame.is === 'line' ? frame.bytes.toString() : `oversized ${String(frame.id)}`;

describe('frames', () => {
  test('are lines, however they are cut into chunks', () => {
    const lines = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(lines, fc.array(fc.nat(40), { minLength: 1 }), (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const splitter = new FrameSplitter();
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

  test('that are too long are dropped, and the next one is whole again', () => {
    const splitter = new FrameSplitter(16);
    const push = (text: string): string[] => [...splitter.push(Buffer.from(text))].map(shown);
    expect(push('{"params":{"id":1,"x":"aaaa')).toEqual([]);
    expect(push('aaaaaaaaaaa"}')).toEqual([]);
    expect(push(',"id":7}\n1234567890123456\n')).toEqual(['oversized 7', '1234567890123456']);
  });

  test('the last one may lack its newline', () => {
    const splitter = new FrameSplitter();
    expect([...splitter.push(Buffer.from('{}\n{"a":1}'))].map(shown)).toEqual(['{}']);
    expect(splitter.end()).toEqual({ is: 'line', bytes: Buffer.from('{"a":1}') });
  });
});

describe('the id of a frame that cannot be parsed', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":9,"method":', 9],
    ['{"jsonrpc":"2.0","id":"a\\"b","method":', 'a"b'],
    ['{"params":{"id":1,"list":[{"id":2}]},"id":3, ', 3],
    ['{ "id" : -4.5 , "x', -4.5],
    ['{"method":"id","id":8}}', 8],
    ['{"params":"\\"id\\":5,","x":1', undefined],
    ['[{"id":1}', undefined],
    ['{"id":null,', undefined],
    ['{"id":{"id":1},', undefined],
    ['{"id":1', undefined],
    ['[[[[[[', undefined],
    ['', undefined],
  ])('%s', (text, id) => {
    expect(idIn(Buffer.from(text))).toBe(id);
  });

  test('agrees with JSON.parse on whole objects', () => {
    const object = fc.dictionary(
      fc.constantFrom('id', 'method', 'params', 'x'),
      fc.oneof(fc.jsonValue(), fc.integer(), fc.string({ maxLength: 20 })),
    );
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, 2), (value, indent) => {
        const id = (value as { id?: unknown }).id;
        const wanted = typeof id === 'number' || (typeof id === 'string' && id.length < 20) ? id : undefined;
        if (typeof id === 'string' && id.length >= 20) return;
        expect(idIn(Buffer.from(JSON.stringify(value, undefined, indent)))).toBe(
          Object.is(wanted, -0) ? 0 : wanted,
        );
      }),
    );
  });
});
