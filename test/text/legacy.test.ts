import { describe, expect, test } from 'vitest';
import { codePoints, cutHead } from '../../src/text/cut.ts';
import { decode, encodingNamed, storedEncoding } from '../../src/text/encoding.ts';
import { alignLegacy, declaredEncoding, encodingName } from '../../src/text/legacy.ts';

test.each([
  ['shift_jis', 'shift_jis'],
  ['SJIS', 'shift_jis'],
  ['cp932', 'shift_jis'],
  ['latin1', 'windows-1252'],
  ['latin-1', 'windows-1252'],
  ['iso-8859-1-unix', 'windows-1252'],
  ['cp1251', 'windows-1251'],
  ['gb2312', 'gbk'],
  ['UTF8', 'utf-8'],
  ['utf-8-unix', 'utf-8'],
  ['utf-16', 'utf-16le'],
  ['klingon', undefined],
  ['', undefined],
])('%j is %j', (label, name) => {
  expect(encodingName(label)).toBe(name);
});

describe('declarations', () => {
  test.each([
    ['<?xml version="1.0" encoding="windows-1251"?>', 'windows-1251'],
    ["<?xml version='1.0' encoding='Shift_JIS' standalone='yes'?>", 'shift_jis'],
    ['<!doctype html><html><head><meta charset=gbk>', 'gbk'],
    ['<html><meta http-equiv="Content-Type" content="text/html; charset=EUC-KR">', 'euc-kr'],
    ['<!doctype html><!-- <meta charset="iso-8859-1"> --><meta charset=utf-8>', 'utf-8'],
    ['<!doctype html><meta name=description content="charset=koi8-r explained"><meta charset=gbk>', 'gbk'],
    ['<html><meta content="text/html; charset=gbk" http-equiv=content-type>', 'gbk'],
    ['@charset "iso-8859-2";', 'iso-8859-2'],
    ['# -*- coding: latin-1 -*-\n', 'windows-1252'],
    ['#!/usr/bin/python\n# -*- coding: euc-jp -*-\n', 'euc-jp'],
    ['# vim: set fileencoding=cp1252 :\n', 'windows-1252'],
    ['/* vim: fenc=latin1 ts=2 */\n', 'windows-1252'],
    ['/* -*- mode: c; coding: iso-8859-15-unix -*- */\n', 'iso-8859-15'],
    ['# a\n# b\n# coding: latin-1\n', undefined],
    ['const coding = "latin-1";\n', undefined],
    ['text about charset=gbk\n', undefined],
    ['<?xml version="1.0"?>', undefined],
    ['# coding: nonsense\n', undefined],
    ['', undefined],
  ])('%j: %j', (head, name) => {
    expect(declaredEncoding(Buffer.from(head))).toBe(name);
  });

  test('a byte order mark takes precedence over a declaration, and a declaration of UTF-16 is ignored', () => {
    const declared = '<?xml version="1.0" encoding="windows-1251"?>';
    expect(storedEncoding(Buffer.from(`\ufeff${declared}`))).toMatchObject({ name: 'utf-8', bom: 3 });
    expect(storedEncoding(Buffer.from(declared.replace('windows-1251', 'utf-16')))).toMatchObject({
      name: 'utf-8',
    });
    expect(storedEncoding(Buffer.from(declared))).toMatchObject({ name: 'windows-1251', known: 'declared' });
  });
});

/** Each text in each encoding, as another tool wrote it. */
const STORED: readonly (readonly [string, string, string])[] = [
  ['shift_jis', '漢字ｶﾅa', '8abf8e9ab6c561'],
  ['euc-jp', '漢字ｶ', 'b4c1bbfa8eb6'],
  ['gbk', '汉字a', 'babad7d661'],
  ['gb18030', '汉\u{20000}a', 'baba9532823661'],
  ['big5', '漢字', 'ba7ea672'],
  ['euc-kr', '한글a', 'c7d1b1db61'],
  ['windows-1252', 'café€', '636166e980'],
  ['koi8-r', 'мир', 'cdc9d2'],
];

test.each(STORED)('%s: %s is decoded, and cut between its characters', (name, text, hex) => {
  const bytes = Buffer.from(hex, 'hex');
  const encoding = encodingNamed(name, 'told', bytes);
  if (!encoding) throw new Error('unknown');
  expect(decode(bytes, encoding)).toEqual({ text, invalid: 0 });
  for (let budget = 1; budget <= text.length * 4; budget += 1) {
    const length = cutHead(bytes, encoding, budget, (part) => Buffer.byteLength(part));
    expect(text.startsWith(decode(bytes.subarray(0, length), encoding).text)).toBe(true);
    expect(alignLegacy(bytes, Math.min(length, bytes.length - 1), name)).toBeLessThanOrEqual(length);
  }
});

test('what the decoder takes for one character of EUC-KR is one where it is cut', () => {
  const bytes = Buffer.from('e0a495e0a58d61', 'hex');
  const encoding = encodingNamed('euc-kr', 'told', bytes);
  if (!encoding) throw new Error('unknown');
  const points = [...codePoints(bytes, encoding)].map(({ text }) => text);
  expect(points.join('')).toBe(decode(bytes, encoding).text);
});
