/** Diffs: files that were renamed, hunks that apply, and a list of the files if the diff is large. Runs in the thread. */

import { structuredPatch } from 'diff';
import { plural } from '../../render/display.ts';
import { formatOf, mayStoreFiles } from '../archive/detect.ts';
import { oneLine } from '../../text/visible.ts';
import type { TreeChange, TreeEntry } from '../../git/trees.ts';
import type { DenyRule } from '../../types/access.ts';

/** A diff of several files that has more bytes is shown as the list of its files. */
const MAX_WHOLE_DIFF_BYTES = 12 << 10;

/** Maximum bytes of a file that is compared line by line, and of all files of one diff. */
const MAX_DIFFED_FILE_BYTES = 4 << 20;
const MAX_DIFFED_BYTES = 64 << 20;

const MAX_CHANGED_FILES = 20_000;

/** Maximum lines in which two versions may differ: beyond them all lines are shown as replaced. */
const MAX_EDITS = 3_000;

/** What the comparisons of one diff may cost together, in squares of edits: a few seconds. A file with few edits is always compared. */
const MAX_EFFORT = 50_000_000;
const FEW_EDITS = 50;

/** Maximum pairs of a removed and an added file that are compared to find renamed ones: git's own default. */
const MAX_RENAME_PAIRS = 1_000_000;

/** Maximum bytes of a file, and of all files, that are compared to find renamed ones, and parts that are compared: seconds. */
const MAX_RENAMED_FILE_BYTES = 4 << 20;
const MAX_RENAMED_BYTES = 64 << 20;
const MAX_RENAMED_PARTS = 50_000_000;

/**
 * What two files must have in common, of the larger one, if one is the other renamed, in parts of `MAX_SIMILARITY`; with the same
 * name in another directory they are compared first. As git's own default.
 */
const MAX_SIMILARITY = 60_000;
const MIN_SIMILARITY = 30_000;
const MIN_NAMESAKE_SIMILARITY = 45_000;

/** Why a file cannot be read. */
export type UnreadFile = 'too large' | 'missing or damaged' | 'closed';

export interface DiffContext {
  /** The bytes of a file, a link, or (as git writes it) a submodule. `other`: with which it is compared. */
  bytesOf(entry: TreeEntry, other?: TreeEntry): Buffer | UnreadFile;
  /** The first 8,000 bytes, at least, of a stored file; undefined if they cannot be read, or not without the others. */
  headOf(entry: TreeEntry): Buffer | undefined;
  isPrivate(path: string, isDirectory: boolean): DenyRule | undefined;
}

interface HidingContext extends DiffContext {
  /** The ids of private files in this diff: under another name (a hard link) it is the same file. */
  readonly hidden: ReadonlySet<string>;
}

export interface FileChange extends TreeChange {
  /** The path before it was renamed. */
  readonly from?: string;
  /** In percent. */
  readonly similarity?: number;
  /** What else is said of it. */
  readonly about?: string;
  /** What git runs and is not run here: the file may be unchanged for git, and its content is not shown. */
  readonly uncompared?: string;
}

export interface FileDiff {
  readonly change: FileChange;
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Whether the lines were not compared with each other, so that the counts are at most. */
  readonly isReplaced?: boolean;
  /** Why there are no hunks. */
  readonly about: string;
}

/** `url`: of the diff, to which the path of a file is added. `path`: only what is there or below; empty for all. */
export function diffText(
  changes: Iterable<FileChange>,
  { url, path }: { readonly url: string; readonly path: string },
  context: DiffContext,
): Buffer {
  const { diffs, isCut } = diffsOf(changes, path, context);
  const bytes = diffs.reduce((sum, { text }) => sum + text.length, 0);
  // A file that became a link has two diffs, at one path.
  const isOne = diffs.every(({ change }) => change.path === diffs[0]?.change.path);
  const isList = isCut || (!isOne && bytes > MAX_WHOLE_DIFF_BYTES);
  if (!isList) {
    const text = diffs.map((one) => one.text).join('');
    return Buffer.from(text === '' ? '(no differences)\n' : text, 'latin1');
  }
  const more = isCut ? ' or more' : '';
  const head = `${plural(diffs.length, 'file')}${more} changed, ${countsOf(diffs)}. Read one for its hunks:\n`;
  return Buffer.from(head + diffs.map((one) => listLine(one, url)).join(''));
}

/** The diff of each file at `path` or below, with renamed ones joined. */
export function diffsOf(
  changes: Iterable<FileChange>,
  path: string,
  given: DiffContext,
): { readonly diffs: readonly FileDiff[]; readonly isCut: boolean } {
  const wanted = Buffer.from(path).toString('latin1');
  const isWanted = (one: string): boolean => wanted === '' || one === wanted || one.startsWith(`${wanted}/`);
  const all: FileChange[] = [];
  let isCut = false;
  let others = 0;
  for (const change of changes) {
    if (!isWanted(change.path)) {
      // It may be what was renamed.
      others += 1;
      if (others > MAX_CHANGED_FILES) continue;
    } else if (all.length - Math.min(others, MAX_CHANGED_FILES) === MAX_CHANGED_FILES) {
      isCut = true;
      break;
    }
    all.push(change);
  }
  const hidden = new Set(all.filter((one) => isPrivateChange(one, given)).flatMap(idsOf));
  const context = { ...given, hidden };
  const shown = withRenames(all, context).filter(
    (one) => isWanted(one.path) || isWanted(one.from ?? one.path),
  );
  const left: DiffRoom = { bytes: MAX_DIFFED_BYTES, effort: MAX_EFFORT };
  return { diffs: shown.flatMap(withoutNewKinds).map((change) => diffOf(change, left, context)), isCut };
}

/** A file that became a link is a deleted file and a new link, as git writes it. */
function withoutNewKinds(change: FileChange): FileChange[] {
  const { path, before, after } = change;
  return before && after && before.kind !== after.kind
    ? [
        { path, before },
        { path, after },
      ]
    : [change];
}

/** `+3 -1`; with a bound for the files whose lines were not compared. */
export function countsOf(diffs: readonly FileDiff[]): string {
  const count = (of: 'added' | 'removed'): number => diffs.reduce((sum, one) => sum + one[of], 0);
  const bound = diffs.some(({ isReplaced }) => isReplaced) ? ' at most' : '';
  return `+${count('added')} -${count('removed')}${bound}`;
}

/** `+3 -1  git://diff/A..B/path  (new)`; without a URL the path as it is. */
export function listLine(diff: FileDiff, url?: string): string {
  const { path, from } = diff.change;
  const text = Buffer.from(path, 'latin1').toString('utf8');
  const facts = [
    diff.about,
    from === undefined ? '' : `was ${oneLine(Buffer.from(from, 'latin1').toString('utf8'))}`,
    diff.isReplaced ? 'at most, counted as replaced' : '',
  ];
  const said = facts.filter((fact) => fact !== '').join(', ');
  const end = said === '' ? '\n' : `  (${said})\n`;
  if (diff.about === 'private') return oneLine(text) + end;
  return `+${diff.added} -${diff.removed}  ${url === undefined ? oneLine(text) : `${url}/${urlPath(text)}`}${end}`;
}

/** In a URL, `?` would begin a query, `:` a selector, and two dots would be between revisions. */
function urlPath(path: string): string {
  const name = oneLine(path.replace(/[%?:\0-\x1f\x7f]/g, encodeURIComponent));
  return name.includes('..') || /^staged(?:\/|$)/.test(name) ? `./${name}` : name;
}

/** What is left for further files. */
interface DiffRoom {
  bytes: number;
  effort: number;
}

function diffOf(change: FileChange, left: DiffRoom, context: HidingContext): FileDiff {
  const { path, from = path, before, after, similarity } = change;
  const { about = '', uncompared } = change;
  const isPrivate = isPrivateChange(change, context) || idsOf(change).some((id) => context.hidden.has(id));
  const none = { change, added: 0, removed: 0 };
  if (isPrivate) return { ...none, text: `${quoted(path)}  (private)\n`, about: 'private' };
  const header = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${path}`)}`];
  if (!before && after) header.push(`new file mode ${after.mode}`);
  if (before && !after) header.push(`deleted file mode ${before.mode}`);
  if (before && after && before.mode !== after.mode)
    header.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
  if (similarity !== undefined) {
    header.push(`similarity index ${similarity}%`);
    header.push(`rename from ${quoted(from)}`, `rename to ${quoted(path)}`);
  }
  const mode = before && after && before.mode !== after.mode ? `mode ${after.mode}` : '';
  const kind = [about, !before ? 'new' : !after ? 'deleted' : mode].filter(Boolean).join(', ');
  const said = (why: string): FileDiff => ({
    ...none,
    text: [...header, `${why}: ${quoted(`a/${from}`)} and ${quoted(`b/${path}`)} differ`, ''].join('\n'),
    about: [kind, why.toLowerCase()].filter(Boolean).join(', '),
  });
  if (uncompared !== undefined) return said(`Not compared, ${uncompared} is not run`);
  if (before && after && before.id.equals(after.id))
    return { ...none, text: `${header.join('\n')}\n`, about: kind };
  if ([before, after].some((entry) => isBinary((entry && context.headOf(entry)) ?? NO_BYTES)))
    return said('Binary files');
  if (left.bytes <= 0) return said(TOO_LARGE);
  const [one, other] = [
    before ? context.bytesOf(before) : Buffer.alloc(0),
    after ? context.bytesOf(after, before) : Buffer.alloc(0),
  ];
  for (const side of [one, other]) if (typeof side === 'string') return said(UNREAD[side]);
  if (typeof one === 'string' || typeof other === 'string') return said(TOO_LARGE);
  const size = one.length + other.length;
  if (isBinary(one) || isBinary(other)) {
    left.bytes -= size;
    return said('Binary files');
  }
  if (size > left.bytes || Math.max(one.length, other.length) > MAX_DIFFED_FILE_BYTES) return said(TOO_LARGE);
  left.bytes -= size;
  const { text: hunks, added, removed, isReplaced } = hunksOf(one, other, left);
  if (hunks !== '') {
    const nameOf = (name: string): string => quoted(name) + (name.includes(' ') ? '\t' : '');
    header.push(
      `--- ${before ? nameOf(`a/${from}`) : '/dev/null'}`,
      `+++ ${after ? nameOf(`b/${path}`) : '/dev/null'}`,
    );
  }
  return { change, text: `${header.join('\n')}\n${hunks}`, added, removed, isReplaced, about: kind };
}

function isPrivateChange({ path, from = path }: FileChange, { isPrivate }: DiffContext): boolean {
  return [path, from].some((one) => isPrivate(Buffer.from(one, 'latin1').toString('utf8'), false));
}

/** What the change is about, but for an empty file, which may be equal to any other, and for ids that are not known. */
function idsOf({ before, after }: FileChange): string[] {
  const ids = [before, after].flatMap((entry) => entry?.id.toString('hex') ?? []);
  return ids.filter((id) => !EMPTY_FILES.includes(id) && !/^0*$/.test(id));
}

const EMPTY_FILES = [
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
];

const NO_BYTES = Buffer.alloc(0);
const TOO_LARGE = 'Too large to be compared';
const UNREAD: Readonly<Record<UnreadFile, string>> = {
  'too large': TOO_LARGE,
  'missing or damaged': 'Not compared, an object is missing or damaged',
  closed: 'Not compared, it cannot be read',
};

interface FileHunks {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Whether all lines are shown as replaced, because comparing them would take too long. */
  readonly isReplaced: boolean;
}

function hunksOf(before: Buffer, after: Buffer, left: DiffRoom): FileHunks {
  const [one, other] = [before.toString('latin1'), after.toString('latin1')];
  if (one === other) return { text: '', added: 0, removed: 0, isReplaced: false };
  const most = Math.max(FEW_EDITS, Math.min(MAX_EDITS, Math.floor(Math.sqrt(Math.max(0, left.effort) / 4))));
  // A file with fewer bytes has fewer lines.
  const mayBeNear = one.length + other.length <= most || fewestEdits(before, after) <= most;
  const isNear = one !== '' && other !== '' && mayBeNear;
  const options = { context: 3, maxEditLength: most };
  const patch = isNear ? structuredPatch('', '', one, other, '', '', options) : undefined;
  if (!patch) {
    if (isNear) left.effort -= most ** 2;
    const [removed, added] = [marked('-', one), marked('+', other)];
    // Behind the ranges git writes what it likes, too.
    const said =
      one !== '' && other !== '' ? ' replaced as a whole: too many changes to compare its lines' : '';
    const text = `@@ -${rangeOf(1, removed.count)} +${rangeOf(1, added.count)} @@${said}\n${removed.text}${added.text}`;
    return { text, added: added.count, removed: removed.count, isReplaced: one !== '' && other !== '' };
  }
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  const [added, removed] = [count('+'), count('-')];
  left.effort -= (added + removed) ** 2;
  const parts = patch.hunks.map(
    (hunk) =>
      `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@\n${hunk.lines.join('\n')}\n`,
  );
  return { text: parts.join(''), added, removed, isReplaced: false };
}

/** At least so many lines differ: equal ones are counted by a hash, wherever they stand. */
function fewestEdits(before: Buffer, after: Buffer): number {
  const counts = new Int32Array(1 << 14);
  let edits = 0;
  const look = (bytes: Buffer, sign: number): void => {
    let hash = 0;
    for (const byte of bytes) {
      hash = (Math.imul(hash, 31) + byte) | 0;
      if (byte !== NEWLINE) continue;
      const at = hash & (counts.length - 1);
      const count = counts[at] as number;
      edits += count * sign < 0 ? -1 : 1;
      counts[at] = count + sign;
      hash = 0;
    }
  };
  look(before, 1);
  look(after, -1);
  return edits;
}

const NEWLINE = 10;

/** All lines of a text, as they stand in a hunk. */
function marked(mark: string, text: string): { readonly text: string; readonly count: number } {
  if (text === '') return { text, count: 0 };
  const body = text.replace(/\n$/, '');
  const lines = mark + body.replaceAll('\n', `\n${mark}`);
  const end = text.endsWith('\n') ? '\n' : '\n\\ No newline at end of file\n';
  return { text: lines + end, count: lines.length - body.length };
}

/** Before an empty range stands the number of the line before it. */
function rangeOf(start: number, lines: number): string {
  if (lines === 0) return `${start - 1},0`;
  return lines === 1 ? String(start) : `${start},${lines}`;
}

/** An archive counts as binary also if it is all text, or stands behind one: a member may be private. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0) || formatOf(bytes) !== undefined || mayStoreFiles(bytes, bytes);
}

/** A name as git writes it. Names beyond ASCII are written as they are. */
function quoted(name: string): string {
  if (!/["\\\0-\x1f\x7f]/.test(name)) return name;
  const escaped = name
    .replace(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  const octal = (byte: string): string => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `"${escaped.replace(/[\0-\x1f\x7f]/g, octal)}"`;
}

// Finds renamed files as git does without options. Source: diffcore-rename.c and diffcore-delta.c.

/** Joins a removed and an added file to a renamed one if they are equal or similar. Private files are not compared. */
function withRenames(changes: readonly FileChange[], context: HidingContext): readonly FileChange[] {
  const isOpen = (one: FileChange): boolean =>
    (one.before ?? one.after)?.kind !== 'submodule' &&
    (one.uncompared ?? one.about) === undefined &&
    !isPrivateChange(one, context) &&
    !idsOf(one).some((id) => context.hidden.has(id));
  const removed = new Set(changes.filter((one) => !one.after && isOpen(one)));
  const added = changes.filter((one) => !one.before && isOpen(one));
  if (removed.size === 0 || added.length === 0) return changes;
  const found = new Map<FileChange, FileChange>();
  const join = (from: FileChange, to: FileChange, similarity: number): void => {
    removed.delete(from);
    const percent = Math.floor((100 * similarity) / MAX_SIMILARITY);
    found.set(to, {
      path: to.path,
      before: from.before,
      after: to.after,
      from: from.path,
      similarity: percent,
    });
  };
  joinEqual(added, removed, join);
  const rest = (): FileChange[] => added.filter((to) => !found.has(to) && to.after?.kind === 'file');
  const files = (): FileChange[] => [...removed].filter(({ before }) => before?.kind === 'file');
  const similarity = similarityReader(context);
  joinNamesakes(files(), rest(), similarity, join);
  const [older, newer] = [files(), rest()];
  if (older.length * newer.length <= MAX_RENAME_PAIRS) {
    const pairs = newer.flatMap((to) => bestSources(to, older, similarity));
    for (const { from, to, score } of pairs.toSorted(compareCandidates))
      if (removed.has(from) && !found.has(to)) join(from, to, score);
  }
  const gone = new Set([...found.values()].map(({ from }) => from));
  return changes
    .filter((one) => one.after !== undefined || !gone.has(one.path))
    .map((one) => found.get(one) ?? one);
}

type JoinRename = (from: FileChange, to: FileChange, similarity: number) => void;
type SimilarityReader = (from: FileChange, to: FileChange, least: number) => number;

/** Of several equal files one with the same name, or the first. */
function joinEqual(added: readonly FileChange[], removed: ReadonlySet<FileChange>, join: JoinRename): void {
  const byId = new Map<string, FileChange[]>();
  for (const from of removed) {
    const id = from.before?.id.toString('hex') ?? '';
    if (!byId.get(id)?.push(from)) byId.set(id, [from]);
  }
  for (const to of added) {
    const equal = (byId.get(to.after?.id.toString('hex') ?? '') ?? []).filter(
      (from) => removed.has(from) && from.before?.kind === to.after?.kind,
    );
    const from = equal.find((one) => nameOfPath(one.path) === nameOfPath(to.path)) ?? equal[0];
    if (from) join(from, to, MAX_SIMILARITY);
  }
}

/** Files that are the only ones of their name on both sides. */
function joinNamesakes(
  older: readonly FileChange[],
  newer: readonly FileChange[],
  similarity: SimilarityReader,
  join: JoinRename,
): void {
  const [sources, targets] = [older, newer].map((files) => {
    const byName = new Map<string, FileChange | undefined>();
    for (const one of files) {
      const name = nameOfPath(one.path);
      byName.set(name, byName.has(name) ? undefined : one);
    }
    return byName;
  });
  for (const [name, from] of sources ?? []) {
    const to = targets?.get(name);
    const score = from && to ? similarity(from, to, MIN_NAMESAKE_SIMILARITY) : 0;
    if (from && to && score >= MIN_NAMESAKE_SIMILARITY) join(from, to, score);
  }
}

interface RenameCandidate {
  readonly from: FileChange;
  readonly to: FileChange;
  readonly score: number;
  readonly isNamesake: boolean;
}

const MAX_SOURCES = 4;

function bestSources(
  to: FileChange,
  older: readonly FileChange[],
  similarity: SimilarityReader,
): RenameCandidate[] {
  const best: RenameCandidate[] = [];
  for (const from of older) {
    const score = similarity(from, to, MIN_SIMILARITY);
    if (score < MIN_SIMILARITY) continue;
    const isNamesake = nameOfPath(from.path) === nameOfPath(to.path);
    const candidate = { from, to, score, isNamesake };
    if (best.length < MAX_SOURCES) {
      best.push(candidate);
      continue;
    }
    let worst = 0;
    for (let i = 1; i < best.length; i += 1)
      if (compareCandidates(best[i] as RenameCandidate, best[worst] as RenameCandidate) > 0) worst = i;
    if (compareCandidates(best[worst] as RenameCandidate, candidate) > 0) best[worst] = candidate;
  }
  return best;
}

/** The most similar first. */
function compareCandidates(a: RenameCandidate, b: RenameCandidate): number {
  return b.score - a.score || Number(b.isNamesake) - Number(a.isNamesake);
}

function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** What is compared of a file. */
interface FileParts {
  readonly size: number;
  /** The bytes of all parts with the same hash. */
  readonly parts: ReadonlyMap<number, number>;
}

function similarityReader({ bytesOf }: DiffContext): SimilarityReader {
  const known = new Map<TreeEntry, FileParts | undefined>();
  let [left, effort] = [MAX_RENAMED_BYTES, MAX_RENAMED_PARTS];
  const partsOf = (entry: TreeEntry | undefined): FileParts | undefined => {
    if (!entry) return undefined;
    if (known.has(entry)) return known.get(entry);
    const bytes = left > 0 ? bytesOf(entry) : 'too large';
    const isRead = typeof bytes === 'object' && bytes.length <= MAX_RENAMED_FILE_BYTES;
    const found = isRead ? { size: bytes.length, parts: hashedParts(bytes) } : undefined;
    left -= found?.size ?? 0;
    known.set(entry, found);
    return found;
  };
  return ({ before }, { after }, least) => {
    const [one, other] = [partsOf(before), partsOf(after)];
    if (!one || !other || other.size === 0) return 0;
    const [small, large] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
    if (large * (MAX_SIMILARITY - least) < (large - small) * MAX_SIMILARITY || effort < 0) return 0;
    effort -= one.parts.size;
    let common = 0;
    for (const [hash, bytes] of one.parts) common += Math.min(bytes, other.parts.get(hash) ?? 0);
    return Math.floor((common * MAX_SIMILARITY) / large);
  };
}

/** A line of text is a part, or 64 bytes of a longer one. */
const MAX_PART_BYTES = 64;
const PART_HASHES = 107_927;

function hashedParts(bytes: Buffer): Map<number, number> {
  const parts = new Map<number, number>();
  const isText = !isBinary(bytes);
  let [low, high, size] = [0, 0, 0];
  const end = (): void => {
    const hash = ((low + Math.imul(high, 0x61)) >>> 0) % PART_HASHES;
    parts.set(hash, (parts.get(hash) ?? 0) + size);
    [low, high, size] = [0, 0, 0];
  };
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] as number;
    if (isText && byte === 13 && bytes[i + 1] === NEWLINE) continue;
    const before = low;
    low = (((low << 7) ^ (high >>> 25)) + byte) | 0;
    high = (high << 7) ^ (before >>> 25);
    size += 1;
    if (size === MAX_PART_BYTES || byte === NEWLINE) end();
  }
  if (size > 0) end();
  return parts;
}
