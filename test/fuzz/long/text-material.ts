/** Seeds and words for whatever is read as text. */

import read from '../corpus/read.json' with { type: 'json' };

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** Texts with what is cut, decoded or hidden in a special way. */
export const seeds: readonly (string | Uint8Array)[] = [
  ...read.map((text) => Buffer.from(text, 'latin1')),
  'one\ntwo\r\nthree',
  'caf\u00e9 na\u00efve \u65e5\u672c\u8a9e \u{1f600}\u{1f468}\u200d\u{1f469}\u200d\u{1f467} e\u0301\u0301\n',
  '\u0915\u094d\u200d\u0937 \u0645\u06cc\u200c\u062e \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 1\ufe0f\u20e3 \u845b\u{e0100}',
  '\x1b[31mred\x1b[0m\r 50%\r100%\b\b\x1b[K\x1b]0;title\x07\x1b(B\n',
  '# -*- coding: shift_jis -*-\n\x82\xa0',
  '<?xml version="1.0" encoding="windows-1252"?>',
  '<meta charset=gbk>',
  Buffer.from([
    0x82, 0xa0, 0x82, 0xa2, 0x0a, 0xa4, 0xa2, 0x81, 0x30, 0x81, 0x30, 0x8e, 0xb1, 0x8f, 0xb0, 0xa1,
  ]),
  utf16('\ufeffa\u0a0a\n\ud83d\ude00\n'),
  utf16('plain utf-16 without a mark\n'),
  '{"a":[1,2.5,"\\u2028"],"b":{"c":null}}',
  '/home/a b/-x/~c=~d$e`f\'g"h\\i',
];

export const words: readonly (string | Uint8Array)[] = [
  ...'a,b, ,\t,\n,\r\n,\r,\0,\x1b[,\x1b[2K,\x1b[5C,\x1b[3D,\x1b[1G,\x1b]8;;,\x07,\b,\x7f,\x85,\xa0,%,%0A,%zz,\',",\\,$,-,~,=~'.split(
    ',',
  ),
  ...[0x80, 0xbf, 0xc3, 0xe0, 0xed, 0xf0, 0xf4, 0xff].map((byte) => Buffer.of(byte)),
  ...[
    'c3a9',
    'e282ac',
    'f09f9880',
    'eda080',
    'f4908080',
    'efbbbf',
    'fffe',
    'feff',
    'fffe0000',
    '0000feff',
    '0a00',
    '000a',
    '3dd800de',
    'd83dde00',
  ].map((hex) => Buffer.from(hex, 'hex')),
  '\u0301',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u202e',
  '\u2066',
  '\ufe0f',
  '\ufe0e',
  '\u20e3',
  '\u2800',
  '\u2801',
  '\u1039',
  '\ufffc',
  '\ufffd',
  '\u2028',
  '\u00ad',
  '\u{1f600}',
  '\u{1f3fb}',
  '\u{1f1e9}',
  '\u{1f3f4}',
  '\u{e0067}',
  '\u{e007f}',
  '\u{e0100}',
  '\u0915',
  '\u0645',
  '\u845b',
  '\u180b',
  '\u1820',
  '\u{10ffff}',
];
