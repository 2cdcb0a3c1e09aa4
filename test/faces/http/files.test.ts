/**
 * @module-tag slow
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AppUnderTest, serveOffer, openOffer } from '../../support/app.ts';
import { SECRET, workspace } from '../../support/workspace.ts';

const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));

async function serving(): Promise<{
  W: string;
  O: string;
  running: AppUnderTest;
  of: (path: string) => string;
}> {
  const { W, O, write } = workspace();
  write('data.bin', bytes);
  write('page.html', '<script>alert(1)</script>');
  write('a/b/c.txt', 'c\n');
  symlinkSync(join(W, 'a'), join(W, 'link'));
  symlinkSync(join(O, 'secret.txt'), join(W, 'away'));
  symlinkSync(join(W, 'later'), join(W, 'dangling'));
  symlinkSync('loop', join(W, 'loop'));
  execFileSync('mkfifo', [join(W, 'pipe')]);
  const offer = openOffer({ cwd: W, manyClients: true });
  return { W, O, running: await serveOffer(offer), of: (path) => encodeURIComponent(join(W, path)) };
}

describe('GET /api/v0/read-file', () => {
  test('streams the bytes, whole, by offset, limit or range', { tags: 'slow' }, async () => {
    const { running, of } = await serving();
    const get = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
      running.get(`/api/v0/read-file?path=${of('data.bin')}${query}`, { headers });
    const body = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
    const whole = await get('');
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    // Compared in one step: 700,000 bytes one by one take seconds.
    expect((await body(whole)).equals(bytes)).toBe(true);
    expect(await body(await get('&offset=5&limit=3'))).toEqual(bytes.subarray(5, 8));
    expect(await body(await get('&offset=699999'))).toEqual(bytes.subarray(699_999));
    expect(await body(await get('&offset=9999999'))).toEqual(Buffer.alloc(0));
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 10],
      ['bytes=699990-', 699_990, 700_000],
      ['bytes=-7', 699_993, 700_000],
      ['bytes=5-99999999', 5, 700_000],
    ] as const) {
      const part = await get('', { range });
      expect(part.status).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/700000`);
      expect((await body(part)).equals(bytes.subarray(start, end))).toBe(true);
    }
    const beyond = await get('', { range: 'bytes=700000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */700000']);
    for (const range of ['bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=-']) {
      expect([range, (await get('', { range })).status]).toEqual([range, 200]);
    }
  });

  test('requests can depend on a version, by its ETag', { tags: 'slow' }, async () => {
    const { running, of, W } = await serving();
    const path = `/api/v0/read-file?path=${of('a/b/c.txt')}`;
    const tag = async (): Promise<string> => (await running.get(path)).headers.get('etag') ?? '';
    // While the file may have been changed within the same moment its tag is a weak one, and no part is sent by it.
    const weak = `W/${(await tag()).replace('W/', '')}`;
    const byWeak = await running.get(path, { headers: { range: 'bytes=0-0', 'if-range': weak } });
    expect(byWeak.status).toBe(200);
    await expect.poll(tag).toMatch(/^"/);
    const etag = await tag();
    expect((await running.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const range = { range: 'bytes=0-0', 'if-range': etag };
    expect((await running.get(path, { headers: range })).status).toBe(206);
    writeFileSync(join(W, 'a/b/c.txt'), 'changed\n');
    expect((await running.get(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
    expect((await running.get(path, { headers: range })).status).toBe(200);
  });

  test('HEAD returns size and type', { tags: 'slow' }, async () => {
    const { running, of } = await serving();
    const head = await running.get(`/api/v0/read-file?path=${of('page.html')}`, { method: 'HEAD' });
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-length': '25',
      'content-type': expect.stringContaining('text/html'),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
  });

  test('404, 403 and 400 give the reason', { tags: 'slow' }, async () => {
    const { running, of, W, O } = await serving();
    const get = async (path: string): Promise<[number, string]> => {
      const response = await running.get(`/api/v0/read-file?path=${path}`);
      const text = await response.text();
      expect(text).not.toContain(SECRET);
      return [response.status, (JSON.parse(text) as { message: string }).message];
    };
    expect(await get(of('none'))).toEqual([404, `open ${W}/none: file does not exist`]);
    expect(await get(of('data.bin/x'))).toEqual([
      404,
      'data.bin/x goes through something that is not a directory.',
    ]);
    expect(await get(of('a'))).toEqual([400, `open ${W}/a: not a file`]);
    expect((await get(of('pipe')))[0]).toBe(400);
    expect((await get(of('away')))[0]).toBe(403);
    expect((await get(`${O}/secret.txt`))[0]).toBe(403);
    expect((await get('/'))[0]).toBe(403);
    expect((await get(`${W}/a%00b`))[0]).toBe(400);
    expect(await get('data.bin')).toEqual([400, 'file path must be absolute: "data.bin"']);
    expect(await get('')).toEqual([400, 'Query parameters have invalid values.']);
  });
});

describe('POST /api/v0/list-directory', () => {
  test('lists directories first, page by page', { tags: 'slow' }, async () => {
    const { running, W } = await serving();
    const list = async (body: object, query = ''): Promise<Record<string, unknown>> =>
      (await (await running.post(`/api/v0/list-directory${query}`, body)).json()) as Record<string, unknown>;
    const all = await list({ path: W });
    expect(all).toMatchObject({
      absolute_path: W.split('/').filter(Boolean),
      absolute_path_string: W,
      total: 8,
      more: false,
    });
    const names = (all['contents'] as { name: string; is_dir: boolean; type: string }[]).map(
      ({ name, is_dir, type }) => `${name} ${is_dir} ${type}`,
    );
    expect(names).toEqual([
      'a true directory',
      'away false link',
      'dangling false link',
      'data.bin false file',
      'link false link',
      'loop false link',
      'page.html false file',
      'pipe false fifo',
    ]);
    expect(await list({})).toEqual(all);
    expect(await list({ path: W.split('/').filter(Boolean), relativity: 'root' })).toEqual(all);
    expect(await list({}, `?path=${encodeURIComponent(W)}`)).toEqual(all);
    expect(await list({ path: 'a' })).toMatchObject({ absolute_path_string: join(W, 'a') });
    expect(await list({ path: ['link', 'b'] })).toMatchObject({ absolute_path_string: join(W, 'a/b') });
    const page = await list({ offset: 1, limit: 2 });
    expect((page['contents'] as { name: string }[]).map(({ name }) => name)).toEqual(['away', 'dangling']);
    expect(page).toMatchObject({ total: 8, more: true });
  });

  test('invisible names are unchanged, escaped in JSON', async () => {
    const { running, W } = await serving();
    mkdirSync(join(W, 'odd'));
    writeFileSync(join(W, 'odd', 'a\u009b\u001b[2J\u2028b'), '');
    const text = await (await running.post('/api/v0/list-directory', { path: 'odd' })).text();
    expect(text).not.toMatch(/[\0-\x1f\x7f-\x9f\u2028]/);
    const { contents } = JSON.parse(text) as { contents: { name: string }[] };
    expect(contents[0]?.name).toBe('a\u009b\u001b[2J\u2028b');
  });

  test.each([
    [{ path: 'none' }, 404],
    [{ path: 'data.bin' }, 400],
    [{ path: '..' }, 403],
    [{ path: [], relativity: 'root' }, 403],
    [{ path: ['etc'], relativity: 'root' }, 403],
    [{ relativity: 'home' }, 403],
    [{ path: 5 }, 400],
    [{ relativity: 'moon' }, 400],
    [{ limit: 10_001 }, 400],
    [{ unknown: 1 }, 400],
    [[], 400],
  ])('%j is answered with %i', { tags: 'slow' }, async (body, status) => {
    const { running } = await serving();
    const response = await running.post('/api/v0/list-directory', body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ message: expect.any(String) });
  });
});

test(
  'GET /api/v0/resolve-path follows links, also to missing targets, never outside',
  { tags: 'slow' },
  async () => {
    const { running, of, W } = await serving();
    const resolved = async (path: string): Promise<unknown> => {
      const response = await running.get(`/api/v0/resolve-path?path=${path}`);
      const body = (await response.json()) as { resolved_path?: string };
      return body.resolved_path ?? response.status;
    };
    expect(await resolved(of('link/b/c.txt'))).toBe(join(W, 'a/b/c.txt'));
    expect(await resolved(of('link/new/file'))).toBe(join(W, 'a/new/file'));
    expect(await resolved(of('dangling'))).toBe(join(W, 'later'));
    expect(await resolved(of('dangling/x'))).toBe(join(W, 'later/x'));
    expect(await resolved(of('pipe'))).toBe(join(W, 'pipe'));
    expect(await resolved(of('a/../page.html'))).toBe(join(W, 'page.html'));
    expect(await resolved(of('loop'))).toBe(400);
    expect(await resolved(of('away'))).toBe(403);
    expect(await resolved(of('../outside/none'))).toBe(403);
    expect(await resolved('/etc/none')).toBe(403);
    expect(await resolved('relative')).toBe(400);
  },
);

// As the routes accept it.
test('an error for a refused path names the working directory', { tags: 'slow' }, async () => {
  const { running, W } = await serving();
  const refused = await (await running.get('/api/v0/resolve-path?path=/etc')).json();
  expect(refused).toEqual({
    code: 'OUTSIDE_ROOT',
    message: `That path lies outside the directories that may be read. Use ${W} to list the working directory.`,
    next: W,
  });
  const { next } = refused as { next: string };
  expect((await running.get(`/api/v0/resolve-path?path=${next}`)).status).toBe(200);
});
