import { expect, test } from 'vitest';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../src/text/visible.ts';

/** A list of so many numbers; the brackets are one value more. */
const list = (count: number, value = '1'): string => `[${Array(count).fill(value).join(',')}]`;

test('brackets and commas begin values; the bound is inclusive', () => {
  // Of n numbers: the document, the list, and n - 1 commas.
  expect(hasTooManyValues(list(MAX_JSON_VALUES - 1))).toBe(false);
  expect(hasTooManyValues(list(MAX_JSON_VALUES))).toBe(true);
  const half = MAX_JSON_VALUES / 2;
  expect(hasTooManyValues(list(half, '{}'))).toBe(true);
  expect(hasTooManyValues(list(half - 1, '{}') + ' '.repeat(half * 2))).toBe(false);
  expect(hasTooManyValues('['.repeat(MAX_JSON_VALUES) + ' '.repeat(MAX_JSON_VALUES))).toBe(true);
  expect(hasTooManyValues('['.repeat(MAX_JSON_VALUES - 1) + ' '.repeat(MAX_JSON_VALUES + 1))).toBe(false);
});

test('brackets and commas in strings do not count', () => {
  const commas = ','.repeat(3 * MAX_JSON_VALUES);
  const isTooMuch = (text: string): boolean => hasTooManyValues(text);
  expect(isTooMuch(`["${commas}"]`)).toBe(false);
  expect(isTooMuch(`["\\"${commas}"]`)).toBe(false);
  expect(isTooMuch(`["","${commas}"]`)).toBe(false);
  // The backslash is escaped, so the string ends before the commas.
  expect(isTooMuch(`["\\\\"${commas}]`)).toBe(true);
  expect(isTooMuch(`[""${commas}]`)).toBe(true);
  expect(isTooMuch(`["a"${commas}"`)).toBe(true);
});

test('an unterminated string is left to the parser to refuse', () => {
  expect(hasTooManyValues(`["${',['.repeat(MAX_JSON_VALUES)}`)).toBe(false);
  expect(hasTooManyValues(`["\\"${',['.repeat(MAX_JSON_VALUES)}\\`)).toBe(false);
  expect(hasTooManyValues(`${','.repeat(MAX_JSON_VALUES)}"`)).toBe(true);
});
