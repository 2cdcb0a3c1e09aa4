/** What an answer says of the files and directories that a search left out, with the calls that include them. */

import { kindAt } from '../target/find-target.ts';
import { urlOfShown } from '../target/nameable-path.ts';
import type { Call } from '../types/call.ts';
import type { PassedOver, PassedReason, SearchGaps } from '../types/result.ts';
import { selectsFile } from './search-scope.ts';

/** The search as it was called. */
interface LeavingSearch {
  readonly tool: 'grep' | 'find' | 'symbols';
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  /** Whether `read` takes selectors in this dialect. */
  readonly selectors?: boolean | undefined;
  /** Whether the tool can search inside containers, but did not below the directory. */
  readonly passesContainers?: boolean | undefined;
  /** Whether nothing was found. Otherwise only what nobody expects to be missing is said. */
  readonly nothing: boolean;
}

/** What is said if nothing was found, in this order, and its calls. `directory`, `glob` and `type` depend on the files. */
const REASONS: readonly PassedReason[] = [
  'ignored',
  'private',
  'link',
  'undecoded',
  'garbled',
  'binary',
  'special',
];

export async function passedOver(
  { gaps, next }: { readonly gaps: SearchGaps; readonly next?: number | undefined },
  search: LeavingSearch,
  call: Call,
): Promise<readonly PassedOver[] | undefined> {
  const { passed = {} } = gaps;
  const all: PassedOver[] = [];
  const say = (reason: PassedReason, fields?: Pick<PassedOver, 'call' | 'use'>): void => {
    const { count } = passed[reason] ?? { count: 0 };
    if (count > 0) all.push({ reason, count, ...fields });
  };
  const first = (reason: PassedReason): readonly string[] =>
    (passed[reason]?.first ?? [])
      .map((path) => urlOfShown(path, call) ?? path)
      .filter((path) => Buffer.byteLength(path) <= MAX_CALL_PATH_BYTES);
  const sayText = (reason: 'garbled' | 'undecoded'): void => {
    const [use] = search.selectors ? first(reason) : [];
    say(reason, { use: use !== undefined && reason === 'garbled' ? `${use}:raw` : use });
  };
  if (!search.nothing) {
    sayText('undecoded');
    sayText('garbled');
  }
  // The numbers are known only after the whole walk.
  else if (next === undefined && !gaps.timedOut && !gaps.broken) {
    const field = search.tool === 'find' ? 'pattern' : 'glob';
    const [directory] = first('directory');
    // A glob that begins with `!` excludes.
    if (directory !== undefined && !directory.startsWith('!') && !/(?:^|\/)\*+$/.test(search.glob ?? ''))
      say('directory', { call: { [field]: `${directory}/**` } });
    else if (!gaps.files) {
      const glob = await otherGlob(search, call);
      if (glob !== undefined) say('glob', { call: { [field]: glob } });
      else if (search.tool === 'grep') say(passed.type ? 'type' : 'glob');
    }
    for (const reason of REASONS) {
      if (reason === 'garbled' || reason === 'undecoded') sayText(reason);
      else if (reason === 'ignored' || reason === 'link')
        say(reason, await including(first(reason), search, call));
      else say(reason);
    }
    if (search.passesContainers && gaps.containers > 0)
      all.push({ reason: 'container', count: gaps.containers, call: { inside: true } });
  }
  return all.length > 0 ? all : undefined;
}

/** A glob with alternatives for `src/**|test/**` or `*.ts *.py`, if it selects a file. */
async function otherGlob({ glob = '', path = '.' }: LeavingSearch, call: Call): Promise<string | undefined> {
  const parts = glob.trim().split(/\s*\|\s*|\s+/);
  if (parts.length < 2 || parts.includes('') || /[(){}]/.test(glob)) return undefined;
  const other = `{${parts.join(',')}}`;
  return (await selectsFile(path, other, call)) ? other : undefined;
}

/** The most bytes of the paths in one call: all notices of an answer together stay below 1 KiB. */
const MAX_CALL_PATH_BYTES = 120;

/** The call that searches what is at the paths, or the read of the first file if the tool takes only directories. */
async function including(
  paths: readonly string[],
  { tool, glob }: LeavingSearch,
  call: Call,
): Promise<Pick<PassedOver, 'call' | 'use'>> {
  const files: string[] = [];
  const directories: string[] = [];
  for (const path of paths) {
    const kind = await kindAt(path, call);
    if (kind) (kind === 'file' ? files : directories).push(path);
  }
  if (tool !== 'grep') {
    const named = files.find((path) => `/${glob}`.endsWith(`/${path.slice(path.lastIndexOf('/') + 1)}`));
    if (directories[0] !== undefined && named === undefined) return { call: { path: directories[0] } };
    return { use: tool === 'find' ? (named ?? files[0]) : undefined };
  }
  const [one, ...others] = [...directories, ...files];
  if (one === undefined) return {};
  const list = [one, ...others].filter((path) => /^[^\s,;:|{}'"\\]+$/.test(path));
  const path = list.length > 1 && list.includes(one) ? list.join(',') : one;
  return { call: { path: Buffer.byteLength(path) > MAX_CALL_PATH_BYTES ? one : path } };
}
