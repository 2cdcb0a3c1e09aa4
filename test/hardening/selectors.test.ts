import { describe, expect, test } from 'vitest';
import { workspace } from '../support/workspace.ts';

describe('forms', () => {
  const text = Array.from({ length: 20 }, (_, i) => `l${i + 1}\n`).join('');
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, i) => `${from + i}|l${from + i}\n`).join('');
  test.each([
    [':5', lines(4, 20)],
    [':L5', lines(4, 20)],
    [':5-', lines(4, 20)],
    [':5..', lines(5, 20)],
    [':5-6', lines(4, 9)],
    [':L5-L6', lines(4, 9)],
    [':5..6', lines(5, 6)],
    [':5+2', lines(4, 9)],
    [':L5+2', lines(4, 9)],
    [':-2', lines(19, 20)],
    [':-99', lines(1, 20)],
    [':2..3,10..10', `${lines(2, 3)}…\n${lines(10, 10)}`],
    [':2,10', `${lines(1, 5)}…\n${lines(9, 13)}`],
    [':19-', lines(18, 20)],
    [':5-6:raw', 'l5\nl6\n'],
    [':raw:5-6', 'l5\nl6\n'],
    [':raw', text],
    [':@0', lines(1, 20)],
    [':@4+1', '2|l2\n[Showing bytes 3-6 of 71 (lines 2-2). Use f:@6+1 to continue]'],
    [':@6+1K', lines(3, 20)],
    ['', lines(1, 20)],
  ])('f%s', async (selector, expected) => {
    const { write, text: textOfRead } = workspace();
    write('f', text);
    expect(await textOfRead(`f${selector}`)).toBe(expected);
  });
});
