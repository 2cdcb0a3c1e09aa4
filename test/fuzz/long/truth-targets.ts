/** Searches of small trees beside a simple walk: what an answer does not show is counted, in it or in its `details`. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOriel, type Oriel } from '../../../src/index.ts';
import { oneLine } from '../../../src/text/visible.ts';
import { type FuzzTarget, must } from './fuzz-target.ts';
import type { Random } from './random.ts';
import {
  isPrivateName,
  type LeftReason,
  type PlantedEntry,
  plantTree,
  PRIVATE,
  RULES,
} from './truth-tree.ts';

/** Few searches of each tree, so that there are many trees. */
const TREES = 2_000;
const MAX_KEPT_TREES = 200;

let base: string | undefined;
let session: Oriel | undefined;
const trees = new Map<number, PlantedEntry>();

function place(): { readonly base: string; readonly session: Oriel } {
  if (base === undefined) {
    const made = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-truth-')));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    base = made;
  }
  session ??= createOriel({ cwd: base, roots: [base], deny: PRIVATE, cache: false, timeoutMs: 1_800_000 });
  return { base, session };
}

function treeOf(number: number): PlantedEntry {
  const known = trees.get(number);
  // The tree that was not used for longest is removed: in others there may be searches.
  trees.delete(number);
  if (known) {
    trees.set(number, known);
    return known;
  }
  const [oldest] = trees.keys();
  if (oldest !== undefined && trees.size >= MAX_KEPT_TREES) {
    trees.delete(oldest);
    rmSync(join(place().base, `t${oldest}`), { recursive: true, force: true });
  }
  const made = plantTree(join(place().base, `t${number}`), number);
  trees.set(number, made);
  return made;
}

/** An entry that a search finds or leaves out. */
interface Walked {
  readonly entry: PlantedEntry;
  /** From the searched directory, as bytes. */
  readonly path: string;
  /** Why it is not looked at. */
  readonly why?: LeftReason | undefined;
}

type Layers = readonly { readonly rules: readonly string[]; readonly front: string }[];

/** Rules of `.ignore` come before those of `.gitignore`, and deeper ones before others; of one file the last decides. */
function isIgnored([custom, git]: readonly [Layers, Layers], name: string, isDirectory: boolean): boolean {
  for (const { rules, front } of [...custom, ...git]) {
    const last = rules.findLast((rule) => RULES[rule]?.(front + name, isDirectory));
    if (last !== undefined) return !last.startsWith('!');
  }
  return false;
}

/** All entries below the directory that a walk comes to, without those below one that is left out. */
function walk(tree: PlantedEntry, at: readonly PlantedEntry[]): Walked[] {
  const walked: Walked[] = [];
  const visit = (
    directory: PlantedEntry,
    front: string,
    above: readonly [Layers, Layers],
    start: boolean,
  ): void => {
    const own = (file: '.ignore' | '.gitignore'): Layers =>
      directory.rules[file].length > 0 ? [{ rules: directory.rules[file], front: '' }] : [];
    let layers = [
      [...own('.ignore'), ...above[0]],
      [...own('.gitignore'), ...above[1]],
    ] as const satisfies readonly [Layers, Layers];
    const ignored = (entry: PlantedEntry): boolean =>
      isIgnored(layers, entry.name, entry.kind === 'directory');
    const seen = directory.below.filter(({ name }) => name !== '.ignore' && name !== '.gitignore');
    // A directory that is named is searched though everything in it is ignored.
    if (start && seen.length > 0 && seen.every(ignored)) layers = [[], []];
    for (const entry of directory.below) {
      const path = front + entry.name;
      const why = whyLeft(entry, ignored(entry));
      if (why !== undefined || entry.kind !== 'directory') walked.push({ entry, path, why });
      else {
        const down = (all: Layers): Layers =>
          all.map((layer) => ({ ...layer, front: `${layer.front}${entry.name}/` }));
        visit(entry, `${path}/`, [down(layers[0]), down(layers[1])], false);
      }
    }
  };
  let above: [Layers, Layers] = [[], []];
  for (const [i, directory] of [tree, ...at].slice(0, -1).entries()) {
    const next = at[i] as PlantedEntry;
    const own = (file: '.ignore' | '.gitignore'): Layers =>
      directory.rules[file].length > 0 ? [{ rules: directory.rules[file], front: '' }] : [];
    const down = (all: Layers): Layers =>
      all.map((layer) => ({ ...layer, front: `${layer.front}${next.name}/` }));
    above = [down([...own('.ignore'), ...above[0]]), down([...own('.gitignore'), ...above[1]])];
  }
  visit(at.at(-1) ?? tree, '', above, true);
  return walked;
}

function whyLeft(entry: PlantedEntry, isIgnored: boolean): LeftReason | undefined {
  if (isIgnored) return 'ignored';
  if (entry.kind === 'link' || entry.kind === 'special') return entry.kind;
  if (entry.kind === 'directory') return isPrivateName(entry.name, true) ? 'private' : entry.why;
  return isPrivateName(entry.name, false) ? 'private' : entry.why;
}

/** Globs, and the paths from the searched directory that they select. */
const GLOBS: Readonly<Record<string, (path: string) => boolean>> = {
  '*.ts': (path) => path.endsWith('.ts'),
  '**/*.md': (path) => path.endsWith('.md'),
  '*.{ts,txt}': (path) => /\.(?:ts|txt)$/.test(path),
  'src/**': (path) => path.startsWith('src/'),
  '[slug]/*': (path) => /^\[slug\]\/[^/]*$/.test(path),
  '!*.ts': (path) => !path.split('/').some((name) => name.endsWith('.ts')),
  '.env': (path) => /(?:^|\/)\.env$/.test(path),
  'top.txt': (path) => /(?:^|\/)top\.txt$/.test(path),
  'link.ts': (path) => /(?:^|\/)link\.ts$/.test(path),
  'e:1.txt': (path) => /(?:^|\/)e:1\.txt$/.test(path),
  '*': () => true,
  '*.xyz': () => false,
};

const PATTERNS: Readonly<Record<string, RegExp>> = {
  needle: /needle/,
  'n[e]+dle': /needle/,
  '(?i)NEEDLE': /needle/i,
  Übung: /Übung/,
  'ine .bung$': /ine .bung$/,
  'Привет needle': /Привет needle/,
  absent: /absent/,
};

const TYPES: Readonly<Record<string, (path: string) => boolean>> = {
  ts: (path) => path.endsWith('.ts'),
  md: (path) => path.endsWith('.md'),
};

/** The notice of each reason, with its count. */
const SAID: Readonly<Record<LeftReason, RegExp>> = {
  ignored: /(\d+) ignored (?:file|directory)/,
  private: /(\d+) private/,
  link: /(\d+) links? left out/,
  special: /(\d+) pipes?,/,
  binary: /(\d+) binary files? left out/,
  garbled: /(\d+) texts? left out/,
  undecoded: /(\d+) texts? (?:is|are) not UTF-8/,
  container: /(\d+) documents?,/,
  denied: /could not be read/,
};

/** Reasons that only an answer without a result tells; another has them in `details`. */
const isUsual = (reason: LeftReason): boolean => !['garbled', 'undecoded', 'denied'].includes(reason);

/** Throws unless the answer tells of as many entries as were left out and hold something that was searched for. */
function mustTell(
  text: string,
  details: Readonly<Record<string, unknown>>,
  left: readonly LeftReason[],
  nothing: boolean,
  what: string,
): void {
  const counted = (reason: LeftReason): number => {
    const known = (details['leftOut'] as Record<string, number> | undefined)?.[reason];
    if (!nothing && isUsual(reason)) return known ?? 0;
    const [whole, count = 'Infinity'] = SAID[reason].exec(text) ?? [];
    return whole === undefined ? 0 : Number(count);
  };
  for (const reason of new Set(left)) {
    // What is not text may look like one.
    const reasons: LeftReason[] =
      reason === 'binary' || reason === 'garbled' ? ['binary', 'garbled', 'undecoded'] : [reason];
    const count = reasons.reduce((sum, one) => sum + counted(one), 0);
    const most = left.filter((one) => reasons.includes(one)).length;
    must(count >= most, `${what} tells of ${most} (${reasons.join(' or ')}), not of ${count}: ${text}`);
  }
}

/** A directory of the tree, from its root down. */
function pickDirectory(tree: PlantedEntry, random: Random): PlantedEntry[] {
  const at: PlantedEntry[] = [];
  for (let inner = tree; random.below(3) === 0;) {
    const directories = inner.below.filter(
      ({ kind, name, why }) => kind === 'directory' && !isPrivateName(name, true) && !why,
    );
    if (directories.length === 0) break;
    at.push((inner = random.pick(directories)));
  }
  return at;
}

/** The files at or below an entry. */
function filesIn({ entry, path }: Walked): { readonly path: string; readonly text: string }[] {
  if (entry.kind !== 'directory' && entry.below.length === 0) return [{ path, text: entry.text }];
  return entry.below.flatMap((inner) => filesIn({ entry: inner, path: `${path}/${inner.name}` }));
}

async function searchTree(random: Random): Promise<void> {
  const number = random.below(TREES);
  const tree = treeOf(number);
  const at = pickDirectory(tree, random);
  const front = [`t${number}`, ...at.map(({ name }) => name)].join('/');
  const url = `file://${place().base}/${encodeURI(front).replaceAll('%C3%BF', '%FF')}`;
  const path = front.includes('\xff') || random.below(9) === 0 ? url : front;
  const walked = walk(tree, at);
  const tool = random.pick(['grep', 'grep', 'grep', 'find'] as const);
  const glob = tool === 'find' || random.below(2) === 0 ? random.pick(Object.keys(GLOBS)) : undefined;
  const type = tool === 'grep' && random.below(4) === 0 ? random.pick(Object.keys(TYPES)) : undefined;
  const pattern = random.pick(Object.keys(PATTERNS));
  const output = random.pick(['files', 'files', 'count', 'count', 'matches'] as const);
  const sort = random.below(4) === 0 ? 'time' : undefined;
  const input =
    tool === 'find'
      ? { pattern: glob, path, sort, limit: 1_000 }
      : { pattern, path, glob, type, output, sort, limit: 1_000 };
  const answer = await place().session.tool(tool).run(input);
  const what = `${tool} ${JSON.stringify(input)}`;
  const text = answer.content.map((part) => ('text' in part ? part.text : '')).join('');
  must(!answer.isError, `${what} works: ${text}`);
  const isWanted = (file: string): boolean =>
    (glob === undefined || GLOBS[glob]?.(file) === true) &&
    (type === undefined || TYPES[type]?.(file) === true);
  const fits = (line: string): boolean => tool === 'find' || PATTERNS[pattern]?.test(line) === true;
  const lines = text.split('\n');
  const left: LeftReason[] = [];
  for (const one of walked) {
    const hits = filesIn(one).filter(
      (file) => isWanted(file.path) && (tool === 'find' || file.text.split('\n').some(fits)),
    );
    if (hits.length === 0) continue;
    const shown = oneLine(`${front}/${one.path}`.replaceAll('\xff', '\udcff'));
    const begins = lines.some(
      (line) => line === shown || line.startsWith(`${shown} (`) || line.startsWith(`${shown}:`),
    );
    if (one.why === undefined || (tool === 'find' && isFindable(one))) {
      must(begins, `${what} finds ${shown}: ${text}`);
      if (tool === 'grep' && output === 'matches')
        for (const [i, line] of one.entry.text.split('\n').entries())
          if (fits(line))
            must(
              lines.some((found) => found.startsWith(`${shown}:${i + 1}:`)),
              `${what} finds line ${i + 1} of ${shown}: ${text}`,
            );
    } else if (!begins) left.push(one.why);
  }
  const nothing = /^No (?:matches|files) found/.test(text);
  mustTell(text, answer.details, left, nothing, what);
}

/** Whether `find` lists what cannot be searched. */
function isFindable({ entry, why }: Walked): boolean {
  return entry.kind === 'file' && why !== 'ignored';
}

export const truthTargets: readonly FuzzTarget[] = [
  {
    name: 'truth',
    group: 'selector',
    isSlow: true,
    together: 8,
    brief: 40,
    seeds: [''],
    words: [''],
    most: 1,
    run: (_, random) => searchTree(random),
  },
];
