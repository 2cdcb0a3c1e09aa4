/** Diffs: files that were renamed, hunks that apply, and a list of the files if the diff is large. Runs in the thread. */

import { structuredPatch } from 'diff';
import { plural } from '../../render/display.ts';
import { formatOf } from '../archive/detect.ts';
import { oneLine } from '../../text/visible.ts';
import type { TreeChange, TreeEntry } from '../../git/trees.ts';
import type { DenyRule } from '../../types/access.ts';

/** A diff of several files that has more bytes is shown as the list of its files. */
const MAX_WHOLE_DIFF_BYTES = 12 << 10;

/** Maximum bytes of a file that is compared line by line, and of all files of one diff. */
const MAX_DIFFED_FILE_BYTES = 4 << 20;
const MAX_DIFFED_BYTES = 64 << 20;

/** Maximum files of a diff. */
const MAX_CHANGED_FILES = 20_000;

/** Maximum lines in which two versions may differ: beyond them all lines are shown as replaced. */
const MAX_EDITS = 3_000;

/** What the comparisons of one diff may cost together, in squares of edits: a few seconds. A file with few edits is always compared. */
const MAX_EFFORT = 50_000_000;
const FEW_EDITS = 50;

/** Maximum removed and maximum added files that are compared to find renamed ones, and the bytes of each. */
const MAX_RENAME_CANDIDATES = 200;
const MAX_RENAMED_BYTES = 256 << 10;

/** What two files must have in common, of the larger one, if one is the other renamed. As git's own default. */
const MIN_SIMILARITY = 0.5;

/** Why a file cannot be read. */
export type UnreadFile = 'too large' | 'missing or damaged';

export interface DiffContext {
  /** The bytes of a file, a link, or (as git writes it) a submodule. */
  bytesOf(entry: TreeEntry): Buffer | UnreadFile;
  isPrivate(path: string, isDirectory: boolean): DenyRule | undefined;
}

interface HidingContext extends DiffContext {
  /** The ids of private files in this diff: under another name (a hard link) it is the same file. */
  readonly hidden: ReadonlySet<string>;
}

interface FileChange extends TreeChange {
  /** The path before it was renamed. */
  readonly from?: string;
  readonly similarity?: number;
}

interface FileDiff {
  readonly change: FileChange;
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Why there are no hunks. */
  readonly about: string;
}

/** `url`: of the diff, to which the path of a file is added. `path`: only what is there or below; empty for all. */
export function diffText(
  changes: Iterable<TreeChange>,
  { url, path }: { readonly url: string; readonly path: string },
  given: DiffContext,
): Buffer {
  const wanted = Buffer.from(path).toString('latin1');
  const isWanted = (one: string): boolean => wanted === '' || one === wanted || one.startsWith(`${wanted}/`);
  const all: TreeChange[] = [];
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
  const diffs = shown.flatMap(withoutNewKinds).map((change) => diffOf(change, left, context));
  const bytes = diffs.reduce((sum, { text }) => sum + text.length, 0);
  const isList = isCut || (diffs.length > 1 && bytes > MAX_WHOLE_DIFF_BYTES);
  const text = isList ? listOf(diffs, url, isCut) : diffs.map((one) => one.text).join('');
  return Buffer.from(text === '' ? '(no differences)\n' : text, 'latin1');
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

function listOf(diffs: readonly FileDiff[], url: string, isCut: boolean): string {
  const count = (of: 'added' | 'removed'): number => diffs.reduce((sum, one) => sum + one[of], 0);
  const more = isCut ? ' or more' : '';
  const head = `${plural(diffs.length, 'file')}${more} changed, +${count('added')} -${count('removed')}. Read one for its hunks:\n`;
  const lines = diffs.map(({ change: { path, from }, added, removed, about }) => {
    const text = Buffer.from(path, 'latin1').toString('utf8');
    const facts = [
      about,
      from === undefined ? '' : `was ${oneLine(Buffer.from(from, 'latin1').toString('utf8'))}`,
    ];
    const said = facts.filter((fact) => fact !== '').join(', ');
    const end = said === '' ? '\n' : `  (${said})\n`;
    if (about === 'private') return oneLine(text) + end;
    // In a URL, `?` would begin a query and `:` a selector.
    const name = oneLine(text.replace(/[%?:\0-\x1f\x7f]/g, encodeURIComponent));
    return `+${added} -${removed}  ${url}/${name}${end}`;
  });
  return Buffer.from(head + lines.join('')).toString('latin1');
}

/** What is left for further files. */
interface DiffRoom {
  bytes: number;
  effort: number;
}

function diffOf(change: FileChange, left: DiffRoom, context: HidingContext): FileDiff {
  const { path, from = path, before, after, similarity } = change;
  const isPrivate = isPrivateChange(change, context) || idsOf(change).some((id) => context.hidden.has(id));
  const none = { change, added: 0, removed: 0 };
  if (isPrivate) return { ...none, text: `${path}  (private)\n`, about: 'private' };
  const header = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${path}`)}`];
  if (!before && after) header.push(`new file mode ${after.mode}`);
  if (before && !after) header.push(`deleted file mode ${before.mode}`);
  if (before && after && before.mode !== after.mode)
    header.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
  if (similarity !== undefined) {
    header.push(`similarity index ${Math.floor(100 * similarity)}%`);
    header.push(`rename from ${quoted(from)}`, `rename to ${quoted(path)}`);
  }
  const kind = !before ? 'new' : !after ? 'deleted' : '';
  const said = (why: string): FileDiff => ({
    ...none,
    text: [...header, `${why}: ${quoted(`a/${from}`)} and ${quoted(`b/${path}`)} differ`, ''].join('\n'),
    about: [kind, why.toLowerCase()].filter(Boolean).join(', '),
  });
  if (before && after && before.id.equals(after.id))
    return { ...none, text: `${header.join('\n')}\n`, about: kind };
  const sideOf = (entry: TreeEntry | undefined): Buffer | UnreadFile =>
    entry ? context.bytesOf(entry) : Buffer.alloc(0);
  const [one, other] = [sideOf(before), sideOf(after)];
  if (typeof one === 'string' || typeof other === 'string') {
    const why = [one, other].includes('too large')
      ? TOO_LARGE
      : 'Not compared, an object is missing or damaged';
    return said(why);
  }
  const size = one.length + other.length;
  if (isBinary(one) || isBinary(other)) {
    left.bytes -= size;
    return said('Binary files');
  }
  if (size > left.bytes || Math.max(one.length, other.length) > MAX_DIFFED_FILE_BYTES) return said(TOO_LARGE);
  left.bytes -= size;
  const { text: hunks, added, removed } = hunksOf(one, other, left);
  if (hunks !== '') {
    const nameOf = (name: string): string => quoted(name) + (name.includes(' ') ? '\t' : '');
    header.push(
      `--- ${before ? nameOf(`a/${from}`) : '/dev/null'}`,
      `+++ ${after ? nameOf(`b/${path}`) : '/dev/null'}`,
    );
  }
  return { change, text: `${header.join('\n')}\n${hunks}`, added, removed, about: kind };
}

function isPrivateChange({ path, from = path }: FileChange, { isPrivate }: DiffContext): boolean {
  return [path, from].some((one) => isPrivate(Buffer.from(one, 'latin1').toString('utf8'), false));
}

/** What the change is about, but for an empty file, which may be equal to any other. */
function idsOf({ before, after }: FileChange): string[] {
  const ids = [before, after].flatMap((entry) => entry?.id.toString('hex') ?? []);
  return ids.filter((id) => !EMPTY_FILES.includes(id));
}

const EMPTY_FILES = [
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
];

const TOO_LARGE = 'Too large to be compared';

interface FileHunks {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

function hunksOf(before: Buffer, after: Buffer, left: DiffRoom): FileHunks {
  const [one, other] = [before.toString('latin1'), after.toString('latin1')];
  if (one === other) return { text: '', added: 0, removed: 0 };
  const most = Math.max(FEW_EDITS, Math.min(MAX_EDITS, Math.floor(Math.sqrt(Math.max(0, left.effort) / 4))));
  // A file with fewer bytes has fewer lines.
  const mayBeNear = one.length + other.length <= most || fewestEdits(before, after) <= most;
  const isNear = one !== '' && other !== '' && mayBeNear;
  const options = { context: 3, maxEditLength: most };
  const patch = isNear ? structuredPatch('', '', one, other, '', '', options) : undefined;
  if (!patch) {
    if (isNear) left.effort -= most ** 2;
    const [removed, added] = [marked('-', one), marked('+', other)];
    const text = `@@ -${rangeOf(1, removed.count)} +${rangeOf(1, added.count)} @@\n${removed.text}${added.text}`;
    return { text, added: added.count, removed: removed.count };
  }
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  const [added, removed] = [count('+'), count('-')];
  left.effort -= (added + removed) ** 2;
  const parts = patch.hunks.map(
    (hunk) =>
      `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@\n${hunk.lines.join('\n')}\n`,
  );
  return { text: parts.join(''), added, removed };
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

/** An archive counts as binary also if it is all text: a member may be private. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0) || formatOf(bytes) !== undefined;
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

/** Joins a removed and an added file to a renamed one if they are equal or similar. Private files are not compared. */
function withRenames(changes: readonly TreeChange[], context: HidingContext): FileChange[] {
  const isOpen = (one: TreeChange): boolean =>
    (one.before ?? one.after)?.kind === 'file' &&
    !isPrivateChange(one, context) &&
    !idsOf(one).some((id) => context.hidden.has(id));
  const removed = new Set(changes.filter((one) => !one.after && isOpen(one)));
  const added = changes.filter((one) => !one.before && isOpen(one));
  const sources = new Map<TreeChange, FileChange>();
  const join = (from: TreeChange, to: TreeChange, similarity: number): void => {
    removed.delete(from);
    sources.set(to, { path: to.path, before: from.before, after: to.after, from: from.path, similarity });
  };
  const byId = new Map([...removed].map((from) => [from.before?.id.toString('hex'), from]));
  for (const to of added) {
    const from = byId.get(to.after?.id.toString('hex'));
    if (from && removed.has(from)) join(from, to, 1);
  }
  const rest = added.filter((to) => !sources.has(to));
  if (rest.length <= MAX_RENAME_CANDIDATES && removed.size <= MAX_RENAME_CANDIDATES && removed.size > 0) {
    const linesOf = (entry: TreeEntry | undefined): LineCounts => countLines(entry && context.bytesOf(entry));
    const older = [...removed].map((from) => ({ from, lines: linesOf(from.before) }));
    const pairs = rest.flatMap((to) => {
      const lines = linesOf(to.after);
      return older.map(({ from, lines: other }) => ({ from, to, similarity: similarityOf(other, lines) }));
    });
    for (const { from, to, similarity } of pairs.toSorted((a, b) => b.similarity - a.similarity)) {
      if (similarity >= MIN_SIMILARITY && removed.has(from) && !sources.has(to)) join(from, to, similarity);
    }
  }
  const gone = new Set([...sources.values()].map(({ from }) => from));
  return changes
    .filter((one) => one.after !== undefined || !gone.has(one.path))
    .map((one) => sources.get(one) ?? one);
}

interface LineCounts {
  readonly bytes: number;
  readonly counts: ReadonlyMap<string, number>;
}

function countLines(bytes: Buffer | UnreadFile | undefined): LineCounts {
  const counts = new Map<string, number>();
  if (typeof bytes !== 'object' || bytes.length > MAX_RENAMED_BYTES || isBinary(bytes))
    return { bytes: 0, counts };
  for (const line of bytes.toString('latin1').split(/(?<=\n)/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return { bytes: bytes.length, counts };
}

/** The bytes of equal lines, of those of the larger file. */
function similarityOf(one: LineCounts, other: LineCounts): number {
  if (one.bytes === 0 || other.bytes === 0) return 0;
  if (Math.min(one.bytes, other.bytes) < MIN_SIMILARITY * Math.max(one.bytes, other.bytes)) return 0;
  let common = 0;
  for (const [line, count] of one.counts)
    common += line.length * Math.min(count, other.counts.get(line) ?? 0);
  return common / Math.max(one.bytes, other.bytes);
}
