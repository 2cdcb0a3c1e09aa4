/** Finds the GitHub repository of which the working directory is a clone. */

import { dirname, join } from 'node:path';
import { parse } from 'ini';
import { readAt } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import type { Opened } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { pageHost } from './github-hosts.ts';

/** A repository with its owner: `acme/widget`. */
export type Repository = `${string}/${string}`;

/** The name of an owner or repository; not `.` or `..`, which would be path segments. */
export const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** The most bytes of a git configuration, and the most parent directories that are searched for one. */
const MOST_CONFIG = 256 << 10;
const MOST_PARENTS = 32;

/** Remotes in the order of preference of the GitHub CLI. */
const REMOTES = ['upstream', 'github', 'origin'];

/** Throws `NOT_FOUND` if no remote of the working directory is on the host of `base`; it suggests to name a repository. */
export async function repositoryHere(scheme: 'issue' | 'pr', base: string, call: Call): Promise<Repository> {
  const hosts = hostsOf(base);
  const urls = remotesIn((await configHere(call)) ?? '');
  const found = urls.flatMap((url) => repositoryOf(url, hosts) ?? [])[0];
  if (found !== undefined) return found;
  throw new OrielError(
    'NOT_FOUND',
    `The working directory has no remote on ${hosts[0]}. Use the repository's name: ${scheme}://OWNER/REPOSITORY.`,
  );
}

/** The nearest `.git/config` (for a worktree that of its repository). Files outside the roots are ignored. */
async function configHere(call: Call): Promise<string | undefined> {
  let directory = call.access.cwd;
  for (let i = 0; i < MOST_PARENTS; i += 1) {
    const config = await configIn(join(directory, '.git'), call);
    if (config !== undefined) return config;
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
  return undefined;
}

async function configIn(git: string, call: Call): Promise<string | undefined> {
  const config = await textAt(join(git, 'config'), call);
  if (config !== undefined) return config;
  // In a worktree or submodule `.git` is a file with the path of the git directory. Source: gitrepository-layout(5).
  const away = /^gitdir: (.+)/.exec((await textAt(git, call)) ?? '')?.[1];
  if (away === undefined) return undefined;
  const own = join(away.startsWith('/') ? '' : dirname(git), away.trim());
  const common = (await textAt(join(own, 'commondir'), call))?.trim();
  return textAt(
    join(common === undefined ? own : join(common.startsWith('/') ? '' : own, common), 'config'),
    call,
  );
}

/** Undefined if it is not a file or is outside the roots. */
async function textAt(path: string, call: Call): Promise<string | undefined> {
  let opened: Opened;
  try {
    opened = await call.access.open(path, call.signal);
  } catch (error) {
    if (isOrielError(error) && error.code !== 'CANCELLED' && error.code !== 'TIMEOUT') return undefined;
    throw error;
  }
  try {
    if (opened.is !== 'file') return undefined;
    return new TextDecoder().decode(await readAt(opened.bytes, 0, MOST_CONFIG, call.signal));
  } finally {
    await opened.close();
  }
}

/** The URLs of the remotes, in the order of preference. */
function remotesIn(config: string): string[] {
  const remotes = Object.entries(parse(config)).flatMap(([section, values]): [string, string][] => {
    const name = /^remote "(.*)"$/.exec(section)?.[1];
    const url = (values as Readonly<Record<string, unknown>> | null)?.['url'];
    return name !== undefined && typeof url === 'string' ? [[name, url]] : [];
  });
  const rank = (name: string): number => (REMOTES.includes(name) ? REMOTES.indexOf(name) : REMOTES.length);
  return remotes.sort(([a], [b]) => rank(a) - rank(b)).map(([, url]) => url);
}

/** The hosts in clone URLs of the repositories that the API serves. */
function hostsOf(base: string): string[] {
  return [...new Set([new URL(base).hostname.replace(/^api\./, ''), pageHost()])];
}

/** "git@github.com:acme/widget.git", "https://github.com/acme/widget" → "acme/widget" */
function repositoryOf(url: string, hosts: readonly string[]): Repository | undefined {
  const [, host = '', owner = '', name = ''] =
    /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^/:]+)(?::\d+)?[/:]\/*([\w.-]+)\/([\w.-]+?)(?:\.git)?\/*$/i.exec(
      url.trim(),
    ) ?? [];
  return NAME.test(owner) && NAME.test(name) && hosts.includes(host.toLowerCase())
    ? `${owner}/${name}`
    : undefined;
}
