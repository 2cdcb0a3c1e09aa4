/** A caller that stands for all callers of shared work: in fair queues it is served as each of its members. */

import type { Caller } from './caller.ts';

export interface MemberWatcher {
  joined(member: Caller): void;
  left(member: Caller): void;
}

interface Members {
  /** How often each has joined. */
  readonly counts: Map<Caller, number>;
  readonly watchers: Set<MemberWatcher>;
}

const shared = new WeakMap<Caller, Members>();

/** Nobody has joined it yet: until then it is not served. */
export function createSharedCaller(): Caller {
  const caller = {};
  shared.set(caller, { counts: new Map(), watchers: new Set() });
  return caller;
}

/** Those for whom a caller waits: itself, unless it is shared. */
export function membersOf(caller: Caller): readonly Caller[] {
  const members = shared.get(caller);
  return members ? [...members.counts.keys()] : [caller];
}

/** Until the returned function is called. A caller without it is told nothing. */
export function watchMembers(caller: Caller, watcher: MemberWatcher): () => void {
  const watchers = shared.get(caller)?.watchers;
  watchers?.add(watcher);
  return () => void watchers?.delete(watcher);
}

/**
 * `caller` is a member of `whole` until the returned function is called. The last member stays: work that continues when
 * nobody waits counts as its own.
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
