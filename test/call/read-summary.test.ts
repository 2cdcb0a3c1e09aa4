import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../src/assemble.ts';
import { openCall } from '../../src/call/open-call.ts';
import { read } from '../../src/call/read.ts';
import { wording } from '../../src/render/notices.ts';
import { readAnswer } from '../../src/render/answers.ts';
import type { Answer } from '../../src/types/answer.ts';
import type { ReadRequest } from '../../src/types/request.ts';
import { cutPolicy } from '../../src/text/limits.ts';
import { bodyOf, codeOf, nextOf, textOf, workspace } from '../support/workspace.ts';

const method = (i: number): string => `  method${i}(a: number): number {
    const b = a + ${i};
${Array.from({ length: 12 }, (_, j) => `    log(b, "a word or two about ${j}");\n`).join('')}    return b;
  }
`;

/** 804 lines, 29 KiB. */
const source = `import a from 'a';
export class Wide {
${Array.from({ length: 50 }, (_, i) => method(i)).join('')}}
// end
`;

const lineOf = (no: number): string => `${source.split('\n')[no - 1]}\n`;

const calls = (text: string): string[] => /e\.g\. (\S+), or all of it: (\S+)\]$/.exec(text)?.slice(1) ?? [];

const size = (text: string): number => Buffer.byteLength(text);

test('code over 12 KiB shows its map within 8 KiB', { tags: 'slow' }, async () => {
  const { write, read } = workspace();
  write('src/wide.ts', source);
  const answer = await read('src/wide.ts');
  const text = textOf(answer);
  for (let i = 0; i < 50; i += 1) expect(text).toContain(`  method${i}(a: number): number {`);
  expect(text).toContain('787-802|  method49(a: number): number { ... }\n');
  expect(size(text)).toBeLessThanOrEqual(8_192);
  const [ranges = '', whole] = calls(text);
  expect(ranges).toMatch(/^src\/wide\.ts:\d+\.\.\d+,\d+\.\.\d+,\d+\.\.\d+$/);
  expect(whole).toBe('src/wide.ts:1..');
  expect(answer.details).toMatchObject({
    source: 'src/wide.ts',
    kind: 'file',
    totals: { lines: 804, bytes: source.length },
  });
});

test.each([400, 1_000, 4_000, 8_192, 20_000])(
  'read.mapBytes %d is used up but not exceeded',
  { tags: 'slow' },
  async (mapBytes) => {
    const { write, text } = workspace();
    const short = (i: number): string =>
      `  method${i}(a: number): number {\n    const b = a + ${i};\n    log(b);\n    return b;\n  }\n`;
    write('src/wide.ts', `class Wide {\n${Array.from({ length: 250 }, (_, i) => short(i)).join('')}}\n`);
    for (const display of ['numbers', 'hashline', 'plain'] as const) {
      const shown = size(await text('src/wide.ts', { read: { mapBytes }, display }));
      expect(shown).toBeLessThanOrEqual(mapBytes);
      expect(shown).toBeGreaterThan(Math.min(mapBytes * 0.9, mapBytes - 100) - 60);
    }
  },
);

test('a host limit below the size of a map applies', { tags: 'slow' }, async () => {
  const { write, text } = workspace();
  write('wide.ts', source);
  expect(size(await text('wide.ts', { limits: { bytes: 1_500 } }))).toBeLessThanOrEqual(1_500);
  // Notices come on top of tokens.
  expect(size(await text('wide.ts', { limits: { tokens: 500 } }))).toBeLessThanOrEqual(2_000 + 500);
  expect((await text('wide.ts', { limits: { lines: 20 } })).split('\n')).toHaveLength(21);
  // A limit for pages of text does not cut a map.
  expect(await text('wide.ts', { read: { defaultLimit: 5 } })).toBe(await text('wide.ts'));
});

test('the ranges in a map cover exactly the omitted lines', async () => {
  const { write, read } = workspace();
  write('wide.ts', source);
  const answer = await read('wide.ts');
  const elided = (answer.details['summary'] as { elidedSpans: [number, number][] }).elidedSpans;
  const reread = bodyOf(await read(calls(textOf(answer))[0] ?? ''));
  const expected = elided.slice(0, 3).map(([from, to]) => {
    let part = '';
    for (let no = from; no <= to; no += 1) part += `${no}|${lineOf(no)}`;
    return part;
  });
  expect(reread).toBe(expected.join('…\n'));
});

test('small code, data, selectors and :raw have no map', { tags: 'slow' }, async () => {
  const { write, read } = workspace();
  const isMap = async (path: string, options = {}): Promise<boolean> =>
    'summary' in (await read(path, options)).details;
  const cut = source.slice(0, 12 * 1024);
  write('wide.ts', source);
  write('short.ts', cut);
  write('longer.ts', `${cut} `);
  write('notes.md', '# One\n\ntext\n\n'.repeat(2_000));
  write(
    'data.json',
    JSON.stringify(
      Array.from({ length: 2_000 }, (_, i) => ({ i })),
      null,
      1,
    ),
  );
  write('script', `#!/usr/bin/env node\n${source.replace('export ', '').replaceAll(': number', '')}`);
  for (const path of ['wide.ts', 'longer.ts', 'script', 'notes.md'])
    expect([path, await isMap(path)]).toEqual([path, true]);
  for (const path of ['short.ts', 'data.json', 'wide.ts:raw', 'wide.ts:1', 'wide.ts:-500', 'wide.ts:@0']) {
    expect([path, await isMap(path)]).toEqual([path, false]);
  }
  expect(await isMap('wide.ts', { read: { summarize: false } })).toBe(false);
});

test('long code shown without a map gives the reason', { tags: 'slow' }, async () => {
  const { write, text } = workspace();
  const note = async (path: string, options = {}): Promise<string | undefined> =>
    /\[No map: ([^[]*?)(?:\. This is the text itself|, so only the first 8 KiB are shown)\]/.exec(
      await text(path, options),
    )?.[1];
  write('statements.ts', 'a();\n'.repeat(4_000));
  write('many.ts', 'const a = 1;\n'.repeat(20_001));
  write('large.ts', `const a = "${'x'.repeat(90)}";\n`.repeat(19_999).concat('x'.repeat(200_000)));
  write('min.js', `${'var a=function(b){return b};'.repeat(1_000)}\n`);
  write('flat.ts', Array.from({ length: 900 }, (_, i) => `const value${i} = ${i};\n`).join(''));
  expect(await note('statements.ts')).toBe('no symbols were found in it');
  expect(await note('many.ts')).toBe('it has over 20,000 lines or is over 2 MiB');
  expect(await note('large.ts')).toBe('it has over 20,000 lines or is over 2 MiB');
  expect(await note('min.js')).toBe('it looks minified');
  expect(await note('flat.ts', { read: { mapBytes: 40_000 } })).toBe('it would be no shorter');
  expect(await note('flat.ts')).toBeUndefined();
  expect(await note('min.js:outline')).toBeUndefined();
});

test('minified code shows only the map budget, then continues', async () => {
  const { write, read, text } = workspace();
  const code = Array.from({ length: 900 }, (_, i) => `function f${i}(a){return a+${i}}`).join('');
  write('x.min.js', `${code}\n`);
  const answer = await read('x.min.js');
  const [line, why, cut] = textOf(answer).split('\n');
  const shown = line?.slice(2) ?? '';
  expect([shown.length, code.startsWith(shown)]).toEqual([8_160, true]);
  expect(why).toBe('[No map: it looks minified, so only the first 8 KiB are shown]');
  expect(cut).toBe(
    `[Showing bytes 0-8160 of ${code.length + 1}, inside line 1 (${code.length + 1} bytes long). Use x.min.js:1@8160.. to continue]`,
  );
  expect(answer.details['truncation']).toMatchObject({ by: 'line', next: 'x.min.js:1@8160..' });
  expect(await text('x.min.js:1@8160..')).toBe(`1|${code.slice(8_160)}\n`);
  expect(await text('x.min.js:1..')).toBe(`1|${code}\n`);

  const lines = Array.from({ length: 20 }, (_, i) => `var v${i}="${'y'.repeat(1_500)}";\n`);
  write('lines.min.js', lines.join(''));
  expect((await text('lines.min.js')).split('\n').slice(5)).toEqual([
    '[No map: it looks minified, so only the first 8 KiB are shown]',
    '[Showing lines 1-5 of 20 (8 KiB limit). Use lines.min.js:6.. to continue]',
  ]);
  const wide = await text('lines.min.js', { read: { mapBytes: 60_000 } });
  expect(wide.split('\n').slice(20)).toEqual(['[No map: it looks minified. This is the text itself]']);
});

test('every page inside a line gives the whole line’s length', async () => {
  const { write, read } = workspace();
  const code = `${Array.from({ length: 9_000 }, (_, i) => `function f${i}(a){return a+${i}}`).join('')}\n`;
  write('x.min.js', code);
  let shown = '';
  for (let next: string | undefined = 'x.min.js'; next !== undefined;) {
    const answer = await read(next);
    const [line = ''] = textOf(answer).split('\n');
    shown += line.slice(2);
    next = nextOf(answer);
    if (next !== undefined) expect(textOf(answer)).toContain(`inside line 1 (${code.length} bytes long)`);
  }
  expect(`${shown}\n`).toBe(code);
});

test('plain and hashline displays have the ranges too', async () => {
  const { write, text } = workspace();
  write('wide.ts', source);
  const options = { read: { mapBytes: 4_000 } };
  const plain = await text('wide.ts', { ...options, display: 'plain' });
  expect(plain).toContain('\n  method49(a: number): number { ... } [787-802]\n');
  const anchored = await text('wide.ts', { ...options, display: 'hashline' });
  expect(anchored.split('\n')[0]).toMatch(/^¶wide\.ts#[0-9a-f]{4}$/i);
  expect(anchored).toContain('\n2:export class Wide {\n');
  expect(anchored).toContain('\n787-802:  method49(a: number): number { ... }\n');
});

test('code with syntax errors is mapped as far as possible', async () => {
  const { write, text } = workspace();
  write('broken.ts', source.replace('    const b = a + 3;', '    const b = a + (((;'));
  const shown = await text('broken.ts');
  expect(size(shown)).toBeLessThanOrEqual(8_192);
  expect(shown).toContain('method40(a: number): number');
  write('ruin.ts', source.replace('  method3(a: number): number {', '  method3(a: number: number {{{ ))'));
  const ruined = await text('ruin.ts');
  expect(size(ruined)).toBeLessThanOrEqual(8_192);
  expect(ruined).toContain('method40(a: number): number');
});

test('UTF-16, byte order marks and CRLF are summarised', async () => {
  const { write, text } = workspace();
  write('wide.ts', Buffer.from(`\ufeff${source.replaceAll('\n', '\r\n')}`, 'utf16le'));
  const shown = await text('wide.ts');
  expect(shown).toContain('787-802|  method49(a: number): number { ... }\n');
  expect(shown).toMatch(/\n\[Decoded from UTF-16LE\]\n\[\d+ lines elided; /);
  expect(size(shown)).toBeLessThanOrEqual(8_192);
});

test('hidden characters are shown as escapes and counted', async () => {
  const { write, text } = workspace();
  write('wide.ts', source.replace('// end', '// \u202eend'));
  const shown = await text('wide.ts');
  expect(shown).toContain(
    '804|// \\u202eend\n[1 control or invisible character shown as escapes; wide.ts:raw has it as stored]\n',
  );
});

test(':outline lists symbols with lines, and pages like a text', async () => {
  const { write, text, read } = workspace();
  write('wide.ts', source);
  const outline = await text('wide.ts:outline');
  expect(outline.split('\n').slice(0, 3)).toEqual([
    '[L2-803] export class Wide',
    '  [L3-18] method0(a: number): number',
    '  [L19-34] method1(a: number): number',
  ]);
  expect(outline.split('\n').at(-1)).toBe(
    '[51 symbols. Read one by its lines or its name, e.g. wide.ts:2..803 or wide.ts:#Wide]',
  );
  const first = await text('wide.ts:outline', { limits: { lines: 20 } });
  expect(first.split('\n').at(-1)).toBe('[Showing lines 1-20 of 51. Use wide.ts:21..:outline to continue]');
  expect(bodyOf(await read('wide.ts:21..:outline'))).toBe(
    outline.split('\n').slice(20, 51).join('\n') + '\n',
  );
});

test(':outline of a text without one is one line', async () => {
  const { write, text } = workspace();
  write('notes.txt', 'one\ntwo\n');
  expect(await text('notes.txt:outline')).toBe(
    '[notes.txt has no outline: files of this kind are not outlined. Use notes.txt to read it]',
  );
  write('empty.ts', '// nothing\n');
  expect(await text('empty.ts:outline')).toBe(
    '[empty.ts has no outline: no symbols were found in it. Use empty.ts to read it]',
  );
  write('data.bin', new Uint8Array(100));
  expect(await text('data.bin:outline')).toBe(await text('data.bin'));
  expect(await text('data.bin')).toMatch(
    /^\[data\.bin is binary .*Use a shell to look at it: file data\.bin, or xxd/,
  );
});

test(':#name reads one symbol, and pages like a range', async () => {
  const { write, text } = workspace();
  write('wide.ts', source);
  expect(await text('wide.ts:#Wide.method1')).toBe(await text('wide.ts:19..34'));
  expect(await text('wide.ts:#method1')).toBe(await text('wide.ts:19..34'));
  expect(await text('wide.ts:#method1:raw')).toBe(await text('wide.ts:19..34:raw'));
  const cut = await text('wide.ts:#Wide', { limits: { lines: 100 } });
  expect(cut.split('\n').at(-1)).toBe('[Showing lines 2-101 of 804. Use wide.ts:102..803 to continue]');
});

test(':#a,#Class.b,12..14 reads symbols and ranges under one budget', async () => {
  const { write, text } = workspace();
  write('wide.ts', source);
  const expected = await text('wide.ts:1..1,19..34,51..52,99..99');
  expect(await text('wide.ts:#method1,99..99,1..1,51..52')).toBe(expected);
  expect(await text('wide.ts:99..99,1..1,51..52,#Wide.method1')).toBe(expected);
  expect(await text('wide.ts:#method1,#method2')).toBe(await text('wide.ts:19..50'));
  expect(await text('wide.ts:#method1,method2')).toBe(await text('wide.ts:19..50'));
  expect(await text('wide.ts:#method1,#method3:raw')).toBe(await text('wide.ts:19..34,51..66:raw'));
  // The last lines, with a final newline and without one.
  const lastTwo = '803..804';
  expect(await text('wide.ts:#method1,-2')).toBe(await text(`wide.ts:19..34,${lastTwo}`));
  expect(await text('wide.ts:-2,#method1')).toBe(await text(`wide.ts:19..34,${lastTwo}`));
  write('bare.ts', source.trimEnd());
  expect(await text('bare.ts:#method1,-2')).toBe(await text(`bare.ts:19..34,${lastTwo}`));
  expect(await text('wide.ts:#method1,-9000')).toBe(await text('wide.ts:1..804'));
  const cut = await text('wide.ts:#method1,#method3', { limits: { lines: 20 } });
  expect(cut.split('\n').at(-1)).toBe('[Showing lines 19-34, 51-54 of 804. Use wide.ts:55..66 to continue]');
  // What is not there is said below what is.
  const partly = await text('wide.ts:#method1,#nothing');
  expect(partly).toBe(
    `${await text('wide.ts:19..34')}[wide.ts has no symbol 'nothing'. Use wide.ts:outline for all of them]`,
  );
});

test('an ambiguous name shows all its symbols, or their calls', async () => {
  const { write, text } = workspace();
  write('two.js', 'class A {\n  run() {}\n}\nclass B {\n  run() {}\n}\n');
  const said = "'run' is ambiguous in two.js: A.run (two.js:#A.run), B.run (two.js:#B.run)";
  expect(await text('two.js:#run')).toBe(`2|  run() {}\n…\n5|  run() {}\n[${said}; all are shown]`);
  expect(await text('two.js:#A.run')).toBe('2|  run() {}\n');
  const long = (name: string): string => `class ${name} {\n  run() {\n${'    a();\n'.repeat(900)}  }\n}\n`;
  write('two.js', long('A') + long('B'));
  expect(await text('two.js:#run')).toBe(`[${said}]`);
  expect(await text('two.js:#run:outline')).toBe(
    "['run' is ambiguous in two.js: A.run (two.js:#A.run:outline), B.run (two.js:#B.run:outline)]",
  );
});

test('an unknown name is answered with similar names', async () => {
  const { write, read } = workspace();
  write('wide.ts', `${source}function readFile() {}\nclass Reader {\n  readFiles() {}\n}\n`);
  const none = await read('wide.ts:#qwertyuiop');
  expect(codeOf(none)).toBe('NOT_FOUND');
  expect(textOf(none)).toBe("wide.ts has no symbol 'qwertyuiop'. Use wide.ts:outline for all of them.");
  expect(textOf(await read('wide.ts:#Wide.redFile'))).toBe(
    "wide.ts has no symbol 'Wide.redFile'. Did you mean readFile (wide.ts:#readFile), Reader.readFiles " +
      '(wide.ts:#Reader.readFiles)? Use wide.ts:outline for all of them.',
  );
  write('notes.txt', 'one\n');
  expect(codeOf(await read('notes.txt:#one'))).toBe('UNSUPPORTED');
});

test(':#name:outline lists the symbols in one symbol', async () => {
  const { write, text } = workspace();
  write('two.js', 'class A {\n  run() {}\n}\nclass B {\n  stop() {}\n}\n');
  expect(await text('two.js:#B:outline')).toBe(
    '[L4-6] class B\n  [L5] stop() {}\n' +
      '[2 symbols. Read one by its lines or its name, e.g. two.js:4..6 or two.js:#B]',
  );
});

test('another version of a file has another outline', async () => {
  const { write, text } = workspace();
  write('a.js', 'function one() {}\n');
  expect(await text('a.js:outline')).toContain('[L1] function one() {}');
  write('a.js', '\nfunction second() {}\n');
  expect(await text('a.js:outline')).toContain('[L2] function second() {}');
});

test('binary content in a code file is not text', async () => {
  const { write, text } = workspace();
  write('code.ts', Buffer.concat([Buffer.from([0, 1, 2, 0]), Buffer.from(source)]));
  expect(await text('code.ts')).toContain('code.ts is binary');
  expect(await text('code.ts:outline')).toContain('code.ts is binary');
});

describe('a dialect that requests the outline of large texts', () => {
  const request = { kind: 'read', grammar: 'literal', outlineOver: 1_000 } as const;

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
    ).toEqual(['[L2-803] export class Wide', '  [L3-18] method0(a: number): number']);
    const cut = textOf(await whole('wide.ts', source, {}, 1_000));
    expect(cut).toContain('\n  [L3-18] method0(a: number): number\n');
    expect(cut).toMatch(
      /\n\[51 symbols, \d+ of them not listed\. Read one by its lines or its name, e\.g\. wide\.ts:2\.\.803 or wide\.ts:#Wide\]$/,
    );
  });

  test('small texts, windows and texts without outline show as text', async () => {
    expect(textOf(await whole('small.ts', 'const a = 1;\n'))).toContain('const a = 1;\n');
    const window = { kind: 'lines', ranges: [{ from: 3, to: 4 }], context: false } as const;
    expect(textOf(await whole('wide.ts', source, { window }))).toContain('const b = a + 0;');
    const log = await whole('big.log', 'a line\n'.repeat(20_000));
    expect(log.details).toMatchObject({
      window: { kind: 'bytes', start: 0 },
      truncation: { shown: { bytes: [0, 65_541] } },
    });
  });
});

test('archive members, compressed files and converted texts have outlines', async () => {
  const { write, text } = workspace();
  write('wide.ts.gz', gzipSync(source));
  expect(await text('wide.ts.gz')).toContain('787-802|  method49(a: number): number { ... }\n');
  expect(await text('wide.ts.gz:outline')).toContain('  [L3-18] method0(a: number): number\n');
});

test('a map shows the same amount for any path length', { tags: 'slow' }, async () => {
  const { write, text } = workspace();
  const methods = Array.from(
    { length: 20 },
    (_, i) => `  method${i}() {\n${'    step();\n'.repeat(9)}  }\n`,
  ).join('');
  const code = Array.from({ length: 60 }, (_, i) => `export class Class${i} {\n${methods}}\n`).join('');
  const far = `packages/${'some-directory/'.repeat(7)}two.ts`;
  write('two.ts', code);
  write(far, code);
  const classes = (map: string): number => map.match(/\|export class Class\d+ /g)?.length ?? 0;
  const map = await text(far);
  expect(classes(await text('two.ts'))).toBe(60);
  expect(classes(map)).toBe(60);
  expect(Buffer.byteLength(map)).toBeLessThanOrEqual(8192);
  const [, call = ''] = / symbols, use (:#Class59:outline) /.exec(map) ?? [];
  expect(map).toContain('; the path goes before each :#… and :N..M)');
  expect(await text(far + call)).toContain('method19()');
});
