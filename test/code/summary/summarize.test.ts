import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import type { CodeSummary, SummaryPart } from '../../../src/types/result.ts';
import { languageOf } from '../../../src/code/languages.ts';
import { splitLines, type TextStructure } from '../../../src/code/structure.ts';
import { summarize, type SummaryLimits } from '../../../src/code/summary/summarize.ts';
import { found, structureOf } from '../../support/structure.ts';

const show = ({ from, to, text }: SummaryPart): string => `${from === to ? from : `${from}-${to}`}|${text}\n`;

const wide: SummaryLimits = {
  lines: 3_000,
  bytes: 8_192,
  numbered: true,
  lineComments: [],
  isProse: false,
  show,
};

async function summaryOf(
  name: string,
  text: string,
  limits: Partial<SummaryLimits> = {},
): Promise<CodeSummary | undefined> {
  const lineComments = languageOf(name, text)?.lineComments ?? [];
  const summary = summarize(splitLines(text), await found(name, text), { ...wide, lineComments, ...limits });
  return typeof summary === 'string' ? undefined : summary;
}

const shown = (summary: CodeSummary | undefined): string => summary?.parts.map(show).join('') ?? 'none';

const body = (lines: number, indent = '    '): string =>
  Array.from({ length: lines }, (_, i) => `${indent}step(${i});\n`).join('');

/** More than any budget here holds. */
const ballast = (name: string): string => `function ${name}() {\n${body(2_000)}}\n`;

/** The same in the language of a file. */
function ballastOf(name: string): string {
  if (/\.s?css$/.test(name)) return `.ballast {\n${'  color: red;\n'.repeat(2_000)}}\n`;
  return name.endsWith('.h') ? `void ${ballast('ballast').slice('function '.length)}` : ballast('ballast');
}

test('with room, first lines of comments and short bodies stay', { tags: 'slow' }, async () => {
  const text = `/**
 * A module.
 *
 * Its licence.
 */
import a from 'a';
import b from 'b';
import c from 'c';
import d from 'd';

const table = {
  a: 1,
  b: 2,
};

/** One line. */
export class Server {
  port = 80;

  /**
   * Starts.
   * @param port where
   */
  start(
    port: number,
  ): void {
${body(8)}  }

  stop() {
    this.port = 0;
  }

  none() {
  }
}

function run()
{
${body(5)}}

${ballast('ballast')}`;
  expect(shown(await summaryOf('server.ts', text, { bytes: 1_000 }))).toBe(`1-5|/** A module. Its licence. */
6-9|import a from 'a'; ...
11|const table = {
12|  a: 1,
13|  b: 2,
16|/** One line. */
17|export class Server {
18|  port = 80;
20-23|  /** Starts. @param port where */
24|  start(
25|    port: number,
26-35|  ): void { ... }
37-39|  stop() { this.port = 0; }
41-42|  none() {}
45|function run()
46|{
47|    step(0);
48|    step(1);
49|    step(2);
50|    step(3);
51|    step(4);
54-2055|function ballast() { ... }
`);
});

test('with less room, bodies and comments go before signatures', { tags: 'slow' }, async () => {
  const text = `/**
 * A module.
 *
 * Its licence.
 */
import a from 'a';
import b from 'b';
import c from 'c';
import d from 'd';

export class Server {
  port = 80;

  /** Starts. */
  start(
    port: number,
  ): void {
${body(8)}  }

  // Stops
  stop() {
    this.port = 0;
    this.done = 1;
  }
}

try {
${body(5)}} catch (error) {
${body(5)}}
`;
  const summary = await summaryOf('server.ts', text, { bytes: 200 });
  expect(shown(summary)).toBe(`1-4|...
6-9|import a from 'a'; ...
11|export class Server {
12|  port = 80;
14|  /** Starts. */
15|  start(
16|    port: number,
17-26|  ): void { ... }
29-32|  stop() { ... }
35-46|...
`);
  expect(summary?.elided).toEqual([
    { from: 1, to: 4 },
    { from: 7, to: 9 },
    { from: 18, to: 28 },
    { from: 30, to: 46 },
  ]);
  expect(summary?.elidedLines).toBe(35);
  expect(summary?.left).toBeUndefined();
});

test('Python: signatures without docstrings; nested functions stay visible', async () => {
  const text = `"""Models.

More.
"""
import os
import re
import sys
import typing


class Order(Base):
    """An order.

    With lines.
    """
    total: int = 3

    @cached
    def add(self, line):
        """Adds one.

        At the end.
        """
${body(60, '        ')}
    def check(self):
${body(30, '        ')}        def inner(value):
${body(60, '            ')}${body(30, '        ')}
`;
  expect(shown(await summaryOf('models.py', text, { bytes: 330 }))).toBe(`1-4|"""Models. More."""
5-8|import os ...
11|class Order(Base):
12-15|    """An order. With lines."""
16|    total: int = 3
18|    @cached
19|    def add(self, line):
20-23|        """Adds one. At the end."""
24-83|        ...
85-115|    def check(self): ...
116-176|        def inner(value): ...
177-206|        ...
`);
});

test('languages with `end` close a block on its first line', async () => {
  const text = `class A
  def one
${body(50)}  end

  def two; end
end
`;
  expect(shown(await summaryOf('a.rb', text, { bytes: 100 }))).toBe(`1|class A
2-53|  def one ... end
55|  def two; end
`);
});

test('symbols without room are counted, with the call listing them', { tags: 'slow' }, async () => {
  const classes = Array.from(
    { length: 40 },
    (_, i) =>
      `class C${i} {\n  field = 1;\n  one() {\n${body(6)}    function deep() {\n${body(6)}    }\n  }\n  two() {\n${body(9)}  }\n}\n`,
  ).join('');
  const all = await summaryOf('many.js', classes);
  expect(all?.left).toBeUndefined();
  const tight = await summaryOf('many.js', classes, { bytes: 2_500 });
  expect(tight?.left).toBeGreaterThan(0);
  expect(shown(tight)).toMatch(/\n\d+-\d+\|class C39 \{ \.\.\. \d symbols, use :#C39:outline \}\n$/);
  const tightest = await summaryOf('many.js', classes, { lines: 10 });
  expect(shown(tightest)).toMatch(/class C8 \{ \.\.\..*\n271-1198\|\.\.\. \d+ symbols\n$/);
  expect(tightest?.parts).toHaveLength(10);
});

test.each([
  ['rs', (at: number) => `pub struct Test${at} {\n    pub first: String,\n    pub second: usize,\n}\n\n`],
  ['ts', (at: number) => `export interface Test${at} {\n  first: string;\n  second: number;\n}\n\n`],
])('where not all containers fit, none shows its fields (%s)', { tags: 'slow' }, async (ext, block) => {
  const text = Array.from({ length: 1_000 }, (_, i) => block(i)).join('');
  const map = shown(await summaryOf(`structs.${ext}`, text));
  expect(map.match(/ Test\d+ \{/g)?.length).toBeGreaterThan(160);
  expect(map).not.toMatch(/first|second/);
  expect(map).toMatch(/^6-9\|(?:pub struct|export interface) Test1 \{ \.\.\. 2 symbols \}$/m);
});

test('of thousands of methods the first are shown, others counted', async () => {
  const methods = Array.from({ length: 3_000 }, (_, i) => `  m${i}(a) {\n${body(2)}  }\n`).join('');
  const text = shown(await summaryOf('wide.js', `class Wide {\n${methods}}\n`));
  expect(text.split('\n').slice(0, 2)).toEqual(['1|class Wide {', '2-5|  m0(a) { ... }']);
  expect(text).toMatch(/\n\d+-12000\|  \.\.\. \d+ symbols, use :#Wide:outline\n$/);
  expect(text.length).toBeGreaterThan(7_900);
});

test.each([
  [
    'rb',
    (at: number) => `  class K${at}\n    def run\n${body(8, '      ')}    end\n  end\n`,
    'module Outer\n',
    'end\n',
  ],
  ['lua', (at: number) => `function M${at}.run(a)\n${body(8)}end\n`, 'local M = {}\n', ''],
  ['lua', (at: number) => `function M.f${at}(a) return a end\n`, 'local M = {}\n', ''],
])('where words end blocks, lines stand for one symbol (%s)', async (ext, block, head, tail) => {
  const text = head + Array.from({ length: 150 }, (_, i) => block(i)).join('') + tail;
  const map = await summaryOf(`lib.${ext}`, text, { bytes: 2_000 });
  expect(map?.left).toBeGreaterThan(10);
  const lines = text.split('\n');
  for (const part of map?.parts ?? []) {
    if (part.kind !== 'merged' || part.from === 1) continue;
    const names = lines.slice(part.from - 1, part.to).filter((line) => /^ *(?:class|function)/.test(line));
    expect(names).toHaveLength(1);
  }
});

test('ambiguous or odd names are called by their lines', async () => {
  const block = (head: string): string =>
    `${head} {\n  fn a() {\n${body(9)}  }\n  fn b() {\n${body(9)}  }\n}\n`;
  const text = `${block('impl A for B')}${block('impl C for B')}`;
  expect(shown(await summaryOf('b.rs', text, { bytes: 80 }))).toBe(
    '1-24|impl A for B { ... 2 symbols }\n25-48|impl C for B { ... 2 symbols }\n',
  );
  expect(shown(await summaryOf('b.rs', text, { bytes: 110, numbered: false }))).toBe(
    '1-24|impl A for B { ... 2 symbols, use :1..24 }\n25-48|impl C for B { ... 2 symbols, use :25..48 }\n',
  );
});

test('a long declaration is whole, or one line without room', async () => {
  const one = (i: number): string =>
    `export function f${i}(\n  first: number,\n  second: string,\n): void {\n${body(9)}}\n`;
  const text = Array.from({ length: 40 }, (_, i) => one(i)).join('');
  const roomy = shown(await summaryOf('f.ts', text));
  expect(roomy).toContain('15|export function f1(\n16|  first: number,\n17|  second: string,\n18');
  const tight = await summaryOf('f.ts', text, { bytes: 3_000 });
  expect(shown(tight)).toContain('15-28|export function f1(first: number, second: string,): void { ... }\n');
  expect(tight?.left).toBeUndefined();
});

test('a block with a comment line is not closed there', async () => {
  const text = `interface A extends Base {
  // _zod: internals;
}

interface B extends Base {
  port: number; // 80
}

interface C extends Base {
  port: number;
}

${ballast('ballast')}`;
  expect(shown(await summaryOf('a.ts', text, { bytes: 500 }))).toBe(`1|interface A extends Base {
2|  // _zod: internals;
5|interface B extends Base {
6|  port: number; // 80
9-11|interface C extends Base { port: number; }
13-2014|function ballast() { ... }
`);
});

test.each([
  ['a.ts', 'interface A {', 'port: number;// eighty', '}'],
  ['a.ts', 'interface A {', 'port: number// eighty', '}'],
  ['a.ts', 'interface A { // {', 'port: number;', '}'],
  ['a.h', 'enum A {', '#include "values"', '};'],
  ['a.scss', '.a {', 'color: red; // red', '}'],
])(
  'nothing joins a comment or directive’s line (%s: %s %s)',
  { tags: 'slow' },
  async (name, head, line, end) => {
    const map = await summaryOf(name, `${head}\n  ${line}\n${end}\n\n${ballastOf(name)}`, { bytes: 500 });
    expect(shown(map)).toContain(`1|${head}\n2|  ${line}\n`);
  },
);

test.each([
  ['a.css', '.a {', 'color: #333;', '}'],
  ['a.js', 'class A {', '#x = 1;', '}'],
  ['a.js', 'class A {', 'url = "http://h";', '}'],
  ['a.ts', 'interface A {', 'at: "a--b" | " --c";', '}'],
])('comment marks of other languages allow folding (%s: %s %s)', async (name, head, line, end) => {
  const map = await summaryOf(name, `${head}\n  ${line}\n${end}\n\n${ballastOf(name)}`, { bytes: 500 });
  expect(shown(map)).toContain(`1-3|${head} ${line} ${end}\n`);
});

test('a comment before code on its line folds no code', async () => {
  const text = `class A {
  /* package */ int run(
      int a) {
${body(600)}  }
}
`;
  expect(shown(await summaryOf('A.java', text, { bytes: 80 }))).toBe(`1|class A {
2|  /* package */ int run(
3-604|      int a) { ... }
`);
});

test('a text with nothing to leave out has no map', async () => {
  const flat = Array.from({ length: 120 }, (_, i) => `const value${i} = ${i};\n`).join('');
  expect(await summaryOf('flat.ts', flat)).toBeUndefined();
  expect(shown(await summaryOf('flat.ts', flat, { bytes: 1_000 }))).toMatch(
    /\n\d+-120\|\.\.\. \d+ symbols\n$/,
  );
});

const constant = (lines: string[]): fc.Arbitrary<string[]> => fc.constant(lines);

/** Code of any shape: classes, functions, comments, data and blank lines, nested. */
const code = fc.letrec<{ block: string[]; item: string[] }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.integer({ min: 0, max: 12 }).map((n) => Array.from({ length: n }, (_, i) => `call(${i});`)),
    constant(['/**', ' * Words here.', ' * and more', ' */']),
    constant(['// one', '// two', '// three', '// four']),
    constant(['', '']),
    constant([`const text = "${'x'.repeat(1_200)}";`]),
    constant(['const data = [', ...Array.from({ length: 9 }, (_, i) => `  ${i},`), '];']),
    tie('block').map((inner) => ['function run(', '  a,', ') {', ...inner.map((line) => `  ${line}`), '}']),
    tie('block').map((inner) => ['if (a) {', ...inner.map((line) => `  ${line}`), '} else {', '  b();', '}']),
    constant([
      'class A {',
      '  field = 1;',
      '  method() {',
      '    a();',
      '    b();',
      '    c();',
      '    d();',
      '  }',
      '}',
    ]),
  ),
  block: fc.array(tie('item'), { maxLength: 6 }).map((items) => items.flat()),
})).block;

const trivial = (line: string): boolean => /^\s*(?:[)\]}]*[;,]?|\*\/)\s*$/.test(line);

test('laws of a map, for any code and any budget', { tags: 'slow' }, async () => {
  await fc.assert(
    fc.asyncProperty(code, fc.integer({ min: 64, max: 4_000 }), async (lines, bytes) => {
      const text = `function first() {\n}\n${lines.map((line) => `${line}\n`).join('')}`;
      const stored = splitLines(text);
      const structure = await structureOf('any.js', text);
      if (typeof structure === 'string') return;
      const summary = summarize(stored, structure, { ...wide, bytes });
      if (typeof summary !== 'string') obeys(summary, stored, structure, bytes);
    }),
    { numRuns: 200 },
  );
});

function obeys(
  { parts, elided, elidedLines, left }: CodeSummary,
  stored: readonly string[],
  structure: TextStructure,
  bytes: number,
) {
  expect(parts.map(show).join('').length).toBeLessThanOrEqual(bytes);
  const hidden = new Set(
    elided.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
  );
  expect(hidden.size).toBe(elidedLines);
  // Parts follow each other from the first line to the last; between two stands nothing but what is left out.
  let next = 1;
  for (const part of parts) {
    for (let no = next; no < part.from; no += 1)
      expect(trivial(stored[no - 1] ?? '') || hidden.has(no)).toBe(true);
    expect(part.from).toBeGreaterThanOrEqual(next);
    next = part.to + 1;
    if (part.kind === 'line') expect(part.text).toBe(stored[part.from - 1]);
    // No blank lines, and no closing bracket alone.
    expect(trivial(part.text)).toBe(false);
    if (part.kind === 'gap') continue;
    // What is not left out is there, word by word.
    for (let no = part.from; no <= part.to; no += 1) {
      if (hidden.has(no) || trivial(stored[no - 1] ?? '')) continue;
      const words = (stored[no - 1] ?? '').replace(/^[\s/*]+|[\s/*]+$/g, '');
      if (words.length < 1_000) expect(part.text).toContain(words);
    }
  }
  for (const { from, to } of elided) {
    // No fold hides a single line, but for one that is too long to be shown.
    const lines = stored.slice(from - 1, to).filter((line) => !trivial(line));
    expect(lines.length > 1 || (lines[0]?.length ?? 0) > 1_000).toBe(true);
  }
  // Every symbol is visible, or counted.
  const clipped = new Set(
    parts.filter(({ kind, from, to }) => kind === 'merged' && from === to).map(({ from }) => from),
  );
  const lost = structure.symbols.filter(({ at }) => hidden.has(at) && !clipped.has(at)).length;
  expect(left ?? 0).toBe(lost);
  const texts = parts.map(({ text }) => text).join('\n');
  const counted = [...texts.matchAll(/\.\.\. (\d+) symbols?/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  expect(counted).toBe(lost);
}

test('text outside of symbols shows its least indented lines first', async () => {
  const text = `${body(40, '').replaceAll('step', 'prepare')}
if (ready) {
${body(10)}}
job(() => {
${body(10)}});

function run() {
${body(10)}}

${body(40, '')}`;
  const within = async (bytes: number): Promise<string> =>
    shown(await summaryOf('script.js', text, { bytes }));
  expect(await within(200)).toBe(`1|prepare(0);
2|prepare(1);
3|prepare(2);
4|prepare(3);
5|prepare(4);
6|prepare(5);
7-40|...
42-53|if (ready) { ... }
54-65|job(() => { ... });
67-78|function run() { ... }
80|step(0);
81-119|...
`);
  // What follows a block is not in it.
  expect(await within(100)).toBe(`1|prepare(0);
2-40|...
42|if (ready) {
43-64|    ...
67-78|function run() { ... }
80-119|...
`);
});

test('code after an indented block is not part of it', { tags: 'slow' }, async () => {
  const calls = (count: number, line: string): string => `${line}\n`.repeat(count);
  const text = `${calls(40, 'prepare()')}if ready:\n${calls(10, '    work()')}${calls(2_000, 'after()')}def last():\n${body(20)}`;
  const openers = new Set<string | undefined>();
  for (let bytes = 60; bytes <= 600; bytes += 60) {
    const lines = shown(await summaryOf('script.py', text, { bytes })).split('\n');
    openers.add(lines.find((line) => line.includes('if ready:')));
  }
  expect(openers).toEqual(new Set([undefined, '41|if ready:', '41-51|if ready: ...']));
});

test('functions of generated C are known despite #line in heads', async () => {
  const text = `#line 7 "./src/a.lzz"
int Server::start (int port)
#line 7 "./src/a.lzz"
{
${body(10)}}
# 20 "./src/a.lzz" 3
void Server::stop ()
# 20 "./src/a.lzz" 3
{
${body(10)}}
${ballastOf('a.h')}`;
  expect(shown(await summaryOf('a.cpp', text, { bytes: 300 }))).toBe(`2|int Server::start (int port)
4-15|{ ... }
17|void Server::stop ()
19-30|{ ... }
31-2032|void ballast() { ... }
`);
});
