import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Summary, SummaryPart } from '../../../src/types/summary.ts';
import { linesOf } from '../../../src/views/lines.ts';
import { summarize, type SummaryLimits } from '../../../src/views/summary/summarize.ts';
import { found, structureOf } from '../../support/structure.ts';

const show = ({ from, to, text }: SummaryPart): string => `${from === to ? from : `${from}-${to}`}|${text}\n`;

const wide: SummaryLimits = {
  lines: 3_000,
  bytes: 51_200,
  tokens: Number.POSITIVE_INFINITY,
  show,
  count: (text) => Math.ceil(text.length / 4),
};

async function summaryOf(
  name: string,
  text: string,
  limits: Partial<SummaryLimits> = {},
): Promise<Summary | undefined> {
  return summarize(linesOf(text), await found(name, text), { ...wide, ...limits });
}

const shown = (summary: Summary | undefined): string => summary?.parts.map(show).join('') ?? 'none';

const body = (lines: number, indent = '    '): string =>
  Array.from({ length: lines }, (_, i) => `${indent}step(${i});\n`).join('');

test('a brace language: imports, comments, bodies and data are folded, small bodies stay', async () => {
  const text = `/**
 * A module.
 *
 * Its licence.
 */
import a from 'a';
import b from 'b';
import c from 'c';
import d from 'd';

// First line
// second line
// third line
const table = {
  a: 1,
  b: 2,
  c: 3,
  d: 4,
  e: 5,
  f: 6,
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
}

function run()
{
${body(5)}}

try {
${body(5)}} catch (error) {
${body(5)}}
`;
  const summary = await summaryOf('server.ts', text);
  expect(shown(summary)).toBe(`1-5|/** A module. ... */
6-9|import a from 'a'; ...
10|
11-13|// First line ...
14-21|const table = { ... };
22|
23|/** One line. */
24|export class Server {
25|  port = 80;
26|
27-30|  /** Starts. ... */
31|  start(
32|    port: number,
33-42|  ): void { ... }
43|
44|  stop() {
45|    this.port = 0;
46|  }
47|}
48|
49|function run()
50-56|{ ... }
57|
58-70|try { ... } catch (error) { ... }
`);
  expect(summary?.elided).toEqual([
    { from: 3, to: 4 },
    { from: 7, to: 9 },
    { from: 12, to: 13 },
    { from: 15, to: 20 },
    { from: 29, to: 29 },
    { from: 34, to: 41 },
    { from: 51, to: 55 },
    { from: 59, to: 63 },
    { from: 65, to: 69 },
  ]);
  expect(summary?.elidedLines).toBe(37);
  expect(summary?.left).toBeUndefined();
});

test('Python: docstrings keep their first line, nested functions stay visible', async () => {
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

    def add(self, line):
        """Adds one.

        At the end.
        """
${body(6, '        ')}
    def check(self):
${body(3, '        ')}        def inner(value):
${body(6, '            ')}${body(3, '        ')}
if __name__ == '__main__':
${body(5)}`;
  expect(shown(await summaryOf('models.py', text))).toBe(`1-4|"""Models. ... """
5-8|import os ...
9|
10|
11|class Order(Base):
12-15|    """An order. ... """
16|    total: int = 3
17|
18|    def add(self, line):
19-22|        """Adds one. ... """
23-28|        ...
29|
30-33|    def check(self): ...
34-40|        def inner(value): ...
41-43|        ...
44|
45-50|if __name__ == '__main__': ...
`);
});

test('a language of words: `end` closes on the line that opens', async () => {
  const text = `class A
  def one
${body(5)}  end

  def two; end
end
`;
  expect(shown(await summaryOf('a.rb', text))).toBe(`1|class A
2-8|  def one ... end
9|
10|  def two; end
11|end
`);
});

test('a class of 60 methods shows 60 signatures', async () => {
  const methods = Array.from(
    { length: 60 },
    (_, i) => `  method${i}(a: number): number {\n${body(6)}  }\n`,
  ).join('');
  const summary = await summaryOf('wide.ts', `export class Wide {\n${methods}}\n`);
  const text = shown(summary);
  for (let i = 0; i < 60; i += 1) expect(text).toContain(`  method${i}(a: number): number { ... }\n`);
  expect(summary?.parts).toHaveLength(62);
  expect(summary?.left).toBeUndefined();
});

test('where not all fits, fields go, then the deepest symbols, and they are counted', async () => {
  const classes = Array.from(
    { length: 40 },
    (_, i) =>
      `class C${i} {\n  field = 1;\n  one() {\n${body(6)}    function deep() {\n${body(6)}    }\n  }\n  two() {\n${body(9)}  }\n}\n`,
  ).join('');
  const all = await summaryOf('many.js', classes);
  expect(all?.left).toBeUndefined();
  const tight = await summaryOf('many.js', classes, { lines: 200 });
  expect(tight?.parts.length).toBeLessThanOrEqual(200);
  expect(tight?.left).toEqual({ symbols: 40, depth: 1 });
  expect(shown(tight)).toContain('  two() { ... }');
  const tighter = await summaryOf('many.js', classes, { lines: 100 });
  expect(tighter?.left).toEqual({ symbols: 120, depth: 0 });
  expect(shown(tighter)).toContain('class C39 { ... }');
  const tightest = await summaryOf('many.js', classes, { lines: 10 });
  expect(tightest?.parts).toHaveLength(10);
  expect(shown(tightest)).toMatch(/class C8 \{ \.\.\. \}\n\d+-\d+\|\.\.\.\n$/);
});

test('limits of bytes and tokens hold', async () => {
  const functions = Array.from({ length: 500 }, (_, i) => `function f${i}() {\n${body(6)}}\n`).join('');
  for (const limits of [{ bytes: 2_000 }, { tokens: 500 }]) {
    const text = shown(await summaryOf('f.js', functions, limits));
    expect(text).not.toBe('none');
    expect(text.length).toBeLessThanOrEqual(2_000);
  }
});

test('a text that a summary cannot make much smaller is shown itself', async () => {
  const flat = Array.from({ length: 120 }, (_, i) => `const value${i} = ${i};\n`).join('');
  expect(await summaryOf('flat.ts', flat)).toBeUndefined();
});

test('a declaration of many lines shows its beginning', async () => {
  const text = `class Props {
  Props(
      int a)
${Array.from({ length: 40 }, (_, i) => `      ${i === 0 ? ':' : ','} field${i}(a)\n`).join('')}  {}
};
`;
  const shownText = shown(await summaryOf('props.hpp', text));
  expect(shownText.split('\n').slice(0, 4)).toEqual([
    '1|class Props {',
    '2|  Props(',
    '3|      int a)',
    '4|      : field0(a)',
  ]);
  expect(shownText.split('\n').slice(-3)).toEqual(['15-44|      ...', '45|};', '']);
});

test('a comment before code on its line folds nothing of the code', async () => {
  const text = `class A {
  /* package */ int run(
      int a) {
${body(6)}  }
}
`;
  expect(shown(await summaryOf('A.java', text))).toBe(`1|class A {
2|  /* package */ int run(
3-10|      int a) { ... }
11|}
`);
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

test('what is shown and what is elided are the text: each line once, none twice', async () => {
  await fc.assert(
    fc.asyncProperty(code, fc.integer({ min: 5, max: 200 }), async (lines, limit) => {
      const text = `function first() {\n}\n${lines.map((line) => `${line}\n`).join('')}`;
      const stored = linesOf(text);
      const structure = await structureOf('any.js', text);
      if (typeof structure === 'string') return;
      const summary = summarize(stored, structure, { ...wide, lines: limit, bytes: limit * 40 });
      if (!summary) return;
      const size = summary.parts.map(show).join('').length;
      expect(summary.parts.length).toBeLessThanOrEqual(limit);
      expect(size).toBeLessThanOrEqual(Math.min(limit * 40, text.length * 0.6));
      // Parts follow each other without gap or overlap, from the first line to the last.
      let next = 1;
      for (const part of summary.parts) {
        expect(part.from).toBe(next);
        if (part.is === 'line') expect(part.text).toBe(stored[part.from - 1]);
        next = part.to + 1;
      }
      expect(next).toBe(stored.length + 1);
      // Every line is shown as it is, elided, or has its words on a merged line.
      const elided = new Set(
        summary.elided.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
      );
      expect(elided.size).toBe(summary.elidedLines);
      for (const part of summary.parts) {
        for (let no = part.from; no <= part.to; no += 1) {
          if (part.is === 'line') expect(elided.has(no)).toBe(false);
          else if (part.is === 'gap') expect(elided.has(no)).toBe(true);
          else if (!elided.has(no)) {
            const words = (stored[no - 1] ?? '').replace(/^[\s/*]+|[\s/*]+$/g, '');
            expect(part.text).toContain(words);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});
