import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../src/assemble.ts';
import { openCall } from '../../src/engine/gate.ts';
import { read } from '../../src/engine/read.ts';
import { wording } from '../../src/render/notices.ts';
import { readAnswer } from '../../src/render/read-answer.ts';
import type { Answer } from '../../src/types/answer.ts';
import type { ReadRequest } from '../../src/types/request.ts';
import { cutPolicy } from '../../src/window/fit.ts';
import { bodyOf, codeOf, textOf, workspace } from '../support/workspace.ts';

const method = (i: number): string => `  method${i}(a: number): number {
    const b = a + ${i};
    log(b);
    log(b);
    return b;
  }
`;

/** 304 lines. */
const source = `import a from 'a';
export class Wide {
${Array.from({ length: 50 }, (_, i) => method(i)).join('')}}
// end
`;

const lineOf = (no: number): string => `${source.split('\n')[no - 1]}\n`;

const calls = (text: string): string => /re-read needed ranges, e\.g\. (.+)\]$/.exec(text)?.[1] ?? '';

test('a code file of 100 lines or more is answered with its structure', async () => {
  const { write, read } = workspace();
  write('src/wide.ts', source);
  const answer = await read('src/wide.ts');
  const methods = Array.from({ length: 50 }, (_, i) => {
    const from = 3 + i * 6;
    return `${from}-${from + 5}|  method${i}(a: number): number { ... }\n`;
  });
  const ranges = Array.from({ length: 50 }, (_, i) => `${4 + i * 6}..${7 + i * 6}`);
  expect(textOf(answer)).toBe(
    `1|import a from 'a';\n2|export class Wide {\n${methods.join('')}303|}\n304|// end\n` +
      `[200 lines elided; re-read needed ranges, e.g. src/wide.ts:${ranges.join(',')}]`,
  );
  expect(answer.details).toMatchObject({
    source: 'src/wide.ts',
    kind: 'file',
    totals: { lines: 304, bytes: source.length },
    summary: { lines: 54, elidedLines: 200 },
  });
});

test('the ranges that a summary names hold exactly the lines that it left out', async () => {
  const { write, read, text } = workspace();
  write('wide.ts', source);
  const answer = await read('wide.ts');
  const elided = (answer.details['summary'] as { elidedSpans: [number, number][] }).elidedSpans;
  const reread = bodyOf(await read(calls(textOf(answer))));
  const expected = elided.map(([from, to]) => {
    let part = '';
    for (let no = from; no <= to; no += 1) part += `${no}|${lineOf(no)}`;
    return part;
  });
  expect(reread).toBe(expected.join('…\n'));
  expect(await text('wide.ts:4..7')).toBe(expected[0]);
});

test('what is not summarised: short files, prose and data, selectors, :raw, other settings', async () => {
  const { write, read } = workspace();
  const isSummary = async (path: string, options = {}): Promise<boolean> =>
    'summary' in (await read(path, options)).details;
  write('wide.ts', source);
  write('short.ts', source.split('\n').slice(0, 99).join('\n'));
  write('notes.md', '# One\n\ntext\n\n'.repeat(50));
  write(
    'data.json',
    JSON.stringify(
      Array.from({ length: 100 }, (_, i) => ({ i })),
      null,
      1,
    ),
  );
  write('script', `#!/usr/bin/env node\n${source.replace('export ', '').replaceAll(': number', '')}`);
  expect(await isSummary('wide.ts')).toBe(true);
  expect(await isSummary('script')).toBe(true);
  for (const path of [
    'short.ts',
    'notes.md',
    'data.json',
    'wide.ts:raw',
    'wide.ts:1',
    'wide.ts:-500',
    'wide.ts:@0',
  ]) {
    expect([path, await isSummary(path)]).toEqual([path, false]);
  }
  expect(await isSummary('wide.ts', { read: { summarize: false } })).toBe(false);
});

test('plain and hashline displays carry the ranges too', async () => {
  const { write, text } = workspace();
  write('wide.ts', source);
  const plain = await text('wide.ts', { display: 'plain' });
  expect(plain.split('\n').slice(0, 4)).toEqual([
    "import a from 'a';",
    'export class Wide {',
    '  method0(a: number): number { ... } [3-8]',
    '  method1(a: number): number { ... } [9-14]',
  ]);
  const anchored = await text('wide.ts', { display: 'hashline' });
  expect(anchored.split('\n')[0]).toMatch(/^¶wide\.ts#[0-9a-f]{4}$/i);
  expect(anchored.split('\n').slice(2, 4)).toEqual([
    '2:export class Wide {',
    '3-8:  method0(a: number): number { ... }',
  ]);
});

test('UTF-16, a byte order mark and CRLF are summarised like any text', async () => {
  const { write, text } = workspace();
  write('wide.ts', Buffer.from(`\ufeff${source.replaceAll('\n', '\r\n')}`, 'utf16le'));
  const shown = await text('wide.ts');
  expect(shown).toContain('3-8|  method0(a: number): number { ... }\n');
  expect(shown).toContain('[Decoded from UTF-16LE]\n[200 lines elided; ');
});

test('hidden characters are shown as escapes and counted', async () => {
  const { write, text } = workspace();
  write('wide.ts', source.replace('// end', '// \u202eend'));
  const shown = await text('wide.ts');
  expect(shown).toContain(
    '304|// \\u202eend\n[1 control or invisible character shown as escapes; wide.ts:raw has it as stored]\n',
  );
});

test(':outline lists symbols with their lines and pages like a text', async () => {
  const { write, text, read } = workspace();
  write('wide.ts', source);
  const outline = await text('wide.ts:outline');
  expect(outline.split('\n').slice(0, 3)).toEqual([
    '[L2-303] export class Wide',
    '  [L3-8] method0(a: number): number',
    '  [L9-14] method1(a: number): number',
  ]);
  expect(outline.split('\n').at(-1)).toBe(
    '[51 symbols. Read one by its lines or its name, e.g. wide.ts:2..303 or wide.ts:#Wide]',
  );
  const first = await text('wide.ts:outline', { limits: { lines: 20 } });
  expect(first.split('\n').at(-1)).toBe('[Showing lines 1-20 of 51. Use wide.ts:21..:outline to continue]');
  expect(bodyOf(await read('wide.ts:21..:outline'))).toBe(
    outline.split('\n').slice(20, 51).join('\n') + '\n',
  );
});

test(':outline of a text without one gives the text, and says so', async () => {
  const { write, text } = workspace();
  write('notes.txt', 'one\ntwo\n');
  expect(await text('notes.txt:outline')).toBe(
    '1|one\n2|two\n[No outline: files of this kind are not outlined. This is the text itself]',
  );
  write('empty.ts', '// nothing\n');
  expect(await text('empty.ts:outline')).toBe(
    '1|// nothing\n[No outline: no symbols were found in it. This is the text itself]',
  );
});

test(':#name reads one symbol, pages like a range, and names the candidates', async () => {
  const { write, text, read } = workspace();
  write('wide.ts', source);
  expect(await text('wide.ts:#Wide.method1')).toBe(
    '9|  method1(a: number): number {\n10|    const b = a + 1;\n11|    log(b);\n12|    log(b);\n13|    return b;\n14|  }\n',
  );
  expect(await text('wide.ts:#method1')).toBe(await text('wide.ts:9..14'));
  const cut = await text('wide.ts:#Wide', { limits: { lines: 100 } });
  expect(cut.split('\n').at(-1)).toBe('[Showing lines 2-101 of 304. Use wide.ts:102..303 to continue]');
  const missing = await read('wide.ts:#nothing');
  expect(codeOf(missing)).toBe('NOT_FOUND');
  expect(textOf(missing)).toBe("wide.ts has no symbol 'nothing'. Use wide.ts:outline for all of them.");
  write('two.js', 'class A {\n  run() {}\n}\nclass B {\n  run() {}\n}\n');
  expect(await text('two.js:#run')).toBe(
    "['run' is ambiguous in two.js: A.run (two.js:2..2), B.run (two.js:5..5)]",
  );
  write('notes.txt', 'one\n');
  expect(codeOf(await read('notes.txt:#one'))).toBe('UNSUPPORTED');
});

test('another version of a file has another outline', async () => {
  const { write, text } = workspace();
  write('a.js', 'function one() {}\n');
  expect(await text('a.js:outline')).toContain('[L1] function one() {}');
  write('a.js', '\nfunction second() {}\n');
  expect(await text('a.js:outline')).toContain('[L2] function second() {}');
});

test('binary content under the name of a code file is no text', async () => {
  const { write, text } = workspace();
  write('code.ts', Buffer.concat([Buffer.from([0, 1, 2, 0]), Buffer.from(source)]));
  expect(await text('code.ts')).toContain('code.ts is binary');
  expect(await text('code.ts:outline')).toContain('code.ts is binary');
});

describe('a dialect that asks for the outline of large texts', () => {
  const request = { do: 'read', grammar: 'literal', outlineOver: 1_000 } as const;

  async function whole(
    path: string,
    content: string,
    over: Partial<ReadRequest> = {},
    bytes = 51_200,
  ): Promise<Answer> {
    const { write, W } = workspace();
    write(path, content);
    const { engine, limits } = assemble({ cwd: W, roots: [W] });
    const asked = { ...request, target: path, ...over };
    const open = openCall(engine, { request: asked, limits: { ...limits, bytes } }, {});
    try {
      return readAnswer(await open.settle(() => read(asked, open.call, cutPolicy)), wording);
    } finally {
      await open.close();
    }
  }

  test('lists the symbols, whatever their number, in one answer', async () => {
    expect(
      textOf(await whole('wide.ts', source))
        .split('\n')
        .slice(0, 2),
    ).toEqual(['[L2-303] export class Wide', '  [L3-8] method0(a: number): number']);
    expect(textOf(await whole('wide.ts', source, {}, 1_000))).toBe(
      '[L2-303] export class Wide\n' +
        '[51 symbols, 50 of them nested deeper and not listed. Read one by its lines or its name, e.g. wide.ts:2..303 or wide.ts:#Wide]',
    );
  });

  test('shows small texts, windows and what has no outline as text', async () => {
    expect(textOf(await whole('small.ts', 'const a = 1;\n'))).toContain('const a = 1;\n');
    const window = { by: 'lines', ranges: [{ from: 3, to: 4 }], context: false } as const;
    expect(textOf(await whole('wide.ts', source, { window }))).toContain('const b = a + 0;');
    const log = await whole('big.log', 'a line\n'.repeat(20_000));
    expect(log.details).toMatchObject({
      window: { by: 'bytes', start: 0 },
      truncation: { shown: { bytes: [0, 65_541] } },
    });
  });
});

test('members of archives, compressed files and converted texts have outlines too', async () => {
  const { write, text } = workspace();
  write('wide.ts.gz', gzipSync(source));
  expect(await text('wide.ts.gz')).toContain('3-8|  method0(a: number): number { ... }\n');
  expect(await text('wide.ts.gz:outline')).toContain('  [L3-8] method0(a: number): number\n');
});
