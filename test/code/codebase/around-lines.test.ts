/** The symbols around lines by the tags of a file, beside those by its structure. */

import { expect, test } from 'vitest';
import { aroundLines, TagStore } from '../../../src/code/codebase/tag-store.ts';
import { enclosing, packStructure } from '../../../src/code/structure.ts';
import { languageOf } from '../../../src/code/languages.ts';
import { outlineWithUses } from '../../../src/code/outline.ts';
import { packTags, writeTags } from '../../../src/code/tags.ts';

const text = `struct Shop {
  func open() {
    let now = 1
    use(now)
  }
  func close() { }
}

func alone() {
  use(2)
}
`;

test('only the parsed version gives the symbols around lines', async () => {
  const language = languageOf('shop.swift', text);
  const found = language && (await outlineWithUses(text, language, { isLate: () => false }));
  if (!found || typeof found === 'string') throw new Error('not parsed');
  const store = new TagStore();
  store.put({ entries: [{ path: 'shop.swift', key: 'one' }], tags: packTags([writeTags(text, found)]) }, '/');
  const lines = text.split('\n').map((_, row) => row + 1);
  const expected = enclosing(packStructure(found), lines);
  expect(expected[3]).toEqual({ name: 'Shop.open', from: 2, to: 5 });
  expect(aroundLines(store, { path: '/shop.swift', key: 'one', lines })).toEqual(expected);
  for (const other of [
    { path: '/shop.swift', key: 'two' },
    { path: '/shop.swift', key: '' },
    { path: '/other.swift', key: 'one' },
  ])
    expect(aroundLines(store, { ...other, lines })).toBe(undefined);
  // A second call may sketch a file while the first one parses it.
  const sketched = packTags([{ ...NO_TAGS, isSketch: true }]);
  store.put({ entries: [{ path: 'shop.swift', key: 'one' }], tags: sketched }, '/');
  expect(aroundLines(store, { path: '/shop.swift', key: 'one', lines })).toEqual(expected);
  store.put({ entries: [{ path: 'shop.swift', key: 'two' }], tags: sketched }, '/');
  expect(aroundLines(store, { path: '/shop.swift', key: 'one', lines })).toBe(undefined);
});

const NO_TAGS = { text: '', declared: [], used: [], counts: [], imports: [] };
