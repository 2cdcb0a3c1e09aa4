/** Texts of any encoding longer than one slice: decoded as in one piece, without blocking the event loop. */

import { describe, expect, test } from 'vitest';
import { textOfBytes } from '../../../src/formats/web/charset.ts';
import { withoutLag } from '../../support/lag.ts';

const SLICE = 32 << 10;

/** What it is, in whole. */
const utf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8').decode(bytes);

test.each([
  ['two bytes', 'é'],
  ['three bytes', '日'],
  ['four bytes', '😀'],
  ['one and four', 'a😀'],
])('UTF-8 with %s per character, at every offset', async (_, character) => {
  for (let shift = 0; shift < 5; shift += 1) {
    const text = 'x'.repeat(shift) + character.repeat(SLICE);
    expect((await textOfBytes(Buffer.from(text), 'text/plain; charset=utf-8')).text === text).toBe(true);
  }
});

test.each([
  [[0xf0, 0x90, 0x80, 0x80, 0x80]],
  [[0x80]],
  [[0xe2, 0x82]],
  [[0xf0, 0x9f, 0x98]],
  [[0xff, 0xbf, 0xbf, 0xbf]],
])('invalid UTF-8 at a slice boundary: %j', async (pattern) => {
  for (let shift = 0; shift < 6; shift += 1) {
    const bytes = Buffer.alloc(SLICE + 64, 'x');
    bytes.set(pattern, SLICE - shift);
    const { text } = await textOfBytes(bytes, 'text/plain; charset=utf-8');
    expect(text === utf8(bytes)).toBe(true);
  }
});

test.each(['utf-16le', 'utf-16be'])('%s, with surrogate pairs at a slice boundary', async (name) => {
  for (const front of ['', 'x']) {
    const text = `${front}${'😀'.repeat(SLICE / 3)}`;
    const bytes = Buffer.from(text, 'utf16le');
    const { text: found } = await textOfBytes(
      name === 'utf-16be' ? bytes.swap16() : bytes,
      `text/plain; charset=${name}`,
    );
    expect(found === text).toBe(true);
  }
});

test.each([
  ['shift_jis', [0x93, 0xfa, 0x96], '日'],
  ['gb18030', [0x81, 0x30, 0x81, 0x30, 0x41], '\u0080A'],
  ['euc-kr', [0xb0, 0xa1, 0x41], '가A'],
])('%s across a slice boundary', async (name, pattern, begins) => {
  const bytes = Buffer.from(Array.from({ length: 2 * SLICE }, (_, i) => pattern[i % pattern.length] ?? 0));
  const { text } = await textOfBytes(bytes, `text/plain; charset=${name}`);
  expect(text === new TextDecoder(name).decode(bytes)).toBe(true);
  expect(text.startsWith(begins)).toBe(true);
});

test.each([
  ['windows-1252', 0x80],
  ['utf-8', 0xff],
  ['shift_jis', 0xfd],
])('8 MiB that are slow to decode as %s', { tags: 'slow' }, async (name, byte) => {
  const bytes = Buffer.alloc(8 << 20, byte);
  await withoutLag(() => textOfBytes(bytes, `text/plain; charset=${name}`));
});

describe('without a declared encoding', () => {
  const japanese = '漢字とかな\n'.repeat(4_000);

  test.each([
    ['in front', Buffer.concat([Buffer.from([0xff]), Buffer.from(japanese)])],
    ['at the end', Buffer.concat([Buffer.from(japanese), Buffer.from([0xe6])])],
    [
      'behind 20 KB of ASCII',
      Buffer.concat([Buffer.alloc(20_000, 'x'), Buffer.from([0xff]), Buffer.from(japanese)]),
    ],
  ])('a few invalid bytes %s do not change the others', async (_, bytes) => {
    const { text, note } = await textOfBytes(bytes, 'text/plain');
    expect(text === utf8(bytes)).toBe(true);
    expect(note).toBe('1 invalid sequence of UTF-8 shown as U+FFFD');
  });

  test.each([
    ['windows-1252', Buffer.from('Un été à Genève, où la fête commença.\n'.repeat(500), 'latin1')],
    [
      'shift_jis',
      Buffer.from(
        '93fa967b8cea82cc95b68fcd82f090b382b582ad93c782de82bd82df82c9814195b68e9a8352815b836882f0908491aa82b582dc82b7814282b182ea82cd8e8e8cb182c582b781420a'.repeat(
          200,
        ),
        'hex',
      ),
    ],
  ])('%s is guessed', async (name, bytes) => {
    expect((await textOfBytes(bytes, 'text/plain')).note).toBe(
      `the encoding ${name} was guessed; :encoding=NAME behind the URL decides`,
    );
  });

  test.each(['é', '日', '😀'])('a body truncated within %s is UTF-8', async (character) => {
    const whole = Buffer.from(`${'x'.repeat(SLICE)}${character}`);
    const length = Buffer.from(character).length;
    for (let missing = 1; missing < length; missing += 1) {
      const found = await textOfBytes(whole.subarray(0, whole.length - missing), 'text/plain', true);
      expect(found).toEqual({ text: 'x'.repeat(SLICE) });
    }
    expect((await textOfBytes(whole, 'text/plain', true)).text.endsWith(character)).toBe(true);
  });
});

test('UTF-8 that is declared as something else', async () => {
  const page = (text: string, encoding: BufferEncoding): Buffer =>
    Buffer.from(`<html><head><meta charset="iso-8859-1"></head><body>${text}</body></html>`, encoding);
  expect(await textOfBytes(page('Größe café — naïve', 'utf8'), 'text/html')).toEqual({
    text: page('Größe café — naïve', 'utf8').toString(),
    note: 'the encoding windows-1252 was declared, but the text is UTF-8',
  });
  const western = await textOfBytes(page('Größe café', 'latin1'), 'text/html');
  expect(western.text).toContain('Größe café');
  expect(western.note).toBeUndefined();
});
