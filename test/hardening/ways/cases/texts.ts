/** Texts that are damaged, mixed, hidden or endless. */

import * as fs from 'node:fs';
import { expect } from 'vitest';
import { type Case, grep, read } from '../case.ts';

const bytes = (...values: number[]): Buffer => Buffer.from(values);

const lined = (...lines: Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));

/** `blocks` times 10 MB of line feeds. */
function emptyLines(path: string, blocks: number): void {
  const block = Buffer.alloc(10_000_000, '\n');
  const file = fs.openSync(path, 'w');
  for (let i = 0; i < blocks; i += 1) fs.writeSync(file, block);
  fs.closeSync(file);
}

export const texts: readonly Case[] = [
  {
    id: 'T01',
    title: 'sequences that are no UTF-8: shown, counted, nothing lost around them',
    make: ({ write }) =>
      write(
        'f',
        lined(
          Buffer.from('ok'),
          bytes(0x61, 0x80, 0x62),
          bytes(0xc0, 0xaf),
          bytes(0xed, 0xa0, 0x80),
          bytes(0xf4, 0x90, 0x80, 0x80),
          bytes(0xf0, 0x9f, 0x92),
          Buffer.from('end'),
        ),
      ),
    steps: [
      read('f', {
        is:
          '1|ok\n2|a\ufffdb\n3|\ufffd\ufffd\n4|\ufffd\ufffd\ufffd\n5|\ufffd\ufffd\ufffd\ufffd\n6|\ufffd\n7|end\n' +
          '[11 invalid UTF-8 sequences shown as U+FFFD; f:encoding=windows-1252 decodes it otherwise]',
      }),
    ],
  },
  {
    id: 'T02',
    title: 'UTF-16, little end first, with its mark',
    make: ({ write }) => write('f', Buffer.from('\ufeffone\nwörld 😀\n', 'utf16le')),
    steps: [read('f', { is: '1|one\n2|wörld 😀\n[Decoded from UTF-16LE]' })],
  },
  {
    id: 'T03',
    title: 'UTF-16, big end first, with half a character at its end',
    make: ({ write }) =>
      write('f', Buffer.concat([Buffer.from('\ufeffabc\n', 'utf16le').swap16(), bytes(0x41)])),
    steps: [
      read('f', {
        is: '1|abc\n2|\ufffd\n[Decoded from UTF-16BE]\n[1 invalid UTF-16BE sequence shown as U+FFFD]\n[No newline at end of file]',
      }),
    ],
  },
  {
    id: 'T05',
    title: 'a byte order mark in UTF-8',
    make: ({ write }) => write('f', '\ufeffline1\nline2\n'),
    steps: [read('f:1..1', { is: '1|line1\n[UTF-8 byte order mark taken off]', lacks: '\ufeff' })],
  },
  {
    id: 'T06',
    title: 'NUL bytes: binary, and escaped on request',
    make: ({ write }) => write('f', 'a\0b\nc\n'),
    steps: [read('f', { has: 'f is binary (NUL bytes, 6 B)' }), read('f:raw', { is: 'a\\x00b\nc\n' })],
  },
  {
    id: 'T08',
    title: 'carriage returns alone end no line, for read and for grep',
    make: ({ write }) => write('f', 'a\rb\rc\n'),
    steps: [read('f:2-2', { code: 'OUT_OF_RANGE' }), grep({ pattern: 'c', path: 'f' }, { has: 'f:1: ' })],
  },
  {
    id: 'T10',
    title: 'separators of Unicode end no line, for read and for grep',
    make: ({ write }) => write('f', 'a\u2028b\u2029c\u0085d\ve\ff\n'),
    steps: [
      read('f', {
        is: '1|a\\u2028b\\u2029c\\x85d\\x0be\\x0cf\n[5 control or invisible characters shown as escapes; f:raw has them as stored]',
      }),
      grep({ pattern: 'f$', path: 'f' }, { has: 'f:1: ' }),
    ],
  },
  {
    id: 'T12',
    title: 'a byte window that begins inside a character',
    make: ({ write }) => write('f', 'é€😀\nnext\n'),
    steps: [
      read('f:@1+2', { is: '1|é€😀\n[Showing bytes 0-10 of 15 (lines 1-1). Use f:@10+2 to continue]' }),
    ],
  },
  {
    id: 'T15',
    title: 'an empty file',
    make: ({ write }) => write('e', ''),
    steps: [
      read('e', { is: '[e is empty: 0 lines]' }),
      read('e:1', { code: 'OUT_OF_RANGE', is: '[e is empty: 0 lines]' }),
    ],
  },
  {
    id: 'T16',
    title: 'no line feed at the end',
    make: ({ write }) => write('f', 'a\nb'),
    steps: [read('f:2..2', { is: '2|b\n[No newline at end of file]' })],
  },
  {
    id: 'T17',
    title: '100 million empty lines',
    heavy: true,
    make: ({ W }) => emptyLines(`${W}/f`, 10),
    steps: [read('f:99999990..99999991', { is: '99999990|\n99999991|\n' })],
    mostMb: 150,
  },
  {
    id: 'T21',
    title: 'byte offsets beyond 2^31 and 2^32',
    make({ W }) {
      const file = fs.openSync(`${W}/s`, 'w');
      fs.writeSync(file, 'MARK', 4_294_967_300);
      fs.writeSync(file, 'HALF', 2_147_483_650);
      fs.ftruncateSync(file, 5 * 2 ** 30);
      fs.closeSync(file);
    },
    steps: [
      read('s:@4294967300+4', { has: 'MARK\n[Showing bytes 4294967300-4294967304 of 5368709120' }),
      read('s:@2147483650+4', { has: 'HALF\n' }),
    ],
    mostMb: 100,
  },
  {
    id: 'T23',
    title: 'the line that grep names is the line that read shows',
    make({ write }) {
      const ends = ['\n', '\r\n', '\r', '\u2028', '\u0085', '\v', '\f', ''];
      for (let i = 0; i < 24; i += 1) {
        const parts = Array.from({ length: i % 7 }, (_, at) => `x${ends[(i * 5 + at * 3) % ends.length]}`);
        write(`f${i}`, `${parts.join('')}MARK\n`);
      }
    },
    async run(door) {
      const found = (await door.call('grep', { pattern: 'MARK' }))?.text ?? '';
      const lines = [...found.matchAll(/^(f\d+):(\d+): /gm)];
      expect(lines).toHaveLength(24);
      for (const [, name, line] of lines.slice(0, door.pid === undefined ? 3 : 24)) {
        const shown = await door.call('read', { path: `${name}:${line}..${line}` });
        expect(shown?.text).toMatch(new RegExp(`^${line}\\|.*MARK\n`));
      }
    },
  },
  {
    id: 'X01',
    title: 'escape sequences, bidirectional overrides and hidden letters in a text',
    make: ({ write }) =>
      write('f', '\x1b[31mred\x1b[0m \x07\b \x1b]0;title\x07 \u009b2J \u202eevil\u2066 a\u200bb\u{e0041}\n'),
    steps: [
      read('f', {
        has: ['\\x1b[31mred', '\\u202eevil\\u2066 a\\u200bb\\u{e0041}'],
        lacks: /[\u202e\u2066\u200b]|\u{e0041}/u,
      }),
    ],
  },
];
