/** Selectors that are no numbers, overflow, overlap or ask for more than there is. */

import { expect } from 'vitest';
import { type Case, read } from '../case.ts';

const nine = Array.from({ length: 9 }, (_, i) => `${i + 1}\n`).join('');

export const selectors: readonly Case[] = [
  {
    id: 'S03',
    title: 'a range that ends before it starts',
    make: ({ write }) => write('f', nine),
    steps: [read('f:7-2', { code: 'BAD_SELECTOR', has: ':2-7.' })],
  },
  {
    id: 'S04',
    title: 'numbers beyond 2^53, beyond 2^64, and in another notation',
    make: ({ write }) => write('f', nine),
    steps: [
      read('f:9007199254740993', { code: 'OUT_OF_RANGE', has: 'Line 9007199254740993 is beyond' }),
      read('f:99999999999999999999', { code: 'OUT_OF_RANGE', has: 'Line 99999999999999999999 is beyond' }),
      read('f:@0+18446744073709551616', { code: 'BAD_SELECTOR' }),
      read('f:1-1e9', { code: 'BAD_SELECTOR' }),
    ],
  },
  {
    id: 'S05',
    title: 'what is no number',
    make: ({ write }) => write('f', nine),
    steps: ['NaN', 'Infinity', '1.5', '0x5', '５', '-', '+5', '@-1', '1..2..3', 'raw:raw'].map((selector) =>
      read(`f:${selector}`, { code: 'BAD_SELECTOR' }),
    ),
  },
  {
    id: 'S07',
    title: 'ranges that overlap, in any order',
    make: ({ write }) => write('f', nine),
    steps: [read('f:8..8,3..5,4..6,1..1', { is: '1|1\n…\n3|3\n4|4\n5|5\n6|6\n…\n8|8\n' })],
  },
  {
    id: 'S08',
    title: 'a range beyond the end',
    make: ({ write }) => write('f', nine),
    steps: [read('f:5..999', { is: '5|5\n6|6\n7|7\n8|8\n9|9\n[f ends at line 9]' })],
  },
  {
    id: 'S12',
    title: 'more lines of more bytes than an answer holds',
    make: ({ write }) =>
      write('f', Array.from({ length: 5_000 }, (_, i) => `${String(i).padEnd(1_999, 'x')}\n`).join('')),
    steps: [
      read('f:1-5000', { has: /Use f:26\.\.5000 to continue\]$/ }),
      read('f:26..5000', { has: /^26\|25x/ }),
    ],
  },
  {
    id: 'S13',
    title: 'following what each answer names as the next gives every byte once',
    make: ({ write }) => write('f', Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join('')),
    async run(door) {
      let joined = '';
      for (let path: string | undefined = 'f:raw'; path !== undefined;) {
        const text: string = (await door.call('read', { path }))?.text ?? '';
        const [, body = '', next] = /^(.*?)(?:\[Showing .* Use (\S+) to continue\])?$/s.exec(text) ?? [];
        joined += body;
        path = next;
      }
      expect(joined).toBe(Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join(''));
    },
  },
];
