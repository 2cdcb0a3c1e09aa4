/** Windows over any bytes, and what is remembered of an output that streams by. */

import { plain } from '../../../src/render/display.ts';
import { decode, detectEncoding, unicodeEncoding, countNewlines } from '../../../src/text/encoding.ts';
import { baseLimits, cutPolicy, fitOf } from '../../../src/text/limits.ts';
import type { Excerpt, Window } from '../../../src/types/excerpt.ts';
import { windowedText } from '../../../src/window.ts';
import { OutputEnds, outputExcerpt } from '../../../src/text/output.ts';
import { NewlineTable } from '../../../src/text/line-index.ts';
import { type FuzzTarget, must } from './fuzz-target.ts';
import type { Random } from './random.ts';
import { seeds, words } from './text-material.ts';

const material = { group: 'text', seeds, words, most: 96 } as const;

const utf8 = unicodeEncoding('utf-8');
const small = { lines: 3, bytes: 64, line: 64 };

/** A window of any kind near a text of `length` bytes. */
function anyWindow(length: number, random: Random): Window | undefined {
  const from = 1 + random.below(8);
  switch (random.below(5)) {
    case 0:
      return undefined;
    case 1:
      return { kind: 'bytes', start: random.below(length + 4), length: 1 + random.below(80) };
    case 2:
      return {
        kind: 'tail',
        lines: 1 + random.below(6),
        ...(random.below(2) && { before: random.below(length + 4) }),
      };
    case 3:
      return { kind: 'ends', from, most: 1 + random.below(6) };
    default: {
      const ranges = [{ from, to: from + random.below(4) }, ...(random.below(2) ? [{ from: from + 8 }] : [])];
      return { kind: 'lines', ranges, context: random.below(2) === 0 };
    }
  }
}

/** Lines lie in the text in order, and are its bytes decoded. */
function checkLines({ parts }: Excerpt, bytes: Buffer, encoding = utf8): void {
  let behind = 0;
  for (const line of parts.flat()) {
    must(line.start >= behind && line.end > line.start && line.end <= bytes.length, 'lines are in order');
    behind = line.end;
    if (line.cut === 'clip') continue;
    must(line.text === decode(bytes.subarray(line.start, line.end), encoding).text, 'a line is its bytes');
  }
}

const outputs = fitOf(cutPolicy, plain, { ...baseLimits, ...small });

export const windowTargets: readonly FuzzTarget[] = [
  {
    ...material,
    name: 'window',
    async run(input, random) {
      const read = windowedText(input);
      const window = anyWindow(input.length, random);
      const excerpt = await read.read(window, { limits: small });
      must(excerpt.parts.flat().length <= 3 + 8, 'lines are bounded');
      for (const { text } of excerpt.parts.flat()) must(text.isWellFormed(), 'lines are well-formed');
      const { next } = excerpt;
      if (!next) return;
      const asked = excerpt.parts[0]?.filter(({ role }) => role === 'asked') ?? [];
      const following = await read.read(next.kind === 'lines' ? { ...next, context: false } : next, {
        limits: small,
      });
      const lines = following.parts.flat();
      if (next.kind === 'tail') {
        must(lines.at(-1)?.end === asked[0]?.start, 'the page before ends where this one begins');
        return;
      }
      const shown = asked.at(-1)?.end ?? 0;
      must(lines[0] === undefined || lines[0].start >= shown, 'the next page goes on');
      must(window?.kind !== 'ends' || lines[0]?.start === shown, 'nothing between two pages is left out');
    },
  },
  {
    ...material,
    name: 'pages',
    async run(input) {
      const bytes = Buffer.concat([Buffer.from('no mark\n'), input]);
      const encoding = detectEncoding(bytes);
      const read = windowedText(bytes);
      let at = 0;
      for (let window: Window | undefined; ;) {
        const page = await read.read(window, { limits: small });
        checkLines(page, bytes, encoding);
        for (const line of page.parts.flat()) {
          must(line.start === at, 'no byte is left out');
          at = line.end;
        }
        const { next } = page;
        if (!next) break;
        must(page.parts.flat().length > 0, 'every page shows something');
        window = next.kind === 'lines' ? { ...next, context: false } : next;
      }
      must(at === bytes.length, 'all bytes are shown');
    },
  },
  {
    ...material,
    name: 'output',
    run(input, random) {
      const ends = new OutputEnds({ head: 40, tail: 48 });
      for (let at = 0; at < input.length;) {
        const length = 1 + random.below(40);
        ends.push(input.subarray(at, at + length));
        at += length;
      }
      const newlines = countNewlines(input);
      const tail = ends.tail();
      must(ends.bytes === input.length && ends.newlines === newlines, 'bytes and newlines are counted');
      must(input.subarray(0, 40).equals(ends.head), 'the head is kept');
      must(input.subarray(tail.start).equals(tail.bytes), 'the tail is kept');
      const excerpt = outputExcerpt(ends, random.pick(['head', 'tail', 'ends']), outputs, {
        snap: random.pick(['line', 'char']),
      });
      checkLines(excerpt, input);
      must(excerpt.parts.flat().length <= 4, 'lines are bounded');
      must(
        excerpt.cutBy !== undefined ||
          excerpt.parts.flat().reduce((sum, { start, end }) => sum + end - start, 0) === input.length,
        'what is not cut is whole',
      );
    },
  },
  {
    ...material,
    name: 'table of newlines',
    run(input, random) {
      const table = new NewlineTable();
      const before = [0];
      for (const byte of input) {
        before.push((before.at(-1) as number) + byte);
        table.add(before.at(-1) as number);
      }
      const { block } = table;
      const at = random.below((before.length + 2) * block);
      const { start, newlines } = table.placeOf(at);
      must(start <= at && newlines === before[start / block], 'a place is before the byte');
      must(start === (before.length - 1) * block || at - start < block, 'it is the last one');
      const count = 1 + random.below((before.at(-1) as number) + 2);
      const place = table.placeBefore(count);
      must(
        place.newlines < count && place.newlines === before[place.start / block],
        'a place is before the newline',
      );
      const following = before[place.start / block + 1];
      must(following === undefined || following >= count, 'it is the last one before it');
      const scanned = (before.length - 1) * block;
      const copy = NewlineTable.of(block, table.counts, scanned);
      must(copy !== undefined && copy.counts.length === before.length, 'what was saved is restored');
    },
  },
];
