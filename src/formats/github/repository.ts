/** Finds the GitHub repository of which the working directory is a clone. */

import { dirname, join } from 'node:path';
import { parse } from 'ini';
import { isOrielError, OrielError } from '../../errors.ts';
import { readAt } from '../../text/bytes.ts';
import type { OpenedItem } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';

/** A repository with its owner: `acme/widget`. */
export type RepositoryName = `${string}/${string}`;

/** The name of an owner or repository; not `.` or `..`, which would be path segments. */
export const REPOSITORY_PART = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** The most bytes of a git configuration, and the most parent directories that are searched for one. */
const MAX_GIT_CONFIG_BYTES = 256 << 10;
const MAX_SEARCHED_PARENTS = 32;

/** Remotes in the order of preference of the GitHub CLI. */
const REMOTES = ['upstream', 'github', 'origin'];

/** Throws `NOT_FOUND` if no remote of the working directory is on the host of `base`; it suggests to name a repository. */
export async function repositoryHere(
  scheme: 'issue' | 'pr',
  base: string,
  call: Call,
): Promise<RepositoryName> {
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
  for (let i = 0; i < MAX_SEARCHED_PARENTS; i += 1) {
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
  let opened: OpenedItem;
  try {
    opened = await call.access.open(path, call.signal);
  } catch (error) {
    if (isOrielError(error) && error.code !== 'CANCELLED' && error.code !== 'TIMEOUT') return undefined;
    throw error;
  }
  try {
    if (opened.kind !== 'file') return undefined;
    return new TextDecoder().decode(await readAt(opened.bytes, 0, MAX_GIT_CONFIG_BYTES, call.signal));
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
function repositoryOf(url: string, hosts: readonly string[]): RepositoryName | undefined {
  const [, host = '', owner = '', name = ''] =
    /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^/:]+)(?::\d+)?[/:]\/*([\w.-]+)\/([\w.-]+?)(?:\.git)?\/*$/i.exec(
      url.trim(),
    ) ?? [];
  return REPOSITORY_PART.test(owner) && REPOSITORY_PART.test(name) && hosts.includes(host.toLowerCase())
    ? `${owner}/${name}`
    : undefined;
}

// The host whose pages and repositories the configured API serves: github.com or a GitHub Enterprise Server.

const PUBLIC = 'github.com';

/** The host of the pages. An API URL without a known server is taken for a proxy or cache of github.com. */
export function pageHost(): string {
  const set = process.env['GITHUB_API_URL'] || '';
  if (!URL.canParse(set)) return PUBLIC;
  const server = process.env['GITHUB_SERVER_URL'] ?? '';
  if (URL.canParse(server)) return new URL(server).hostname;
  const { hostname, pathname } = new URL(set);
  if (hostname.startsWith('api.')) return hostname.slice('api.'.length);
  // Source: "Getting started with the REST API" of the documentation of GitHub Enterprise Server.
  return /^\/api\/v3\/*$/.test(pathname) ? hostname : PUBLIC;
}

export function isGitHub(hostname: string): boolean {
  return hostname.replace(/^www\./, '') === pageHost();
}
