/** The order of what a name may mean. */

import { expect, test } from 'vitest';
import { findDefinitions } from '../../../src/code/codebase/find.ts';
import { TagStore } from '../../../src/code/codebase/tag-store.ts';
import { askCode } from '../../../src/code/codebase/codebase.ts';
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

test('a name is found in a file that was parsed after the first answer', async () => {
  const { signal } = new AbortController();
  const put = { kind: 'put', base: '/late/', entries: [{ path: 'a.ts', key: 'k' }] } as const;
  // What a scan does not see: a quoted name.
  const sketch = { text: '', declared: [], used: [], counts: [], imports: [], isSketch: true };
  await askCode({ ...put, tags: packTags([sketch]) }, 60_000, signal);
  const files = { base: '/late/', home: '/late/', top: 'late', paths: 'a.ts', keys: 'k' };
  const { view } = await askCode({ kind: 'sync', ...files }, 60_000, signal);
  const question = { kind: 'definitions', names: ['late'], from: 0, most: 5 } as const;
  const count = async (): Promise<number | undefined> => {
    const answer = await askCode({ kind: 'question', view, question }, 60_000, signal);
    return answer?.reply.kind === 'definitions' ? answer.reply.found[0]?.all : undefined;
  };
  expect(await count()).toBe(0);
  await askCode(
    { ...put, tags: packTags(['8\t3\t3\t3\t0\tlate\t\tlate()\t']), refined: view },
    60_000,
    signal,
  );
  expect(await count()).toBe(1);
});
