/** The generic selectors, as one table for every scheme and for pages of the web. */

import { describe, expect, test } from 'vitest';
import { sourceCases } from './cases.ts';
import { bodyOf, placeOf } from './read.ts';

const named = sourceCases.flatMap((source) =>
  source.text && (source.scheme !== undefined || source.kind === 'web')
    ? ([[source.name, source, source.text('small')]] as const)
    : [],
);

/** What a selector shows of lines. */
const shows: readonly (readonly [string, (lines: readonly string[]) => string])[] = [
  ['3..5', (lines) => lines.slice(2, 5).join('')],
  ['L2..L2', (lines) => lines[1] ?? ''],
  ['3..5:raw', (lines) => lines.slice(2, 5).join('')],
  ['raw:3..5', (lines) => lines.slice(2, 5).join('')],
  ['-2', (lines) => lines.slice(-2).join('')],
  ['2+3', (lines) => lines.slice(1, 4).join('')],
];

describe.each(named)('%s', (_, source, text) => {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

  test.each(shows)(':%s', async (selector, expected) => {
    const here = await placeOf(source);
    const called = await here.call('read', { path: `${source.path}:${selector}` });
    const body = bodyOf(called);
    expect(called.isError).toBe(false);
    // Some forms show lines around those that were asked for.
    expect(body.trimEnd()).toContain(expected(lines).trimEnd());
    if (/\.\.|^-/.test(selector)) expect(body.trimEnd()).toBe(expected(lines).trimEnd());
  });

  test('several ranges', async () => {
    const here = await placeOf(source);
    const { text: shown, isError } = await here.call('read', { path: `${source.path}:2..2,6..7` });
    expect(isError).toBe(false);
    expect(shown).toContain(lines[1]);
    expect(shown).toContain(lines.slice(5, 7).join(''));
    expect(shown).not.toContain(`${lines[8]}${lines[9]}`);
  });

  test('bytes, from the first one to the end of a line', async () => {
    const here = await placeOf(source);
    const called = await here.call('read', { path: `${source.path}:@0+64` });
    const body = bodyOf(called);
    expect(called.isError).toBe(false);
    expect(body).not.toBe('');
    // Whole lines, of which the last holds the last byte.
    const shown = lines.slice(0, body.match(/[^\n]*\n|[^\n]+$/g)?.length).join('');
    expect(body.trimEnd()).toBe(shown.trimEnd());
    expect(Buffer.byteLength(shown)).toBeGreaterThanOrEqual(64);
  });

  test('a line beyond the end is answered with the lines that there are', async () => {
    const here = await placeOf(source);
    const called = await here.call('read', { path: `${source.path}:999999..` });
    expect(called.isError).toBe(false);
    expect(called.text).toContain(String(lines.length));
  });

  test.each(['0', '5-2', '@-1'])('refuses :%s with a sentence', async (selector) => {
    const here = await placeOf(source);
    const called = await here.call('read', { path: `${source.path}:${selector}` });
    // Of a page it is a part of the URL, which its server does not know.
    if (source.kind === 'web' && !called.isError) return expect(called.text).toContain('Method: failed');
    expect(called.isError).toBe(true);
    expect(called.details).toMatchObject({ error: { code: expect.stringMatching(/^(?:BAD_|NOT_FOUND)/) } });
  });
});
