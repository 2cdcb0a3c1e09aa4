/** What is private, and by which rule: for `oriel private`, for the operator of a server, and before bytes are sent as they are. */

import { basename } from 'node:path';
import { isOrielError } from '../errors.ts';
import { privateFile } from '../files/deny-rules.ts';
import { readSourceHead } from '../text/bytes.ts';
import { baseLimits } from '../text/limits.ts';
import type { DenyRule, FileAccess, OpenedFile } from '../types/access.ts';
import { type CallOptions, type Engine, openCall } from './open-call.ts';

/** The rules in force, in their order. */
export async function rulesInForce(access: FileAccess): Promise<Pick<DenyRule, 'rule' | 'from' | 'line'>[]> {
  const { sources = [] } = (await access.privateNames?.())?.data ?? {};
  const all = sources.flatMap(({ rules }) => rules.map(({ rule, from, line }) => ({ rule, from, line })));
  // An option is relative to each root, and a rule in a settings file may be two patterns.
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** A sentence that names the rule which makes `path` (absolute) private; undefined if none does. The path need not exist. */
export async function whyPrivate(
  access: FileAccess,
  path: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!access.privateNames) return undefined;
  try {
    await (await access.open(path, signal)).close();
  } catch (error) {
    signal?.throwIfAborted();
    if (isOrielError(error) && error.code === 'PRIVATE') return error.why;
  }
  const rule = (await access.privateNames()).decide(path, false);
  return rule && privateFile(access.display(path), rule).why;
}

/** Throws `PRIVATE` if the stored bytes of the file hold those of a private member, or may hold them. */
export async function refuseStoredBytes(
  engine: Engine,
  opened: OpenedFile,
  options: CallOptions,
): Promise<void> {
  const { access } = engine;
  if (!access.privateNames) return;
  const { path, bytes } = opened;
  const [name, head] = [basename(path), await readSourceHead(bytes, options.signal)];
  const typed = access.display(path);
  const request = { kind: 'read', target: typed, grammar: 'literal' } as const;
  const { call, settle, close } = openCall(engine, { request, limits: baseLimits }, options);
  try {
    const { refuseStoredMembers } = await import('../formats/archive/open.ts');
    await settle(() => refuseStoredMembers({ typed, rest: '', name, path, opened, head }, call));
  } finally {
    await close();
  }
}
