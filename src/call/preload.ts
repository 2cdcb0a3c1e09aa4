/**
 * Loads modules in advance that are otherwise imported on demand. If a process runs out of descriptors, an import fails,
 * and Node caches that failure for the life of the process. So a server loads everything before its first call.
 */

import { languages } from '../code/languages.ts';

const parts: readonly (() => Promise<unknown>)[] = [
  () => import('./run.ts'),
  () => import('../search/search.ts'),
  () => import('../search/find.ts'),
  () => import('../search/list.ts'),
  () => import('../target/missing-path.ts'),
  () => import('../walk/walker.ts'),
  () => import('./read-in-workspace.ts'),
  () => import('./read-several.ts'),
  () => import('./read-map.ts'),
  () => import('../search/anchors.ts'),
  () => import('../search/passed-over.ts'),
  () => import('../search/search-by-time.ts'),
  () => import('../search/search-scope.ts'),
  () => import('../search/enclosing-symbols.ts'),
  () => import('../search/code/answer-code.ts'),
  () => import('../search/code/archive-code.ts'),
  () => import('../search/find-symbols.ts'),
  () => import('../code/summary/log-map.ts'),
  () => import('../code/view.ts'),
  () => import('../code/conflicts.ts'),
  () => import('../code/outline-view.ts'),
  () => import('../code/parsed.ts'),
  () => import('../code/grammar/parse.ts'),
  () => import('../code/scanners/data.ts'),
  () => import('../formats/data/open.ts'),
  () => import('../formats/data/value.ts'),
  () => import('../formats/directory/open.ts'),
  () => import('../formats/directory/ignore-rules.ts'),
  () => import('../formats/archive/open.ts'),
  () => import('../formats/document/open.ts'),
  () => import('../formats/git/open.ts'),
  () => import('../formats/image/open.ts'),
  () => import('../formats/notebook/open.ts'),
  () => import('../formats/resources/table.ts'),
  () => import('../formats/sqlite/open.ts'),
  () => import('ini'),
  () => import('chardet'),
  () => import('file-type'),
  ...languages.flatMap(({ scanner }) => (scanner ? [scanner] : [])),
];

/** With their libraries these take 15 MB each, so a server loads only the ones that it serves. */
const ofTheWeb: typeof parts = [
  () => import('../formats/web/open.ts'),
  () => import('../formats/github/open.ts'),
];
const ofObjects: typeof parts = [
  () => import('../formats/s3/open.ts'),
  () => import('aws4fetch'),
  () => import('htmlparser2'),
];
const ofMcp: typeof parts = [() => import('../formats/mcp/open.ts')];
const ofFleet: typeof parts = [() => import('../formats/workspace/open.ts')];

/** The optional sources that a server offers. */
export interface ServedSources {
  readonly web: boolean;
  /** Objects of S3. */
  readonly objects: boolean;
  /** Resources of other servers. */
  readonly mcp: boolean;
  /** Remote workspaces. */
  readonly workspaces: boolean;
}

/** Loads the modules one after the other, to use few descriptors at a time. */
export async function loadParts({ web, objects, mcp, workspaces }: ServedSources): Promise<void> {
  const needed = [
    ...parts,
    ...(web ? ofTheWeb : []),
    ...(objects ? ofObjects : []),
    ...(mcp ? ofMcp : []),
    ...(workspaces ? ofFleet : []),
  ];
  for (const load of needed) await load();
}
