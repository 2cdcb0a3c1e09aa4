/** Finds the GitHub repository of which the working directory is a clone. */

import { join } from 'node:path';
import { isOrielError, OrielError } from '../../errors.ts';
import { openRepository } from '../../git/repository.ts';
import { GitConfig } from '../../git/settings.ts';
import { readAt } from '../../text/bytes.ts';
import type { Call } from '../../types/call.ts';

/** A repository with its owner: `acme/widget`. */
export type RepositoryName = `${string}/${string}`;

/** The name of an owner or repository; not `.` or `..`, which would be path segments. */
export const REPOSITORY_PART = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

const MAX_GIT_CONFIG_BYTES = 256 << 10;

/** Remotes in the order of preference of the GitHub CLI. */
const REMOTES = ['upstream', 'github', 'origin'];

/** Throws `NOT_FOUND` if no remote of the working directory is on the host of `base`; it suggests to name a repository. */
export async function repositoryHere(
  scheme: 'issue' | 'pr',
  base: string,
  call: Call,
): Promise<RepositoryName> {
  const hosts = [...new Set([new URL(base).hostname.replace(/^api\./, ''), pageHost()])];
  const config = await configHere(call);
  const [found] = (config ? remotesIn(config) : []).flatMap((url) => repositoryOf(url, hosts) ?? []);
  if (found !== undefined) return found;
  throw new OrielError(
    'NOT_FOUND',
    `The working directory has no remote on ${hosts[0]}. Use the repository's name: ${scheme}://OWNER/REPOSITORY.`,
  );
}

/** The configuration of the repository of the working directory; undefined if there is none inside the roots. */
async function configHere({ access, signal }: Call): Promise<GitConfig | undefined> {
  const opened: { close(): Promise<void> }[] = [];
  try {
    const here = await access.open(access.cwd, signal);
    opened.push(here);
    const repository = await openRepository(here.path, { access, signal });
    if (!repository) return undefined;
    opened.push(repository);
    const config = await access.open(join(repository.common.path, 'config'), signal);
    opened.push(config);
    if (config.kind !== 'file') return undefined;
    return new GitConfig(
      new TextDecoder().decode(await readAt(config.bytes, 0, MAX_GIT_CONFIG_BYTES, signal)),
    );
  } catch (error) {
    if (isOrielError(error) && error.code !== 'CANCELLED' && error.code !== 'TIMEOUT') return undefined;
    throw error;
  } finally {
    for (const one of opened) await one.close();
  }
}

function remotesIn(config: GitConfig): string[] {
  const rank = (name: string): number => (REMOTES.includes(name) ? REMOTES.indexOf(name) : REMOTES.length);
  return config.keys
    .flatMap((key) => /^remote\.(.*)\.url$/.exec(key)?.[1] ?? [])
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((name) => config.get(`remote.${name}.url`) ?? []);
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
