/** Texts of any encoding that are longer than one slice: the same as in one piece, without holding the event loop. */

import { expect, test } from 'vitest';
import { textOfBytes } from '../../../src/sources/web/charset.ts';
import { withoutLag } from '../../support/lag.ts';

const SLICE = 32 << 10;

/** What it is, in whole. */
const utf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8').decode(bytes);

test.each([
  ['two bytes', 'é'],
  ['three bytes', '日'],
  ['four bytes', '😀'],
  ['one and four', 'a😀'],
])('UTF-8 of %s a character, at every offset', async (_, character) => {
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
])('invalid UTF-8 at a border: %j', async (pattern) => {
  for (let shift = 0; shift < 6; shift += 1) {
    const bytes = Buffer.alloc(SLICE + 64, 'x');
    bytes.set(pattern, SLICE - shift);
    const { text } = await textOfBytes(bytes, 'text/plain; charset=utf-8');
    expect(text === utf8(bytes)).toBe(true);
  }
});

test.each(['utf-16le', 'utf-16be'])('%s, with pairs of surrogates at a border', async (name) => {
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
])('%s across a border', async (name, pattern, begins) => {
  const bytes = Buffer.from(Array.from({ length: 2 * SLICE }, (_, i) => pattern[i % pattern.length] ?? 0));
  const { text } = await textOfBytes(bytes, `text/plain; charset=${name}`);
  expect(text === new TextDecoder(name).decode(bytes)).toBe(true);
  expect(text.startsWith(begins)).toBe(true);
});

test.each([
  ['windows-1252', 0x80],
  ['utf-8', 0xff],
  ['shift_jis', 0xfd],
])('8 MiB of what is dear to decode as %s', async (name, byte) => {
  const bytes = Buffer.alloc(8 << 20, byte);
  await withoutLag(() => textOfBytes(bytes, `text/plain; charset=${name}`));
});
