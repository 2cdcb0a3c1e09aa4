/**
 * The generic selectors, as one table for every scheme and for pages of the web.
 *
 * @module-tag slow
 */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Called, place, type Place } from '../../support/dialect.ts';
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

test.each(named)('%s: every selector', async (_, source, text) => {
  const here = await placeOf(source);
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const read = (selector: string): Promise<Called> =>
    here.call('read', { path: `${source.path}:${selector}` });
  const shown = async (selector: string): Promise<string> => {
    const called = await read(selector);
    expect(called.isError, selector).toBe(false);
    return bodyOf(called);
  };

  for (const [selector, expected] of shows) {
    const body = (await shown(selector)).trimEnd();
    // Some forms show lines around those that were asked for.
    expect(body, selector).toContain(expected(lines).trimEnd());
    if (/\.\.|^-/.test(selector)) expect(body, selector).toBe(expected(lines).trimEnd());
  }

  const ranges = await shown('2..2,6..7');
  expect(ranges).toContain(lines[1]);
  expect(ranges).toContain(lines.slice(5, 7).join(''));
  expect(ranges).not.toContain(`${lines[8]}${lines[9]}`);

  // Bytes, from the first one to the end of a line: whole lines, of which the last holds the last byte.
  const bytes = await shown('@0+64');
  expect(bytes).not.toBe('');
  const whole = lines.slice(0, bytes.match(/[^\n]*\n|[^\n]+$/g)?.length).join('');
  expect(bytes.trimEnd()).toBe(whole.trimEnd());
  expect(Buffer.byteLength(whole)).toBeGreaterThanOrEqual(64);

  // A line beyond the end is answered with the lines that there are.
  const beyond = await read('999999..');
  expect(beyond.isError).toBe(false);
  expect(beyond.text).toContain(String(lines.length));

  for (const selector of ['0', '5-2', '@-1']) {
    const called = await read(selector);
    // Of a page it is a part of the URL, which its server does not know.
    if (source.kind === 'web' && !called.isError) {
      expect(called.text).toContain('Method: failed');
      continue;
    }
    expect(called.isError, selector).toBe(true);
    expect(called.details).toMatchObject({ error: { code: expect.stringMatching(/^(?:BAD_|NOT_FOUND)/) } });
  }
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

describe('an error about a selector names a working call', () => {
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
