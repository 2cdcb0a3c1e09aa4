/** Replies of GitHub in the cache on disk: for the next process, within their ages, and for the same token only. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../support/commands.ts';
import { place } from '../../support/dialect.ts';
import { comment, type GitHubServer, gitHubServer, json, type Repository } from '../../support/github.ts';
import { runAsync } from '../../support/cli.ts';

const ISSUE = 'issue://acme/widget/7';
const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

const widget: Repository = {
  issues: [{ number: 7, title: 'PRIVATE-TITLE', body: 'PRIVATE-BODY' }],
  comments: { 7: [comment('bob', 'PRIVATE-COMMENT')] },
};

interface Kept {
  readonly github: GitHubServer;
  readonly directory: string;
  /** What a process that starts now answers, at `now`. */
  read(path: string, now?: number, cache?: false): Promise<{ text: string; isError: boolean }>;
  /** Requests since the last look. */
  asked(): number[];
}

async function kept(): Promise<Kept> {
  const github = await gitHubServer({ 'acme/widget': widget });
  const directory = join(temporaryFolder(), 'derived');
  let seen = 0;
  return {
    github,
    directory,
    async read(path, now = NOON, cache) {
      const here = place('oriel', { display: 'plain', now: () => now, cache: cache ?? { directory } });
      const called = await here.call('read', { path });
      await here.oriel.session.background.idle(10_000);
      await here.oriel.close();
      return called;
    },
    asked() {
      const since = github.heard.slice(seen).map(({ status }) => status);
      seen = github.heard.length;
      return since;
    },
  };
}

test('the next process sends no request', async () => {
  const { read, asked } = await kept();
  const first = await read(ISSUE);
  expect(asked()).toEqual([200, 200]);
  expect(await read(ISSUE, NOON + 4 * MINUTE)).toEqual(first);
  expect((await read(`${ISSUE}:1..1`, NOON + 4 * MINUTE)).text).toBe('# PRIVATE-TITLE (#7)\n');
  expect(asked()).toEqual([]);
});

// It is refreshed meanwhile, for all processes.
test('a long session uses what another process has read meanwhile', async () => {
  const { read, asked, directory } = await kept();
  let now = NOON;
  const long = place('oriel', { display: 'plain', now: () => now, cache: { directory } });
  await long.call('read', { path: ISSUE });
  await read(ISSUE, NOON + 10 * MINUTE);
  asked();
  now = NOON + 11 * MINUTE;
  expect((await long.call('read', { path: ISSUE })).text).not.toContain('ago');
  expect(asked()).toEqual([]);
});

test('another token, or none, has separate entries', async () => {
  const { read, asked, github } = await kept();
  vi.stubEnv('GITHUB_TOKEN', 'token-of-ana');
  await read(ISSUE);
  expect(asked()).toEqual([200, 200]);
  for (const token of ['token-of-bob', '', 'token-of-an', 'token-of-anaa']) {
    vi.stubEnv('GITHUB_TOKEN', token);
    github.instead = (_, response) => json(response, 404, { message: 'Not Found' });
    const { text, isError } = await read(ISSUE);
    expect([isError, text.includes('PRIVATE')]).toEqual([true, false]);
    expect(asked()).toEqual([404]);
  }
  vi.stubEnv('GITHUB_TOKEN', '');
  vi.stubEnv('GH_TOKEN', 'token-of-ana');
  expect((await read(ISSUE)).text).toContain('PRIVATE-BODY');
  expect(asked()).toEqual([]);
});

test('the cache contains no token, its names say nothing', async () => {
  const { read, directory } = await kept();
  vi.stubEnv('GITHUB_TOKEN', 'token-of-ana');
  await read(ISSUE);
  const names = readdirSync(directory);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(join(directory, name), 'latin1')).not.toContain('token-of-ana');
  }
});

test.each([
  ['deleted', 404],
  ['gone', 410],
  ['not for this token any more', 403],
  ['asked for with a token that was taken back', 401],
])('a reply that became %s (%i) is not shown again', async (_, status) => {
  const { read, github, asked } = await kept();
  await read(ISSUE);
  github.instead = (_request, response) => json(response, status, { message: 'No' });
  expect((await read(ISSUE, NOON + 10 * MINUTE)).isError).toBe(false);
  asked();
  expect((await read(ISSUE, NOON + 10 * MINUTE)).isError).toBe(true);
  expect(asked()).toEqual([status]);
});

test('a command answers immediately and ends after its refresh', { tags: 'slow' }, async () => {
  const { asked } = await kept();
  // In the cache that the command finds by its environment.
  const then = Date.now() - 20 * MINUTE;
  const here = place('oriel', { now: () => then, cache: {} });
  await here.call('read', { path: ISSUE });
  await here.oriel.close();
  asked();
  const command = () => runAsync(['read', ISSUE], { env: process.env });
  const stale = await command();
  expect(stale.out + stale.err).toContain('[Read 20m ago');
  expect(asked()).toEqual([304, 304]);
  const fresh = await command();
  expect(fresh.out + fresh.err).not.toContain('ago');
  expect(fresh.out).toContain('PRIVATE-BODY');
  expect(asked()).toEqual([]);
});
