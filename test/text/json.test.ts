import { expect, test } from 'vitest';
import { safeJson } from '../../src/text/visible.ts';

test('invisible characters are escaped and parse to the same value', () => {
  const value = {
    'n\u0085': '\0\x1b\x7f\x9b\u2028\u202e\u2066\ufeff\u200b\u{e0041}',
    plain: 'é 👩\u200d👧 ✔\ufe0f\n\t',
  };
  const json = safeJson(value);
  expect(json).toBe(
    '{"n\\u0085":"\\u0000\\u001b\\u007f\\u009b\\u2028\\u202e\\u2066\\ufeff\\u200b\\udb40\\udc41","plain":"é 👩\u200d👧 ✔\ufe0f\\n\\t"}',
  );
  expect(JSON.parse(json)).toEqual(value);
  expect(safeJson('é\x9b')).toBe('"é\\u009b"');
});

test('of ASCII only DEL is escaped', () => {
  expect(safeJson('a\x7fb')).toBe('"a\\u007fb"');
  expect(safeJson({ a: ['"', 1, null] })).toBe('{"a":["\\"",1,null]}');
});
