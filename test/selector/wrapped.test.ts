import { expect, test } from 'vitest';
import { unwrapped } from '../../src/selector/rewrites.ts';

const formsOf = (typed: string): string[] => [...new Set(unwrapped(typed))];

/** What is written, and what is tried in its place. */
const FORMS: readonly [string, ...string[]][] = [
  // Commands.
  ["sed -n '10,20p' a.ts", 'a.ts:10..20'],
  ['sed -n "10,20p" a.ts', 'a.ts:10..20'],
  ['sed -n 10,20p a.ts', 'a.ts:10..20'],
  ['sed -n 10p a.ts', 'a.ts:10..10'],
  ['head -n 25 a.ts', 'a.ts:1..25'],
  ['head -n25 a.ts', 'a.ts:1..25'],
  ['head -25 a.ts', 'a.ts:1..25'],
  ['head a.ts', 'a.ts:1..10'],
  ['tail --lines=25 a.ts', 'a.ts:-25'],
  ['tail a.ts', 'a.ts:-10'],
  ['cat a.ts', 'a.ts'],
  ['$ cat a.ts', 'a.ts'],
  ['CAT a.ts', 'a.ts'],
  ['less -N a.ts', 'a.ts'],
  ['nl -ba -n a.ts', 'a.ts'],
  ['oriel read a.ts', 'a.ts'],
  // Messages.
  ['at run (src/a.ts:10:5)', 'src/a.ts:10:5'],
  ['at a.ts:10', 'a.ts:10'],
  ['in a.ts:10', 'a.ts:10'],
  ['--> a.ts:10:5', 'a.ts:10:5'],
  ['lines 10-20 of a.ts', 'a.ts:10-20'],
  ['lines 10 - 20 of a.ts', 'a.ts:10 - 20'],
  ['Lines 10 to 20 of a.ts', 'a.ts:10 to 20'],
  ['line 10 in a.ts', 'a.ts:10'],
  ['+25 a.ts', 'a.ts:25'],
  ['vi +25 a.ts', 'a.ts:25'],
  ['vim +25 a.ts', 'a.ts:25'],
  ['code +25 a.ts', 'a.ts:25'],
  // Marks.
  ['[a text](a.ts)', 'a.ts'],
  ['[](a.ts)', 'a.ts'],
  ['<a.ts>', 'a.ts'],
  ['(a.ts)', 'a.ts'],
  ['**a.ts**', 'a.ts'],
  ['- a.ts', 'a.ts'],
  ['* a.ts', 'a.ts'],
  ['• a.ts', 'a.ts'],
  ['1. a.ts', 'a.ts'],
  ['123) a.ts', 'a.ts'],
  ['--- c.ts', 'c.ts'],
  ['+++ c.ts', 'c.ts'],
  ['path: a.ts', 'a.ts'],
  ['File = a.ts', 'a.ts'],
  ['filename=a.ts', 'a.ts'],
  ['file_path  :  a.ts', 'a.ts'],
  ['{"path":"a.ts"}', 'a.ts'],
  ["{  'file_path'  :  'a.ts'  }", 'a.ts'],
  ['{ "file" : "a.ts" }', 'a.ts'],
  ['["a.ts"]', 'a.ts'],
  ["[  'a.ts'  ]", 'a.ts'],
  ['a.ts;', 'a.ts'],
  ['a.ts)', 'a.ts'],
  ['a.ts:10-20.', 'a.ts:10-20'],
  // Places.
  ['$PWD/a.ts', 'a.ts'],
  ['${PWD}/a.ts', 'a.ts'],
  ['$(pwd)/a.ts', 'a.ts'],
  ['%CD%\\d\\a.ts', 'd/a.ts'],
  ['${workspaceFolder}/a.ts', 'a.ts'],
  ['vscode://file/tmp/a.ts', '/tmp/a.ts'],
  ['cursor://file//tmp/a.ts', '/tmp/a.ts'],
  ['vscode-insiders://file/c:/a.ts', '/c:/a.ts'],
  ['file:a.ts', 'a.ts'],
  ['file://a.ts', 'a.ts'],
  ['--- a/c.ts', 'c.ts'],
  ['+++ b/c.ts', 'c.ts'],
  ['jar:file:/a.jar!/b/c.ts', '/a.jar:b/c.ts'],
  ['a.zip!b.ts', 'a.zip:b.ts'],
  ['zip:a.zip', 'a.zip'],
  ['zip://a.zip', 'a.zip'],
  ['sqlite:a.db', 'a.db'],
  ['sqlite3://a.db', 'a.db'],
  // One in another.
  ['cat (a.ts)', '(a.ts)', 'a.ts'],
  ['at f (vscode://file/tmp/a.ts)', 'vscode://file/tmp/a.ts', '/tmp/a.ts'],
];

test.each(FORMS)('%j is tried as %j', (typed, ...wanted) => {
  expect(formsOf(typed)).toEqual(wanted);
  expect(formsOf(`  ${typed} `)).toEqual(wanted);
});

/** A closing sign at the end says nothing, whatever is before it, and a path in an archive may begin with any letter. */
const GOES_ON = /[)\];.]$|!/;

test.each(FORMS.filter(([typed]) => !GOES_ON.test(typed)))('%j is none behind another letter', (typed) => {
  expect(formsOf(`x${typed}`)).toEqual([]);
});

/** Both ends belong to the form. */
const ENCLOSED = /^[[<({*].*[^a-z]$/;

test.each(FORMS.filter(([typed]) => ENCLOSED.test(typed)))('%j is none before another letter', (typed) => {
  expect(formsOf(`${typed}x`)).toEqual([]);
});

test.each([
  'head -q a.ts',
  '1234. a.ts',
  'a.ts.)',
  'a.ts))',
  'a.ts.',
  'path://a.ts',
  'file:///a.ts',
  'zip:///a.zip',
  '[]',
  '{"path":""}',
  '{"path":"a"b"}',
  '["a","b"]',
  'a.ts',
  '',
])('%j has nothing around it', (typed) => {
  expect(formsOf(typed)).toEqual([]);
});
