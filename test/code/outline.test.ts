import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { languageOf, languages } from '../../src/code/languages.ts';
import { splitLines } from '../../src/code/structure.ts';
import { found, outlineOf, structureOf } from '../support/structure.ts';

/** `NAME.txt` is a file called NAME, `NAME.outline` its whole outline. */
const fixtures = new URL('../fixtures/outlines/', import.meta.url);
const names = readdirSync(fixtures)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => file.slice(0, -'.txt'.length));

const fixture = (file: string): string => readFileSync(new URL(file, fixtures), 'utf8');

describe('the outline of', () => {
  test.each(names)('%s', { tags: 'slow' }, async (name) => {
    expect(await outlineOf(name, fixture(`${name}.txt`))).toBe(fixture(`${name}.outline`));
  });
});

test('every language of the table has a fixture', () => {
  const covered = new Set(names.map((name) => languageOf(name, fixture(`${name}.txt`))?.name));
  expect(languages.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
});

test('call signatures without semicolons do not end the outline', async () => {
  const call = '  // get\n  <\n    M extends H<P> = H<P>,\n  >(x: M): Base<\n    M\n  >\n\n';
  const text = `export interface Get {\n${call}${call}}\nexport type After<T> = T\n`;
  for (const written of [text, text.replaceAll('\n', '\r\n')]) {
    const { symbols } = await found('a.ts', written);
    expect(symbols.map(({ name, from }) => `${name} ${from}`)).toEqual(['Get 1', 'After 17']);
  }
});

test('a function assigned under its own name is one symbol', { tags: 'slow' }, async () => {
  const text = `View.prototype.lookup = function lookup(name) {
  return this.render(function render() {
    return name;
  });
};
var other = function named() {
  return 1;
};
`;
  const { symbols } = await found('view.js', text);
  expect(symbols.map(({ qualified }) => qualified)).toEqual([
    'View.lookup',
    'View.lookup.render',
    'other',
    'other.named',
  ]);
});

test('names, qualified names, kinds and bodies', { tags: 'slow' }, async () => {
  const { symbols } = await found('server.ts', fixture('server.ts.txt'));
  const start = symbols.find(({ name }) => name === 'start');
  expect(start).toEqual({
    kind: 'method',
    name: 'start',
    qualified: 'Server.start',
    signature: 'async start(host: string, port: number): Promise<void>',
    from: 24,
    to: 32,
    at: 24,
    depth: 1,
    bodyFrom: 28,
    bodyTo: 31,
  });
  expect(symbols.map(({ qualified }) => qualified)).toEqual(
    (
      'Server Server.defaults Server.port Server.constructor Server.constructor.name Server.address ' +
      'Server.start Server.start.onError Server.start.retry Server.onRequest Server.#secret ' +
      'Server.stop Closeable Closeable.close Closeable.closed Options Options.host State State.On ' +
      'State.Off Tools.Net Tools.Net.ping net net.connect default run routes routes.about ' +
      'routes.legacy small other over over over old Server.extend Maybe Maybe.constructor ' +
      'Maybe.constructor.host Maybe.constructor.port'
    ).split(' '),
  );
});

test.each([
  ['widget.hpp', 'ui.core.Widget.paint'],
  ['server.go', 'Server.Start'],
  ['game.lua', 'Game.start'],
  ['user.rb', 'Shop.User.Admin.load'],
  ['shapes.rs', 'Circle.new'],
  ['Server.kt', 'Server.companion.create'],
])('%s knows %s', { tags: 'slow' }, async (name, qualified) => {
  const { symbols } = await found(name, fixture(`${name}.txt`));
  expect(symbols.map((symbol) => symbol.qualified)).toContain(qualified);
});

test('a syntax error hides none of several symbols of one line', async () => {
  const { symbols } = await found('a.js', 'class A { m() {} } class B { m() {} }\nfunction x( {\n');
  expect(symbols.map(({ qualified }) => qualified)).toEqual(['A', 'A.m', 'B', 'B.m', 'x']);
});

test('a file with syntax errors keeps the symbols around them', { tags: 'slow' }, async () => {
  const text = fixture('server.ts.txt').replace('const onError = () => {', 'const onError = ) => {{');
  const { symbols } = await found('server.ts', text);
  expect(symbols.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Server', 'start', 'Options', 'run', 'over']),
  );
});

test.each([
  [
    'a.kt',
    '@Target(A.B, C.D)\n@Retention(X.Y)\nannotation class Flaky\n\nclass Pool(\n  val a: Int,\n) {\n  fun run() {\n    in1.skip(1)\n  }\n//    queue { end(it) }\n  fun stop() {}\n}\n',
    ['Flaky 1-3', 'Pool 5-13', 'a 6-6', 'run 8-10', 'stop 12-12'],
  ],
  [
    'a.bash',
    'first() { # <list>\n  while (($# > 0)) && [[ $1 != /* ]]; do\n    shift\n  done\n}\n\nsecond() {\n  true\n}\n',
    ['first 1-5', 'second 7-9'],
  ],
  [
    'a.hpp',
    'ACME_BEGIN_NAMESPACE\nACME_BEGIN_EXPORT\n\nenum class color : int {\n  red,\n};\n\nclass Log {\n  ACME_CONSTEXPR Log(int a) ACME_NOEXCEPT : a_(a) {}\n};\n\nACME_INLINE Log::Log(Log &&other) ACME_NOEXCEPT\n    : a_(other.a_) {\n}\n\nACME_INLINE void ns::Log::flush(int a) {\n}\n',
    ['color 4-6', 'red 5-5', 'Log 8-10', 'Log 9-9', 'Log 12-14', 'flush 16-17'],
  ],
  [
    'b.h',
    '#ifndef B_H\n#define B_H\nACME_BEGIN_PART\n\n// A comment.\nstruct h {\n  ACME_CONSTEXPR h(int a) noexcept : run(), b{} {}\n  void *(*run)(char **argv);\n  char **b;\n};\ntypedef int (cb)(void);\nextern struct h all;\nnamespace n {\nstatic const int m = 1;\n}\n#endif\n',
    ['B_H 2-2', 'h 6-10', 'h 7-7', 'run 8-8', 'b 9-9', 'cb 11-11', 'all 12-12', 'n 13-15', 'm 14-14'],
  ],
  ['c.h', `int run(void) {\n  return 1;\n}\nACME_END\n${'// '.repeat(99)}\n;\n`, ['run 1-3']],
  [
    'a.c',
    '#define FLAG_A 1\n#ifndef GUARD\n#define GUARD\n#endif\nstatic char *names[] = {\n  "a",\n};\nstruct state server, *other;\nNO_SANITIZE("bounds")\nint run(void) {\n  int local = 1;\n  return local;\n}\n',
    ['FLAG_A 1-1', 'GUARD 3-3', 'names 5-7', 'server 8-8', 'other 8-8', 'run 10-13'],
  ],
  [
    'a.rb',
    'class A\n  attr_accessor :one, :two\n  alias_method :three, :one\nend\ndescribe A do\n  it "runs" do\n  end\nend\n',
    ['A 1-4', 'one 2-2', 'two 2-2', 'three 3-3', 'A 5-8', 'runs 6-7'],
  ],
  [
    'A.cs',
    'using Till = Shop.Cash.Till;\nclass A\n{\n    [Fact]\n#pragma warning disable X1\n    [Data(nameof(B))]\n#pragma warning restore X1\n    public void C(int d)\n    {\n    }\n}\n',
    ['Till 1-1', 'A 2-11', 'C 4-10'],
  ],
])('%s has all symbols, with macros and what a grammar does not know', async (name, text, expected) => {
  const { symbols } = await found(name, text);
  expect(symbols.map((one) => `${one.name} ${one.from}-${one.to}`)).toEqual(expected);
});

test.each(['a.c', 'a.cpp'])(
  '%s: a type is not inside the variable that is declared with it',
  async (name) => {
    const { symbols } = await found(name, 'struct point {\n  int x;\n} origin;\nstruct point other;\n');
    expect(symbols.map(({ qualified, depth }) => [qualified, depth])).toEqual([
      ['point', 0],
      ['point.x', 1],
      ['other', 0],
    ]);
  },
);

test('text other than code has a reason for no outline', { tags: 'slow' }, async () => {
  expect(await structureOf('photo.xyz', 'text')).toBe('language');
  expect(await structureOf('empty.ts', '')).toBe('empty');
  expect(await structureOf('nul.ts', 'const a = 1;\n\0')).toBe('binary');
  expect(await structureOf('app.min.js', `${'var a=1;'.repeat(500)}\n`)).toBe('minified');
  expect(await structureOf('big.ts', 'const a = 1;\n'.repeat(400_000))).toBe('size');
});

test('CRLF, a missing newline and astral characters move no lines', async () => {
  const unix = 'const smile = "😀";\nfunction a() {\n  // 😀\n  return 1;\n}\nclass B {\n  c() {}\n}';
  expect(await outlineOf('a.js', unix.replaceAll('\n', '\r\n'))).toBe(await outlineOf('a.js', unix));
  expect(await outlineOf('a.js', unix)).toBe(
    '[L1] const smile = "😀"\n[L2-5] function a()\n[L6-8] class B\n  [L7] c() {}\n',
  );
});

describe('symbols have lines of the text, ordered, within their parents', () => {
  const sources = names.map((name) => [name, fixture(`${name}.txt`)] as const);
  const junk = fc.constantFrom(
    '',
    '{',
    '}',
    '(',
    ')',
    '[',
    '"',
    "'",
    '`',
    '/*',
    '*/',
    '//',
    '#',
    '<',
    '\n',
    '\0',
    '\u{1F600}',
    'end',
    ':',
    '\t',
  );
  const edit = fc.tuple(fc.nat(10_000), fc.nat(20), junk);

  // A grammar, and a scanner.
  const few = new Set(['server.ts', 'config.toml']);
  test.each(sources.filter(([name]) => few.has(name)))('%s', expectNested);
  test.each(sources.filter(([name]) => !few.has(name)))('%s', { tags: 'slow' }, expectNested);

  async function expectNested(name: string, source: string): Promise<void> {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 12 }), async (edits) => {
        let text = source;
        for (const [at, length, put] of edits) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + length);
        }
        const structure = await structureOf(name, text);
        if (typeof structure === 'string') return;
        const lines = splitLines(text).length;
        const around: { from: number; to: number }[] = [];
        let last = 1;
        for (const { from, to, at, bodyFrom = from, bodyTo = to, depth, name: own } of structure.symbols) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(at).toBeGreaterThanOrEqual(from);
          expect(to).toBeGreaterThanOrEqual(at);
          expect(lines).toBeGreaterThanOrEqual(to);
          expect([bodyFrom >= from, bodyTo <= to, own.length <= 200]).toEqual([true, true, true]);
          around.length = depth;
          const outer = around.at(-1);
          if (outer) expect([outer.from <= from, to <= outer.to]).toEqual([true, true]);
          around.push({ from, to });
          last = from;
        }
      }),
      { numRuns: 15 },
    );
  }
});

describe('properties that a constructor declares are symbols', () => {
  test.each([
    ['a.kt', 'data class D(val a: Int, var b: String, c: Int)\n', ['D', 'D.a', 'D.b']],
    [
      'a.scala',
      'case class C(a: Int, b: String)\nclass E(val d: Int, e: Int)\n',
      ['C', 'C.a', 'C.b', 'E', 'E.d'],
    ],
    [
      'a.cs',
      'record R(int A, string B);\nclass C { public event EventHandler Ev; }\n',
      ['R', 'R.A', 'R.B', 'C', 'C.Ev'],
    ],
    ['A.java', 'record P(int x, int y) {}\n', ['P', 'P.x', 'P.y']],
    [
      'a.php',
      '<?php\nclass C {\n  function __construct(private int $a, int $b) {}\n}\n',
      ['C', 'C.__construct', 'C.__construct.$a'],
    ],
    [
      'a.ts',
      'class C {\n  constructor(private readonly a: A, readonly b: B, public c = 1, d: D) {}\n}\n',
      ['C', 'C.constructor', 'C.constructor.a', 'C.constructor.b', 'C.constructor.c'],
    ],
  ])('in %s', async (name, text, names) => {
    const { symbols } = await found(name, text);
    expect(symbols.map(({ qualified }) => qualified)).toEqual(names);
  });
});
