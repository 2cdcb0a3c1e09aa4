/** A server on loopback that answers like GitHub's REST API: pagination with `Link`, ETags, errors. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './commands.ts';

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly state?: 'open' | 'closed';
  readonly body?: string | null;
  readonly user?: string | null;
  readonly labels?: readonly string[];
  readonly pull_request?: { readonly merged_at: string | null };
  readonly draft?: boolean;
  readonly state_reason?: string;
}

export interface Repository {
  issues?: readonly Issue[];
  /** Comments by the number of the issue. */
  comments?: Readonly<Record<number, readonly object[]>>;
  reviews?: Readonly<Record<number, readonly object[]>>;
  placed?: Readonly<Record<number, readonly object[]>>;
  diffs?: Readonly<Record<number, string>>;
}

export interface Heard {
  readonly path: string;
  readonly status: number;
  readonly authorization: string | undefined;
}

export interface GitHubServer {
  readonly url: string;
  readonly heard: Heard[];
  /** By `owner/name`; a test may replace it at any time. */
  repositories: Readonly<Record<string, Repository>>;
  /** If set, answers every request in place of the server. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

export const comment = (user: string | null, body: string, day = '2026-05-02'): object => ({
  body,
  user: user === null ? null : { login: user },
  created_at: `${day}T10:00:00Z`,
});

/** Starts the server and sets GITHUB_API_URL to it until the end of the test, with no token and an empty cache. */
export async function gitHubServer(
  repositories: Readonly<Record<string, Repository>> = {},
): Promise<GitHubServer> {
  const server = createServer((request, response) => {
    response.on('finish', () =>
      here.heard.push({
        path: request.url ?? '',
        status: response.statusCode,
        authorization: request.headers.authorization,
      }),
    );
    if (here.instead) return here.instead(request, response);
    return answer(request, response, here);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const here: GitHubServer = { url, heard: [], repositories, instead: undefined };
  vi.stubEnv('GITHUB_API_URL', url);
  vi.stubEnv('GITHUB_TOKEN', '');
  vi.stubEnv('GH_TOKEN', '');
  // A later test may get the same port: a separate cache keeps their responses apart.
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });
  return here;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { url, repositories }: GitHubServer,
): void {
  const asked = new URL(request.url ?? '', url);
  const [, name = '', path = ''] = /^\/repos\/([^/]+\/[^/]+)(.*)$/.exec(asked.pathname) ?? [];
  const repository = repositories[name];
  if (!repository) return notFound(response);
  const { issues = [], comments, reviews, placed, diffs } = repository;
  const all = issues.map((issue) => entry(issue, name));
  const isPull = ({ pull_request: pull }: { pull_request?: unknown }): boolean => pull !== undefined;
  if (path === '/issues') return page(request, response, asked, filtered(all, asked.searchParams));
  if (path === '/pulls') {
    return page(
      request,
      response,
      asked,
      filtered(all.filter(isPull), new URLSearchParams({ state: asked.searchParams.get('state') ?? 'open' })),
    );
  }
  const [, kind, digits, part] = /^\/(issues|pulls)\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
  const number = Number(digits);
  const found = all.find((one) => one.number === number && (kind === 'issues' || isPull(one)));
  if (!found) return notFound(response);
  if (part === undefined) {
    if (/diff/.test(request.headers.accept ?? '')) {
      const diff = diffs?.[number];
      if (diff === undefined)
        return json(response, 406, { message: 'Sorry, the diff exceeded the maximum.' });
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end(diff);
    }
    return tagged(
      request,
      response,
      kind === 'pulls' ? { ...found, pull_request: undefined, ...branches } : found,
    );
  }
  const lists = kind === 'issues' ? { comments } : { comments: placed, reviews };
  return page(
    request,
    response,
    asked,
    (lists as Record<string, Record<number, readonly object[]> | undefined>)[part]?.[number] ?? [],
  );
}

const branches = {
  head: { label: 'ana:fix', ref: 'fix' },
  base: { label: 'acme:main', ref: 'main' },
  additions: 3,
  deletions: 1,
  changed_files: 2,
};

function entry({ user = 'ana', labels = [], state = 'open', ...issue }: Issue, repository: string) {
  return {
    ...issue,
    state,
    user: user === null ? null : { login: user },
    labels: labels.map((name) => ({ name })),
    created_at: '2026-05-01T10:00:00Z',
    html_url: `https://github.com/${repository}/${issue.pull_request ? 'pull' : 'issues'}/${issue.number}`,
  };
}

function filtered<T extends ReturnType<typeof entry>>(entries: readonly T[], query: URLSearchParams): T[] {
  const [state, creator, labels] = [query.get('state') ?? 'open', query.get('creator'), query.get('labels')];
  return entries.filter(
    (one) =>
      (state === 'all' || one.state === state) &&
      (creator === null || one.user?.login === creator) &&
      (labels === null || labels.split(',').every((label) => one.labels.some(({ name }) => name === label))),
  );
}

function page(
  request: IncomingMessage,
  response: ServerResponse,
  asked: URL,
  items: readonly object[],
): void {
  const perPage = Math.min(100, Number(asked.searchParams.get('per_page') ?? 30));
  const at = Number(asked.searchParams.get('page') ?? 1);
  const last = Math.ceil(items.length / perPage);
  if (at < last) {
    const next = new URL(asked);
    next.searchParams.set('page', String(at + 1));
    response.setHeader('link', `<${next.href}>; rel="next", <${next.href}>; rel="last"`);
  }
  tagged(request, response, items.slice((at - 1) * perPage, at * perPage));
}

function tagged(request: IncomingMessage, response: ServerResponse, value: unknown): void {
  const tag = `"${createHash('sha1').update(JSON.stringify(value)).digest('hex')}"`;
  response.setHeader('etag', tag);
  if (request.headers['if-none-match'] === tag) return void response.writeHead(304).end();
  json(response, 200, value);
}

function notFound(response: ServerResponse): void {
  json(response, 404, { message: 'Not Found' });
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
