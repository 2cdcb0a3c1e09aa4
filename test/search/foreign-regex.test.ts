import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { foreignRegex, relaxed } from '../../src/search/pattern.ts';
import { Tree } from '../support/tree.ts';

const raw = String.raw;

describe('operators after a backslash', () => {
  test.each([
    [raw`foo\|bar`, 'foo|bar'],
    [raw`class \(Foo\|Bar\)`, 'class (Foo|Bar)'],
    [raw`a\{2,3\}`, 'a{2,3}'],
    [raw`fo\+`, 'fo+'],
    [raw`foo.+\|bar`, 'foo.+|bar'],
    [raw`(foo\|bar)`, '(foo|bar)'],
    [raw`\(foo\)*`, '(foo)*'],
    [raw`\w+\|[a|b]+`, raw`\w+|[a|b]+`],
  ])('%s is written %s', (pattern, here) => {
    expect(foreignRegex(pattern)).toEqual({ kind: 'escaped-operators', pattern: here });
  });

  test.each([
    'foo',
    'a|b',
    raw`foo\(`,
    raw`foo\(\)`,
    raw`function\s*\(\w*\)`,
    raw`(foo|bar)\(baz\)`,
    raw`\.ts`,
    raw`\bfoo\b`,
    raw`a\{x\}`,
    raw`\+1`,
    raw`\\|x`,
  ])('%s has none', (pattern) => {
    expect(foreignRegex(pattern)).toBeUndefined();
  });

  test('a too long or invalid pattern is not repeated', () => {
    expect(foreignRegex(raw`a\|` + 'b'.repeat(300))).toEqual({ kind: 'escaped-operators' });
    expect(foreignRegex(raw`a\|b\)`)).toEqual({ kind: 'escaped-operators' });
  });
});

test('slashes as of JavaScript', () => {
  expect(foreignRegex('/foo.*bar/')).toEqual({ kind: 'slashes', pattern: 'foo.*bar', ignoreCase: false });
  expect(foreignRegex('/foo/gi')).toEqual({ kind: 'slashes', pattern: 'foo', ignoreCase: true });
  expect(foreignRegex('Start() error')).toEqual({ kind: 'empty-group', pattern: raw`Start\(\) error` });
  expect(foreignRegex(raw`start\(\)`)).toBeUndefined();
  expect(foreignRegex('/usr/lib')).toBeUndefined();
});

test.each([
  ['foo(?=bar)', 'foo'],
  ['(?<=foo)bar', 'bar'],
  ['(?<!un)do(?!ne|es)', 'do'],
  [raw`(\w+) \1`, raw`(\w+) .*`],
  [raw`\\(['"])x\1`, raw`\\(['"])x.*`],
  ['(?=.*foo)(?=.*bar).*', undefined],
  ['foo(?=a(?=b))', undefined],
  ['foo', undefined],
  ['(?=a', undefined],
  [raw`\1`, undefined],
  [raw`C:\9-1*.{ts`, undefined],
  [raw`(\w{2})\1\p{L}`, raw`(\w{2}).*\p{L}`],
])('%s is searched as %s', (pattern, here) => {
  expect(relaxed(pattern)).toBe(here);
});

describe('in answers', () => {
  let work: Tree;

  beforeEach(async () => {
    work = await Tree.create({ a: 'foo\nbar\nfoobar\n' });
  });

  afterEach(() => work.remove());

  test('without matches the intended pattern is suggested', async () => {
    const said =
      'No matches found\n[After a backslash | ( ) { } + ? are plain characters here; without it they are operators. Use pattern foo|bar]';
    expect(await work.text('grep', { pattern: raw`foo\|bar` })).toBe(said);
    expect(await work.text('grep', { pattern: raw`foo\|bar`, output: 'files' })).toBe(said);
    await work.write({ b: 'foo|bar\n' });
    expect(await work.text('grep', { pattern: raw`foo\|bar` })).toBe(`b:1: foo|bar\n${said.split('\n')[1]}`);
    await work.write({ b: '' });
    expect(await work.text('grep', { pattern: 'foo|bar' })).toBe('a:1: foo\na:2: bar\na:3: foobar');
    expect(await work.text('grep', { pattern: '/FOO/i' })).toBe(
      'No matches found\n[Slashes around a pattern are part of it. Use pattern FOO with ignoreCase=true]',
    );
    expect(await work.text('grep', { pattern: raw`foo\|bar`, literal: true })).toBe('No matches found');
  });

  test('words between \\< and \\> are found', async () => {
    expect(await work.text('grep', { pattern: raw`\<foo\>` })).toBe('a:1: foo');
  });

  test('unsupported syntax is answered with the nearest alternative', async () => {
    expect(await work.answer('grep', { pattern: 'foo(?=bar)' })).toMatchObject({
      content: [
        {
          text: 'foo(?=bar) uses look-around, which this engine does not have (its time is linear). Use pattern foo, which finds these lines and perhaps more.',
        },
      ],
      details: { error: { code: 'BAD_REGEX', next: '{"pattern":"foo"}' } },
    });
    expect(await work.text('grep', { pattern: raw`\1` })).toBe(
      raw`\1 uses backreferences, which this engine does not have (its time is linear). Search for a plain part of it and read the lines around.`,
    );
  });
});
