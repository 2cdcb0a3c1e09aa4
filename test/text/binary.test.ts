import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { looksBinary } from '../../src/text/binary.ts';
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
