/** Tags of texts, as @oh-my-pi/pi-natives 18.2.11 computes them. */

import { expect, test } from 'vitest';
import { textTag } from '../../src/search/anchors.ts';

test.each([
  ['', '5D05'],
  ['abc', '53FF'],
  ['a\nb', '6540'],
  ['a\nb  ', '6540'],
  ['a\nb\n', '9A46'],
  ['a  \t\nb \n', '9A46'],
  ['a\r\nb\r\n', '9A46'],
  ['a\rb\r', '9A46'],
  ['\ufeffa\nb\n', '9A46'],
  ['a\u00a0\nb\n', '966E'],
  ['\n\n  \n\n', '10CE'],
  ['süß 線 👩\nzwei\n', 'DA8C'],
  ['x'.repeat(15), 'C0B0'],
  ['x'.repeat(16), '700D'],
  ['0123456789'.repeat(100), '3797'],
])('the tag of %j', (text, tag) => expect(textTag(Buffer.from(text))).toBe(tag));
