/** What is private, and by which rule: for `oriel private`, and for the operator of a server. */

import { isOrielError } from '../errors.ts';
import { privateFile } from '../files/deny-rules.ts';
import type { FileAccess } from '../types/access.ts';

export interface RuleReport {
  /** As it was written. */
  readonly rule: string;
  /** A rule file, `--deny`, or the default list. */
  readonly from: string;
  /** 1-based; absent for an option. */
  readonly line?: number | undefined;
}

/** The rules in force, in their order. */
export async function rulesInForce(access: FileAccess): Promise<RuleReport[]> {
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
