import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dialectOf } from '../../src/dialects/dialect-table.ts';
import { limitsWith } from '../../src/text/limits.ts';
import { fittedTo, HOSTS, UNKNOWN_HOST } from '../../src/faces/hosts.ts';
import { dialectNames } from '../../src/index.ts';
import { temporaryFolder } from '../support/commands.ts';
import { place } from '../support/dialect.ts';

describe('limits by host', () => {
  test.each([
    ['claude-code', undefined, { bytes: 47_000, tokens: 23_500 }],
    ['codex-mcp-client', 'gpt-5.5', { bytes: 44_900 }],
    ['codex-mcp-client', 'gpt-5', { bytes: 10_800, lines: 890 }],
    ['codex-mcp-client', 'gpt-6.2-sol', { bytes: 38_400 }],
    ['codex-mcp-client', 'gpt-9-next', { bytes: 38_400 }],
    ['codex-mcp-client', 'o7', { bytes: 38_400 }],
    ['codex-mcp-client', 'codex-mini', { bytes: 38_400 }],
    ['codex-mcp-client', 'my-own-model:8b', { bytes: 8_200, lines: 890 }],
    ['codex-mcp-client', undefined, { bytes: 8_200, lines: 890 }],
    ['opencode', undefined, { bytes: 49_900, lines: 1_980 }],
    ['kilo', undefined, { bytes: 49_900, lines: 1_980 }],
    ['gemini-cli-mcp-client', undefined, { bytes: 38_400 }],
    ['qwen-cli-mcp-client-oriel', undefined, { bytes: 23_400, lines: 2_800 }],
    ['github-copilot-developer', undefined, { bytes: 18_400, lines: 2_800 }],
    ['pi', undefined, { bytes: 18_400, lines: 2_800 }],
    ['continue-cli-client', undefined, { lines: 2_800 }],
    ['someone', undefined, UNKNOWN_HOST],
    ['', undefined, UNKNOWN_HOST],
  ])('%s %s', (name, model, limits) => {
    expect(fittedTo({ name, ...(model !== undefined && { model }) }, {}).limits).toEqual(limits);
  });

  test('Cline counts JSON, and shows no images', () => {
    const { limits, tokens, read } = fittedTo({ name: 'Cline' }, {});
    expect(limits).toMatchObject({ tokens: 1_250 });
    expect(tokens?.('"\n'.repeat(100))).toBe(100);
    expect(read).toEqual({ imageMetadataOnly: true });
    expect(fittedTo({ name: 'Cline' }, { read: { imageMetadataOnly: false } }).read).toEqual({
      imageMetadataOnly: false,
    });
  });

  test('limits set by a person take precedence, each by itself', () => {
    const host = { name: 'opencode' };
    expect(fittedTo(host, { limits: { bytes: 200_000 } }).limits).toEqual({ bytes: 200_000, lines: 1_980 });
    expect(fittedTo(host, { limits: { lines: 9_000 } }).limits).toEqual({ bytes: 49_900, lines: 9_000 });
    expect(fittedTo(host, { limits: { tokens: 500 } }).limits).toMatchObject({ tokens: 500, bytes: 49_900 });
  });

  test('a dialect with smaller answers keeps them', () => {
    expect(fittedTo({ name: 'opencode' }, { dialect: 'pi' }).limits).toEqual({ lines: 1_980 });
    expect(dialectOf('pi').limits.bytes).toBeLessThan(49_900);
  });

  test('every row names its measurement', () => {
    for (const { measured, cuts } of HOSTS) {
      expect(measured).toMatch(/^[\w ]+ \d[\d.]*/);
      expect(cuts).not.toBe('');
    }
  });
});

/** Long lines, short lines, one line, and hidden characters, which are shown longer than they are stored. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['short lines', 'x\n'.repeat(20_000)],
  ['long lines', `${'y'.repeat(900)}\n`.repeat(400)],
  ['one line', 'z'.repeat(400_000)],
  ['controls', `${'\u0001'.repeat(90)}\n`.repeat(2_000)],
  ['a name with blanks', 'a\n'.repeat(9_000)],
];

describe.each(HOSTS.map(({ name }) => name.source).concat('unknown'))('answers for %s', (source) => {
  const name = source
    .replace(/[|)].*/, '')
    .replace(/[^a-z-]/g, '')
    .replace(/b$/, '');
  test.each(TEXTS)('%s stay within its limits, notice included', async (title, content) => {
    const options = fittedTo({ name }, {});
    const most = limitsWith(dialectOf('oriel').limits, options.limits);
    const { write, call } = place('oriel', options);
    write(`${title}.txt`, content);
    const { text } = await call('read', { path: `${title}.txt` });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most.bytes + 1024);
    expect(text.split('\n').length).toBeLessThanOrEqual(most.lines + 10);
    expect(text).toMatch(/Use .* to continue\]$/);
  });
});

test('an unknown host gets at most 19,500 bytes, 1,990 lines', async () => {
  for (const dialect of dialectNames) {
    const cwd = temporaryFolder();
    const options = fittedTo({ name: 'unknown' }, { dialect, cwd });
    const { write, oriel } = place(dialect, options);
    const path = write('f.txt', `${'w'.repeat(400)}\n`.repeat(5_000));
    for (const tool of oriel.tools.filter(({ name }) => /read_file|^read$/.test(name))) {
      const answer = await tool.run({ path });
      const text = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      expect(Buffer.byteLength(text), `${dialect} ${tool.name}`).toBeLessThanOrEqual(19_500);
      expect(text.split('\n').length).toBeLessThanOrEqual(1_990);
    }
  }
});

test('the docs list each host with the same limits', () => {
  const page = readFileSync(new URL('../../docs/hosts.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| .* \| .* \| .* (?:bytes|lines|tokens) +\|$/.test(line));
  const most = (limits: object): string =>
    Object.entries(limits)
      .map(([name, value]) => `${Number(value).toLocaleString('en-US')} ${name}`)
      .join(', ');
  const documented = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  expect(documented.map((cells) => cells[4])).toEqual([
    ...HOSTS.map(({ limits }) => most(limits)),
    most(UNKNOWN_HOST),
  ]);
  for (const [at, { measured }] of HOSTS.entries()) {
    const [, host = '', whole = ''] = documented[at] ?? [];
    expect(host.split(',')[0]).toBe(/^[\w ]+ \d[\d.]*/.exec(measured)?.[0]);
    for (const number of measured.match(/\d+,\d{3}/g) ?? []) expect(whole).toContain(number);
  }
});

test('limits set by a person are not counted as JSON', () => {
  const host = { name: 'someone', structured: true };
  expect(fittedTo(host, {}).limits?.tokens).toBeLessThan(12_000);
  expect(fittedTo(host, { limits: { bytes: 200_000 } }).limits).toEqual({ bytes: 200_000, lines: 1_980 });
  expect(fittedTo(host, { limits: { tokens: 500 } }).limits).toMatchObject({ tokens: 500 });
});
