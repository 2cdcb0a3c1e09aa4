/**
 * The generic selectors, as one table for every scheme and for pages of the web.
 *
 * @module-tag slow
 */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { place, type Place } from '../../support/dialect.ts';
import { quote } from '../../../src/text/visible.ts';
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

/** Selectors that are invalid, or that few sources have. */
const invalid = [
  '0',
  '5-2',
  'lines 5-2',
  '9..5',
  '5+0',
  '-0',
  '@5+0',
  '5:encoding=klingon',
  'raw:0',
  '#a,5-2',
  'nope',
];

/** Expects that the sentence of an error names the call of its `next`, and that this call works. */
async function expectCalls(here: Place, path: string, isAgain = false): Promise<void> {
  const { text, isError, details } = await here.call('read', { path });
  // What is a valid selector here, or a part of a name, is answered.
  if (!isError) return;
  const { code, next } = details['error'] as { code: string; next?: string };
  if (code === 'NOT_FOUND' && next === undefined) return;
  const shown = quote(next as string);
  // The sentence about line 0 has its own words, without the path.
  if (!text.startsWith('Line selector 0 ')) {
    expect(text).toContain(`${code === 'NOT_FOUND' ? '' : 'Use'} ${shown}`);
    expect(text).not.toMatch(/\bUse :/);
  }
  // A valid encoding is refused too by a text that is not stored.
  expect(isAgain && !path.includes(':encoding='), `${path}: ${text}`).toBe(false);
  await expectCalls(here, next as string, true);
}

describe('an error about a selector names a whole call, which works', () => {
  test.each(sourceCases.map((source) => [source.name, source] as const))('%s', async (_, source) => {
    const here = await placeOf(source);
    for (const selector of invalid) await expectCalls(here, `${source.path}:${selector}`);
  });

  test.each(['artifact', 'agent', 'memory', 'rule', 'skill', 'mcp', 'oriel'])(
    'the list of %s://',
    async (scheme) => {
      const here = place('oriel');
      for (const selector of invalid) await expectCalls(here, `${scheme}://:${selector}`);
    },
  );

  test.each([
    ['a scheme of the host', 'ticket://42'],
    ['code', 'a.ts'],
    ['a PDF', 'a.pdf'],
    ['pages of a PDF', 'a.pdf:p1'],
    ['a workbook', 'a.xlsx'],
    ['a sheet', 'a.xlsx:Sales'],
  ])('%s', async (_, path) => {
    const here = place('oriel', { schemes: { ticket: (id) => (id === '42' ? 'a\nb\nc\n' : undefined) } });
    here.write('a.ts', 'export function a() {\n  return 1;\n}\n');
    here.write('a.pdf', readFileSync('test/fixtures/documents/report.pdf'));
    here.write('a.xlsx', readFileSync('test/fixtures/documents/sheet.xlsx'));
    for (const selector of invalid) await expectCalls(here, `${path}:${selector}`);
  });
});
