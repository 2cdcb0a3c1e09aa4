/** Decides which entries a listing marks as ignored, by the `.gitignore` files from the root of the repository down. */

import { dirname, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { exists } from '../../files/deepest-directory.ts';
import { IgnoreFile, type IgnoreVerdict } from '../../files/glob.ts';
import { readAt } from '../../text/bytes.ts';
import type { FileAccess } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';

/** The most bytes of a `.gitignore`; a larger file is probably not a list of patterns. */
const MAX_GITIGNORE_BYTES = 64 << 10;

/** Characters of rules that are compiled and matched in one step, because this blocks the event loop. */
const PART_CHARACTERS = 4 << 10;

const SLICE_MS = 10;

export interface IgnoreRules {
  /** The number of files here and above that were too large to be used. */
  readonly unused: number;
  /** Whether the entry at the absolute `path` is ignored by the rules of the directories above it. */
  ignores(path: string, isDirectory: boolean): Promise<boolean>;
  /** The rules inside the absolute `directory`, including its own file. */
  below(directory: string): Promise<IgnoreRules>;
}

interface Layer {
  readonly directory: string;
  /** The file in parts, the last lines first; undefined if it is too large to be used. */
  readonly parts: readonly IgnoreFile[] | undefined;
}

class Yielder {
  readonly #signal: AbortSignal;
  #began = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async pause(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return;
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#began = performance.now();
  }
}

/** The rules inside `directory`: those of its repository, or only its own if it is in none. */
export async function rulesFor(
  directory: string,
  { access, signal }: Pick<Call, 'access' | 'signal'>,
): Promise<IgnoreRules> {
  const yielder = new Yielder(signal);
  const chain: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    chain.unshift(at);
    if (await exists(`${at}/.git`, access)) break;
    if (dirname(at) === at || chain.length > 64) {
      // Not in a repository: only the directory's own file applies.
      chain.splice(0, chain.length, directory);
      break;
    }
  }
  const layers: Layer[] = [];
  for (const at of chain) {
    const layer = await layerOf(at, access, yielder);
    if (layer) layers.push(layer);
  }
  return rulesOf(layers, access, yielder);
}

function rulesOf(layers: readonly Layer[], access: FileAccess, yielder: Yielder): IgnoreRules {
  return {
    unused: layers.filter(({ parts }) => !parts).length,
    async ignores(path, isDirectory) {
      // The deepest file with a matching rule decides.
      for (const { directory, parts = [] } of layers.toReversed()) {
        const inside = relative(directory, path);
        if (inside === '' || inside.startsWith('..')) continue;
        const verdict = await verdictOn(inside.split('/'), isDirectory, parts, yielder);
        if (verdict) return verdict === 'ignored';
      }
      return false;
    },
    async below(directory) {
      const layer = await layerOf(directory, access, yielder);
      return layer ? rulesOf([...layers, layer], access, yielder) : this;
    },
  };
}

/** The verdict of one file. Everything in an ignored directory is ignored; otherwise the last matching line decides. */
async function verdictOn(
  names: readonly string[],
  isDirectory: boolean,
  parts: readonly IgnoreFile[],
  yielder: Yielder,
): Promise<IgnoreVerdict | undefined> {
  for (const i of names.keys()) {
    const last = i === names.length - 1;
    const path = names.slice(0, i + 1).join('/');
    let verdict: IgnoreVerdict | undefined;
    for (const part of parts) {
      verdict = part.verdict(path, !last || isDirectory);
      if (verdict) break;
      await yielder.pause();
    }
    if (last || verdict === 'ignored') return verdict;
  }
  return undefined;
}

async function layerOf(directory: string, access: FileAccess, yielder: Yielder): Promise<Layer | undefined> {
  const opened = await access.open(`${directory}/.gitignore`).catch(() => undefined);
  if (!opened) return undefined;
  try {
    if (opened.kind !== 'file') return undefined;
    if (opened.size > MAX_GITIGNORE_BYTES) return { directory, parts: undefined };
    const text = Buffer.from(await readAt(opened.bytes, 0, MAX_GITIGNORE_BYTES)).toString('utf8');
    const parts: IgnoreFile[] = [];
    for (const part of partsOf(text)) {
      parts.unshift(new IgnoreFile(part));
      await yielder.pause();
    }
    return { directory, parts };
  } finally {
    await opened.close();
  }
}

function* partsOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const end = text.lastIndexOf('\n', from + PART_CHARACTERS);
    const next = end < from ? text.indexOf('\n', from) : end;
    const to = next === -1 || text.length - from <= PART_CHARACTERS ? text.length : next + 1;
    yield text.slice(from, to);
    from = to;
  }
}
