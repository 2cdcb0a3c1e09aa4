/** Owns which entries a listing marks as ignored: the `.gitignore` files from the repository's root down. */

import { dirname, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readAt } from '../access/bytes.ts';
import { exists } from '../access/exists.ts';
import type { Access } from '../types/access.ts';

/** More than this is no list of patterns. */
const MOST_BYTES = 64 << 10;

export interface IgnoreRules {
  /** Whether the entry at `path` (absolute) is ignored by the rules of the folders above it. */
  ignores(path: string, isFolder: boolean): boolean;
  /** The rules inside `folder` (absolute), its own file added. */
  below(folder: string): Promise<IgnoreRules>;
}

type Layer = { readonly folder: string; readonly rules: Ignore };

/** The rules that hold inside `folder`: those of the repository it lies in, or only its own. */
export async function rulesFor(folder: string, access: Access): Promise<IgnoreRules> {
  const chain: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    chain.unshift(at);
    if (await exists(`${at}/.git`, access)) break;
    if (dirname(at) === at || chain.length > 64) {
      // No repository: only the folder's own file counts.
      chain.splice(0, chain.length, folder);
      break;
    }
  }
  const layers: Layer[] = [];
  for (const at of chain) {
    const layer = await layerOf(at, access);
    if (layer) layers.push(layer);
  }
  return rulesOf(layers, access);
}

function rulesOf(layers: readonly Layer[], access: Access): IgnoreRules {
  return {
    ignores(path, isFolder) {
      // The deepest file that says anything about the path decides.
      for (const { folder, rules } of layers.toReversed()) {
        const inside = relative(folder, path);
        if (inside === '' || inside.startsWith('..')) continue;
        const verdict = rules.test(isFolder ? `${inside}/` : inside);
        if (verdict.ignored) return true;
        if (verdict.unignored) return false;
      }
      return false;
    },
    async below(folder) {
      const layer = await layerOf(folder, access);
      return layer ? rulesOf([...layers, layer], access) : this;
    },
  };
}

async function layerOf(folder: string, access: Access): Promise<Layer | undefined> {
  const opened = await access.open(`${folder}/.gitignore`).catch(() => undefined);
  if (!opened) return undefined;
  try {
    if (opened.is !== 'file') return undefined;
    const text = Buffer.from(await readAt(opened.bytes, 0, MOST_BYTES)).toString('utf8');
    return { folder, rules: ignore({ allowRelativePaths: true }).add(text) };
  } finally {
    await opened.close();
  }
}
