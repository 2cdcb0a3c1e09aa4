import { expect, test } from 'vitest';
import { type ByteSource, Identity, parseSelection, type Window, windowedText } from '../../src/window.ts';

test('a text in memory by lines, bytes and last lines', async () => {
  const text = windowedText('one\ntwo\nthree\n');
  const page = await text.read(undefined, { limits: { lines: 2 } });
  expect(page).toMatchObject({
    totals: { bytes: 14, lines: 3 },
    cutBy: 'lines',
    next: { kind: 'lines', ranges: [{ from: 3 }] },
    span: { start: 0, end: 8 },
  });
  expect(page.parts[0]?.map((line) => line.text)).toEqual(['one\n', 'two\n']);
  const last = await text.read({ kind: 'tail', lines: 1 });
  expect(last.parts).toEqual([[{ no: 3, start: 8, end: 14, text: 'three\n', role: 'asked' }]]);
});

test('next is the window of the next page, to the end', async () => {
  const whole = `one\n${'long '.repeat(40)}\nthree\nfour\n`;
  const text = windowedText(whole);
  for (const selector of ['1..', '@0+150', '-3']) {
    const pages: string[] = [];
    for (let window: Window | undefined = parseSelection(selector)?.window; window;) {
      const page = await text.read(window, { limits: { lines: 2, bytes: 80, line: 80, windowMax: 80 } });
      pages.push(
        page.parts
          .flat()
          .map((line) => line.text)
          .join(''),
      );
      window = page.next;
    }
    if (selector.startsWith('-')) pages.reverse();
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.join('')).toBe(selector === '-3' ? whole.slice('one\n'.length) : whole);
  }
});

test('a byte range request costs what the window needs', async () => {
  let asked = 0;
  const remote: ByteSource = {
    size: 100 * 2 ** 30,
    identity: Identity.of('http', { url: 'https://example.org/log', etag: 'a' }),
    readInto(target, offset) {
      asked += target.length;
      for (let i = 0; i < target.length; i += 1) target[i] = (offset + i) % 8 === 7 ? 10 : 120;
      return Promise.resolve(target.length);
    },
  };
  const page = await windowedText(remote).read({ kind: 'bytes', start: 50 * 2 ** 30, length: 4096 });
  expect(page.span).toEqual({ start: 50 * 2 ** 30, end: 50 * 2 ** 30 + 4096 });
  expect(asked).toBeLessThan(200_000);
});
