/**
 * Texts that are typed, and texts that are read, guided by coverage.
 *
 * @module-tag slow
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Coverage, guided, mutateText } from './guided.ts';
import { keepInputs, keptInputs } from './kept.ts';

const seconds = Number(process.env['ORIEL_FUZZ_SECONDS'] ?? 0);
const seed = Number(process.env['ORIEL_FUZZ_SEED'] ?? (seconds > 0 ? Date.now() % 1e9 : 1));
const timeout = 300_000 + 2_000 * seconds;
/** Without a number of seconds. */
const RUNS = 300;

const coverage = new Coverage();
beforeAll(() => coverage.start());
afterAll(() => coverage.stop());

function until(): (runs: number) => boolean {
  const end = Date.now() + seconds * 1_000;
  return (runs) => (seconds > 0 ? Date.now() < end : runs < RUNS);
}

/** Goes on from what earlier runs have kept, and keeps what a long run finds. */
async function hunt(
  name: string,
  { seeds, words }: { readonly seeds: readonly string[]; readonly words: readonly string[] },
  target: (text: string) => unknown,
): Promise<void> {
  const kept = keptInputs(name);
  const { runs, corpus } = await guided({
    coverage,
    seeds: seconds > 0 ? [...seeds, ...kept] : seeds,
    seed,
    mutate: mutateText(words),
    target,
    more: until(),
  });
  if (seconds === 0) {
    // It has learned something: without feedback nothing is kept.
    expect(corpus.length).toBeGreaterThan(seeds.length);
    for (const text of kept) await target(text);
    return;
  }
  keepInputs(name, corpus);
  console.info(`${name}, by coverage: ${runs} runs, ${corpus.length} inputs kept, ${coverage.places} places`);
}

test('anything behind a path is parsed, refused, or no selector', { timeout }, async () => {
  const { parseBehind } = await import('../../src/selector/selection.ts');
  const { candidates } = await import('../../src/selector/selection.ts');
  const { targetRewrites } = await import('../../src/selector/rewrites.ts');
  const { parseCodeQuestion } = await import('../../src/selector/selection.ts');
  const { writeSelector } = await import('../../src/selector/selection.ts');
  const refusedOr = <T>(parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      expect(code).toBe('BAD_SELECTOR');
      // oxlint-disable-next-line no-control-regex
      expect(message).not.toMatch(/[\0-\x1f]/);
      return undefined;
    }
  };
  const target = (text: string): void => {
    const window = refusedOr(() => parseBehind('a', text))?.window;
    if (window?.kind === 'lines') {
      const written = writeSelector({
        kind: 'lines',
        ranges: window.ranges,
        ...(window.inside !== undefined && { inside: window.inside }),
      });
      // What we write is read as what was meant; a place is written as the lines around it.
      const { around: _, ...lines } = window;
      expect(parseBehind('a', written.slice(1))?.window).toEqual({ ...lines, context: false });
    }
    for (const of of ['file', 'directory'] as const) refusedOr(() => parseCodeQuestion('a', text, of));
    for (const { path, rest } of candidates(text))
      expect(path.length + rest.length).toBeLessThanOrEqual(text.length);
    expect(targetRewrites(text, (name) => name.endsWith('.zip')).length).toBeLessThanOrEqual(512);
  };
  const words =
    '0 1 5 99 99999999999999999999 - .. + , : @ # L K M raw conflicts outline outputs meta refs encoding= gbk ?from= &q= ?bytes= file:// .zip / \\ " #L3 (3,4) , line 5'.split(
      ' ',
    );
  const seeds = ['5-9', '5..:raw', '-20@7', '@5+6K', '#a,#b:outline', 'outline?q=a', 'a.zip/b:5', '"a":3'];
  await hunt('typed', { seeds, words }, target);
});

test('pages of whatever text hold every byte of it once', { timeout }, async () => {
  const { windowedText } = await import('../../src/window.ts');
  const target = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text, 'latin1');
    const small = { limits: { lines: 3, bytes: 64, line: 64 } };
    let at = 0;
    const read = windowedText(bytes);
    let page = await read.read(undefined, small);
    const first = page.parts.flat()[0]?.start ?? 0;
    // A byte order mark is no part of the text.
    expect([0, 2, 3, 4]).toContain(first);
    at = first;
    for (let pages = 0; ; pages += 1) {
      expect(pages).toBeLessThan(2 * bytes.length + 2);
      for (const line of page.parts.flat()) {
        expect(line.start).toBe(at);
        expect(line.text.isWellFormed()).toBe(true);
        at = line.end;
      }
      const { next } = page;
      if (!next) break;
      page = await read.read(next.kind === 'lines' ? { ...next, context: false } : next, small);
    }
    if (page.parts.flat().length > 0) expect(at).toBe(bytes.length);
  };
  const words = [
    '\n',
    '\r\n',
    '\r',
    '\0',
    '\xc3\xa9',
    '\xf0\x9f\x98\x80',
    '\xff\xfe',
    '\xfe\xff',
    '\xef\xbb\xbf',
    'a\0',
    '\0a',
    'x'.repeat(70),
  ];
  const seeds = ['a\nb', 'x'.repeat(160), '\xff\xfea\0\n\0', '\xef\xbb\xbfa\n', '\0\0\xfe\xff\0\0\0a'];
  await hunt('read', { seeds, words }, target);
});
