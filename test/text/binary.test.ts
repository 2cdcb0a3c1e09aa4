import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { looksBinary } from '../../src/text/terminal.ts';
import { decode, utf8 } from '../../src/text/encoding.ts';

const noise = gzipSync(Buffer.from(Array.from({ length: 5_000 }, (_, i) => `${i * 7_919}`).join(' ')));

test.each([
  ['compressed bytes', noise, true],
  ['zeros', Buffer.alloc(1_000), true],
  ['UTF-16', Buffer.from('text '.repeat(100), 'utf16le'), true],
  ['too little to tell', noise.subarray(0, 200), false],
  ['text', Buffer.from('text\r\n\t'.repeat(100)), false],
  ['text in another alphabet', Buffer.from('текст 文字 '.repeat(50)), false],
  ['text in an 8-bit encoding', Buffer.from('\xf2\xe5\xea\xf1\xf2 '.repeat(100), 'latin1'), false],
  ['names between NULs', Buffer.from('src/file.ts\0'.repeat(50)), false],
  ['colours', Buffer.from('\x1b[31mx\x1b[0m'.repeat(100)), false],
])('%s', (_, bytes, binary) => expect(looksBinary(bytes, decode(bytes, utf8).invalid)).toBe(binary));

/** `many` bytes of `byte` among letters. */
const among = (byte: number, many: number, length = 1_000): Buffer =>
  Buffer.concat([Buffer.alloc(many, byte), Buffer.alloc(length - many, 'x')]);

test('from 256 bytes on it can be told', () => {
  expect([looksBinary(Buffer.alloc(255), 0), looksBinary(Buffer.alloc(256), 0)]).toEqual([false, true]);
});

test('more than three of ten bytes are NUL', () => {
  expect([looksBinary(among(0, 300), 0), looksBinary(among(0, 301), 0)]).toEqual([false, true]);
});

test('more than three percent controls, more than ten invalid sequences', () => {
  expect(looksBinary(among(1, 31), 101)).toBe(true);
  expect(looksBinary(among(1, 30), 101)).toBe(false);
  expect(looksBinary(among(1, 31), 100)).toBe(false);
  expect(looksBinary(among(0, 31), 101)).toBe(true);
  expect(looksBinary(Buffer.concat([among(0, 16), among(7, 45)]), 201)).toBe(true);
});

test('the controls that texts use do not count', () => {
  const counted = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) =>
    looksBinary(among(byte, 100), 500),
  );
  const texts = [8, 9, 10, 11, 12, 13, 0x1b];
  expect(counted).toEqual(
    Array.from({ length: 0x20 }, (_, byte) => byte).filter((byte) => !texts.includes(byte)),
  );
});
