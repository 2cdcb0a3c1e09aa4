/** Which entries a listing marks as ignored: by the `.gitignore` files from the repository's root down. */

import { dirname, relative } from 'node:path';
import { readAt } from '../access/bytes.ts';
import { exists } from '../access/exists.ts';
import type { Access } from '../types/access.ts';
import { IgnoreFile, type Verdict } from '../walk/ignore-file.ts';

/** A larger file is no list of patterns. What is matched here holds the event loop. */
const MOST_BYTES = 64 << 10;

export interface IgnoreRules {
  /** Whether the entry at `path` (absolute) is ignored by the rules of the directories above it. */
  ignores(path: string, isDirectory: boolean): boolean;
  /** The rules inside `directory` (absolute), its own file added. */
  below(directory: string): Promise<IgnoreRules>;
}

type Layer = { readonly directory: string; readonly rules: IgnoreFile };

/** The rules that hold inside `directory`: those of the repository it lies in, or only its own. */
export async function rulesFor(directory: string, access: Access): Promise<IgnoreRules> {
  const chain: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    chain.unshift(at);
    if (await exists(`${at}/.git`, access)) break;
    if (dirname(at) === at || chain.length > 64) {
      // No repository: only the directory's own file counts.
      chain.splice(0, chain.length, directory);
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
    ignores(path, isDirectory) {
      // The deepest file that says anything about the path decides.
      for (const { directory, rules } of layers.toReversed()) {
        const inside = relative(directory, path);
        if (inside === '' || inside.startsWith('..')) continue;
        const verdict = verdictOn(inside.split('/'), isDirectory, rules);
        if (verdict) return verdict === 'ignored';
      }
      return false;
    },
    async below(directory) {
      const layer = await layerOf(directory, access);
      return layer ? rulesOf([...layers, layer], access) : this;
    },
  };
}

/** What lies in an ignored directory is ignored with it. */
function verdictOn(names: readonly string[], isDirectory: boolean, rules: IgnoreFile): Verdict | undefined {
  let state = rules.start;
  for (const [i, name] of names.entries()) {
    const last = i === names.length - 1;
    const verdict = rules.verdict(state, name, !last || isDirectory);
    if (last || verdict === 'ignored') return verdict;
    state = rules.below(state, name);
  }
  return undefined;
}

async function layerOf(directory: string, access: Access): Promise<Layer | undefined> {
  const opened = await access.open(`${directory}/.gitignore`).catch(() => undefined);
  if (!opened) return undefined;
  try {
    if (opened.is !== 'file' || opened.size > MOST_BYTES) return undefined;
    const text = Buffer.from(await readAt(opened.bytes, 0, MOST_BYTES)).toString('utf8');
    return { directory, rules: new IgnoreFile(text) };
  } finally {
    await opened.close();
  }
}
