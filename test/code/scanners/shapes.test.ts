import { expect, test } from 'vitest';
import { outlineOf, structureOf } from '../../support/structure.ts';

test('JSON in one line: its keys, and what they hold', async () => {
  const users = Array.from({ length: 300 }, (_, id) => ({ id, name: `n${id}`, tags: ['a'], at: null }));
  const text = JSON.stringify({ users, total: 300, next: { page: 2, of: { deep: 1 } }, empty: [] });
  expect(await outlineOf('a.json', text)).toBe(`\
[L1] users: [300 items of {id, name, tags, at}]
  [L1] id: number, e.g. 0
  [L1] name: string, e.g. "n0"
  [L1] tags: [1 item of string]
  [L1] at: null
[L1] total: number, e.g. 300
[L1] next: {page, of}
  [L1] page: number, e.g. 2
  [L1] of: {deep}
[L1] empty: [0 items]
`);
  expect(await outlineOf('list.json', JSON.stringify(users))).toBe(`\
[L1] []: [300 items of {id, name, tags, at}]
  [L1] id: number, e.g. 0
  [L1] name: string, e.g. "n0"
  [L1] tags: [1 item of string]
  [L1] at: null
`);
});

test('what only looks like JSON in one line is minified', async () => {
  expect(await structureOf('a.json', `{"a": [${'1, '.repeat(1_000)}`)).toBe('minified');
  expect(await structureOf('a.json', JSON.stringify('x'.repeat(5_000)))).toBe('minified');
  const hostile = `{"__proto__": {"a": "${'x'.repeat(2_000)}"}, "b": [{"__proto__": 1}]}`;
  expect(await outlineOf('a.json', hostile)).toContain('[L1] b: [1 item of {__proto__}]');
});

test('tables by their separators, with and without a header', async () => {
  const shape = (name: string, text: string) => outlineOf(name, text);
  expect(await shape('a.tsv', 'a\tb\n1\tx\n2\ty\n')).toBe(
    '[L1-3] 2 rows of 2 columns, below a header\n  [L1] a: number, e.g. 1\n  [L1] b: text, e.g. x\n',
  );
  expect(await shape('a.csv', '1;2\n3;4\n')).toBe(
    '[L1-2] 2 rows of 2 columns\n  [L1] column 1: number, e.g. 1\n  [L1] column 2: number, e.g. 2\n',
  );
  // Headers that begin like other formats.
  expect(await shape('a.csv', 'ID;PID\n1;2\n')).toContain('[L1] PID: number, e.g. 2');
  expect(await shape('a.csv', '<b>,c\n1,2\n')).toContain('[L1] c: number, e.g. 2');
  // A formula is a text.
  expect(await shape('a.csv', 'a,b\n=1+1,TRUE\n')).toContain('a: text, e.g. =1+1');
  const long = `a,b\n${`1,${'x'.repeat(2_000)}\n`.repeat(10)}`;
  expect(await shape('a.csv', long)).toContain('10 rows of 2 columns');
  expect(await structureOf('a.csv', '')).toBe('empty');
});

test('reStructuredText: short adornments, overlines, and what is no title', async () => {
  expect(await outlineOf('a.rst', 'Über\n====\n\nab\n--\n\nLonger title\n---\n')).toBe(
    '[L1-8] # Über\n  [L4-8] ## ab\n',
  );
  expect(await structureOf('a.rst', 'words\nwords\n=====\n\n-----\n\n  indented\n  --------\n')).toBe(
    'empty',
  );
});

test('Perl: texts hold no code, a body may stay open', async () => {
  expect(await outlineOf('a.pl', 'sub a {\n  my $x = 1 <<EOT;\n}\nsub b {\n  1;\n')).toBe(
    '[L1-3] sub a\n[L4-5] sub b\n',
  );
  expect(await outlineOf('run', '#!/usr/bin/env perl\nmy sub inner { 1 }\n')).toBe('[L2] my sub inner\n');
  expect(await structureOf('a.pl', '=pod\n\nsub a {}\n')).toBe('empty');
});
