/** The caller of work that several callers share: in a fair queue the work gets the turns of all its members. */

import type { Caller } from './caller.ts';

export interface MemberWatcher {
  joined(member: Caller): void;
  left(member: Caller): void;
}

interface Members {
  /** How many times each member has joined. */
  readonly counts: Map<Caller, number>;
  readonly watchers: Set<MemberWatcher>;
}

const shared = new WeakMap<Caller, Members>();

/** Creates a shared caller without members. Queues do not serve it before the first member has joined. */
export function createSharedCaller(): Caller {
  const caller = {};
  shared.set(caller, { counts: new Map(), watchers: new Set() });
  return caller;
}

/** The members of a shared caller; for any other caller, the caller itself. */
export function membersOf(caller: Caller): readonly Caller[] {
  const members = shared.get(caller);
  return members ? [...members.counts.keys()] : [caller];
}

/** Calls `watcher` when members join or leave, until the returned function is called. Ignores a caller that is not shared. */
export function watchMembers(caller: Caller, watcher: MemberWatcher): () => void {
  const watchers = shared.get(caller)?.watchers;
  watchers?.add(watcher);
  return () => void watchers?.delete(watcher);
}

/**
 * Makes `caller` a member of `whole` until the returned function is called. The last member stays until another joins:
 * work that continues after all callers have left still counts as its work.
 */
export function joinCaller(whole: Caller, caller: Caller): () => void {
  const members = shared.get(whole);
  if (!members) return () => undefined;
  const { counts, watchers } = members;
  const own = new Set<Caller>();
  const add = (member: Caller): void => {
    if (own.has(member)) return;
    own.add(member);
    const before = counts.get(member);
    counts.set(member, (before ?? 0) + 1);
    if (before !== undefined) return;
    for (const watcher of watchers) watcher.joined(member);
    for (const [other, count] of counts) if (count === 0 && other !== member) drop(other);
  };
  const drop = (member: Caller): void => {
    counts.delete(member);
    for (const watcher of watchers) watcher.left(member);
  };
  const remove = (member: Caller): void => {
    if (!own.delete(member)) return;
    const left = (counts.get(member) ?? 1) - 1;
    counts.set(member, left);
    if (left === 0 && counts.size > 1) drop(member);
  };
  for (const member of membersOf(caller)) add(member);
  const unwatch = watchMembers(caller, { joined: add, left: remove });
  return () => {
    unwatch();
    for (const member of own) remove(member);
  };
}
