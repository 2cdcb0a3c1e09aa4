import { afterEach, beforeEach, expect, test } from 'vitest';
import { matchingFiles } from '../../../src/engine/search/matching-files.ts';
import { Search } from '../../../src/engine/search/search-run.ts';
import { compileGlob } from '../../../src/walk/glob.ts';
import { searchRequest } from '../../support/lists.ts';
import { Tree } from '../../support/tree.ts';

let work: Tree;

beforeEach(async () => {
  work = await Tree.create({
    'b.ts': 'x',
    'a.md': 'x',
    'a/c.ts': 'x',
    'a/d.ts': 'y',
    'a-b.ts': 'x',
    'ä.ts': 'x',
  });
});

afterEach(() => work.remove());

async function found(most?: number, glob?: string): Promise<string[]> {
  const search = new Search(
    searchRequest,
    work.call(),
    work.path,
    [],
    glob === undefined ? undefined : compileGlob(glob),
  );
  const paths: string[] = [];
  for await (const batch of matchingFiles(search, most)) paths.push(...batch);
  return paths;
}

test('the files that hold a match, in order', async () => {
  expect(await found()).toEqual(['a/c.ts', 'a-b.ts', 'a.md', 'b.ts', 'ä.ts']);
  expect(await found(undefined, 'a*')).toEqual(['a-b.ts', 'a.md']);
});

test('too many to be sorted here come sorted by ripgrep, in the same order', async () => {
  expect(await found(2)).toEqual(await found());
  expect(await found(2, '*.ts')).toEqual(await found(undefined, '*.ts'));
});
