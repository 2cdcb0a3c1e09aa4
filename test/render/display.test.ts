/** What a display shows and what it charges agree to the byte, or a budget lies. */

import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import {
  anchorHeader,
  displays,
  GAP,
  isHashline,
  isNumbered,
  outputDisplays,
  plain,
  raw,
  showPart,
  showParts,
} from '../../src/render/display.ts';
import type { LineDisplay, Line } from '../../src/types/excerpt.ts';
import { linesOf } from '../support/results.ts';

const { numbers, hashline } = displays;

const line = (text: string, no?: number): Line => ({
  start: 0,
  end: Buffer.byteLength(text),
  text,
  role: 'asked',
  ...(no !== undefined && { no }),
});

test.each<[string, LineDisplay, string]>([
  ['numbers', numbers, '41|a\\x1bb\n'],
  ['hashline', hashline, '41:a\\x1bb\n'],
  ['plain', plain, 'a\\x1bb\n'],
  ['raw', raw, 'a\x1bb\n'],
  ['the stream of a command', outputDisplays.stream, 'a\x1bb\n'],
])('%s', (_, display, expected) => expect(display.show(line('a\x1bb\n', 41))).toBe(expected));

test('a line that is not counted has no prefix', () => {
  expect([numbers.show(line('a\n')), hashline.show(line('a\n'))]).toStrictEqual(['a\n', 'a\n']);
});

// A terminal or a parser may stop at NUL.
test('raw text keeps everything but NUL', () => {
  expect(raw.show(line('a\0b\r\n'))).toBe('a\\x00b\r\n');
});

test('command output is shown as a terminal would leave it', () => {
  expect(outputDisplays.terminal.show(line('\x1b[31mred\x1b[0m\r\n'))).toBe('red\n');
  expect(outputDisplays.terminal.text('10%\r100%')).toBe('100%');
});

test('a line costs its shown bytes; its prefix stays bounded', { tags: 'slow' }, () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 }).map((part) => part.toWellFormed());
  const property = fc.property(text, fc.option(fc.nat(10 ** 15), { nil: undefined }), (content, no) => {
    for (const display of [numbers, hashline, plain]) {
      const one = line(content, no);
      expect(display.cost?.(one)).toBe(Buffer.byteLength(display.show(one)));
      const prefix = Buffer.byteLength(display.show(one)) - Buffer.byteLength(display.text(content));
      expect(prefix).toBeLessThanOrEqual(display.prefix ?? 0);
    }
  });
  fc.assert(property);
});

test('the cost of a printable ASCII line is the same', () => {
  for (const no of [7, 9, 10, 99, 100]) {
    const one = line('const a = 1;\n', no);
    for (const display of Object.values(displays)) {
      expect(display.cost?.({ ...one, ascii: true })).toBe(display.cost?.(one));
      expect(display.cost?.(one)).toBe(Buffer.byteLength(display.show(one)));
      expect(display.show({ ...one, ascii: true })).toBe(display.show(one));
    }
  }
});

test('an invalid byte is one character and costs one byte', () => {
  const { stream } = outputDisplays;
  expect([stream.cost?.({ ...line('a\ufffd\n'), start: 7, end: 10 }), stream.text('a\ufffd')]).toStrictEqual([
    3,
    'a?',
  ]);
});

test('only numbers and anchors are numbered', () => {
  expect([numbers, hashline, plain, raw].map(isNumbered)).toStrictEqual([true, true, false, false]);
});

test('the gap stands only where lines were left out', () => {
  const parts = [linesOf('a\nb\n'), linesOf('c\n', 3), linesOf('x\n', 9)];
  expect(showParts(parts, numbers, GAP)).toBe('1|a\n2|b\n3|c\n…\n9|x\n');
  expect(showParts([[line('a\n')], [line('b\n')]], plain, GAP)).toBe('a\n…\nb\n');
  expect(showParts([linesOf('a\n'), []], numbers, GAP)).toBe('1|a\n…\n');
  expect(showParts([], numbers, GAP)).toBe('');
});

test('a part of a summary carries its line numbers', () => {
  const whole = { kind: 'line', from: 12, to: 12, text: 'class A {' } as const;
  const merged = { kind: 'merged', from: 13, to: 20, text: '  run() { ... }' } as const;
  expect(showPart(whole, numbers) + showPart(merged, numbers)).toBe('12|class A {\n13-20|  run() { ... }\n');
  expect(showPart(merged, hashline)).toBe('13-20:  run() { ... }\n');
  expect(showPart(whole, plain) + showPart(merged, plain)).toBe('class A {\n  run() { ... } [13-20]\n');
});

test('a folded run names its lines below the one shown', () => {
  const folded = { count: 5, url: 'artifact://1' };
  const { terminal } = outputDisplays;
  expect(terminal.show({ ...line('10%\n', 3), folded })).toBe(
    '10%\n[5 lines like this: artifact://1:3..7]\n',
  );
  expect(terminal.show({ ...line('10%'), folded })).toBe('10%\n[5 lines like this: artifact://1:1..5]\n');
  // The line after the run follows without a gap.
  const run = [{ ...line('10%\n', 3), folded }];
  expect(showParts([run, [line('b\n', 8)]], plain, GAP)).toBe('10%\nb\n');
  expect(showParts([run, [line('b\n', 7)]], plain, GAP)).toBe('10%\n…\nb\n');
});

test('anchors stand below a header with the name of the snapshot', () => {
  expect(anchorHeader('hashline', 'a.ts', '41F0')).toBe('¶a.ts#41F0');
  expect(anchorHeader('hashline@18', 'a.ts', '41F0')).toBe('[a.ts#41F0]');
  expect([isHashline('hashline@18'), isHashline('numbers')]).toStrictEqual([true, false]);
});

test('without a number only the text is charged', () => {
  for (const display of [numbers, hashline]) expect(display.cost?.(line('é\n'))).toBe(3);
  expect([raw.text('a\0'), raw.show({ ...line('a\n'), ascii: true })]).toStrictEqual(['a\\x00', 'a\n']);
});
