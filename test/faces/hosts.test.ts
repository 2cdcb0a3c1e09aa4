import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dialectOf } from '../../src/dialects/dialect-table.ts';
import { limitsWith, shownSize } from '../../src/text/limits.ts';
import { fittedTo, HOSTS, UNKNOWN_HOST } from '../../src/faces/hosts.ts';
import { dialectNames, type LimitOptions } from '../../src/index.ts';
import { temporaryFolder } from '../support/commands.ts';
import { place } from '../support/dialect.ts';

describe('limits by host', () => {
  test.each([
    ['claude-code', undefined, { unit: 'characters', bytes: 47_000, tokens: 23_500 }],
    ['codex-mcp-client', 'gpt-5.5', { bytes: 44_900 }],
    ['codex-mcp-client', 'gpt-5', { bytes: 10_600, lines: 890 }],
    ['codex-mcp-client', 'gpt-6.2-sol', { bytes: 38_400 }],
    ['codex-mcp-client', 'gpt-9-next', { bytes: 38_400 }],
    ['codex-mcp-client', 'o7', { bytes: 38_400 }],
    ['codex-mcp-client', 'codex-mini', { bytes: 38_400 }],
    ['codex-mcp-client', 'my-own-model:8b', { bytes: 10_600, lines: 890 }],
    ['codex-mcp-client', undefined, { bytes: 10_600, lines: 890 }],
    ['opencode', undefined, { bytes: 49_900, lines: 1_980 }],
    ['kilo', undefined, { bytes: 49_900, lines: 1_980 }],
    ['gemini-cli-mcp-client', undefined, { unit: 'characters', bytes: 38_400 }],
    ['qwen-cli-mcp-client-oriel', undefined, { unit: 'characters', bytes: 23_400, lines: 2_800 }],
    ['github-copilot-developer', undefined, { bytes: 18_400, lines: 2_800 }],
    ['pi', undefined, { bytes: 18_400, lines: 2_800 }],
    ['continue-cli-client', undefined, { unit: 'characters', bytes: 50_000, lines: 2_800 }],
    ['someone', undefined, UNKNOWN_HOST],
    ['', undefined, UNKNOWN_HOST],
  ])('%s %s', (name, model, limits) => {
    expect(fittedTo({ name, ...(model !== undefined && { model }) }, {}).limits).toEqual(limits);
  });

  test('Cline counts JSON, and shows no images', () => {
    const { limits, tokens, read } = fittedTo({ name: '@cline/core' }, {});
    expect(limits).toMatchObject({ tokens: 1_550 });
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
  const fits = async (title: string, content: string): Promise<void> => {
    const options = fittedTo({ name }, {});
    const most = limitsWith(dialectOf('oriel').limits, options.limits);
    const { write, call } = place('oriel', options);
    write(`${title}.txt`, content);
    const { text } = await call('read', { path: `${title}.txt` });
    expect(shownSize(text, most)).toBeLessThanOrEqual(most.bytes + 1024);
    expect(text.split('\n').length).toBeLessThanOrEqual(most.lines + 10);
    expect(text).toMatch(/Use .* to continue\]$/);
  };
  test.each(TEXTS.slice(0, 2))('%s stay within its limits, notice included', fits);
  test.each(TEXTS.slice(2))('%s stay within them, too', { tags: 'slow' }, fits);
});

/** A page is nearly as many characters as the host passes, and following its notices shows every line once. */
test.each([
  ['unknown', 18_400],
  ['gemini-cli-mcp-client', 38_400],
  ['qwen-cli-mcp-client-oriel', 23_400],
])('wide characters for %s count as characters', async (name, most) => {
  const { write, call } = place('oriel', fittedTo({ name }, {}));
  const lines = Array.from({ length: 3_000 }, (_, i) => `${i}${'\u8aad'.repeat(60)}`);
  write('wide.txt', `${lines.join('\n')}\n`);
  const shown: string[] = [];
  for (let path: string | undefined = 'wide.txt'; path !== undefined;) {
    const { text } = await call('read', { path });
    expect(text.length).toBeLessThanOrEqual(most + 1_024);
    const next: string | undefined = /Use (\S+) to continue\]$/.exec(text)?.[1];
    if (next !== undefined) {
      expect(text.length).toBeGreaterThan(most * 0.97);
      expect(text).toContain(`(${most} character limit)`);
    }
    shown.push(...text.split('\n').flatMap((line) => /^\d+\|(.*)$/.exec(line)?.[1] ?? []));
    path = next;
  }
  expect(shown).toEqual(lines);

  write('one.txt', '\u8aad'.repeat(60_000));
  let pages = 0;
  let whole = '';
  for (let path: string | undefined = 'one.txt'; path !== undefined;) {
    const { text } = await call('read', { path });
    expect(text.length).toBeLessThanOrEqual(most + 1_024);
    const next: string | undefined = /Use (\S+) to continue\]$/.exec(text)?.[1];
    pages += 1;
    whole += text.replace(/^1\|/, '').replace(/\n?\[[^\]]*\]$/, '');
    path = next;
  }
  expect(whole).toBe('\u8aad'.repeat(60_000));
  expect(pages).toBe(Math.ceil(60_000 / most));

  const { text: listed } = await call('grep', { pattern: '\u8aad', path: 'wide.txt', limit: 3_000 });
  expect(listed.length).toBeLessThanOrEqual(most + 1_024);
  expect(listed.length).toBeGreaterThan(most * 0.95);
});

test('dialects that write their limits in bytes count bytes for every host', async () => {
  const { write, call } = place('pi', fittedTo({ name: 'unknown' }, { dialect: 'pi' }));
  write('wide.txt', `${'\u8aad'.repeat(10_000)}\nlast\n`);
  const { text } = await call('read', { path: 'wide.txt' });
  expect(text).toBe('[Line 1 is 30KB, exceeds 18KB limit. Use bash to read: head -c 18400 wide.txt]');
  const many = Array.from({ length: 3_000 }, () => `${'\u8aad'.repeat(10)}`).join('\n');
  const { text: run } = await call('bash', { command: `printf '${many}'` });
  expect(run).toContain('(18KB limit)');
  expect(Buffer.byteLength(run)).toBeLessThan(18_400 + 1_024);
});

test('descriptions promise windows of what is shown', () => {
  for (const dialect of ['oriel', 'zed'] as const) {
    const { oriel } = place(dialect, fittedTo({ name: 'unknown' }, { dialect }));
    const { description } = oriel.tools.find(({ name }) => name.startsWith('read')) ?? {};
    expect(description).toMatch(
      dialect === 'zed' ? /18 KiB by default, at most 18 KiB/ : /:@65536\+18400 bytes/,
    );
  }
});

test('a unit alone counts the limits of the dialect', () => {
  const { limits } = dialectOf('oriel');
  expect(limitsWith(limits, { unit: 'characters' })).toEqual({ ...limits, unit: 'characters' });
  expect(limitsWith(limitsWith(limits, { unit: 'characters' }), { bytes: 900 }).unit).toBeUndefined();
  expect(limitsWith(dialectOf('pi').limits, { unit: 'characters', bytes: 900 })).toMatchObject({
    unit: 'bytes',
    windowMax: 900,
  });
});

test('an unknown host gets at most 19,500 characters, 1,990 lines', async () => {
  for (const dialect of dialectNames) {
    const cwd = temporaryFolder();
    const options = fittedTo({ name: 'unknown' }, { dialect, cwd });
    const { write, oriel } = place(dialect, options);
    const path = write('f.txt', `${'w'.repeat(400)}\n`.repeat(5_000));
    for (const tool of oriel.tools.filter(({ name }) => /read_file|^read$/.test(name))) {
      const answer = await tool.run({ path });
      const text = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      expect(text.length, `${dialect} ${tool.name}`).toBeLessThanOrEqual(19_500);
      expect(text.split('\n').length).toBeLessThanOrEqual(1_990);
    }
  }
});

test('the docs list each host with the same limits', () => {
  const page = readFileSync(new URL('../../docs/hosts.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| .* \| .* \| .*\d (?:bytes|characters|lines|tokens) +\|$/.test(line));
  const most = (limits: object): string =>
    Object.entries({ ...limits, unit: undefined })
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          `${Number(value).toLocaleString('en-US')} ${name === 'bytes' ? ((limits as LimitOptions).unit ?? name) : name}`,
      )
      .join(', ');
  const documented = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  expect(documented.map((cells) => cells[3])).toEqual([
    ...HOSTS.map(({ limits }) => most(limits)),
    most(UNKNOWN_HOST),
  ]);
  for (const [at, { measured }] of HOSTS.entries()) {
    expect(documented[at]?.[1]?.split(',')[0]).toBe(/^[\w ]+ \d[\d.]*/.exec(measured)?.[0]);
  }
});

test('limits set by a person are not counted as JSON', () => {
  const host = { name: 'someone', structured: true };
  expect(fittedTo(host, {}).limits?.tokens).toBeLessThan(12_000);
  expect(fittedTo(host, { limits: { bytes: 200_000 } }).limits).toEqual({ bytes: 200_000, lines: 1_980 });
  expect(fittedTo(host, { limits: { tokens: 500 } }).limits).toMatchObject({ tokens: 500 });
});
