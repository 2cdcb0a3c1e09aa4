/** `issue://` and `pr://`, read from a server that speaks GitHub's REST API. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Called, place, type Place } from '../../support/dialect.ts';
import { comment, type GitHubServer, gitHubServer, json, type Repository } from '../../support/github.ts';
import { site } from '../../support/web.ts';

const DIFF = [
  'diff --git a/src/a.ts b/src/a.ts\nindex 111..222 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,3 @@\n one\n-- two\n+two\n+diff --git a/no b/no\r+\rdiff --git a/no b/no\n',
  'diff --git "a/s\\303\\274\\303\\237 x.txt" "b/s\\303\\274\\303\\237 x.txt"\nnew file mode 100644\nindex 000..333\n--- /dev/null\n+++ "b/s\\303\\274\\303\\237 x.txt"\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n',
  'diff --git a/old name.md b/new name.md\nsimilarity index 100%\nrename from old name.md\nrename to new name.md\n',
  'diff --git a/logo.png b/logo.png\nindex 444..555 100644\nBinary files a/logo.png and b/logo.png differ\n',
  'diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\nindex 666..000\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-last\n',
];

const widget: Repository = {
  issues: [
    {
      number: 12,
      title: 'Keep the last record',
      body: 'It was dropped.',
      pull_request: { merged_at: null },
      user: 'bob',
      labels: ['bug'],
    },
    { number: 11, title: 'Old change', state: 'closed', pull_request: { merged_at: '2026-04-01T00:00:00Z' } },
    { number: 10, title: 'Withdrawn', state: 'closed', pull_request: { merged_at: null } },
    { number: 9, title: 'A wish', labels: ['idea', 'ui'], user: null },
    { number: 8, title: 'Not now', state: 'closed', state_reason: 'not_planned' },
    { number: 7, title: 'It drops a record', body: 'Steps\r\n\r\n```js\nrun()\n```\n', labels: ['bug'] },
  ],
  comments: {
    7: [comment('bob', 'Same here'), comment(null, 'Gone')],
    12: [comment('ana', 'Thanks', '2026-05-02')],
  },
  reviews: {
    12: [
      { body: 'Looks right', state: 'APPROVED', user: { login: 'cy' }, submitted_at: '2026-05-04T00:00:00Z' },
      { body: '', state: 'COMMENTED', user: { login: 'cy' }, submitted_at: '2026-05-04T00:00:00Z' },
    ],
  },
  placed: {
    12: [{ ...comment('cy', 'Why here?', '2026-05-03'), path: 'src/a.ts', line: null, original_line: 2 }],
  },
  diffs: { 12: DIFF.join('') },
};

let now = Date.parse('2026-06-01T00:00:00Z');
const MINUTE = 60_000;

async function open(
  repository: Repository = widget,
): Promise<{ github: GitHubServer; here: Place; read(path: string): Promise<Called> }> {
  const github = await gitHubServer({ 'acme/widget': repository });
  const here = place('oriel', { display: 'plain', now: () => now });
  return { github, here, read: (path) => here.call('read', { path }) };
}

test('pr:// of an issue names the issue', async () => {
  const { read } = await open();
  for (const part of ['', '/diff']) {
    const { text, details } = await read(`pr://acme/widget/7${part}`);
    const use = 'is an issue, not a pull request. Use issue://acme/widget/7.';
    expect(text).toBe(`pr://acme/widget/7${part} ${use}`);
    expect(details).toMatchObject({ error: { code: 'NOT_FOUND', next: 'issue://acme/widget/7' } });
  }
});

describe('an issue', () => {
  test('shows its metadata, its text and its comments', async () => {
    const { read } = await open();
    const { text, details } = await read('issue://acme/widget/7');
    expect(text).toBe(
      '# It drops a record (#7)\n\nState: open · Author: ana · Created: 2026-05-01 · Labels: bug\n' +
        'https://github.com/acme/widget/issues/7\n\nSteps\n\n```js\nrun()\n```\n\n---\n\n' +
        '**bob** 2026-05-02\n\nSame here\n\n---\n\n**ghost** 2026-05-02\n\nGone\n',
    );
    expect(details).toMatchObject({
      kind: 'internal',
      meta: {
        repository: 'acme/widget',
        number: 7,
        state: 'open',
        url: 'https://github.com/acme/widget/issues/7',
      },
    });
  });

  test('can be read without its comments, and by lines', async () => {
    const { read, github } = await open();
    expect((await read('issue://acme/widget/7?comments=0')).text).not.toContain('Same here');
    expect((await read('issue://acme/widget#7?comments=0:1..1')).text).toMatch(
      /^# It drops a record \(#7\)\n/,
    );
    expect(github.heard.map(({ path }) => path)).toEqual(['/repos/acme/widget/issues/7']);
  });

  test('that was transferred names its new place', async () => {
    const { read, github } = await open();
    const body = {
      number: 3,
      title: 'T',
      state: 'open',
      html_url: 'https://github.com/acme/other/issues/3',
    };
    github.instead = (request, response) =>
      json(response, 200, /comments/.test(request.url ?? '') ? [] : body);
    expect((await read('issue://acme/widget/7')).text).toContain(
      '[It has moved: it is issue://acme/other/3 now]',
    );
  });

  test('that is a pull request is reported as one', async () => {
    const { read } = await open();
    expect((await read('issue://acme/widget/12')).text).toContain(
      '[This is a pull request: pr://acme/widget/12 has its reviews and its diff]',
    );
  });

  test('comments are paged', async () => {
    const many = Array.from({ length: 250 }, (_, i) => comment('bob', `said ${i + 1}`));
    const { read, github } = await open({ ...widget, comments: { 7: many } });
    const { text } = await read('issue://acme/widget/7');
    expect([...text.matchAll(/^said (\d+)$/gm)].map(([, n]) => Number(n))).toEqual(many.map((_, i) => i + 1));
    expect(github.heard.filter(({ path }) => path.includes('/comments')).length).toBe(3);
  });

  test('next comments on another host are not requested', async () => {
    const other = await site({ '/steal': '[]' });
    const { read, github } = await open();
    vi.stubEnv('GITHUB_TOKEN', 'secret-token');
    github.instead = (request, response) =>
      json(response, 200, request.url?.includes('comments') ? [] : { title: 'T', number: 7 }, {
        link: `<${other.url}/steal>; rel="next"`,
      });
    const { text } = await read('issue://acme/widget/7');
    expect(text).toContain('# T (#7)');
    expect(text).toContain('[Only 0 comments are shown, and GitHub has more]');
    expect(other.asked).toEqual([]);
  });
});

test('after a refresh the rest of a thread is new', { tags: 'slow' }, async () => {
  const long = Array.from({ length: 150 }, (_, i) => comment('bob', `remark ${i} ${'word '.repeat(200)}`));
  const repository: Repository = { ...widget, comments: { 7: long } };
  const { read, github } = await open(repository);
  expect((await read('issue://acme/widget/7:-1')).text).toContain('remark 149');
  github.repositories = {
    'acme/widget': { ...repository, comments: { 7: [...long, comment('ana', 'The last one')] } },
  };
  now += 6 * MINUTE;
  await expect.poll(async () => (await read('issue://acme/widget/7:-1')).text).toContain('The last one');
});

describe('a pull request', () => {
  test('has branches, reviews and comments on its diff in order', async () => {
    const { read } = await open();
    expect((await read('pr://acme/widget/12')).text).toBe(
      '# Keep the last record (#12)\n\nState: open · Author: bob · Created: 2026-05-01 · Labels: bug\n' +
        'ana:fix → acme:main · pr://acme/widget/12/diff: 2 files, +3 -1\n' +
        'https://github.com/acme/widget/pull/12\n\nIt was dropped.\n\n---\n\n' +
        '**ana** 2026-05-02\n\nThanks\n\n---\n\n**cy** 2026-05-03 on src/a.ts:2\n\nWhy here?\n\n---\n\n' +
        '**cy** 2026-05-04 approved\n\nLooks right\n',
    );
  });

  test('one request shows the diff, its files, and each file', async () => {
    const { read, github } = await open();
    expect((await read('pr://acme/widget/12/diff')).text).toBe(
      'pr://acme/widget/12/diff/1  src/a.ts  (+2 -1)\n' +
        'pr://acme/widget/12/diff/2  süß x.txt  (added, +1 -0)\n' +
        'pr://acme/widget/12/diff/3  new name.md  (renamed from old name.md, +0 -0)\n' +
        'pr://acme/widget/12/diff/4  logo.png  (binary, +0 -0)\n' +
        'pr://acme/widget/12/diff/5  gone.txt  (deleted, +0 -1)\n',
    );
    for (const [i, part] of DIFF.entries()) {
      expect((await read(`pr://acme/widget/12/diff/${i + 1}:raw`)).text).toBe(part);
    }
    expect((await read('pr://acme/widget/12/diff/all:raw')).text).toBe(DIFF.join(''));
    expect((await read('pr://acme/widget/12/diff/all:2..2')).text).toBe('index 111..222 100644\n');
    expect(github.heard).toHaveLength(1);
  });

  test('a diff that GitHub refuses to make is a limit', async () => {
    const { read } = await open({ ...widget, diffs: {} });
    expect((await read('pr://acme/widget/12/diff')).text).toBe(
      'GitHub makes no diff of pr://acme/widget/12/diff: it has more than 20,000 lines or 300 files. Use pr://acme/widget.',
    );
  });

  test('a diff keeps its bytes, whatever the encoding and names', async () => {
    const diff = Buffer.concat([
      Buffer.from('diff --git a/à b/à\n--- a/à\n+++ b/à\n@@ -1 +1 @@\n-caf'),
      Buffer.from([0xe9, 0x0a]),
      Buffer.from('+caf'),
      Buffer.from([0xe8, 0x0a]),
    ]);
    const { read, github } = await open();
    github.instead = (_, response) => response.writeHead(200).end(diff);
    expect((await read('pr://acme/widget/12/diff')).text).toBe('pr://acme/widget/12/diff/1  à  (+1 -1)\n');
    const { text } = await read('pr://acme/widget/12/diff/1');
    expect(text).toMatch(/invalid|encoding/i);
    const lines = text.split('\n').filter((line) => /^[-+]caf/.test(line));
    expect(lines).toHaveLength(2);
    const told = await read('pr://acme/widget/12/diff/1:encoding=windows-1252');
    expect(told.text).toContain('-café\n+cafè\n');
  });

  test('an invalid diff is not taken for one without changes', async () => {
    const { read, github } = await open();
    github.instead = (_, response) => response.writeHead(200).end('Please log in\n');
    for (const path of ['pr://acme/widget/12/diff', 'pr://acme/widget/12/diff/all']) {
      const { text, details } = await read(path);
      expect(text).toBe(`The answer of GitHub for ${path} is not a diff. Use pr://acme/widget.`);
      expect(details).toMatchObject({ error: { code: 'CORRUPT' } });
    }
  });

  test('a file outside the diff gets the list of files', async () => {
    const { read } = await open();
    const { text, isError } = await read('pr://acme/widget/12/diff/6');
    expect(isError).toBe(true);
    expect(text).toBe(
      'There is no file 6 in the diff of pr://acme/widget/12, which has files 1 to 5. Use pr://acme/widget/12/diff for the list.',
    );
  });
});

describe('lists', () => {
  test('issues are not pull requests, and vice versa', async () => {
    const { read } = await open();
    expect((await read('issue://acme/widget')).text).toBe(
      'issue://acme/widget/9  open  ghost  2026-05-01  A wish  [idea, ui]\n' +
        'issue://acme/widget/7  open  ana  2026-05-01  It drops a record  [bug]\n',
    );
    expect((await read('issue://acme/widget?state=closed')).text).toBe(
      'issue://acme/widget/8  closed (not planned)  ana  2026-05-01  Not now\n',
    );
    expect((await read('pr://acme/widget')).text).toBe(
      'pr://acme/widget/12  open  bob  2026-05-01  Keep the last record  [bug]\n',
    );
    expect((await read('pr://acme/widget?state=merged')).text).toContain('widget/11  merged');
    expect((await read('pr://acme/widget?state=merged')).text).not.toContain('widget/10');
  });

  test('by author and label, also of pull requests', async () => {
    const { read, github } = await open();
    expect((await read('issue://acme/widget?label=idea&label=ui')).text).toMatch(
      /^issue:\/\/acme\/widget\/9 .*\n$/,
    );
    expect((await read('issue://acme/widget?author=nobody')).text).toBe('(no open issues in acme/widget)\n');
    expect((await read('pr://acme/widget?author=bob&label=bug')).text).toMatch(
      /^pr:\/\/acme\/widget\/12 .*\n$/,
    );
    expect(github.heard.at(-1)?.path).toMatch(/^\/repos\/acme\/widget\/issues\?.*creator=bob&labels=bug/);
  });

  test('every page leads to the next one', async () => {
    const issues = Array.from({ length: 330 }, (_, i) => ({
      number: 1000 - i,
      title: `Number ${1000 - i}`,
      ...(i % 3 > 0 && { pull_request: { merged_at: null } }),
    }));
    const { read } = await open({ issues });
    const seen: string[] = [];
    let next: string | undefined = 'issue://acme/widget?limit=25';
    while (next !== undefined) {
      const { text } = await read(next);
      seen.push(
        ...[...text.matchAll(/^issue:\/\/acme\/widget\/(\d+)/gm)].map(([, number]) => number as string),
      );
      next = /Use (\S+) to continue/.exec(text)?.[1];
    }
    expect(seen).toEqual(
      issues.filter(({ pull_request: pull }) => !pull).map(({ number }) => String(number)),
    );
  });

  test('next pages under another name of the server use ours', async () => {
    const { read, github } = await open();
    github.instead = (request, response) => {
      const page = Number(new URL(request.url ?? '', github.url).searchParams.get('page'));
      const full = Array.from({ length: 100 }, () => ({ number: 9, title: 'first' }));
      const link = '<https://public.example/repos/acme/widget/issues?page=2>; rel="next"';
      json(response, 200, page === 1 ? full : [{ number: 3, title: 'last' }], page === 1 ? { link } : {});
    };
    expect((await read('issue://acme/widget?limit=100')).text).toMatch(
      /\n\[Showing 100, and there may be more\. Use issue:\/\/acme\/widget\?limit=100&offset=100 to continue\]$/,
    );
    expect((await read('issue://acme/widget?limit=100&offset=100')).text).toBe(
      'issue://acme/widget/3  unknown  ghost    last\n',
    );
  });

  test('short and empty pages are skipped', async () => {
    const { read, github } = await open();
    github.instead = (request, response) => {
      const page = Number(new URL(request.url ?? '', github.url).searchParams.get('page'));
      const entries =
        page === 1 ? [{ number: 9, title: 'first' }] : page === 15 ? [{ number: 3, title: 'last' }] : [];
      json(
        response,
        200,
        entries,
        page < 15 ? { link: `<${github.url}/x?page=${page + 1}>; rel="next"` } : {},
      );
    };
    const { text } = await read('issue://acme/widget');
    expect(text).toMatch(/^issue:\/\/acme\/widget\/9 {2}unknown {2}ghost {4}first\n/);
    expect(text).toContain(
      '[Showing 1, and there may be more. Use issue://acme/widget?offset=1000 to continue]',
    );
    expect((await read('issue://acme/widget?offset=1000')).text).toBe(
      'issue://acme/widget/3  unknown  ghost    last\n',
    );
  });

  test('a list is revalidated; later lines are the first reply’s', async () => {
    const { read, github, here } = await open();
    await read('issue://acme/widget');
    await read('issue://acme/widget:2..2');
    expect(github.heard.map(({ status }) => status)).toEqual([200]);
    await read('issue://acme/widget');
    expect(github.heard.map(({ status }) => status)).toEqual([200, 304]);
    await here.oriel.close();
  });
});

describe('the repository of the working directory', () => {
  test('is the preferred remote on the host of the API', async () => {
    const { read, here } = await open();
    here.write(
      '.git/config',
      '[core]\n\tbare = false\n[remote "fork"]\n\turl = git@github.com:me/widget.git\n[remote "elsewhere"]\n\turl = https://example.com/a/b\n[remote "origin"]\n\turl = https://github.com/acme/widget.git\n',
    );
    expect((await read('issue://7')).text).toContain('# It drops a record (#7)');
    expect((await read('issue://')).text).toContain('issue://acme/widget/9');
    expect((await read('pr://12/diff/1:raw')).text).toBe(DIFF[0]);
    expect((await read('pr://12/diff')).text).toContain('pr://acme/widget/12/diff/1  src/a.ts');
  });

  test('also of a worktree', async () => {
    const { read, here } = await open();
    here.write('main/.git/config', '[remote "origin"]\n\turl = ssh://git@github.com:22/acme/widget\n');
    here.write('main/.git/worktrees/w/commondir', '../..\n');
    writeFileSync(join(here.folder, '.git'), `gitdir: ${here.folder}/main/.git/worktrees/w\n`);
    expect((await read('issue://7')).text).toContain('# It drops a record (#7)');
  });

  test('is not found outside the roots', async () => {
    const { here } = await open();
    here.write('.git/config', '[remote "origin"]\n\turl = https://github.com/acme/widget\n');
    mkdirSync(join(here.folder, 'inner'));
    const inner = place('oriel', { cwd: join(here.folder, 'inner') });
    expect((await inner.call('read', { path: 'issue://7' })).text).toBe(
      "The working directory has no remote on 127.0.0.1. Use the repository's name: issue://OWNER/REPOSITORY.",
    );
  });
});

describe('the cache', () => {
  test('is fresh for minutes, refreshed for days, unused after seven', async () => {
    const { read, github } = await open();
    await read('issue://acme/widget/7?comments=0');
    now += 4 * MINUTE;
    expect((await read('issue://acme/widget/7?comments=0')).text).not.toContain('ago');
    expect(github.heard).toHaveLength(1);

    now += 8 * MINUTE;
    github.repositories = { 'acme/widget': { issues: [{ number: 7, title: 'Renamed' }] } };
    const stale = await read('issue://acme/widget/7?comments=0');
    expect(stale.text).toContain('# It drops a record (#7)');
    expect(stale.text).toContain('[Read 12m ago, and being read again: the same call soon has the newest]');
    await expect.poll(() => github.heard).toHaveLength(2);
    await expect
      .poll(async () => (await read('issue://acme/widget/7?comments=0')).text)
      .toContain('# Renamed (#7)');
    expect(github.heard).toHaveLength(2);

    now += 8 * 24 * 60 * MINUTE;
    github.repositories = { 'acme/widget': { issues: [{ number: 7, title: 'Again' }] } };
    expect((await read('issue://acme/widget/7?comments=0')).text).toContain('# Again (#7)');
  });

  test('a 304 makes the cached reply fresh', async () => {
    const { read, github } = await open();
    await read('issue://acme/widget/7?comments=0');
    now += 10 * MINUTE;
    await read('issue://acme/widget/7?comments=0');
    await expect.poll(() => github.heard.map(({ status }) => status)).toEqual([200, 304]);
    await expect.poll(async () => (await read('issue://acme/widget/7?comments=0')).text).not.toContain('ago');
  });

  test('after a failed refresh the old reply is used', async () => {
    const { read, github } = await open();
    await read('issue://acme/widget/7?comments=0');
    now += 10 * MINUTE;
    github.instead = (_, response) => json(response, 502, {});
    await read('issue://acme/widget/7?comments=0');
    await expect.poll(() => github.heard).toHaveLength(2);
    const { text, isError } = await read('issue://acme/widget/7?comments=0');
    expect(isError).toBe(false);
    expect(text).toContain('[Read 10m ago');
  });

  test('concurrent calls for the same share one request', async () => {
    const { read, github } = await open();
    const texts = await Promise.all(
      Array.from({ length: 5 }, async () => (await read('issue://acme/widget/7?comments=0')).text),
    );
    expect(new Set(texts).size).toBe(1);
    expect(github.heard).toHaveLength(1);
  });
});

describe('refusals are one sentence with advice', () => {
  test.each<[string, number, object, Record<string, string>, string, string]>([
    [
      'a rate limit',
      403,
      { message: 'API rate limit exceeded for 1.2.3.4.' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1900000000' },
      'BUSY',
      'The rate limit of GitHub is reached (403): use the same call after 2030-03-17T17:46:40Z. The operator of oriel can raise it with a token in GITHUB_TOKEN.',
    ],
    [
      'a secondary rate limit',
      429,
      {},
      { 'retry-after': '60' },
      'BUSY',
      'The rate limit of GitHub is reached (429): use the same call in 60 seconds. The operator of oriel can raise it with a token in GITHUB_TOKEN.',
    ],
    [
      'a bad token',
      401,
      { message: 'Bad credentials' },
      {},
      'DENIED',
      'GitHub does not accept the token of GITHUB_TOKEN or GH_TOKEN (401): the operator of oriel has to renew or remove it.',
    ],
    [
      'no access',
      403,
      { message: 'Resource not accessible by integration' },
      {},
      'DENIED',
      'GitHub does not show issue://acme/widget/7 (403: Resource not accessible by integration): it takes a token with access to it in GITHUB_TOKEN. Use issue://acme/widget.',
    ],
    [
      'not there',
      404,
      { message: 'Not Found' },
      {},
      'NOT_FOUND',
      'issue://acme/widget/7 does not exist, or is private: then it takes a token in GITHUB_TOKEN. Use issue://acme/widget.',
    ],
    [
      'gone',
      410,
      { message: 'This issue was deleted' },
      {},
      'NOT_FOUND',
      'issue://acme/widget/7 is gone (410: This issue was deleted). Use issue://acme/widget.',
    ],
    [
      'a failure of the server',
      502,
      {},
      {},
      'NETWORK',
      'GitHub answered issue://acme/widget/7 with 502. Use the same call later.',
    ],
  ])('%s', async (_, status, body, headers, code, sentence) => {
    const { read, github } = await open();
    github.instead = (_request, response) => json(response, status, body, headers);
    const { text, isError, details } = await read('issue://acme/widget/7');
    expect(isError).toBe(true);
    expect(text).toBe(sentence);
    expect(details).toMatchObject({ error: { code } });
    github.instead = undefined;
    expect((await read('issue://acme/widget/7')).isError).toBe(false);
  });

  test('invalid JSON', async () => {
    const { read, github } = await open();
    github.instead = (_, response) => response.end('<html>');
    expect((await read('issue://acme/widget/7')).text).toBe(
      "GitHub's answer for issue://acme/widget/7 is not valid JSON.",
    );
  });

  test.each([
    [
      'issue://?colour=red',
      'colour is not a parameter of the list of issue://, which has state, limit, author, label, offset. Use issue://?state=closed&limit=50.',
    ],
    ['issue://?limit=500', 'limit is a number from 1 to 100, not 500. Use issue://?limit=100.'],
    ['issue://?state=merged', 'state is one of open, closed, all, not merged. Use issue://?state=closed.'],
    ['issue://acme/widget/7?comments=2', 'comments is 0 or 1, not 2. Use issue://acme/widget/7?comments=0.'],
    ['issue://7?comments=2', 'comments is 0 or 1, not 2. Use issue://7?comments=0.'],
    [
      'issue://acme/widget?limit=500',
      'limit is a number from 1 to 100, not 500. Use issue://acme/widget?limit=100.',
    ],
    [
      'issue://acme/widget.git/9?limit=3',
      'limit is not a parameter of issue://acme/widget/9, which has comments. Use issue://acme/widget/9?comments=0.',
    ],
    [
      `issue://${'a:'.repeat(30_000)}`,
      'issue:// has at most 8192 characters after it, not 60000. Use issue:// for the list.',
    ],
    [
      'pr://acme/widget/12/diff?x=1',
      'x is not a parameter of pr://acme/widget/12/diff?x=1, which has none. Use pr://acme/widget/12/diff.',
    ],
    [
      'issue://acme/widget/7/diff',
      'issue://acme/widget/7/diff names nothing of GitHub. Use issue:// for the list, issue://7, issue://OWNER/REPOSITORY/7.',
    ],
    [
      'pr://acme/../12',
      'pr://acme/../12 names nothing of GitHub. Use pr:// for the list, pr://7, pr://OWNER/REPOSITORY/7, pr://7/diff, pr://7/diff/1, pr://7/diff/all.',
    ],
    ['issue://acme/widget/7:0', 'Line selector 0 is invalid; lines are 1-indexed. Use :1.'],
  ])('%s', async (path, sentence) => {
    const { read, github } = await open();
    expect((await read(path)).text).toBe(sentence);
    expect(github.heard).toEqual([]);
  });
});

describe('the network', () => {
  test('only the named API is reached without --allow-net', async () => {
    const { read, github } = await open();
    expect((await read('issue://acme/widget/7')).isError).toBe(false);
    expect((await read(`${github.url}/repos/acme/widget/issues/7`)).details).toMatchObject({
      error: { code: 'BLOCKED_ADDRESS' },
    });
    const other = await site({ '/secret': 'x' });
    github.instead = (_, response) => response.writeHead(302, { location: `${other.url}/secret` }).end();
    expect((await read('issue://acme/widget/9')).details).toMatchObject({
      error: { code: 'BLOCKED_ADDRESS' },
    });
    expect(other.asked).toEqual([]);
  });

  test('the token goes to the API and no other origin', async () => {
    const heard: (string | undefined)[] = [];
    const other = await site({
      '/elsewhere': (request, response) => {
        heard.push(request.headers.authorization);
        response.end('{"title":"T"}');
      },
    });
    const github = await gitHubServer({ 'acme/widget': widget });
    vi.stubEnv('GITHUB_TOKEN', '');
    vi.stubEnv('GH_TOKEN', 'secret-token');
    const here = place('oriel', { web: { allow: ['127.0.0.1'] }, display: 'plain' });
    await here.call('read', { path: 'issue://acme/widget/9' });
    expect(github.heard.map(({ authorization }) => authorization)).toEqual([
      'Bearer secret-token',
      'Bearer secret-token',
    ]);
    github.instead = (_, response) => response.writeHead(301, { location: `${other.url}/elsewhere` }).end();
    const { text } = await here.call('read', { path: 'issue://acme/widget/7?comments=0' });
    expect(text).toContain('# T (#7)');
    expect(heard).toEqual([undefined]);
  });

  test('a moved repository is followed, with the token', async () => {
    const { read, github } = await open();
    vi.stubEnv('GITHUB_TOKEN', 'secret-token');
    const moved = await read('issue://acme/widget/7?comments=0');
    github.instead = (request, response) => {
      github.instead = undefined;
      response.writeHead(301, { location: request.url?.replace('old/name', 'acme/widget') ?? '' }).end();
    };
    const followed = await read('issue://old/name/7?comments=0');
    expect(followed.text).toBe(`${moved.text}[It has moved: it is issue://acme/widget/7 now]`);
    expect(github.heard.at(-1)?.authorization).toBe('Bearer secret-token');
  });

  test('is unavailable without the web', async () => {
    const github = await gitHubServer({ 'acme/widget': widget });
    const here = place('oriel', { web: false });
    expect((await here.call('read', { path: 'pr://acme/widget/12' })).text).toBe(
      'pr:// is not read: the web is off here. The operator of oriel can allow it with web: true.',
    );
    expect(github.heard).toEqual([]);
  });
});

test('lines have no anchors', async () => {
  await gitHubServer({ 'acme/widget': widget });
  const here = place('oriel', { display: 'hashline' });
  const { text } = await here.call('read', { path: 'issue://acme/widget/7' });
  expect(text).toMatch(/^1\|# It drops/);
});

test('a host can replace the provider', async () => {
  const here = place('oriel', {
    display: 'plain',
    schemes: { issue: (name) => (name === '7' ? 'from the host\n' : undefined), pr: false },
  });
  expect((await here.call('read', { path: 'issue://7' })).text).toBe('from the host\n');
  expect((await here.call('read', { path: 'pr://7' })).text).not.toContain('pr://,');
});
