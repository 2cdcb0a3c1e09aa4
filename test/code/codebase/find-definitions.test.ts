/** The order of what a name may mean. */

import { expect, test } from 'vitest';
import { findDefinitions } from '../../../src/code/codebase/find.ts';
import { TagStore } from '../../../src/code/codebase/tag-store.ts';
import { CodeTree } from '../../../src/code/codebase/code-tree.ts';
import { packTags } from '../../../src/code/tags.ts';

test('equally important files are in the order of their paths', () => {
  const store = new TagStore();
  const paths = ['c.ts', 'a.ts', 'e.ts', 'b.ts', 'd.ts'];
  const tags = paths.map((_, i) =>
    [40 - 7 * i, 3 + i].map((line) => `8\t${line}\t${line}\t${line}\t0\tsame\t\tsame()\t`).join('\n'),
  );
  store.put({ entries: paths.map((path) => ({ path, key: 'k' })), tags: packTags(tags) }, '');
  const tree = new CodeTree(paths, 'top', (path) => store.fileOf(path));
  const found = findDefinitions(tree, 'same').map(({ file, tag }) => `${tree.pathOf(file)}:${tag.from}`);
  expect(found).toEqual(
    ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'].flatMap((path) =>
      [40 - 7 * paths.indexOf(path), 3 + paths.indexOf(path)]
        .toSorted((a, b) => a - b)
        .map((line) => `${path}:${line}`),
    ),
  );
});
