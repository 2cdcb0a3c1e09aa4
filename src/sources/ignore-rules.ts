/** Which entries a listing marks as ignored: by the `.gitignore` files from the repository's root down. */

import { dirname, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { readAt } from '../access/bytes.ts';
import { exists } from '../access/exists.ts';
import type { Access } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { State } from '../walk/automaton.ts';
import { IgnoreFile, type Verdict } from '../walk/ignore-file.ts';

/** A larger file is no list of patterns. */
const MOST_BYTES = 64 << 10;

/** Rules that are compiled, and matched, at a stretch: what is done here holds the event loop. */
const PART_CHARACTERS = 4 << 10;

/** Milliseconds after which others have their turn. */
const STRETCH_MS = 10;

export interface IgnoreRules {
  /** Files that were too large to be used, here and above. */
  readonly unused: number;
  /** Whether the entry at `path` (absolute) is ignored by the rules of the directories above it. */
  ignores(path: string, isDirectory: boolean): Promise<boolean>;
  /** The rules inside `directory` (absolute), its own file added. */
  below(directory: string): Promise<IgnoreRules>;
}

interface Layer {
  readonly directory: string;
  /** The file in parts, the last lines first; none when it is too large to be used. */
  readonly parts: readonly IgnoreFile[] | undefined;
}

/** Lets others have their turn when it is time. */
class Stretches {
  readonly #signal: AbortSignal;
  #began = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async pause(): Promise<void> {
    if (performance.now() - this.#began < STRETCH_MS) return;
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#began = performance.now();
  }
}

/** The rules that hold inside `directory`: those of the repository it is in, or only its own. */
export async function rulesFor(
  directory: string,
  { access, signal }: Pick<Call, 'access' | 'signal'>,
): Promise<IgnoreRules> {
  const stretches = new Stretches(signal);
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
    const layer = await layerOf(at, access, stretches);
    if (layer) layers.push(layer);
  }
  return rulesOf(layers, access, stretches);
}

function rulesOf(layers: readonly Layer[], access: Access, stretches: Stretches): IgnoreRules {
  return {
    unused: layers.filter(({ parts }) => !parts).length,
    async ignores(path, isDirectory) {
      // The deepest file that says anything about the path decides.
      for (const { directory, parts = [] } of layers.toReversed()) {
        const inside = relative(directory, path);
        if (inside === '' || inside.startsWith('..')) continue;
        const verdict = await verdictOn(inside.split('/'), isDirectory, parts, stretches);
        if (verdict) return verdict === 'ignored';
      }
      return false;
    },
    async below(directory) {
      const layer = await layerOf(directory, access, stretches);
      return layer ? rulesOf([...layers, layer], access, stretches) : this;
    },
  };
}

/** What is in an ignored directory is ignored with it. Of one name the last line that matches decides. */
async function verdictOn(
  names: readonly string[],
  isDirectory: boolean,
  parts: readonly IgnoreFile[],
  stretches: Stretches,
): Promise<Verdict | undefined> {
  const states = parts.map(({ start }) => start);
  for (const [i, name] of names.entries()) {
    const last = i === names.length - 1;
    let verdict: Verdict | undefined;
    for (const [at, part] of parts.entries()) {
      const state = states[at] as State;
      verdict ??= part.verdict(state, name, !last || isDirectory);
      if (last && verdict) break;
      if (!last) states[at] = part.below(state, name);
      await stretches.pause();
    }
    if (last || verdict === 'ignored') return verdict;
  }
  return undefined;
}

async function layerOf(directory: string, access: Access, stretches: Stretches): Promise<Layer | undefined> {
  const opened = await access.open(`${directory}/.gitignore`).catch(() => undefined);
  if (!opened) return undefined;
  try {
    if (opened.is !== 'file') return undefined;
    if (opened.size > MOST_BYTES) return { directory, parts: undefined };
    const text = Buffer.from(await readAt(opened.bytes, 0, MOST_BYTES)).toString('utf8');
    const parts: IgnoreFile[] = [];
    for (const part of partsOf(text)) {
      parts.unshift(new IgnoreFile(part));
      await stretches.pause();
    }
    return { directory, parts };
  } finally {
    await opened.close();
  }
}

/** Whole lines, as many as fit. */
function* partsOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const end = text.lastIndexOf('\n', from + PART_CHARACTERS);
    const next = end < from ? text.indexOf('\n', from) : end;
    const to = next === -1 || text.length - from <= PART_CHARACTERS ? text.length : next + 1;
    yield text.slice(from, to);
    from = to;
  }
}
