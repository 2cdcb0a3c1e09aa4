import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

const ten = Array.from({ length: 10 }, (_, i) => `const v${i + 1} = ${i + 1};\n`).join('');

/** The same answer as to `plain`, and one that shows something. */
async function same(typed: string, plain: string): Promise<void> {
  const { write, read } = workspace();
  write('src/a b.ts', ten);
  write('src/c.ts', ten);
  const answer = await read(typed);
  expect({ typed, text: textOf(answer) }).toEqual({ typed, text: textOf(await read(plain)) });
  expect(answer.isError).toBe(false);
}

describe('spellings of other tools are understood', () => {
  test.each([
    ['src/c.ts:lines 5-7', 'src/c.ts:5-7'],
    ['src/c.ts lines 5-7', 'src/c.ts:5-7'],
    ['src/c.ts (lines 5-7)', 'src/c.ts:5-7'],
    ['src/c.ts#5-7', 'src/c.ts:5-7'],
    ['src/c.ts#L5..L7', 'src/c.ts:5-7'],
    ['src/c.ts:L5C3-L7C2', 'src/c.ts:5-7'],
    ['src/c.ts:5-7:30', 'src/c.ts:5-7'],
    ['src/c.ts:5:2-9', 'src/c.ts:5:1'],
    ['src/c.ts:5\u20137', 'src/c.ts:5-7'],
    ['src/c.ts:8-$', 'src/c.ts:8-'],
    ['src/c.ts:8-end', 'src/c.ts:8-'],
    ['src/c.ts:[5, 7]', 'src/c.ts:5-7'],
    [' src/c.ts:5-7', 'src/c.ts:5-7'],
    ['src/c.ts:tail 3', 'src/c.ts:-3'],
    ['src/c.ts:all', 'src/c.ts:1..'],
    ['src/c.ts:L5:L7', 'src/c.ts:5-7'],
    ['src/c.ts:5: error: const', 'src/c.ts:5:1'],
    ['src/c.ts:5:7 - error TS2322: x', 'src/c.ts:5:1'],
    ['src/c.ts:5: const v5 = 5;', 'src/c.ts:5:1'],
    ['src/{c,a b}.ts', 'src/c.ts,src/a b.ts'],
    ['at run (src/c.ts:5:7)', 'src/c.ts:5:1'],
    ['--> src/c.ts:5:7', 'src/c.ts:5:1'],
    ['src/c.ts#v5', 'src/c.ts:#v5'],
    ['src/c.ts:v5', 'src/c.ts:#v5'],
    ['src/c.ts::v5', 'src/c.ts:#v5'],
    ['c.ts:lines 5-7', 'c.ts:5-7'],
    ['src/c.ts src/a\\ b.ts', 'src/c.ts,src/a\\ b.ts'],
    ['src/c.ts:1-2; src/c.ts:9', 'src/c.ts:1-2,src/c.ts:9'],
    ['src/c.ts#L5-L7,src/a b.ts lines 1-2', 'src/c.ts#L5-L7,src/a b.ts lines 1-2'],
    ['src/c.ts\nsrc/a b.ts', 'src/c.ts,src/a b.ts'],
  ])('%j is %j', { tags: 'slow' }, same);

  test.each([
    ['#L5', ':5:1'],
    ['#L5-L7', ':5-7'],
    ['#v5', ':#v5'],
    ['', ''],
  ])('a file URL with %j is the path with %j', { tags: 'slow' }, async (fragment, selector) => {
    const { write, text } = workspace();
    const url = pathToFileURL(write('src/a b.ts', ten)).href;
    expect(await text(`${url}${fragment}`)).toBe(await text(`src/a b.ts${selector}`));
    expect(await text(`${url.replace('file:///', 'file:/')}${selector}`.replace('%20', ' '))).toBe(
      await text(`src/a b.ts${selector}`),
    );
  });
});

describe('a place shows the lines around it and a call', () => {
  const places = ['80:5', '80:', '80:5:', 'L80C5', '80:5: error: x', '80: text', '80:5-9'];
  const spelled = [...places.map((place) => `a.log:${place}`), 'a.log#L80', 'a.log(80,5)', 'a.log, line 80'];
  test.each([...spelled, 'at run (a.log:80:5)', '@a.log:80:5'])('%j', async (typed) => {
    const { write, text } = workspace();
    write('a.log', Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}\n`).join(''));
    const shown = Array.from({ length: 51 }, (_, i) => `${i + 70}|line ${i + 70}\n`).join('');
    expect(await text(typed)).toBe(`${shown}[Line 80 and the lines around it. Use a.log:121.. to continue]`);
    expect(await text('a.log:121..')).toMatch(/^121\|line 121\n/);
  });

  test.each([
    ['a.log:4970:3', /^4960\|[^[]*\n5000\|line 5000\n\[a\.log ends at line 5000\]$/],
    ['a.log:4960:3', /^4950\|[^[]*\n5000\|line 5000\n?$/],
    [
      'a.log:3:3',
      /^1\|[^[]*\n43\|line 43\n\[Line 3 and the lines around it\. Use a\.log:44\.\. to continue\]$/,
    ],
    ['a.log:5005:3', /^4995\|[^[]*\n5000\|line 5000\n\[a\.log ends at line 5000: nothing at 5005\]$/],
    [
      'a.log:6000:3',
      /^\[Line 6000 is beyond the end of a\.log \(5000 lines\)\. Use a\.log:5000 for the end or a\.log:1 for the start\]$/,
    ],
    ['a.log:0:3', /^Line selector 0 is invalid; lines are 1-indexed\. Use a?\.?l?o?g?:1\.$/],
  ])('near the end or past it: %j', async (typed, answer) => {
    const { write, text } = workspace();
    write('a.log', Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}\n`).join(''));
    expect(await text(typed)).toMatch(answer);
  });
});

test('missing and invalid file URLs get a call that works', async () => {
  const { write, read } = workspace();
  write('src/c.ts', ten);
  const answers = [
    ['file://src/d.ts', 'NOT_FOUND', 'src/c.ts'],
    ['file:///src%2Fc.ts', 'BAD_PATH', '.'],
    ['file://../c.ts', 'OUTSIDE_ROOT', '.'],
    ['file://src%2F..%2F..%2Fc.ts', 'BAD_PATH', '.'],
  ] as const;
  for (const [typed, code, next] of answers) {
    const { details, isError } = await read(typed);
    expect({ typed, isError, error: details['error'] }).toMatchObject({
      typed,
      isError: true,
      error: { code, next },
    });
    expect((await read(next)).isError).toBe(false);
  }
});

describe('ambiguous spellings are refused with a call that works', () => {
  test.each(['+5', '-10--5', '5-10-20', 'bogus word', '?lines=5'])('%s', async (selector) => {
    const { write, read } = workspace();
    write('src/c.ts', ten);
    const answer = await read(`src/c.ts${selector.startsWith('?') ? '' : ':'}${selector}`);
    expect(codeOf(answer)).toBe('BAD_SELECTOR');
    expect(textOf(answer)).toContain('. Use src/c.ts alone, or followed by one of :50 ');
  });

  test('a range that ends before it starts', async () => {
    const { write, read } = workspace();
    write('src/c.ts', ten);
    const answer = await read('src/c.ts:lines 7-5');
    expect(textOf(answer)).toBe(
      'The selector :7-5 is invalid: the range ends before it starts. Use src/c.ts:5-7.',
    );
  });

  test('a name that is not a symbol', async () => {
    const { write, read } = workspace();
    write('src/c.ts', ten);
    expect(textOf(await read('src/c.ts:nope'))).toBe(
      "src/c.ts has no symbol 'nope'. Use src/c.ts:outline for all of them.",
    );
  });
});

test('a file with exactly that name takes precedence', async () => {
  const { write, text } = workspace();
  for (const name of ['a.ts', 'a.ts:all', 'a.ts:v1', 'a.ts lines 1-2', 'a.ts#v1', 'a.ts b.ts', 'b.ts'])
    write(name, `${name}\n`);
  for (const name of ['a.ts:all', 'a.ts:v1', 'a.ts lines 1-2', 'a.ts#v1', 'a.ts b.ts'])
    expect(await text(name)).toBe(`1|${name}\n`);
});

test('a path of another machine gets the local call', async () => {
  const { write, read } = workspace();
  write('src/c.ts', ten);
  const answer = await read('/workspace/src/c.ts:5-7');
  expect(codeOf(answer)).toBe('OUTSIDE_ROOT');
  expect(textOf(answer)).toMatch(/ Use src\/c\.ts:5-7\.$/);
});

test('too many ranges in one selector are refused as such', async () => {
  const { write, text } = workspace();
  write('a.log', 'a\n'.repeat(5_000));
  const ranges = Array.from({ length: 1_500 }, (_, i) => `${3 * i + 1}..${3 * i + 1}`).join(',');
  expect(await text(`a.log:${ranges}`)).toBe(
    `The selector has ${ranges.length} characters; at most 8192 are read. Use fewer ranges in one call, and the others in the next.`,
  );
});
