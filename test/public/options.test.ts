import { expect, test } from 'vitest';
import type { OrielOptions } from '../../src/index.ts';
import { workspace } from '../support/workspace.ts';

const numbered = '1|a\n2|b\n';
const anchored = expect.stringMatching(/^¶f#[0-9A-F]{4}\n1:a\n2:b\n$/) as string;

test.each<[OrielOptions, string]>([
  [{}, numbered],
  [{ read: { lineNumbers: false } }, 'a\nb\n'],
  [{ display: 'plain' }, 'a\nb\n'],
  [{ display: 'hashline' }, anchored],
  [{ display: 'hashline@18' }, '[f#9A46]\n1:a\n2:b\n'],
  [{ display: 'hashline', read: { hashLines: false } }, numbered],
  [{ display: 'hashline@18', read: { hashLines: false } }, numbered],
  [{ display: 'hashline', read: { hashLines: false, lineNumbers: false } }, 'a\nb\n'],
  [{ read: { defaultLimit: 1 } }, '1|a\n[Showing line 1 of 2. Use f:2.. to continue]'],
])('%j', async (options, expected) => {
  const { write, text } = workspace();
  write('f', 'a\nb\n');
  expect(await text('f', options)).toEqual(expected);
});

test('read.defaultLimit bounds what has no end, and nothing else', async () => {
  const { write, text } = workspace();
  write('f', 'a\nb\nc\n');
  const options = { read: { defaultLimit: 1 } };
  expect(await text('f:2..', options)).toBe('2|b\n[Showing line 2 of 3. Use f:3.. to continue]');
  expect(await text('f:1..3', options)).toBe('1|a\n2|b\n3|c\n');
});
