import { isUtf8 } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import {
  decode,
  decodeText,
  detectEncoding,
  encodeText,
  encodingNamed,
  isNearlyText,
  lastBoundary,
  unicodeEncoding,
  sequenceLength,
  storedEncoding,
  utf8,
  validSequence,
} from '../../src/text/encoding.ts';
import type { UnicodeName } from '../../src/types/excerpt.ts';

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

describe('detection', () => {
  test.each([
    ['no bytes', Buffer.alloc(0), 'utf-8', 0],
    ['ASCII', Buffer.from('text'), 'utf-8', 0],
    ['the mark of UTF-8', Buffer.from('\ufefftext'), 'utf-8', 3],
    ['the mark of UTF-16', utf16('\ufefftext'), 'utf-16le', 2],
    ['its mark in the other order', big(utf16('\ufefftext')), 'utf-16be', 2],
    ['the mark of UTF-32', Buffer.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), 'utf-32le', 4],
    ['its mark in the other order', Buffer.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x61), 'utf-32be', 4],
    ['a part of a mark', Buffer.of(0xef, 0xbb), 'utf-8', 0],
    ['UTF-16 without a mark', utf16('plain text\r\n'), 'utf-16le', 0],
    ['the same in the other order', big(utf16('plain text\r\n')), 'utf-16be', 0],
    ['two units', utf16('ab'), 'utf-16le', 0],
    ['one unit is too little', utf16('a'), 'utf-8', 0],
    ['a last unit that is cut', Buffer.concat([utf16('text'), Buffer.of(0x61)]), 'utf-16le', 0],
    ['nine of ten units', utf16('ninechars\u4e8c'), 'utf-16le', 0],
    ['nine of ten units in the other order', big(utf16('ninechars\u4e8c')), 'utf-16be', 0],
    ['eight of nine units are too few', utf16('eightchr\u4e8c'), 'utf-8', 0],
    ['the same in the other order', big(utf16('eightchr\u4e8c')), 'utf-8', 0],
    ['UTF-8 with a NUL', Buffer.from('\nÜbung: needle\n\0\nÜbung: needle\n'), 'utf-8', 0],
    ...['नमस्ते दुनिया\n', 'あいうえおか きくけこさし\n'].flatMap(
      (text) =>
        [
          [text, utf16(text.repeat(3)), 'utf-16le', 0],
          [text, big(utf16(text.repeat(3))), 'utf-16be', 0],
        ] as const,
    ),
    ['a unit of zeros', utf16('text with a \0 in it'), 'utf-8', 0],
    ['one unit in the other order', Buffer.concat([utf16('a'.repeat(20)), big(utf16('a'))]), 'utf-8', 0],
    ['one unit in this order', Buffer.concat([big(utf16('a'.repeat(20))), utf16('a')]), 'utf-8', 0],
    ['one plain unit of 32', utf16(` ${'日'.repeat(31)}`), 'utf-16le', 0],
    ['one of 33', utf16(` ${'日'.repeat(32)}`), 'utf-8', 0],
    ['16 units of any script', utf16(` ${'日'.repeat(15)}`), 'utf-16le', 0],
    ['15 of them', utf16(` ${'日'.repeat(14)}`), 'utf-8', 0],
    ['one of 50 that may be of the other order', utf16(`  一${'日'.repeat(47)}`), 'utf-16le', 0],
    ['one of 49', utf16(`  一${'日'.repeat(46)}`), 'utf-8', 0],
    ['bytes of ASCII, mostly letters', utf16(` ${'あ'.repeat(17)}${'中'.repeat(14)}`), 'utf-16le', 0],
    ['bytes of ASCII, half of them letters', utf16(` ${'あ'.repeat(16)}${'中'.repeat(15)}`), 'utf-8', 0],
    ['the controls of a text', utf16('\t\n\v\f\r '), 'utf-16le', 0],
    ['a control below those', utf16('\b'.repeat(4)), 'utf-8', 0],
    ['a control above those', utf16('\x0e'.repeat(4)), 'utf-8', 0],
    ['the last control', utf16('\x1f'.repeat(4)), 'utf-8', 0],
    ['DEL', utf16('\x7f'.repeat(4)), 'utf-8', 0],
  ] as const)('%s', (_, head, name, bom) => {
    expect(detectEncoding(head)).toStrictEqual(unicodeEncoding(name, bom));
  });

  test('of UTF-16 without a mark no declaration is read', () => {
    const declared = utf16('<?xml version="1.0" encoding="windows-1251"?>');
    expect(storedEncoding(declared)).toStrictEqual(unicodeEncoding('utf-16le'));
  });

  test('a mark decides, and without one a declaration', () => {
    const declared = '# -*- coding: koi8-r -*-\n';
    expect(storedEncoding(Buffer.from(`\ufeff${declared}`))).toStrictEqual(unicodeEncoding('utf-8', 3));
    expect(storedEncoding(Buffer.from(declared))).toStrictEqual(
      encodingNamed('koi8-r', 'declared', Buffer.alloc(0)),
    );
    expect(storedEncoding(Buffer.from('# nothing is declared\n'))).toStrictEqual(utf8);
  });
});

describe('by name', () => {
  test('a legacy encoding has units of one byte', () => {
    const { scanner, ...named } = encodingNamed('latin1', 'told', Buffer.from('\ufeff')) ?? {};
    expect(named).toStrictEqual({ name: 'windows-1252', bom: 0, unit: 1, legacy: true, known: 'told' });
    expect(scanner?.count(Buffer.from('a\nb\n'))).toBe(2);
  });

  test.each([
    ['utf-8', Buffer.from('\ufeffx'), 3],
    ['utf-8', Buffer.from('x'), 0],
    ['utf-8', Buffer.of(0xef, 0x41, 0x42), 0],
    ['utf-16', utf16('\ufeffx'), 2],
    ['utf-16', big(utf16('\ufeffx')), 0],
    ['utf-16be', big(utf16('\ufeffx')), 2],
    ['utf-16be', utf16('\ufeffx'), 0],
  ] as const)('%s with the mark of that encoding, if any', (label, head, bom) => {
    const name = label === 'utf-16' ? 'utf-16le' : label;
    expect(encodingNamed(label, 'guessed', head)).toStrictEqual({
      ...unicodeEncoding(name, bom),
      known: 'guessed',
    });
  });

  test('an unknown name', () => {
    expect(encodingNamed('klingon', 'told', Buffer.alloc(0))).toBeUndefined();
  });
});

describe('decoding', () => {
  const units32 = (...codes: number[]): Buffer => Buffer.from(Uint32Array.from(codes).buffer);
  const whole = 'a é € \ufffd 😀\n';

  test.each([
    ['utf-8', Buffer.from(whole)],
    ['utf-16le', utf16(whole)],
    ['utf-16be', big(utf16(whole))],
    ['utf-32le', units32(...Array.from(whole, (one) => one.codePointAt(0) as number))],
    ['utf-32be', units32(...Array.from(whole, (one) => one.codePointAt(0) as number)).swap32()],
  ] as const)('%s; a stored U+FFFD is valid', (name, bytes) => {
    expect(decode(bytes, unicodeEncoding(name))).toStrictEqual({ text: whole, invalid: 0 });
    // A view that does not begin at the start of its memory, and that is not a Buffer.
    const memory = new Uint8Array(bytes.length + 4);
    memory.set(bytes, 4);
    expect(decode(memory.subarray(4), unicodeEncoding(name))).toStrictEqual({ text: whole, invalid: 0 });
  });

  test.each<[string, UnicodeName, Uint8Array, string, number]>([
    ['a byte of no sequence', 'utf-8', Buffer.of(0x61, 0xff, 0x62), 'a\ufffdb', 1],
    ['two beside two stored', 'utf-8', Buffer.from('efbfbdffefbfbdff', 'hex'), '\ufffd'.repeat(4), 2],
    ['half a pair', 'utf-16le', Buffer.from('61003dd86200', 'hex'), 'a\ufffdb', 1],
    ['two halves in the wrong order', 'utf-16le', Buffer.from('00de3dd8', 'hex'), '\ufffd\ufffd', 2],
    ['a last unit that is cut', 'utf-16le', Buffer.from('610062', 'hex'), 'a\ufffd', 1],
    ['half a pair before it', 'utf-16le', Buffer.from('3dd862', 'hex'), '\ufffd\ufffd', 2],
    ['a last unit that is cut', 'utf-16be', Buffer.from('006162', 'hex'), 'a\ufffd', 1],
    ['a last unit that is cut', 'utf-32le', Buffer.from('610000006200', 'hex'), 'a\ufffd', 1],
    ['a surrogate', 'utf-32le', units32(0xd7ff, 0xd800, 0xdfff, 0xe000), '\ud7ff\ufffd\ufffd\ue000', 2],
    ['NUL, which is valid,', 'utf-32le', units32(0x61, 0, 0x62), 'a\0b', 0],
    ['beyond Unicode', 'utf-32le', units32(0x10ffff, 0x110000), '\u{10ffff}\ufffd', 1],
  ])('%s in %s', (_, name, bytes, text, invalid) => {
    expect(decode(bytes, unicodeEncoding(name))).toStrictEqual({ text, invalid });
  });

  test('invalid sequences of a legacy encoding', () => {
    const named = encodingNamed('shift_jis', 'told', Buffer.alloc(0)) ?? utf8;
    expect(decode(Buffer.from('8abf61ff62ff', 'hex'), named)).toStrictEqual({
      text: '漢a\ufffdb\ufffd',
      invalid: 2,
    });
  });
});

describe('sequences', () => {
  test.each([
    ['ASCII', [0x41, 0x80], 1, 1],
    ['two bytes', [0xc3, 0xa9, 0x41], 2, 2],
    ['three bytes', [0xe2, 0x82, 0xac], 3, 3],
    ['four bytes', [0xf0, 0x9f, 0x98, 0x80], 4, 4],
    ['a continuation alone', [0x80, 0x80], 0, 1],
    ['an overlong slash', [0xc0, 0xaf], 0, 1],
    ['a surrogate', [0xed, 0xa0, 0x80], 0, 1],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], 0, 1],
    ['the last code point', [0xf4, 0x8f, 0xbf, 0xbf], 4, 4],
    ['a lead byte of no sequence', [0xf5, 0x80, 0x80, 0x80], 0, 1],
    ['the last code point before the surrogates', [0xed, 0x9f, 0xbf], 3, 3],
    ['the first of three bytes', [0xe0, 0xa0, 0x80], 3, 3],
    ['overlong in three bytes', [0xe0, 0x9f, 0xbf], 0, 1],
    ['the first of four bytes', [0xf0, 0x90, 0x80, 0x80], 4, 4],
    ['overlong in four bytes', [0xf0, 0x8f, 0xbf, 0xbf], 0, 1],
    ['cut after two of three', [0xe2, 0x82], 0, 2],
    ['cut after three of four', [0xf0, 0x9f, 0x98, 0x41], 0, 3],
    ['nothing', [], 0, 1],
  ])('%s', (_, bytes, valid, length) => {
    expect(validSequence(Uint8Array.from(bytes), 0)).toBe(valid);
    expect(sequenceLength(Uint8Array.from(bytes), 0)).toBe(length);
  });

  test('walking by them says what Node says of the whole', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        let step = 1;
        for (let at = 0; at < bytes.length && step > 0; at += step) step = validSequence(bytes, at);
        expect(step > 0).toBe(isUtf8(bytes));
      }),
    );
  });
});

describe('names that need not be UTF-8', () => {
  const raw = (byte: number): string => String.fromCharCode(0xdc00 + byte);
  const bytes = (...parts: (string | number)[]): Uint8Array =>
    Uint8Array.from(
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part)))),
    );

  test.each([
    ['a name', bytes('\ufeffcafé 😀'), '\ufeffcafé 😀'],
    ['one byte between others', bytes('a', 0xff, 'é'), `a${raw(0xff)}é`],
    ['a character that is cut', bytes('a', 0xe2, 0x82), `a${raw(0xe2)}${raw(0x82)}`],
    ['half of a pair', bytes(0xed, 0xa0, 0x80, 'z'), `${raw(0xed)}${raw(0xa0)}${raw(0x80)}z`],
    ['nothing', bytes(), ''],
  ])('%s', (_, stored, text) => {
    expect(decodeText(stored)).toBe(text);
    expect(encodeText(text)).toEqual(stored);
  });

  test('very many of them', () => {
    const stored = bytes(...Array<number>(10_001).fill(0x80), 'end');
    expect(encodeText(decodeText(stored))).toEqual(stored);
  });

  test('halves that stand for no byte are no bytes', () => {
    expect(Buffer.from(encodeText(`\ud800a${raw(0x80)}`))).toEqual(Buffer.of(0xef, 0xbf, 0xbd, 0x61, 0x80));
  });

  test.each([
    [bytes('abc'), 3],
    [bytes('é'), 2],
    [bytes('a', 0xc3), 1],
    [bytes('a', 0xe2, 0x82), 1],
    [bytes('€'), 3],
    [bytes('a', 0xf0, 0x9f, 0x98), 1],
    [bytes('😀'), 4],
    [bytes(0x80, 0x80, 0x80, 0x80), 4],
    [bytes('a', 0xdf), 1],
    [bytes('a', 0xe0, 0xa0), 1],
    [bytes('a', 0xef, 0xbf), 1],
    [bytes(), 0],
  ])('%j ends at %d', (stored, end) => {
    expect(lastBoundary(stored)).toBe(end);
    expect(decodeText(stored, true)).toBe(decodeText(stored.subarray(0, end)));
  });
});

test('a text with few control characters is nearly one', () => {
  const near = (text: string | Uint8Array): boolean => isNearlyText(Buffer.from(text));
  expect(near('nine more\0')).toBe(true);
  expect(near('eight mo\0')).toBe(false);
  expect(near('no control')).toBe(false);
  // These are those of a text.
  expect(near('\x07\b\t\n\v\f\r\x1b 1\0')).toBe(true);
  expect(near('\x06 234567890\0')).toBe(false);
  expect(near('\x0e 234567890\0')).toBe(false);
  expect(near(Buffer.from('nine \xffmore\0', 'latin1'))).toBe(false);
});
