/** What fits into an answer, at the limits exactly. */

import { describe, expect, test } from 'vitest';
import { unicodeEncoding, utf8 } from '../../src/text/encoding.ts';
import type { LineDisplay, Line, Limits } from '../../src/types/excerpt.ts';
import {
  AnswerBudget,
  cutPolicy,
  type AnswerFit,
  fitOf,
  holdFor,
  isOversized,
  limitsWith,
  sliceOf,
  windowBudget,
} from '../../src/text/limits.ts';
import { plainFit, wide } from '../support/windows.ts';

test('what is no limit names those that are', () => {
  const given = (limits: object) => () => limitsWith(wide, limits);
  expect(given({ byte: 1 })).toThrow(
    /^There is no limit byte\. Use one of .*bytes.*\. Did you mean bytes\?$/,
  );
  expect(given({ unit: 'words' })).toThrow("The limit unit is 'bytes' or 'characters'.");
  expect(limitsWith(wide, { lines: 7 })).toMatchObject({ lines: 7, bytes: wide.bytes });
});

const utf16 = unicodeEncoding('utf-16le');
const lineOf = (text: string): Line => ({ no: 1, start: 0, end: text.length, text, role: 'asked' });
const inFour: Partial<AnswerFit> = { tokens: (text) => text.length / 4 };

describe('a budget', () => {
  const budget = (limits: Partial<Limits>, over: Partial<AnswerFit> = {}): AnswerBudget => {
    const fit = plainFit(limits, over);
    return new AnswerBudget(fit, fit.limits);
  };

  test('of lines of any kind: gaps and context count too', () => {
    const left = budget({ lines: 9, answerLines: 4 });
    left.takeGap();
    expect([left.lines, left.takeContext(lineOf('a')), left.lines]).toEqual([3, true, 2]);
    expect([left.take(lineOf('b')), left.lines]).toEqual([undefined, 1]);
    expect([left.takeContext(lineOf('c')), left.lines]).toEqual([true, 0]);
    expect([left.takeContext(lineOf('d')), left.take(lineOf('e'))]).toEqual([false, 'lines']);
  });

  test('of requested lines: context does not count', () => {
    const left = budget({ lines: 1 });
    expect(left.takeContext(lineOf('a'))).toBe(true);
    expect([left.take(lineOf('b')), left.take(lineOf('c'))]).toEqual([undefined, 'lines']);
    expect(left.takeContext(lineOf('d'))).toBe(true);
  });

  test('of bytes: what does not fit costs nothing', () => {
    const left = budget({ bytes: 6 });
    expect([left.take(lineOf('aaaa')), left.take(lineOf('bbb'))]).toEqual([undefined, 'bytes']);
    expect([left.takeContext(lineOf('ccc')), left.takeContext(lineOf('d'))]).toEqual([false, true]);
    expect([left.take(lineOf('e')), left.take(lineOf('f'))]).toEqual([undefined, 'bytes']);
  });

  test('of tokens: what does not fit costs nothing', () => {
    const left = budget({ tokens: 6 }, { tokens: (text) => text.length });
    expect([left.take(lineOf('aaaa')), left.take(lineOf('bbb'))]).toEqual([undefined, 'tokens']);
    expect([left.takeContext(lineOf('ccc')), left.takeContext(lineOf('d'))]).toEqual([false, true]);
    expect([left.take(lineOf('e')), left.take(lineOf('f'))]).toEqual([undefined, 'tokens']);
  });

  test('one to four bytes of a prefix are a token', () => {
    const withPrefix = (bytes: number): Partial<AnswerFit> => ({
      tokens: (text) => text.length,
      cost: (line) => line.text.length + bytes,
    });
    const spent = (prefix: number): number => {
      let count = 0;
      const left = budget({ tokens: 60 }, withPrefix(prefix));
      while (left.take(lineOf('ab')) === undefined) count += 1;
      return count;
    };
    // 60 tokens in lines of 2, 3, 3, 4 and, where a display leaves the line end out, 2.
    expect([0, 1, 4, 5, -1].map(spent)).toEqual([30, 20, 20, 15, 30]);
  });

  test('without a token limit the host’s counter is not called', () => {
    const tokens = (): number => {
      throw new Error('called');
    };
    const left = budget({}, { tokens });
    left.charge(lineOf('a'));
    expect([left.take(lineOf('b')), left.takeContext(lineOf('c'))]).toEqual([undefined, true]);
  });

  test('the last row, byte and token can be used', () => {
    const limits = { answerLines: 1, bytes: 3, tokens: 3 };
    const each: Partial<AnswerFit> = { tokens: (text) => text.length };
    expect(budget(limits, each).take(lineOf('abc'))).toBeUndefined();
    expect(budget(limits, each).takeContext(lineOf('abc'))).toBe(true);
  });

  test('after a line that exceeds it nothing else fits', () => {
    const bytes = budget({ bytes: 6 });
    bytes.charge(lineOf('aaaaaaaa'));
    expect([bytes.take(lineOf('')), bytes.takeContext(lineOf('')), bytes.lines]).toEqual([
      'bytes',
      false,
      2999,
    ]);
    const tokens = budget({ tokens: 6 }, { tokens: (text) => text.length });
    tokens.charge(lineOf('aaaaaaaa'));
    expect([tokens.take(lineOf('')), tokens.takeContext(lineOf(''))]).toEqual(['tokens', false]);
  });
});

describe('oversized', () => {
  const stored = (text: string): { bytes: Uint8Array; length: number } => {
    const bytes = Buffer.from(text);
    return { bytes, length: bytes.length };
  };
  const most = (fit: AnswerFit, unit = 'x', end = ''): number => {
    let length = 0;
    while (!isOversized(stored(unit.repeat(length + 1) + end), utf8, fit)) length += 1;
    return length;
  };

  test.each<[string, Partial<Limits>, Partial<AnswerFit>, number]>([
    ['bytes of an answer', { bytes: 100 }, {}, 100],
    ['bytes of a line', { line: 90 }, {}, 90],
    ['bytes of a byte window', { windowMax: 80 }, {}, 80],
    ['tokens', { tokens: 25 }, { tokens: (text) => text.length / 3 }, 75],
    ['four bytes a token, whatever the counter says', { tokens: 25 }, { tokens: () => 0 }, 100],
    ['bytes beside the prefix', { bytes: 100 }, { prefix: 12 }, 88],
    ['tokens beside the prefix', { tokens: 25 }, { prefix: 12, tokens: (text) => text.length / 3 }, 66],
    ['bytes as shown', { bytes: 100 }, { shown: (text) => 2 * text.length }, 50],
  ])('by %s', (_, limits, over, length) => {
    expect(most(plainFit(limits, over))).toBe(length);
  });

  test('the line end is free where lines count without it', () => {
    expect(most(plainFit({ bytes: 100 }), 'x', '\n')).toBe(99);
    expect(most(plainFit({ bytes: 100 }, { bareLines: true }), 'x', '\n')).toBe(100);
    expect(most(plainFit({ bytes: 100 }, { bareLines: true }))).toBe(100);
  });

  test('by stored bytes, although the text has fewer', () => {
    const bytes = Buffer.from('x'.repeat(41), 'utf16le');
    const fit = plainFit({ bytes: 100, windowMax: 81 });
    expect(isOversized({ bytes, length: 82 }, utf16, fit)).toBe(true);
    expect(isOversized({ bytes: bytes.subarray(2), length: 80 }, utf16, fit)).toBe(false);
  });

  test('a short line is not even decoded', () => {
    const shown = (): number => {
      throw new Error('shown');
    };
    const fit = plainFit({ bytes: 80 }, { shown });
    expect(isOversized(stored('x'.repeat(10)), utf8, fit)).toBe(false);
    expect(() => isOversized(stored('x'.repeat(11)), utf8, fit)).toThrow('shown');
    const counted = plainFit({ bytes: 80, tokens: 40 }, { shown });
    expect(isOversized(stored('x'.repeat(5)), utf8, counted)).toBe(false);
    expect(() => isOversized(stored('x'.repeat(6)), utf8, counted)).toThrow('shown');
  });
});

test.each<[string, Partial<Limits>, Partial<AnswerFit>, number, number]>([
  ['the smaller of both limits', { bytes: 100, line: 90 }, {}, 90 + 256, 180 + 256],
  ['the same the other way round', { bytes: 90, line: 100 }, {}, 90 + 256, 180 + 256],
  ['a clipped line', { bytes: 100 }, { longLine: { kind: 'clip', at: 500, unit: 'char' } }, 2032, 2032],
])('so much of a line is held: %s', (_, limits, over, narrow, broad) => {
  const fit = plainFit(limits, over);
  expect([holdFor(fit, utf8), holdFor(fit, utf16)]).toEqual([narrow, broad]);
});

test('a byte window’s slice is bounded by window and tokens', () => {
  expect(windowBudget(plainFit({ windowMax: 100 }))).toBe(100);
  expect(windowBudget(plainFit({ windowMax: 100, tokens: 20 }, { prefix: 8 }))).toBe(72);
});

describe('a slice', () => {
  const bytes = Buffer.from('0123456789'.repeat(10));
  const slice = (
    from: 'head' | 'tail',
    limits: Partial<Limits>,
    over: Partial<AnswerFit> = {},
    room?: number,
  ): string => Buffer.from(sliceOf(bytes, utf8, plainFit(limits, over), from, room)).toString();

  test('is the head or the tail that fits', () => {
    expect(slice('head', { bytes: 12 })).toBe('012345678901');
    expect(slice('tail', { bytes: 12 })).toBe('890123456789');
    expect(slice('head', { bytes: 12 }, {}, 5)).toBe('01234');
    expect(slice('tail', {})).toBe('0123456789'.repeat(10));
  });

  test('is halved until its tokens fit, down to eight bytes', () => {
    // 4 × 10 bytes are 40 tokens of a letter each, then 20, then 10.
    expect(slice('head', { tokens: 10 }, { tokens: (text) => text.length })).toBe('0123456789');
    expect(slice('tail', { tokens: 10 }, { tokens: (text) => text.length })).toBe('0123456789');
    expect(slice('head', { tokens: 5 }, { tokens: (text) => text.length })).toBe('01234');
    expect(slice('head', { tokens: 4 }, { tokens: () => 99 })).toBe('01234567');
    expect(slice('head', { tokens: 10 }, { ...inFour, prefix: 8 })).toBe('01234567890123456789012345678901');
  });

  test('has one character at least', () => {
    expect(slice('head', { bytes: 0 })).toBe('0');
    expect(slice('tail', { bytes: 0 })).toBe('9');
  });
});

describe('the fit of a dialect', () => {
  const display: LineDisplay = {
    show: (line) => `* ${line.text}`,
    text: (text) => `${text}!`,
  };
  const line = lineOf('é\n');

  test('measures what its display shows', () => {
    const fit = fitOf(cutPolicy, display, wide);
    expect(fit).toMatchObject({ limits: wide, prefix: 0, overflow: 'cut', longLine: { kind: 'slice' } });
    expect(fit.bareLines).toBeUndefined();
    expect([fit.cost(line), fit.shown('é'), fit.tokens('four')]).toEqual([5, 3, 1]);
  });

  test('takes the costs of policy, display and the host’s counter', () => {
    const costly = { ...display, prefix: 7, cost: () => 70 };
    const policy = { ...cutPolicy, bareLines: true };
    const fit = fitOf(policy, costly, wide, () => 9);
    expect([fit.prefix, fit.cost(line), fit.tokens(''), fit.bareLines]).toEqual([7, 70, 9, true]);
    expect(fitOf({ ...policy, cost: () => 700 }, costly, wide).cost(line)).toBe(700);
  });
});

test('limits of characters leave room for what they are stored in', () => {
  const base: Limits = { ...wide, bytes: 1_000, line: 500, window: 800, windowMax: 4_000 };
  const counted = limitsWith(base, { unit: 'characters', bytes: 100 });
  expect(counted).toMatchObject({ unit: 'characters', bytes: 100, line: 100, window: 300, windowMax: 300 });
  expect(limitsWith(base, { bytes: 100 })).toMatchObject({
    line: 100,
    window: 100,
    windowMax: 100,
    unit: undefined,
  });
  expect(limitsWith(base, { bytes: 9_000 })).toMatchObject({ line: 500, window: 800, windowMax: 9_000 });
  expect(limitsWith(base, { bytes: 2_000 })).toMatchObject({ window: 800, windowMax: 4_000 });
  const given = { bytes: 100, line: 70, window: 90, windowMax: 80 };
  expect(limitsWith(base, given)).toMatchObject({ line: 70, window: 80, windowMax: 80 });
  // A dialect whose answers name bytes keeps them; others are told, or keep the unit with their own limit.
  expect(limitsWith({ ...base, unit: 'bytes' }, { unit: 'characters' }).unit).toBe('bytes');
  const characters: Limits = { ...base, unit: 'characters' };
  expect([limitsWith(characters), limitsWith(characters, { bytes: 99 })].map(({ unit }) => unit)).toEqual([
    'characters',
    undefined,
  ]);
  expect(limitsWith(characters, { unit: 'bytes' }).unit).toBeUndefined();
});

test('fewer lines are fewer lines of every answer', () => {
  const base: Limits = { ...wide, lines: 100, answerLines: 500 };
  const answerLines = (options: object): number => limitsWith(base, options).answerLines;
  expect([answerLines({ lines: 7 }), answerLines({ lines: 100 }), answerLines({ lines: 700 })]).toEqual([
    15, 500, 500,
  ]);
  expect(answerLines({ lines: 7, answerLines: 9 })).toBe(9);
});

test.each([
  ['lines', 0, 'The limit lines is at least 1.'],
  ['bytes', 63, 'The limit bytes is at least 64.'],
  ['tokens', Number.NaN, 'The limit tokens is at least 32.'],
  ['line', 63, 'The limit line is at least 64. Did you mean lines?'],
  ['countBytes', -1, 'The limit countBytes is at least 0.'],
  ['lines', '100', 'The limit lines is a number.'],
])('%s of %j are refused', (name, value, message) => {
  expect(() => limitsWith(wide, { [name]: value })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message }),
  );
});

test('characters are counted as shown, and bytes where a policy counts them', () => {
  const display: LineDisplay = { show: ({ text }) => `<${text}>`, text: (text) => `<${text}>` };
  const limits: Limits = { ...wide, unit: 'characters' };
  const fit = fitOf(cutPolicy, display, limits);
  expect([fit.cost(lineOf('é€')), fit.cost({ ...lineOf('abc'), ascii: true }), fit.shown('é€')]).toEqual([
    4, 5, 4,
  ]);
  const inBytes = fitOf(cutPolicy, display, wide);
  expect([inBytes.cost(lineOf('é€')), inBytes.shown('é€')]).toEqual([7, 7]);
  expect(fitOf({ ...cutPolicy, cost: () => 42 }, display, limits).cost(lineOf('é'))).toBe(42);
});
