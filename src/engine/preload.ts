/**
 * Loads modules in advance that are otherwise imported on demand. If a process runs out of descriptors, an import fails,
 * and Node caches that failure for the life of the process. So a server loads everything before its first call.
 */

import { languages } from '../views/languages.ts';

const parts: readonly (() => Promise<unknown>)[] = [
  () => import('./run.ts'),
  () => import('./search.ts'),
  () => import('./find.ts'),
  () => import('./list.ts'),
  () => import('./glob-path.ts'),
  () => import('./missing-path.ts'),
  () => import('./target.ts'),
  () => import('./read-in-workspace.ts'),
  () => import('./read-several.ts'),
  () => import('./search/anchors.ts'),
  () => import('./search/search-by-time.ts'),
  () => import('./search/listed-targets.ts'),
  () => import('./search/enclosing-symbols.ts'),
  () => import('./search/type-glob.ts'),
  () => import('./refuse-conflicts.ts'),
  () => import('./snapshot.ts'),
  () => import('./code/read-code.ts'),
  () => import('./code/archive-code.ts'),
  () => import('./code/find-symbols.ts'),
  () => import('../views/conflicts.ts'),
  () => import('../views/outline-view.ts'),
  () => import('../views/parsed.ts'),
  () => import('../views/grammar/parse.ts'),
  () => import('../views/symbol-view.ts'),
  () => import('../views/scanners/json-shape.ts'),
  () => import('../sources/ignore-rules.ts'),
  () => import('../sources/archive/read-archive.ts'),
  () => import('../sources/document/open-document.ts'),
  () => import('../sources/image/open-image.ts'),
  () => import('../sources/notebook/open-notebook.ts'),
  () => import('../sources/schemes/scheme-table.ts'),
  () => import('../sources/sqlite/open-database.ts'),
  () => import('ini'),
  () => import('chardet'),
  () => import('file-type'),
  ...languages.flatMap(({ scanner }) => (scanner ? [scanner] : [])),
];

/** With their libraries these take 15 MB each, so a server loads only the ones that it serves. */
const ofTheWeb: typeof parts = [
  () => import('../sources/web/open-page.ts'),
  () => import('../sources/github/open-github.ts'),
];
const ofObjects: typeof parts = [
  () => import('../sources/objects/open-object.ts'),
  () => import('aws4fetch'),
  () => import('htmlparser2'),
];
const ofMcp: typeof parts = [() => import('../sources/mcp/open-mcp.ts')];
const ofFleet: typeof parts = [() => import('../sources/fleet/open-workspace.ts')];

/** The optional sources that a server offers. */
export interface Served {
  readonly web: boolean;
  /** Objects of S3. */
  readonly objects: boolean;
  /** Resources of other servers. */
  readonly mcp: boolean;
  /** Remote workspaces. */
  readonly workspaces: boolean;
}

/** Loads the modules one after the other, to use few descriptors at a time. */
export async function loadParts({ web, objects, mcp, workspaces }: Served): Promise<void> {
  const needed = [
    ...parts,
    ...(web ? ofTheWeb : []),
    ...(objects ? ofObjects : []),
    ...(mcp ? ofMcp : []),
    ...(workspaces ? ofFleet : []),
  ];
  for (const load of needed) await load();
}
