/** Reading backwards: the start of the line before a byte, and how much is read to find it. */

import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/text/bytes.ts';
import { unicodeEncoding, utf8 } from '../../src/text/encoding.ts';
import type { ByteSource } from '../../src/types/access.ts';
import type { TextEncoding } from '../../src/types/excerpt.ts';
import { BackwardReader, startOfLineBefore } from '../../src/text/line-reader.ts';

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16le = unicodeEncoding('utf-16le', 2);

describe('the start of a line', () => {
  const find = async (
    content: Uint8Array,
    end: number,
    hold: number,
    encoding: TextEncoding = utf8,
  ): Promise<[number | undefined, string]> => {
    const { start, bytes } = await startOfLineBefore(end, hold, { source: memoryBytes(content), encoding });
    return [start, Buffer.from(bytes).toString(encoding.unit === 1 ? 'utf8' : 'utf16le')];
  };
  const text = Buffer.from('one\ntwo\n\nlast');

  test.each([
    ['the last line', 13, [9, 'last']],
    ['an empty line', 9, [8, '\n']],
    ['a line before it', 8, [4, 'two\n']],
    ['the first line', 4, [0, 'one\n']],
    ['a part of a line', 6, [4, 'tw']],
  ])('%s', async (_, end, found) => {
    expect(await find(text, end, 100)).toStrictEqual(found);
  });

  test('a line up to the limit is found, none longer', async () => {
    expect(await find(text, 13, 4)).toStrictEqual([9, 'last']);
    expect(await find(text, 13, 3)).toStrictEqual([undefined, 'ast']);
    expect(await find(text, 4, 4)).toStrictEqual([0, 'one\n']);
    expect(await find(text, 4, 3)).toStrictEqual([0, 'one\n']);
    expect(await find(text, 4, 2)).toStrictEqual([undefined, 'e\n']);
  });

  test('a mark is not part of the first line', async () => {
    expect(await find(Buffer.from('\ufeffone\n'), 7, 100, unicodeEncoding('utf-8', 3))).toStrictEqual([
      3,
      'one\n',
    ]);
    expect(await find(utf16('\ufeffone\n'), 10, 100, utf16le)).toStrictEqual([2, 'one\n']);
  });

  test('units of two bytes, also when the last is cut', async () => {
    const units = utf16('\ufeffone\ntwo\n');
    expect(await find(units, 18, 100, utf16le)).toStrictEqual([10, 'two\n']);
    expect(await find(units, 18, 8, utf16le)).toStrictEqual([10, 'two\n']);
    expect(await find(units, 18, 6, utf16le)).toStrictEqual([undefined, 'wo\n']);
    const cut = Buffer.concat([units, Buffer.of(0x61)]);
    const { start, bytes } = await startOfLineBefore(19, 100, {
      source: memoryBytes(cut),
      encoding: utf16le,
    });
    expect([start, Buffer.from(bytes)]).toStrictEqual([18, Buffer.of(0x61)]);
  });
});

describe('a reader', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`);
  const content = Buffer.from(lines.join(''));

  test('a line longer than the block, or the held bytes', async () => {
    const long = Buffer.from(`a\n${'x'.repeat(100_000)}\n`);
    const source = memoryBytes(long);
    const reader = new BackwardReader(source, long.length, utf8, undefined);
    const found = await reader.lineBefore(long.length, 200_000);
    expect([found.start, found.length, found.bytes.length]).toStrictEqual([2, 100_001, 100_001]);
    const beyond = await reader.lineBefore(long.length, 1_000);
    expect([beyond.start, beyond.length]).toStrictEqual([undefined, 1_000]);
    const first = await reader.lineBefore(2, 1_000);
    expect([first.start, Buffer.from(first.bytes).toString()]).toStrictEqual([0, 'a\n']);
  });

  test('a line of exactly what is held is whole', async () => {
    const reader = (): BackwardReader => new BackwardReader(memoryBytes('a\nbcd\n'), 6, utf8, undefined);
    const exact = await reader().lineBefore(6, 4);
    expect([exact.start, Buffer.from(exact.bytes).toString()]).toStrictEqual([2, 'bcd\n']);
    const less = await reader().lineBefore(6, 3);
    expect([less.start, Buffer.from(less.bytes).toString()]).toStrictEqual([undefined, 'cd\n']);
  });

  test('a mark, empty lines and a single byte', async () => {
    const marked = Buffer.from('\ufeff\n\nx');
    const reader = new BackwardReader(memoryBytes(marked), 6, unicodeEncoding('utf-8', 3), undefined);
    const starts: (number | undefined)[] = [];
    for (const end of [6, 5, 4]) starts.push((await reader.lineBefore(end, 100)).start);
    expect(starts).toStrictEqual([5, 4, 3]);
    const one = await new BackwardReader(memoryBytes('x'), 1, utf8, undefined).lineBefore(1, 100);
    expect([one.start, one.length]).toStrictEqual([0, 1]);
  });

  test('units of two bytes', async () => {
    const units = utf16('\ufeffone\ntwo\n');
    const reader = new BackwardReader(memoryBytes(units), 18, utf16le, undefined);
    const last = await reader.lineBefore(18, 100);
    expect([last.start, Buffer.from(last.bytes)]).toStrictEqual([10, utf16('two\n')]);
    const first = await reader.lineBefore(10, 100);
    expect([first.start, Buffer.from(first.bytes)]).toStrictEqual([2, utf16('one\n')]);
  });

  test('is a source of the same bytes, read only once', async () => {
    let reads = 0;
    const stored = memoryBytes(content);
    const source: ByteSource = {
      ...stored,
      readInto: (...asked) => ((reads += 1), stored.readInto(...asked)),
    };
    const reader = new BackwardReader(source, content.length, utf8, undefined);
    expect([reader.size, reader.identity]).toStrictEqual([content.length, source.identity]);
    const at = async (offset: number, length: number): Promise<void> => {
      const target = Buffer.alloc(length);
      expect(await reader.readInto(target, offset)).toBe(length);
      expect(target.equals(content.subarray(offset, offset + length))).toBe(true);
    };
    await at(content.length - 10, 10);
    await at(content.length - 1_000, 10);
    await at(content.length - (64 << 10), 64 << 10);
    expect(reads).toBe(1);
    // More than a block goes to the source.
    await at(100, (64 << 10) + 1);
    // A byte before the block is in another block.
    await at(70_000, 5);
    await at(69_990, 15);
  });
});
