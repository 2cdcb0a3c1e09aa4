/** The encoding of a stored text: mark, declaration, guess, in this order. */

import { describe, expect, test } from 'vitest';
import {
  encodingNamed,
  utf8,
  declaredAtEnd,
  encodingOfText,
  guessEncoding,
  isUndeclared,
} from '../../src/text/encoding.ts';
import type { AnalyseEncoding } from '../../src/text/legacy-encoding.ts';

const russian = Buffer.from('cff0eee2e5f0eae020ede0ebe8f7e8ff0a', 'hex');
const NONE = Buffer.alloc(0);

/** A library that is sure of this name; it must not be loaded if the encoding is already known. */
const sureOf = (name: string) => (): AnalyseEncoding => () => [{ name, confidence: 90 }];
const never = (): AnalyseEncoding => {
  throw new Error('the library was loaded');
};

describe('a text in memory', () => {
  test('valid UTF-8 needs no library; windows-1252 is the alternative', () => {
    expect(encodingOfText(Buffer.from('größe\n'), never)).toStrictEqual({ ...utf8, perhaps: 'windows-1252' });
  });

  test('a mark decides', () => {
    const { name, bom } = encodingOfText(Buffer.concat([Buffer.from('\ufeff'), russian]), never);
    expect([name, bom]).toStrictEqual(['utf-8', 3]);
  });

  test('a declaration at the start decides', () => {
    const text = Buffer.concat([Buffer.from('# -*- coding: koi8-r -*-\n'), russian]);
    expect(encodingOfText(text, never)).toStrictEqual(encodingNamed('koi8-r', 'declared', NONE));
  });

  test('a last declaration decides if the start is not UTF-8', () => {
    const line = Buffer.from('# vim: fenc=cp1251\n');
    const padding = Buffer.alloc(10_000, 'x\n');
    expect(encodingOfText(Buffer.concat([russian, padding, line]), never)).toStrictEqual(
      encodingNamed('windows-1251', 'declared', NONE),
    );
    const plain = encodingOfText(Buffer.concat([Buffer.from('valid\n'), padding, line]), never);
    expect(plain).toStrictEqual({ ...utf8, perhaps: 'windows-1252' });
    // The mode line is not within the last bytes.
    const early = Buffer.concat([russian, padding, line, Buffer.alloc(1024, 'x')]);
    expect(encodingOfText(early, sureOf('windows-1251'))).toStrictEqual(
      encodingNamed('windows-1251', 'guessed', NONE),
    );
  });

  test('otherwise it is guessed', () => {
    expect(encodingOfText(russian, sureOf('windows-1251'))).toStrictEqual(
      encodingNamed('windows-1251', 'guessed', NONE),
    );
    expect(encodingOfText(russian.subarray(0, 3), sureOf('windows-1251'))).toStrictEqual({
      ...utf8,
      perhaps: 'windows-1251',
    });
    expect(encodingOfText(russian, () => () => [])).toStrictEqual({ ...utf8, perhaps: 'windows-1252' });
  });
});

test('what a mode line at the end may declare', () => {
  const at = (label: string): unknown => declaredAtEnd(Buffer.from(`x\n# vim: fenc=${label}\n`), NONE);
  expect(at('latin1')).toStrictEqual(encodingNamed('windows-1252', 'declared', NONE));
  // Bytes that are not UTF-8 are not UTF-8, whatever is declared.
  expect(at('utf-8')).toBeUndefined();
  expect(at('klingon')).toBeUndefined();
  expect(declaredAtEnd(Buffer.from('nothing\n'), NONE)).toBeUndefined();
});

test('a guess of an unknown name changes no encoding', () => {
  expect(guessEncoding(utf8, { sure: 'klingon' }, NONE)).toStrictEqual({ ...utf8, perhaps: 'windows-1252' });
  expect(guessEncoding(utf8, { perhaps: 'koi8-r' }, NONE)).toStrictEqual({ ...utf8, perhaps: 'koi8-r' });
});

test('what declares nothing', () => {
  expect(isUndeclared(utf8)).toBe(true);
  expect(isUndeclared({ ...utf8, bom: 3 })).toBe(false);
  expect(isUndeclared({ ...utf8, known: 'told' })).toBe(false);
  expect(isUndeclared({ ...utf8, name: 'utf-16le' })).toBe(false);
});
