/** Owns the default dialect: one path string names anything, every cut names the next call. */

import { cutPolicy } from '../engine/policy.ts';
import type { ReadResult } from '../engine/read.ts';
import { wording } from '../render/notices.ts';
import { readAnswer } from '../render/read-answer.ts';
import { binarySize } from '../render/units.ts';
import { type Dialect, reads, tool } from './dialect.ts';
import { baseLimits } from './limits.ts';

const read = tool<{ path: string }>({
  name: 'read',
  title: 'Read',
  effects: reads,
  about: (limits) =>
    `Reads what one path string names: a text file or a directory. Answers hold at most ${limits.lines} lines and ` +
    `${binarySize(limits.bytes)}; a notice in brackets at the end gives the exact path for the next call.

Append a selector to the path:
:50 from line 50 · :50-100 lines 50 to 100 · :50+20 twenty lines · :5-16,40-80 several ranges · :50..100 exactly these, no context
:-20 the last 20 lines · :@65536+64K 64 KiB from byte 65536, whole lines, at most ${binarySize(limits.windowMax)}
:raw the text as stored, without line numbers, also :50-100:raw · :conflicts unresolved merge conflicts
A file whose name ends like a selector is read as that file. Lines are 1-indexed and shown as N|text. ` +
    'Prefer one large window to many small ones.',
  input: (zod) =>
    zod.strictObject({
      path: zod.string().describe('Path, with an optional selector: src/app.ts, src/app.ts:50-100, src'),
    }),
  request: ({ path }) => ({ do: 'read', target: path, grammar: 'selectors' }),
  policy: () => cutPolicy,
  answer: (result) => readAnswer(result as ReadResult, wording),
});

export const oriel: Dialect = { name: 'oriel', limits: baseLimits, tools: [read], departs: [] };
