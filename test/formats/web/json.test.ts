/** JSON as text: every value as written, the beginning of truncated JSON, and a bounded size. */

import { describe, expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { formatJsonText } from '../../../src/formats/web/child/json-text.ts';
import { layOutJson } from '../../../src/formats/data/json-layout.ts';

const URL = 'https://example.com/';
const laid = (text: string, cut = false): string | undefined =>
  layOutJson(text, { depth: 32, most: 1 << 20, cut });

test.each([
  [
    '{"id":9007199254740993,"e":[],"o":{ },"a":[1.0,-0,1e400]}',
    '{\n  "id": 9007199254740993,\n  "e": [],\n  "o": {},\n  "a": [\n    1.0,\n    -0,\n    1e400\n  ]\n}\n',
  ],
  ['"a\\\\"', '"a\\\\"\n'],
  ['["\\"", "\\\\\\"[", "}"]', '[\n  "\\"",\n  "\\\\\\"[",\n  "}"\n]\n'],
  [' 7 ', '7\n'],
  ['{"__proto__":1,"__proto__":2}', '{\n  "__proto__": 1,\n  "__proto__": 2\n}\n'],
])('%s', (json, expected) => {
  expect(laid(json)).toBe(expected);
});

test('formatted JSON keeps its value, and formats to itself', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      const text = laid(json) ?? '';
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(JSON.parse(json)));
      expect(laid(text)).toBe(text);
    }),
  );
});

test('exactly valid JSON is formatted', () => {
  const tokens = ['{', '}', '[', ']', ',', ':', '"a"', '1', '-', 'true', 'nul', '"\\x"', '"\n"', ' '];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 9 }), (parts) => {
      const text = parts.join('');
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(laid(text) !== undefined).toBe(isJson);
    }),
    { numRuns: 5_000 },
  );
});

describe('truncated JSON', () => {
  test('is shown up to its last complete value, unchanged', () => {
    const flat = (text: string): string => text.replace(/\s/g, '');
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (json, cut) => {
        const shown = laid(json.slice(0, cut % (json.length + 1)), true);
        if (shown !== undefined) expect(flat(json).startsWith(flat(shown))).toBe(true);
      }),
    );
  });

  test.each([
    ['{"a":[1,2,34', '{\n  "a": [\n    1,\n    2\n'],
    ['{"a":[1],"b', '{\n  "a": [\n    1\n  ]\n'],
    ['{"a":[1],"b":"x\\"', '{\n  "a": [\n    1\n  ]\n'],
    ['{"a":', '{\n'],
    ['[tru', '[\n'],
    ['[1]', '[\n  1\n]\n'],
    ['nonsense [1', undefined],
    ['{a:1,', undefined],
    ['[1 2,', undefined],
    ['', undefined],
    ['12', undefined],
  ])('%s', (json, expected) => {
    expect(laid(json, true)).toBe(expected);
  });

  test('JSON Lines are formatted', () => {
    expect(formatJsonText('{"a":[1,{"b":2},{"c', URL, { cut: true, feed: false })).toEqual({
      how: 'json',
      text: '{\n  "a": [\n    1,\n    {\n      "b": 2\n    },\n    {\n',
    });
  });
});

describe('JSON that grows when formatted', () => {
  test('is broken into lines at its outer levels only', () => {
    const deep = `${'['.repeat(30)}${'1,'.repeat(500_000)}1${']'.repeat(30)}`;
    const found = formatJsonText(deep, URL, { cut: false, feed: false });
    expect(found?.text.startsWith(`[\n  [\n    [\n`)).toBe(true);
    expect(found?.text.length).toBeLessThan(26 << 20);
    expect(JSON.stringify(JSON.parse(found?.text ?? '')) === deep).toBe(true);
  });

  test.each([
    ['a million brackets', '['.repeat(1 << 20) + ']'.repeat(1 << 20)],
    ['a string of 4 MiB', `"${'x'.repeat(4 << 20)}"`],
    ['a string of escapes', `"${'\\\\'.repeat(1 << 20)}"`],
    ['200,000 keys', `{${Array.from({ length: 200_000 }, (_, i) => `"${i}":0`).join()}}`],
  ])('%s', (_, json) => {
    expect(formatJsonText(json, URL, { cut: false, feed: false })?.how).toBe('json');
    expect(formatJsonText(json.slice(0, -1), URL, { cut: false, feed: false })).toBeUndefined();
    expect(formatJsonText(json.slice(0, -1), URL, { cut: true, feed: false })?.how ?? 'json').toBe('json');
  });
});

describe('JSON Feed', () => {
  const feed = (more: object): string =>
    JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'J', ...more });

  test('HTML becomes Markdown, links absolute, and names one line', () => {
    const items = [
      { title: 'One\n## Two', url: '/1', content_html: '<p>a <a href="/x">b</a></p><script>no</script>' },
    ];
    expect(formatJsonText(feed({ items }), URL, { cut: false, feed: true })).toEqual({
      how: 'feed',
      text: '# J\n\n## One ## Two\n\nhttps://example.com/1\n\na [b](https://example.com/x)\n',
    });
  });

  test.each([[[null, 7, 'x', []]], [[{ title: {}, url: 7 }]]])('invalid items: %j', (items) => {
    expect(formatJsonText(feed({ items }), URL, { cut: false, feed: true })?.how).toBe('feed');
  });

  test.each(['null', '5', '"x"', '[]'])('%s is JSON but not a feed', (content) => {
    expect(formatJsonText(content, URL, { cut: false, feed: true })?.how).toBe('json');
  });

  test('a hundred thousand entries are counted', () => {
    const items = Array.from({ length: 100_000 }, () => ({ title: 'x' }));
    expect(formatJsonText(feed({ items }), URL, { cut: false, feed: true })?.text).toMatch(
      /\(99000 more entries\)\n$/,
    );
  });
});
