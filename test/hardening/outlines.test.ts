/**
 * Texts made to hang, crash or fill a parser: the text is given instead, bounded, and it is said.
 *
 * @module-tag slow
 */

import { expect, test } from 'vitest';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

/** Bytes of text, then 1 KiB of notices. */
const most = 51_200 + 1_024;

const hostile: Record<string, string | Uint8Array> = {
  'parens.js': '('.repeat(200_000),
  'parens-in-lines.js': many(200, () => `${'('.repeat(1_000)}\n`),
  'parens.py': many(2_000, () => `${'('.repeat(100)}\n`),
  'parens.cpp': many(2_000, () => `${'('.repeat(100)}\n`),
  'angles.rs': many(2_000, () => `${'<'.repeat(100)}\n`),
  'angles.cpp': many(2_000, () => `${'a<'.repeat(50)}\n`),
  'substitutions.sh': many(200, () => `${'$('.repeat(500)}\n`),
  'templates.js': many(5_000, () => '`${\n'),
  'quotes.kt': many(5_000, () => '"""${\n'),
  'heredocs.rb': many(3_000, (i) => `<<~A${i}\n`),
  'functions.js': many(19_000, (i) => `function f${i}(){\n`),
  'classes.py': many(3_000, (i) => `${' '.repeat(i % 900)}class C${i}:\n`),
  'ifs.c': `int main(){\n${many(9_000, (i) => `if (a${i}) {\n`)}${many(9_000, () => '}\n')}}\n`,
  'elements.tsx': many(9_000, (i) => `<div a={b${i}}>\n`),
  'braces.swift': many(15_000, (i) => `class A${i} {\n`),
  'enums.m': `#import "a.h"\n${many(80_000, () => 'enum {\n')}`,
  'protocols.mm': `#import "a.h"\n${many(40_000, () => '@protocol A <B, C>\n')}`,
  'subs.pl': many(40_000, () => 'sub a {\n'),
  'packages.pl': many(40_000, (i) => `${i % 2 === 0 ? 'package' : 'class'} A${i};\n`),
  'quotes.sql': many(15_000, () => "'\n"),
  'keys.yaml': many(15_000, (i) => `${' '.repeat(i % 2_000)}k${i}:\n`),
  'brackets.json': '['.repeat(200_000).replace(/(.{50})/g, '$1\n'),
  'headings.md': many(30_000, (i) => `${'#'.repeat(1 + (i % 6))} h${i}\n`),
  'hunks.diff': many(30_000, (i) => `@@ -${i},1 +${i},1 @@\n`),
  'targets.mk': many(19_000, (i) => `t${i}: a\n`),
  'one-line.js': `!function(){${many(40_000, (i) => `var a${i}=function(b){return b+${i}};`)}}()`,
  'controls.ts': many(20_000, () => '\u0001\u0002abc\n'),
  'latin.go': Buffer.from(
    many(300, (i) => `func f${i}() { // caf\u00e9 \u00e9\u00e9\u00e9\u00e9\u00e9\n a()\n}\n`),
    'latin1',
  ),
  'wide-then-narrow.java': Buffer.concat([
    Buffer.from('\ufeffclass A {\n', 'utf16le'),
    Buffer.from(many(200, (i) => `  void m${i}() {}\n`)),
  ]),
};

test.each(Object.keys(hostile))('G14 %s', async (name) => {
  const { write, read } = workspace();
  write(name, hostile[name] ?? '');
  // Together, because a parse that is ended by its timeout is not cached: both wait for the same one.
  for (const answer of await Promise.all([read(name), read(`${name}:outline`)])) {
    expect(codeOf(answer)).toBe('OK');
    expect(Buffer.byteLength(textOf(answer))).toBeLessThanOrEqual(most);
  }
});

test('G14 no outline of one line, control characters, invalid encodings', async () => {
  const { write, text } = workspace();
  write('one-line.js', hostile['one-line.js'] ?? '');
  expect(await text('one-line.js:outline')).toBe(
    '[one-line.js has no outline: it looks minified. Use one-line.js to read it]',
  );
  write('controls.ts', hostile['controls.ts'] ?? '');
  expect(await text('controls.ts')).toContain(
    '\n[No map: it does not look like text. This is the text itself]\n',
  );
});

test('G14 calls concurrent with a hostile one are answered', async () => {
  const { write, read, text } = workspace();
  write(
    'parens.js',
    many(200, () => `${'('.repeat(1_000)}\n`),
  );
  write('good.js', 'function good() {}\n');
  const [bad, ...good] = await Promise.all([
    read('parens.js:outline'),
    ...Array.from({ length: 8 }, () => text('good.js:outline')),
  ]);
  expect(codeOf(bad)).toBe('OK');
  expect(new Set(good).size).toBe(1);
  expect(good[0]).toContain('[L1] function good() {}');
});
