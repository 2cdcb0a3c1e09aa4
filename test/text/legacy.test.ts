import { describe, expect, test } from 'vitest';
import { codePoints, cutHead } from '../../src/text/bytes.ts';
import { decode, encodingNamed, storedEncoding } from '../../src/text/encoding.ts';
import {
  alignLegacy,
  declaredEncoding,
  decodeLegacy,
  encodingAtEnd,
  encodingName,
  legacyLength,
} from '../../src/text/legacy-encoding.ts';

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
  [' cp1251 ', 'windows-1251'],
  ['ISO_8859-2', 'iso-8859-2'],
  ['koi8-r-dos', 'koi8-r'],
  ['koi8-r-mac', 'koi8-r'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['iso_latin_1', 'windows-1252'],
  ['iso_8859-8-i', 'iso-8859-8-i'],
  ['x_sjis', 'shift_jis'],
  ['unix', undefined],
  ['koi8-r-unix-dos', undefined],
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
    ['<html><meta http-equiv = "content-type" content="text/html; charset=gbk">', 'gbk'],
    ['@charset "iso-8859-2";', 'iso-8859-2'],
    ['# -*- coding: latin-1 -*-\n', 'windows-1252'],
    ['#!/usr/bin/python\n# -*- coding: euc-jp -*-\n', 'euc-jp'],
    ['# vim: set fileencoding=cp1252 :\n', 'windows-1252'],
    ['/* vim: fenc=latin1 ts=2 */\n', 'windows-1252'],
    ['/* -*- mode: c; coding: iso-8859-15-unix -*- */\n', 'iso-8859-15'],
    ['\n<!-- x --><html><meta charset="gbk">', 'gbk'],
    ["<html><meta charset='gbk'>", 'gbk'],
    ["<html><meta http-equiv='Content-Type' content='text/html; charset=gbk'>", 'gbk'],
    ['<html><meta http-equiv=content-types content="charset=gbk">', undefined],
    ['<html><meta xhttp-equiv=content-type content="charset=gbk">', undefined],
    ['<html><meta charset=gbk><meta charset=big5>', 'gbk'],
    ['<html><metas charset=gbk>', undefined],
    ['<html><meta xcharset=gbk>', undefined],
    ['<!-- x --><!-- <html> <meta charset=big5> --><meta charset=gbk>', 'gbk'],
    ['<html><META CHARSET = gbk >', 'gbk'],
    ['<head><meta charset=gbk>', 'gbk'],
    ['<meta charset=gbk>', 'gbk'],
    ['<!doctype html><!-- <meta charset=gbk>', undefined],
    ['<htmlx><meta charset=gbk>', undefined],
    ['<html><meta name=a content=b><meta charset=gbk>', 'gbk'],
    ['<html><meta name=a content=\'charset="koi8-r"\'>', undefined],
    ['<div><meta charset=gbk>', undefined],
    ['text <html><meta charset=gbk>', undefined],
    [' <?xml version="1.0" encoding="gbk"?>', undefined],
    ['<?xml version="1.0" myencoding="gbk"?>', undefined],
    ['<?xml version="1.0"?><a encoding="gbk"/>', undefined],
    ['<?xml encoding = "gbk" ?>', 'gbk'],
    ['@charset "gbk"', undefined],
    ['a {} @charset "gbk";', undefined],
    ['# -*- coding: gbk -*- # -*- coding: big5 -*-', 'gbk'],
    ['-*- coding: gbk', undefined],
    ['coding: gbk -*-', undefined],
    ['x = 1  # coding: gbk\n', undefined],
    ['\t # coding=gbk\n', 'gbk'],
    ['# encoding:  gbk\n', 'gbk'],
    ['# coding\t:gbk\n', undefined],
    ['a\nb\n# -*- coding: gbk -*-\n', undefined],
    ['a\nb\n# coding: gbk\n', undefined],
    ['a\nb\nc\nd\n# vim: fenc=gbk\n', 'gbk'],
    ['a\nb\nc\nd\ne\n# vim: fenc=gbk\n', undefined],
    ['ex: fenc=gbk', 'gbk'],
    ['vi: fenc=gbk', 'gbk'],
    ['nevi: fenc=gbk', undefined],
    ['vim: xfenc=gbk', undefined],
    [`${' '.repeat(1000)}\n# vim: fenc=gbk`, 'gbk'],
    [`${' '.repeat(1023)}\n# vim: fenc=gbk`, undefined],
    ['# a\n# b\n# coding: latin-1\n', undefined],
    ['const coding = "latin-1";\n', undefined],
    ['text about charset=gbk\n', undefined],
    ['<?xml version="1.0"?>', undefined],
    ['# coding: nonsense\n', undefined],
    ['', undefined],
  ])('%j: %j', (head, name) => {
    expect(declaredEncoding(Buffer.from(head))).toBe(name);
  });

  test('a mark beats a declaration, and UTF-16 cannot be declared', () => {
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
  expect(decode(bytes, encoding)).toStrictEqual({ text, invalid: 0 });
  for (let budget = 1; budget <= text.length * 4; budget += 1) {
    const length = cutHead(bytes, encoding, budget, (part) => Buffer.byteLength(part));
    expect(text.startsWith(decode(bytes.subarray(0, length), encoding).text)).toBe(true);
    expect(alignLegacy(bytes, Math.min(length, bytes.length - 1), name)).toBeLessThanOrEqual(length);
  }
});

test('cutting and decoding find the same characters in EUC-KR', () => {
  const bytes = Buffer.from('e0a495e0a58d61', 'hex');
  const encoding = encodingNamed('euc-kr', 'told', bytes);
  if (!encoding) throw new Error('unknown');
  const points = [...codePoints(bytes, encoding)].map(({ text }) => text);
  expect(points.join('')).toBe(decode(bytes, encoding).text);
});

describe('a mode line at the end of a text', () => {
  test.each([
    ['a\n# vim: fenc=gbk', 'gbk'],
    ['a\n# vim: fenc=gbk\n', 'gbk'],
    ['a\r\n# vim: fenc=gbk\r\n', 'gbk'],
    ['# vim: fenc=gbk\nb\nc\nd\ne\n', 'gbk'],
    ['# vim: fenc=gbk\nb\nc\nd\ne\nf\n', undefined],
    ['# vim: fenc=gbk\nb\nc\nd\ne\n\n', undefined],
    ['# vim: fenc=gbk\n# vim: fenc=big5\n', 'gbk'],
    ['# vim: set fileencoding=cp1251 :\n', 'windows-1251'],
    ['# vim: fenc=klingon\n', undefined],
    ['# -*- coding: gbk -*-\n', undefined],
    ['', undefined],
  ])('%j: %j', (tail, name) => {
    expect(encodingAtEnd(Buffer.from(tail))).toBe(name);
    // A view of a part of some memory.
    const memory = new Uint8Array(Buffer.byteLength(tail) + 8).fill(0x78);
    memory.set(Buffer.from(tail), 4);
    expect(encodingAtEnd(memory.subarray(4, -4))).toBe(name);
  });
});

/** From which lead byte on a character has so many bytes; in EUC-KR it depends on the version of Node. */
const korean = decodeLegacy(Uint8Array.of(0x81, 0x41), 'euc-kr').length === 1 ? '81' : 'a1';

test.each([
  ['shift_jis', 0x40, '0:1 81:2 a0:1 e0:2 fd:1'],
  ['euc-jp', 0xa1, '0:1 8e:2 8f:3 90:1 a1:2'],
  ['gbk', 0x40, '0:1 81:2 ff:1'],
  ['gb18030', 0x2f, '0:1 81:2 ff:1'],
  ['gb18030', 0x30, '0:1 81:4 ff:1'],
  ['gb18030', 0x39, '0:1 81:4 ff:1'],
  ['gb18030', 0x3a, '0:1 81:2 ff:1'],
  ['big5', 0x40, '0:1 81:2 ff:1'],
  ['euc-kr', 0x41, `0:1 ${korean}:2 ff:1`],
  ['windows-1251', 0x41, '0:1'],
])('the length of a character of %s before byte %i', (name, second, expected) => {
  const found: string[] = [];
  for (let lead = 0; lead < 256; lead += 1) {
    const length = legacyLength(Uint8Array.of(lead, second), 0, name);
    if (length !== Number(found.at(-1)?.split(':')[1])) found.push(`${lead.toString(16)}:${length}`);
  }
  expect(found.join(' ')).toBe(expected);
});

test.each(STORED)('every byte of a text in %s finds its character', (name, _, hex) => {
  const [some, line] = [Buffer.from(hex, 'hex'), Buffer.from('a b0\n')];
  for (const bytes of [
    Buffer.concat(Array(9).fill(some)),
    Buffer.concat([some, some, line, some, line, some]),
  ]) {
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (at === start + legacyLength(bytes, start, name)) start = at;
      expect([at, alignLegacy(bytes, at, name)]).toStrictEqual([at, start]);
    }
  }
});

test('windows-1252 has its signs where ISO 8859-1 has controls', () => {
  const bytes = Uint8Array.from({ length: 0x22 }, (_, i) => 0x7f + i);
  expect(decodeLegacy(bytes, 'windows-1252')).toBe('\x7f€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ\xa0');
});

test('a mark is a character like others', () => {
  expect(decodeLegacy(Buffer.from('\ufeffa'), 'utf-8')).toBe('\ufeffa');
});
