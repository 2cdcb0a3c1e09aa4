/** Word counts in any script. */

import { expect, test } from 'vitest';
import { words } from '../../../../src/formats/web/child/extract.ts';

test.each([
  ['', 0],
  ['--- * ---', 0],
  ['one two, three 4', 4],
  ['한국어 문장', 2],
  ['犬が橋を渡った。', 7],
  ['水が入った bucket 3 つ', 8],
  ['ตัวอย่าง', 8],
])('%s', (text, count) => {
  expect(words(text)).toBe(count);
});
