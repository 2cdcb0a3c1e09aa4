import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ripgrepPath } from '../../src/process/ripgrep.ts';
import { fc } from '../support/properties.ts';
import { nextOf, textOf, workspace } from '../support/workspace.ts';

const bytes = (...values: number[]): Buffer => Buffer.from(values);

test('T01 a U+FFFD in the file is not damage', async () => {
  const { write, text } = workspace();
  write('f', Buffer.concat([Buffer.from('\ufffd\n'), bytes(0xff, 0x0a)]));
  expect(await text('f')).toBe(
    '1|\ufffd\n2|\ufffd\n[1 invalid UTF-8 sequence shown as U+FFFD; f:encoding=windows-1252 decodes it otherwise]',
  );
});

test('UTF-16 without a BOM, UTF-32 with a BOM', async () => {
  const { write, text } = workspace();
  write('le', Buffer.from('plain text\nhere\n', 'utf16le'));
  expect(await text('le')).toBe('1|plain text\n2|here\n[Decoded from UTF-16LE (no byte order mark)]');
  const wide = Buffer.from(new Uint32Array([...'\ufeffa😀\nb\n'].map((c) => c.codePointAt(0) ?? 0)).buffer);
  write('32', wide);
  expect(await text('32:2')).toContain('2|b\n');
  write('32be', wide.swap32());
  expect(await text('32be')).toBe('1|a😀\n2|b\n[Decoded from UTF-32BE]');
});

test('T06 NUL after the first block: every page is text', async () => {
  const { write, read, text } = workspace();
  write('f', `${'line\n'.repeat(5000)}a\0b\nend\n`);
  const first = await read('f');
  expect(nextOf(first)).toBe('f:3001..');
  const escaped = '[1 control or invisible character shown as escapes]';
  const second = await text('f:3001..');
  expect(second).toContain('5000|line\n5001|a\\x00b\n5002|end\n');
  expect(second).toContain(escaped);
  for (const window of [':5000..5002', ':-5', ':@24990+20', '']) {
    expect(await text(`f${window}`)).not.toContain('binary');
  }
  expect(await text('f:3001..:raw')).toMatch(/line\na\\x00b\nend\n$/);
});

test('T06 a kept output with NUL anywhere is text', async () => {
  const { oriel } = workspace();
  const run = async (tool: 'bash' | 'read', input: object): Promise<string> =>
    textOf(await oriel.tool(tool).run(input));
  await run('bash', { command: "printf 'x\\000y\\n'; seq 1 30000; printf 'h\\000x\\n'; seq 1 5" });
  expect(await run('read', { path: 'artifact://1' })).toContain('1|x\\x00y\n2|1\n');
  expect(await run('read', { path: 'artifact://1:30000..' })).toContain('30002|h\\x00x\n30003|1\n');
});

// They name a call that shows text.
test('T09 windows before or past the text say so', async () => {
  const { write, text } = workspace();
  write('f', 'a\nb\n');
  write('bom', '\ufeffa\n');
  write('none', '');
  write('one', 'x'.repeat(20_000));
  expect(await text('f:-1@0')).toBe('[No line of f is before byte 0. Use f:1 for the start]');
  expect(await text('bom:-1@3')).toContain('[No line of bom is before byte 3. Use bom:1 for the start]');
  expect(await text('f:-1@0:raw')).toBe('[No line of f is before byte 0. Use f:1 for the start]');
  expect(await text('none:-1@0')).toBe('[none is empty: 0 lines]');
  for (const byte of [20_000, 30_000])
    expect(await text(`one:1@${byte}..`)).toBe(
      '[Line 1 of one ends at byte 20000, and nothing follows. Use one:1 for the line]',
    );
  expect(await text('one:2@20000..')).toBe(
    '[Line 2 is beyond the end of one (1 line). Use one:1 for the end]',
  );
  expect(await text('f:1')).toContain('1|a\n');
  expect(await text('one:1')).toContain('1|xxx');
});

test('T12 in an oversized line windows begin at the character', async () => {
  const { write, text } = workspace();
  write('f', '😀'.repeat(50_000));
  const shown = await text('f:@100002+8:raw');
  expect(shown).toBe(
    '😀😀\n[Showing bytes 100000-100008 of 200000, inside line 1 (200000 bytes long). Use f:@100008+8:raw to continue]',
  );
});

test('T17 a million empty lines', async () => {
  const { write, read } = workspace();
  write('f', '\n'.repeat(1_000_000));
  const answer = await read('f:999990..999999');
  expect(textOf(answer)).toBe(Array.from({ length: 10 }, (_, i) => `${999_990 + i}|\n`).join(''));
  expect(answer.details).toMatchObject({ totals: { lines: 1_000_000, bytes: 1_000_000 } });
});

test('T23 line numbers agree across read, grep, sed', { tags: 'slow' }, async () => {
  const { W, write, text } = workspace();
  const samples = fc.sample(
    fc.array(
      fc.tuple(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r', '')),
      { maxLength: 12 },
    ),
    { numRuns: 100, seed: 23 },
  );
  const names = samples.map((parts, i) => {
    const content = parts.map(([line, end]) => line.replaceAll(/[\0\r\n]/g, '') + end).join('');
    write(`f${i}`, `${content}MARK`);
    return `f${i}`;
  });
  const said = (program: string, args: readonly string[]): string =>
    execFileSync(program, [...args, ...names], { cwd: W, encoding: 'utf8' });
  const flags = ['-n', '--no-config', '--with-filename', '--no-heading', 'MARK'];
  const rg = new Map(
    [...said(ripgrepPath(), flags).matchAll(/^(f\d+):(\d+):/gm)].map(([, name, line]) => [name, line]),
  );
  const sed = said('sh', ['-c', `for f; do sed -n '/MARK/=' "$f"; done`, 'sh']).trim().split('\n');
  expect(names.map((name) => rg.get(name))).toEqual(sed);
  for (const [i, name] of names.entries()) {
    const line = sed[i];
    expect(await text(`${name}:${line}..${line}`)).toMatch(new RegExp(`^${line}\\|.*MARK\n`));
    expect(await text(`${name}:${Number(line) + 1}`)).toContain('beyond the end');
  }
});

test('X01 joiners and selectors in scripts are not escaped', async () => {
  const { write, text } = workspace();
  write('f', '👩\u200d👩\u200d👧 ❤\ufe0f می\u200cخواهم क्\u200dष\n');
  expect(await text('f')).toBe('1|👩\u200d👩\u200d👧 ❤\ufe0f می\u200cخواهم क्\u200dष\n');
});
