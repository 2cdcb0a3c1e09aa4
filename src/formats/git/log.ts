/** `git://log`: the commits of a branch, newest first, one line each. Runs in the thread. */

import { OrielError } from '../../errors.ts';
import { privateFile } from '../../files/deny-rules.ts';
import type { FoundCommit } from '../../git/revisions.ts';
import { entryAtPath } from '../../git/trees.ts';
import { plural } from '../../render/display.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { GitContext } from './entries.ts';
import type { FoundText, LogQuestion } from './protocol.ts';

const MAX_LOG_COMMITS = 500_000;

export function logText(context: GitContext, question: LogQuestion): FoundText {
  const { path, from, until, author, since, limit, target } = question;
  const { revisions, isPrivate } = context;
  const rule = path === '' ? undefined : (isPrivate(path, true) ?? isPrivate(path, false));
  if (rule) throw privateFile(target, rule);
  const start = revisions.commit(until);
  const excluded = from === undefined ? undefined : ancestorsOf(context, revisions.commit(from));
  const wanted = author?.toLowerCase();
  const lines: string[] = [];
  let more = false;
  let known = path === '' || from !== undefined;
  for (const { commit, touches } of commitsFrom(context, start, path, excluded)) {
    known ||= touches;
    if (!touches || commit.time < (since ?? Number.NEGATIVE_INFINITY)) continue;
    if (wanted !== undefined && !commit.author.toLowerCase().includes(wanted)) continue;
    more = lines.length === limit;
    if (more) break;
    lines.push(lineOf(commit));
  }
  if (!known)
    throw new OrielError('NOT_FOUND', `No commit of ${quote(until)} changes ${quote(path)}. Use git://log.`, {
      next: 'git://log',
    });
  const text = lines.length === 0 ? '(no commits)\n' : lines.join('');
  const [front = '', query = ''] = target.split(/\?(.*)/s);
  const kept = query.split('&').filter((one) => one !== '' && !one.startsWith('limit='));
  const next = `${front}?${[...kept, `limit=${10 * limit}`].join('&')}`;
  const said = `The last ${plural(limit, 'commit')}. Use ${next} for more`;
  return { kind: 'text', target, bytes: Buffer.from(text), notes: more ? [{ text: said, use: next }] : [] };
}

/** `1a2b3c4d5e6f 2026-01-02 Ada: subject`. */
function lineOf({ id, author, authored, message }: FoundCommit): string {
  const name = author.replace(/ *<[^>]*>$/, '');
  const subject = message.trimStart().split('\n\n')[0]?.trim().replaceAll('\n', ' ') ?? '';
  return `${id.toString('hex').slice(0, 12)} ${dateOf(authored).slice(0, 10)} ${oneLine(name)}: ${oneLine(subject)}\n`;
}

/** `2026-01-02 03:04:05 +0100`. */
export function dateOf({ time, zone }: FoundCommit['authored']): string {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === '-' ? -60 : 60) * (60 * Number(hours) + Number(minutes));
  const date = new Date(1000 * (time + offset));
  if (Number.isNaN(date.getTime())) return `${time} ${zone}`;
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} ${zone}`;
}

function ancestorsOf(context: GitContext, start: FoundCommit): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { commit } of commitsFrom(context, start, '', undefined)) found.add(commit.id.toString('hex'));
  return found;
}

/** How many commits each of two has among its ancestors, itself included, that the other has not. */
export function commitsApart(
  { revisions }: GitContext,
  one: FoundCommit,
  other: FoundCommit,
): { readonly one: number; readonly other: number } {
  const BOTH = 3;
  const sides = new Map<string, number>();
  const queue = new CommitQueue();
  /** Commits of one side, which may turn out to be of both, and those of them that are queued. */
  let [oldest, open] = [Number.POSITIVE_INFINITY, 0];
  const queued = new Map<string, number>();
  const add = (commit: FoundCommit, side: number): void => {
    const key = commit.id.toString('hex');
    const before = sides.get(key) ?? 0;
    if ((before | side) === before) return;
    if (sides.size > MAX_LOG_COMMITS)
      throw new OrielError('LIMIT', `The log has more than ${MAX_LOG_COMMITS} commits.`);
    sides.set(key, before | side);
    const pending = queued.get(key) ?? 0;
    if (pending > 0 && before !== BOTH) open -= pending;
    if ((before | side) !== BOTH) {
      oldest = Math.min(oldest, commit.time);
      open += pending + 1;
    }
    queued.set(key, pending + 1);
    queue.add(commit);
  };
  add(one, 1);
  add(other, 2);
  for (let commit = queue.take(); commit; commit = queue.take()) {
    const key = commit.id.toString('hex');
    const side = sides.get(key) ?? 0;
    queued.set(key, (queued.get(key) ?? 1) - 1);
    if (side !== BOTH) open -= 1;
    else if (open === 0 && commit.time < oldest) break;
    for (const id of revisions.parentsOf(commit)) add(revisions.read(id), side);
  }
  const count = (wanted: number): number => [...sides.values()].filter((side) => side === wanted).length;
  return { one: count(1), other: count(2) };
}

/**
 * A commit and its ancestors, the newest first, as git orders them. `touches`: whether it changes `path`. Of a merge only a
 * parent in which the path is the same is followed, as git does.
 */
function* commitsFrom(
  context: GitContext,
  start: FoundCommit,
  path: string,
  excluded: ReadonlySet<string> | undefined,
): Generator<{ readonly commit: FoundCommit; readonly touches: boolean }> {
  const { repository, revisions } = context;
  const latin1 = Buffer.from(path).toString('latin1');
  const stateOf = ({ tree }: FoundCommit): string => {
    const entry = path === '' ? undefined : entryAtPath((id) => repository.read(id), tree, latin1);
    return entry ? `${entry.mode} ${entry.id.toString('hex')}` : '';
  };
  const queue = new CommitQueue();
  const seen = new Set<string>();
  const add = (commit: FoundCommit): void => {
    const key = commit.id.toString('hex');
    if (seen.has(key) || excluded?.has(key)) return;
    seen.add(key);
    if (seen.size > MAX_LOG_COMMITS) {
      throw new OrielError('LIMIT', `${quote(path || 'The log')} has more than ${MAX_LOG_COMMITS} commits.`);
    }
    queue.add(commit);
  };
  add(start);
  for (let commit = queue.take(); commit; commit = queue.take()) {
    const parents = revisions.parentsOf(commit).map((id) => revisions.read(id));
    const state = stateOf(commit);
    const same = path === '' ? undefined : parents.find((parent) => stateOf(parent) === state);
    yield { commit, touches: path === '' || (!same && (parents.length > 0 || state !== '')) };
    for (const parent of same ? [same] : parents) add(parent);
  }
}

/** Commits by time, the newest first; equal ones in the order in which they were added. */
class CommitQueue {
  /** The next one is the last. */
  readonly #waiting: FoundCommit[] = [];

  add(commit: FoundCommit): void {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#waiting[middle] as FoundCommit).time < commit.time) low = middle + 1;
      else high = middle;
    }
    this.#waiting.splice(low, 0, commit);
  }

  take(): FoundCommit | undefined {
    return this.#waiting.pop();
  }
}
