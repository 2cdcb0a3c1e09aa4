import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { escapeName, pathParts, printName, typedForms } from '../../../src/formats/archive/members.ts';
import { oneLine } from '../../../src/text/visible.ts';

const raw = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
  fc
    .string({ unit: fc.constantFrom('%', '4', '1', '~', 'a', '\n', '\u202e', '\0'), maxLength: 20 })
    .map((text) => Buffer.from(text)),
);

test('a printed name is one visible line', () =>
  fc.assert(
    fc.property(raw, (bytes) => {
      const printed = printName(bytes);
      expect(oneLine(printed)).toBe(printed);
    }),
  ));

test('different names are printed differently', () =>
  fc.assert(
    fc.property(raw, raw, (one, other) => {
      fc.pre(!Buffer.from(one).equals(other));
      expect(printName(one)).not.toBe(printName(other));
    }),
  ));

test('printed names can be typed', () =>
  fc.assert(
    fc.property(raw, (bytes) => {
      const printed = printName(bytes);
      expect(typedForms(printed)).toContain(printed);
    }),
  ));

test('a literal name takes precedence over percent-decoding', () => {
  expect(escapeName('a%41')).toBe('a%2541');
  expect(typedForms('a%41')).toEqual(['a%2541', 'aA']);
  expect(typedForms('100%')).toEqual(['100%']);
});

test('paths: dots and empty parts are removed, ".." is refused', () => {
  expect(pathParts('./a//b/')).toEqual(['a', 'b']);
  expect(pathParts('/etc/passwd')).toEqual(['etc', 'passwd']);
  expect(pathParts('a/../b')).toBeUndefined();
  expect(pathParts('..')).toBeUndefined();
  expect(pathParts('..a/b..')).toEqual(['..a', 'b..']);
});
