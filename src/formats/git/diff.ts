/** Diffs: files that were renamed, hunks that apply, and a list of the files if the diff is large. Runs in the thread. */

import { structuredPatch } from 'diff';
import { plural } from '../../render/display.ts';
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
  context: DiffContext,
): Buffer {
  const all: TreeChange[] = [];
  let isCut = false;
  for (const change of changes) {
    isCut = all.length === MAX_CHANGED_FILES;
    if (isCut) break;
    all.push(change);
  }
  const wanted = Buffer.from(path).toString('latin1');
  const isWanted = (one: string): boolean => wanted === '' || one === wanted || one.startsWith(`${wanted}/`);
  const shown = withRenames(all, context).filter(
    (one) => isWanted(one.path) || isWanted(one.from ?? one.path),
  );
  let left = MAX_DIFFED_BYTES;
  const diffs = shown.flatMap(withoutNewKinds).map((change) => {
    const diff = diffOf(change, left, context);
    left -= diff.size;
    return diff;
  });
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

function diffOf(
  change: FileChange,
  left: number,
  context: DiffContext,
): FileDiff & { readonly size: number } {
  const { path, from = path, before, after, similarity } = change;
  const isPrivate = [path, from].some((one) =>
    context.isPrivate(Buffer.from(one, 'latin1').toString('utf8'), false),
  );
  const none = { change, added: 0, removed: 0, size: 0 };
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
  const said = (why: string): FileDiff & { readonly size: number } => ({
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
    return { ...said(why), size: 0 };
  }
  const size = one.length + other.length;
  if (isBinary(one) || isBinary(other)) return { ...said('Binary files'), size };
  if (size > left || Math.max(one.length, other.length) > MAX_DIFFED_FILE_BYTES)
    return { ...said(TOO_LARGE), size: 0 };
  const hunks = hunksOf(one.toString('latin1'), other.toString('latin1'));
  if (hunks.length > 0) {
    const nameOf = (name: string): string => quoted(name) + (name.includes(' ') ? '\t' : '');
    header.push(
      `--- ${before ? nameOf(`a/${from}`) : '/dev/null'}`,
      `+++ ${after ? nameOf(`b/${path}`) : '/dev/null'}`,
    );
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  const parts = hunks.map(
    (hunk) =>
      `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@\n${hunk.lines.join('\n')}\n`,
  );
  const text = `${header.join('\n')}\n${parts.join('')}`;
  return { change, text, added: count('+'), removed: count('-'), about: kind, size };
}

const TOO_LARGE = 'Too large to be compared';

interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function hunksOf(one: string, other: string): readonly DiffHunk[] {
  if (one === other) return [];
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = one === '' || other === '' ? undefined : structuredPatch('', '', one, other, '', '', options);
  if (patch) return patch.hunks;
  const [removed, added] = [marked('-', one), marked('+', other)];
  return [
    {
      oldStart: 1,
      oldLines: removed.count,
      newStart: 1,
      newLines: added.count,
      lines: [...removed.lines, ...added.lines],
    },
  ];
}

/** All lines of a text, as they stand in a hunk. */
function marked(mark: string, text: string): { readonly lines: readonly string[]; readonly count: number } {
  if (text === '') return { lines: [], count: 0 };
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => mark + line);
  return {
    lines: text.endsWith('\n') ? lines : [...lines, '\\ No newline at end of file'],
    count: lines.length,
  };
}

/** Before an empty range stands the number of the line before it. */
function rangeOf(start: number, lines: number): string {
  if (lines === 0) return `${start - 1},0`;
  return lines === 1 ? String(start) : `${start},${lines}`;
}

function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0);
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
function withRenames(changes: readonly TreeChange[], context: DiffContext): FileChange[] {
  const isOpen = ({ path, before, after }: TreeChange): boolean =>
    (before ?? after)?.kind === 'file' &&
    !context.isPrivate(Buffer.from(path, 'latin1').toString('utf8'), false);
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
