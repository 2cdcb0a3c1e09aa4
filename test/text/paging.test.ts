import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { follow, inputOf, plainFit, textOf } from '../support/windows.ts';

/** Texts with short lines, oversized lines, CRLF, empty lines, wide characters, clusters and broken bytes. */
const line = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 50, max: 900 }).map((length) => 'y'.repeat(length)) },
  { weight: 1, arbitrary: fc.integer({ min: 20, max: 200 }).map((length) => '👩‍👩‍👧é'.repeat(length)) },
  { weight: 1, arbitrary: fc.constant('') },
);
const terminator = fc.constantFrom('\n', '\n', '\r\n', '\n\n');
const text = fc
  .tuple(fc.array(fc.tuple(line, terminator), { maxLength: 40 }), line)
  .map(([lines, last]) => lines.map(([content, end]) => content.replaceAll('\n', '') + end).join('') + last);
const limits = fc.record({
  lines: fc.integer({ min: 1, max: 20 }),
  bytes: fc.integer({ min: 64, max: 600 }),
  line: fc.integer({ min: 64, max: 600 }),
  tokens: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 32, max: 200 })),
  window: fc.integer({ min: 64, max: 400 }),
  windowMax: fc.integer({ min: 64, max: 800 }),
});
const encoders: Record<string, (text: string) => Uint8Array> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'utf-16le': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'utf-16be': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'utf-32le': (text) =>
    Buffer.concat([...`\ufeff${text}`].map((c) => Buffer.from(new Uint32Array([c.codePointAt(0)!]).buffer))),
};

describe.each(Object.entries(encoders))(
  'following the notices yields every byte once: %s',
  (_name, encode) => {
    const check = (
      window: (size: number) => Parameters<typeof follow>[1],
      join: (pages: string[]) => string,
      counted: boolean,
    ) =>
      fc.assert(
        fc.asyncProperty(text, limits, async (raw, limit) => {
          const content = raw.toWellFormed();
          const bytes = encode(content);
          const fit = plainFit({ ...limit, window: Math.min(limit.window, limit.windowMax) });
          const pages = await follow(inputOf(bytes, counted), window(bytes.length), fit);
          expect(join(pages.map(textOf))).toBe(content);
          for (const page of pages) {
            const most =
              page.next?.kind === 'bytes' || page.oversized
                ? Math.max(limit.bytes, limit.windowMax)
                : limit.bytes;
            expect(Buffer.byteLength(textOf(page))).toBeLessThanOrEqual(Math.max(most, limit.windowMax));
          }
        }),
        { numRuns: 300 },
      );
    const forwards = (pages: string[]) => pages.join('');
    const backwards = (pages: string[]) => pages.toReversed().join('');

    test('by lines', { tags: 'slow' }, () => check(() => undefined, forwards, true));
    test('by bytes', { tags: 'slow' }, () => check(() => ({ kind: 'bytes', start: 0 }), forwards, true));
    test('by bytes where lines are not counted', { tags: 'slow' }, () =>
      check(() => ({ kind: 'bytes', start: 0 }), forwards, false),
    );
    test('by tail, backwards', { tags: 'slow' }, () =>
      check((size) => ({ kind: 'tail', lines: size + 1 }), backwards, true),
    );
  },
);
