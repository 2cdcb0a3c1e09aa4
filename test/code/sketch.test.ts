/** What a sketch tells of code: names with about their lines, uses, imports. */

import { expect, test } from 'vitest';
import { isSketched, languages } from '../../src/code/languages.ts';
import { importTags, sketch } from '../../src/code/sketch.ts';
import { hashOf, packTags, readSymbols, unpackTags } from '../../src/code/tags.ts';

interface Told {
  readonly symbols: readonly string[];
  readonly uses: (name: string) => number;
  readonly imports: readonly string[];
}

function told(language: string, text: string): Told {
  const found = sketch(text, language);
  if (!found) throw new Error('nothing was told');
  const [tags = ''] = unpackTags(packTags([found]));
  const used = [...(found.used as Uint32Array)];
  return {
    symbols: readSymbols(tags).map(({ qualified, from, to }) => `${qualified} ${from}-${to}`),
    uses: (name) => found.counts[used.indexOf(hashOf(name))] ?? 0,
    imports: found.imports,
  };
}

const typescript = `import { a } from './a.ts';
// function none() {}
export class Store extends Base {
  open(path: string): void {
    this.close(path); // close
    const text = 'class Fake {';
  }
}
const run = async (one: number) => {
  open(one);
};
export const LIMIT = 3;
if (LIMIT) { run(LIMIT); }
type Names = {
  first: string;
};
`;

const python = `import os.path, re as regex
from .money import Money, format as shown
LIMIT = 3

class Till(Base):
    """A till.

def none():
    """

    def count(self):
        return Money(LIMIT)

def main(
    argument,
):
    Till().count()
`;

const go = `package shop

import (
	"fmt"
	till "shop/till"
)

type Till struct {
	sum int
}

func (t *Till) Count() int {
	fmt.Println('"')
	return till.Sum(t.sum)
}
`;

const cpp = `#include "till.h"
#include <vector>
namespace shop {
class Till : public Base {
public:
  int count() const;
};

int Till::count() const
{
  return sum(1);
}
}
`;

test.each([
  [
    'typescript',
    typescript,
    ['Store 3-8', 'Store.open 4-7', 'run 9-11', 'LIMIT 12-12', 'Names 14-16'],
    { close: 1, Base: 1, LIMIT: 1, none: 0, Fake: 0 },
    ['./a.ts'],
  ],
  [
    'python',
    python,
    ['LIMIT 3-3', 'Till 5-12', 'Till.count 11-12', 'main 14-17'],
    { Money: 2, Till: 1, none: 0 },
    ['os.path', 're', '.money', '.money.Money', '.money.format'],
  ],
  ['go', go, ['Till 8-10', 'Count 12-15'], { Println: 1, Sum: 1 }, ['fmt', 'shop/till']],
  [
    'cpp',
    cpp,
    ['shop 3-3', 'Till 4-7', 'Till.count 6-6', 'count 9-12'],
    { sum: 1, Base: 1 },
    ['till.h', 'vector'],
  ],
] as const)('%s: declarations, uses and imports', (language, text, symbols, uses, imports) => {
  const found = told(language, text);
  expect(found.symbols).toEqual(symbols);
  for (const [name, count] of Object.entries(uses)) expect([name, found.uses(name)]).toEqual([name, count]);
  expect(found.imports).toEqual(imports);
});

test('every language that is sketched has its rules', () => {
  const names = languages.map(({ name }) => name).filter(isSketched);
  expect(names.length).toBeGreaterThan(14);
  for (const name of names) expect(sketch('one\n', name), name).toBeDefined();
});

test.each([
  ['a binary', 'let a = 1;\0'],
  ['a minified text', `let a = ${'f(1),'.repeat(1_000)}0;\n`],
])('%s has no sketch', (_, text) => expect(sketch(text, 'javascript')).toBeUndefined());

test.each(['(', '/', 'function ', 'x = ', '(a) '])('ends on a long run of %j', (part) => {
  for (const language of ['typescript', 'python', 'cpp'])
    expect(() => sketch(`${part.repeat(40)}\n`.repeat(2_000), language)).not.toThrow();
});

test.each([
  ['go', (size) => 'func (\n'.repeat(size / 7)],
  ['typescript', (size) => 'class<\n'.repeat(size / 7)],
  ['typescript', (size) => '=/['.repeat(size / 3)],
  ['typescript', (size) => 'export '.repeat(size / 14) + 'type '.repeat(size / 10)],
  ['python', (size) => ' '.repeat(size / 2) + 'import '.repeat(size / 14)],
  ['rust', (size) => `pub(${'use '.repeat(size / 4)}`],
  ['csharp', (size) => `global${' '.repeat(size / 2)}${'using '.repeat(size / 12)}`],
] satisfies [string, (size: number) => string][])('%s: a hostile text takes linear time', (language, of) => {
  // A line that is half of a text is scanned: the text does not look minified. In quadratic time it would take minutes, and
  // the file more CPU time than it may.
  const text = `${of(200_000)}\n${'one\n'.repeat(60_000)}`;
  expect(sketch(text, language)).toBeDefined();
});

test.each([
  ['json', '/*"\\'],
  ['html', '<script'],
  ['toml', '[lib]\nname'],
])('%s: a hostile manifest or component takes linear time', (language, part) => {
  expect(importTags(part.repeat(150_000), language).imports).toEqual([]);
});

test('a manifest says nothing of a long name, and little of one with many targets', () => {
  const said = (name: string): readonly string[] =>
    importTags(JSON.stringify({ name, exports: Array(99).fill('./a.js') }), 'json').imports;
  expect(said('x'.repeat(600))).toEqual([]);
  expect(said('x')).toHaveLength(21);
});

test('an anonymous class declares no function', () => {
  expect(told('java', 'class A {\n  A make() {\n    return new Base() {\n    };\n  }\n}\n').symbols).toEqual([
    'A 1-6',
    'A.make 2-5',
  ]);
});
