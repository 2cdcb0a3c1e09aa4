import { describe, expect, test } from 'vitest';
import {
  everything,
  FORMS,
  isSelection,
  isSelector,
  notASelector,
  parseBehind,
  parseSelection,
  writeSelector,
} from '../../src/selector/selection.ts';
import { parseItem } from '../../src/selector/parse-window.ts';
import type { Next, Window, SelectionMode } from '../../src/types/excerpt.ts';

const MOST = Number.MAX_SAFE_INTEGER;

type Ranges = Extract<Window, { kind: 'lines' }>['ranges'];

const lines = (...ranges: Ranges): Window => ({ kind: 'lines', ranges, context: true });
const exactly = (...ranges: Ranges): Window => ({ kind: 'lines', ranges, context: false });

const WINDOWS: readonly (readonly [string, Window])[] = [
  ['50', lines({ from: 50 })],
  ['L50', lines({ from: 50 })],
  ['l50', lines({ from: 50 })],
  ['50-', lines({ from: 50 })],
  ['50..', exactly({ from: 50 })],
  ['50-100', lines({ from: 50, to: 100 })],
  ['L50-L100', lines({ from: 50, to: 100 })],
  ['50-50', lines({ from: 50, to: 50 })],
  ['50..100', exactly({ from: 50, to: 100 })],
  ['50..L100', exactly({ from: 50, to: 100 })],
  ['50+20', lines({ from: 50, to: 69 })],
  ['50+L20', lines({ from: 50, to: 69 })],
  ['5+3,20', lines({ from: 5, to: 7 }, { from: 20, to: 20 })],
  ['1+1', lines({ from: 1, to: 1 })],
  ['5-16,40-80', lines({ from: 5, to: 16 }, { from: 40, to: 80 })],
  ['5..16,40..80', exactly({ from: 5, to: 16 }, { from: 40, to: 80 })],
  // Context is left out only where every range is exact.
  ['5..16,40-80', lines({ from: 5, to: 16 }, { from: 40, to: 80 })],
  // A number in a list is one line.
  ['7,9', lines({ from: 7, to: 7 }, { from: 9, to: 9 })],
  // Sorted; what overlaps or touches is one.
  ['40-80,5-16', lines({ from: 5, to: 16 }, { from: 40, to: 80 })],
  ['5-16,10-20', lines({ from: 5, to: 20 })],
  ['5-16,17-20', lines({ from: 5, to: 20 })],
  ['5-16,18-20', lines({ from: 5, to: 16 }, { from: 18, to: 20 })],
  ['5-50,10-20', lines({ from: 5, to: 50 })],
  ['5..,10-20', lines({ from: 5 })],
  ['5-16,10..', lines({ from: 5 })],
  ['1-2,5..,9-10', lines({ from: 1, to: 2 }, { from: 5 })],
  // Blanks are no part of it.
  [' 5 , 7 ', lines({ from: 5, to: 5 }, { from: 7, to: 7 })],
  // One place, of a compiler or a search, is shown with the lines around it.
  ['120:5', { ...exactly({ from: 110, to: 160 }), around: 120 } as Window],
  ['120:', { ...exactly({ from: 110, to: 160 }), around: 120 } as Window],
  ['3:5:', { ...exactly({ from: 1, to: 43 }), around: 3 } as Window],
  // Where a cut inside of a line goes on.
  ['2@51170..', { ...exactly({ from: 2 }), inside: 51_170 } as Window],
  ['2@51170..2', { ...exactly({ from: 2, to: 2 }), inside: 51_170 } as Window],
  ['2@51170..2,7..9', { ...exactly({ from: 2, to: 2 }, { from: 7, to: 9 }), inside: 51_170 } as Window],
  ['-20', { kind: 'tail', lines: 20 }],
  ['-20@4096', { kind: 'tail', lines: 20, before: 4096 }],
  ['-20@0', { kind: 'tail', lines: 20, before: 0 }],
  ['@0', { kind: 'bytes', start: 0 }],
  ['@65536+64K', { kind: 'bytes', start: 65_536, length: 65_536 }],
  ['@65536+64k', { kind: 'bytes', start: 65_536, length: 65_536 }],
  ['@1+2M', { kind: 'bytes', start: 1, length: 2 << 20 }],
  ['@1+7', { kind: 'bytes', start: 1, length: 7 }],
  // Larger numbers than can be told apart.
  ['99999999999999999999', lines({ from: MOST })],
  ['5-99999999999999999999', lines({ from: 5, to: MOST })],
  ['9007199254740991+5', lines({ from: MOST, to: MOST })],
  ['@99999999999999999999', { kind: 'bytes', start: MOST }],
  ['-99999999999999999999', { kind: 'tail', lines: MOST }],
];

describe('windows', () => {
  test.each(WINDOWS)('%s', (text, window) => {
    expect(parseSelection(text)?.window).toEqual(window);
    expect(isSelector(text)).toBe(true);
  });
});

test('what was typed is kept as notices write it', () => {
  expect(parseSelection(' 5 , 7 ')?.typed).toBe('5,7');
  expect(parseSelection('120:5')?.typed).toBe('110..160');
  expect(parseSelection('@0+64k')?.typed).toBe('@0+64K');
  expect(parseSelection('@0+1m')?.typed).toBe('@0+1M');
  expect(parseSelection('RAW')?.typed).toBe('raw');
  expect(parseSelection('5-9:RAW')?.typed).toBe('5-9:raw');
});

describe('modes', () => {
  test.each(['raw', 'conflicts', 'outline', 'outputs', 'meta'])('%s', (mode) => {
    expect(parseSelection(mode)).toEqual({ mode, typed: mode });
    expect(parseSelection(mode.toUpperCase())).toEqual({ mode, typed: mode });
    const window = exactly({ from: 5, to: 9 });
    expect(parseSelection(`5-9:${mode}`)).toEqual({ window, mode, typed: `5-9:${mode}` });
    expect(parseSelection(`${mode}:5-9`)).toEqual({ window, mode, typed: `${mode}:5-9` });
  });

  test('windows that are not by lines have no context', () => {
    expect(parseSelection('-5:raw')?.window).toEqual({ kind: 'tail', lines: 5 });
    expect(parseSelection('raw:@1+2')?.window).toEqual({ kind: 'bytes', start: 1, length: 2 });
  });
});

describe('symbols', () => {
  test.each([
    ['#a', { symbol: 'a', typed: '#a' }],
    ['#Server.start', { symbol: 'Server.start', typed: '#Server.start' }],
    ['#Server.start:outline', { symbol: 'Server.start', mode: 'outline', typed: '#Server.start:outline' }],
    ['#a:raw', { symbol: 'a', mode: 'raw', typed: '#a:raw' }],
    ['#a:raws', { symbol: 'a:raws', typed: '#a:raws' }],
    ['#a,#b,120..140', { symbol: 'a,#b,120..140', typed: '#a,#b,120..140' }],
    ['-5,#a', { symbol: '-5,#a', typed: '-5,#a' }],
    ['5-9,#a', { symbol: '5-9,#a', typed: '5-9,#a' }],
    ['L5.., #a', { symbol: 'L5.., #a', typed: 'L5.., #a' }],
    ['5+2,7,#a', { symbol: '5+2,7,#a', typed: '5+2,7,#a' }],
    ['#a,b.c:d', { symbol: 'a,b.c:d', typed: '#a,b.c:d' }],
    // A name with a colon of its own is none of another path.
    ['#a,std:#b', { symbol: 'a,std:#b', typed: '#a,std:#b' }],
  ])('%s', (text, selection) => {
    expect(parseSelection(text)).toEqual(selection);
  });

  test.each(['#a,src/b.ts:#c', '#a,b.ts:#c', '#a,b/c:#d', '#a,#b,c.ts:#d'])(
    '%s is a list of paths',
    (text) => {
      expect(parseSelection(text)).toBeUndefined();
    },
  );

  test('a dot after the number sign is a member’s dot', () => {
    expect(parseSelection('#a,b#c.d')?.symbol).toBe('a,b#c.d');
    expect(parseSelection('#a.b,c')?.symbol).toBe('a.b,c');
  });
});

describe('encodings', () => {
  test.each([
    ['encoding=shift_jis', { encoding: 'shift_jis' }],
    ['ENCODING=Latin1', { encoding: 'windows-1252' }],
    ['encoding=gbk:raw', { encoding: 'gbk', mode: 'raw', typed: 'raw' }],
    ['5..9:encoding=gbk', { encoding: 'gbk', window: exactly({ from: 5, to: 9 }), typed: '5..9' }],
    ['raw:encoding=gbk:5', { encoding: 'gbk', window: exactly({ from: 5 }), mode: 'raw', typed: 'raw:5' }],
  ])('%s', (text, selection) => {
    expect(parseSelection(text)).toEqual(selection);
  });

  test('together with an invalid selector it is invalid', () => {
    expect(parseSelection('encoding=gbk:chapter')).toBeUndefined();
  });
});

describe('what is no selector', () => {
  test.each([
    '',
    ...(
      'chapter rawx raw:raw:raw raw:chapter chapter:raw chapter:5 5:raw:6 5x x5 5-6-7 5.6 5...6 5, ' +
      ',5 5,chapter - -x --5 x-5 -5x -5@ @ @x x@5 @5+ @5+64G @5+64Kx 1e9 +5 # 2@5 2@5-9'
    ).split(' '),
    // Only the first range may begin inside of a line.
    '1..2,7@5..9',
    '\u0661',
    '5:6:7:8',
    '5-9:chapter',
    'xencoding=gbk',
    'x120:5',
  ])('%j', (text) => {
    expect(parseSelection(text)).toBeUndefined();
    expect(isSelector(text)).toBe(false);
  });

  test('a text longer than any selector belongs to the name', () => {
    const list = Array.from({ length: 4_096 }, () => '7').join(',');
    expect(parseSelection(`${list},`)).toBeUndefined();
    expect(parseSelection(list)?.window).toEqual(lines({ from: 7, to: 7 }));
    expect(parseSelection(`#${'a'.repeat(8_191)}`)?.symbol).toHaveLength(8_191);
    expect(parseSelection(`#${'a'.repeat(8_192)}`)).toBeUndefined();
  });
});

describe('what has the shape of a selector and no meaning', () => {
  test.each([
    ['0', 'Line selector 0 is invalid; lines are 1-indexed. Use :1.', ':1'],
    ['0-5', 'Line selector 0 is invalid; lines are 1-indexed. Use :1.', ':1'],
    ['9-5', 'The selector :9-5 is invalid: the range ends before it starts. Use :5-9.', ':5-9'],
    ['9-0', 'The selector :9-0 is invalid: the range ends before it starts. Use :1-9.', ':1-9'],
    ['9..5', 'The selector :9..5 is invalid: the range ends before it starts. Use :5..9.', ':5..9'],
    ['5+0', 'The selector :5+0 is invalid: a range holds at least one line. Use :5+1.', ':5+1'],
    [
      '1-2,5+0,0,9..7',
      'The selector :1-2,5+0,0,9..7 is invalid: a range holds at least one line. Use :1-2,5+1,1,7..9.',
      ':1-2,5+1,1,7..9',
    ],
    [
      'outline:9-5',
      'The selector :9-5 is invalid: the range ends before it starts. Use :5-9:outline.',
      ':5-9:outline',
    ],
    ['5+1,7-9,9-9,0', 'Line selector 0 is invalid; lines are 1-indexed. Use :1.', ':5+1,7-9,9-9,1'],
    ['raw:0', 'Line selector 0 is invalid; lines are 1-indexed. Use :1.', ':1:raw'],
    [
      '9-5:raw:encoding=gbk',
      'The selector :9-5 is invalid: the range ends before it starts. Use :5-9:raw:encoding=gbk.',
      ':5-9:raw:encoding=gbk',
    ],
    ['-0', 'The selector :-0 is invalid: the number of last lines starts at 1. Use :-20.', ':-20'],
    [
      '@5+0',
      'The selector :@5+0 is invalid: the length of a byte window is 1 byte to 256K. Use :@5+64K.',
      ':@5+64K',
    ],
    [
      '@1234567890123456789+99999999999999999999',
      'The selector :@1234567890123456789+99999999999999999999 is invalid: the length of a byte window is 1 byte to 256K. Use :@123456789012345+64K.',
      ':@123456789012345+64K',
    ],
    [
      '5:encoding=klingon',
      'The selector :5:encoding=klingon is invalid: the names are those of the WHATWG, such as shift_jis, gbk, windows-1252 or utf-16le. Use :5:encoding=utf-8.',
      ':5:encoding=utf-8',
    ],
    [
      'raw:encoding=klingon',
      'The selector :raw:encoding=klingon is invalid: the names are those of the WHATWG, such as shift_jis, gbk, windows-1252 or utf-16le. Use :raw:encoding=utf-8.',
      ':raw:encoding=utf-8',
    ],
    [
      'encoding=klingon:#one',
      'The selector :encoding=klingon:#one is invalid: the names are those of the WHATWG, such as shift_jis, gbk, windows-1252 or utf-16le. Use :encoding=utf-8.',
      ':encoding=utf-8',
    ],
    [
      'encoding=klingon:2:3:2',
      'The selector :encoding=klingon:2:3:2 is invalid: the names are those of the WHATWG, such as shift_jis, gbk, windows-1252 or utf-16le. Use :encoding=utf-8.',
      ':encoding=utf-8',
    ],
  ])('%s', (text, message, next) => {
    expect(() => parseSelection(text)).toThrow(
      expect.objectContaining({ code: 'BAD_SELECTOR', message, next }),
    );
    expect(isSelector(text)).toBe(true);
    // The call has the path in front.
    const behind = message.startsWith('The selector ') ? message.replace('Use :', 'Use src/a.ts:') : message;
    expect(() => parseBehind('src/a.ts', text)).toThrow(
      expect.objectContaining({ code: 'BAD_SELECTOR', message: behind, next: `src/a.ts${next}` }),
    );
  });

  test('names stay in a list with a mended range', () => {
    for (const list of ['#a, 9-5', '#a , 9-5 '])
      expect(() => parseItem('9-5', list)).toThrow(expect.objectContaining({ next: ':#a,5-9' }));
  });

  test('other selectors after a path keep their meaning', () => {
    expect(parseBehind('a.ts', '5..9')).toEqual(parseSelection('5..9'));
    expect(parseBehind('a.ts', 'chapter')).toBeUndefined();
    expect(['5..9', '9-5', 'chapter', ''].map(isSelection)).toEqual([true, false, false, false]);
  });
});

describe('as notices write them', () => {
  test.each<[Next, SelectionMode | undefined, string]>([
    [{ kind: 'lines', ranges: [{ from: 641 }] }, undefined, ':641..'],
    [{ kind: 'lines', ranges: [{ from: 641, to: 700 }] }, 'raw', ':641..700:raw'],
    [
      { kind: 'lines', ranges: [{ from: 2 }, { from: 7, to: 9 }], inside: 51_170 },
      undefined,
      ':2@51170..,7..9',
    ],
    [{ kind: 'lines', ranges: [{ from: 2 }], inside: 0 }, undefined, ':2@0..'],
    [{ kind: 'bytes', start: 65_591 }, undefined, ':@65591+64K'],
    [{ kind: 'bytes', start: 0, length: 2 << 20 }, undefined, ':@0+2M'],
    [{ kind: 'bytes', start: 0, length: 1025 }, 'raw', ':@0+1025:raw'],
    [{ kind: 'bytes', start: 0, length: 3 << 10 }, undefined, ':@0+3K'],
    [{ kind: 'tail', lines: 20, before: 4096 }, undefined, ':-20@4096'],
  ])('%j %s', (next, mode, written) => {
    expect(writeSelector(next, mode)).toBe(written);
    expect(parseSelection(written.slice(1))).toBeDefined();
  });
});

test('what is no selector of a path names the nearest one', () => {
  const forms = 'lines (:50-100), :raw or :outline';
  expect(notASelector('src/f', 'outlin', forms)).toMatchObject({
    code: 'BAD_SELECTOR',
    message: `:outlin is not a selector of src/f. Use src/f alone, or followed by ${forms}. Did you mean src/f:outline?`,
    next: 'src/f:outline',
  });
  expect(notASelector('src/f', '?x', forms)).toMatchObject({
    message: `?x is not a selector of src/f. Use src/f alone, or followed by ${forms}.`,
    next: 'src/f',
  });
  expect(notASelector('src/f', 'outlin', 'lines (:50-100)')).toMatchObject({ next: 'src/f' });
});

test('every form that an error names is one', () => {
  const forms = FORMS.split(', and')[0]?.split(' ') ?? [];
  expect(forms).toHaveLength(14);
  for (const form of forms.filter((one) => one !== ':encoding=NAME'))
    expect(parseSelection(form.slice(1)), form).toBeDefined();
  expect(parseSelection('encoding=gbk')).toEqual({ encoding: 'gbk' });
  expect(everything).toEqual({});
});
