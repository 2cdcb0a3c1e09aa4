/**
 * Directories of very many entries, also at the end of a path of thousands of bytes, and what else makes large lists.
 *
 * @module-tag slow
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MAX_DIRECTORY_ENTRIES, withEntries } from '../../src/files/local.ts';
import { queues } from '../../src/queues/queue-table.ts';
import type { OpenedDirectory } from '../../src/types/access.ts';
import { MOST_LAG_MS, slowness } from '../support/lag.ts';
import { heartbeat, lagSince } from '../support/process-under-test.ts';
import { server } from '../support/server.ts';
import { zip } from '../support/zip.ts';
import { workspace } from '../support/workspace.ts';

/** Four times as many as are sorted without a slot of the queue. */
const ENTRIES = 20_002;
const deep = Array.from({ length: 14 }, (_, i) => `${i}${'d'.repeat(240)}`).join('/');

interface Page {
  readonly contents: readonly { readonly name: string }[];
  readonly total: number;
  readonly more: boolean;
  readonly next?: number;
}

const { W, write } = workspace({}, afterAll);
const running = await server(['--cwd', W], {
  node: [...heartbeat, '--max-old-space-size=400'],
  atEnd: afterAll,
});

function furnish(): void {
  // One level at a time: the whole path is longer than some programs take.
  const script = `set -e; for d in ${deep.replaceAll('/', ' ')}; do mkdir $d; cd $d; done
    seq -f 'a name of an entry %.0f' ${ENTRIES} | tr '\\n' '\\0' | xargs -0 touch
    mkdir ../matching; cd ../matching
    yes 'a needle' | head -n 400 > 0; seq 3000 | while read n; do echo 'a needle' > $n; done`;
  execFileSync('sh', ['-c', script], { cwd: W });
}

test('L01 listings are bounded and never block the event loop', async () => {
  furnish();
  const path = join(W, deep);
  const list = async (input: object): Promise<{ page: Page; bytes: number }> => {
    const text = await (await running.post('/api/v0/list-directory', { path, ...input })).text();
    return { page: JSON.parse(text) as Page, bytes: Buffer.byteLength(text) };
  };
  const sizes: number[] = [];
  const names: string[] = [];
  for (let at = 0; names.length < 500;) {
    const { page, bytes } = await unheld(() => list({ offset: at, limit: 10_000 }));
    sizes.push(bytes);
    names.push(...page.contents.map(({ name }) => name));
    expect(page).toMatchObject({ total: ENTRIES, more: true, next: names.length });
    at = page.next as number;
  }
  expect(Math.max(...sizes)).toBeLessThan(1_100_000);
  const all = Array.from({ length: ENTRIES }, (_, i) => `a name of an entry ${i + 1}`).sort();
  expect(names).toEqual(all.slice(0, names.length));
  const last = await list({ offset: ENTRIES - 3 });
  expect(last.page).toMatchObject({ contents: { length: 3 }, more: false });
  expect(last.page).not.toHaveProperty('next');
  const beyond = await list({ offset: ENTRIES });
  expect(beyond.page).toMatchObject({ contents: [], more: false });
  const prefixed = await list({ prefix: 'a name of an entry 2000' });
  expect(prefixed.page).toMatchObject({ contents: { length: 4 }, total: 4, more: false });
  const matching = join(path, '../matching');
  for (const [tool, input] of [
    ['grep', { pattern: 'needle', path: matching, limit: 10_000, context: 200 }],
    ['grep', { pattern: 'needle', path: matching, limit: 10_000, output: 'files' }],
    ['grep', { pattern: 'needle', path: matching, limit: 10_000, output: 'count' }],
    ['ls', { path, limit: 20_000 }],
    ['find', { pattern: '*', path, limit: 20_000 }],
    ['read', { path }],
    ['read', { path: `${path}:-5` }],
    ['read', { path: join(path, 'a name of an entri') }],
  ] as const) {
    const text = await unheld(async () => (await running.post(`/api/v0/tools/${tool}`, input)).text());
    expect(text.length).toBeLessThan(200_000);
  }
  await Promise.all(Array.from({ length: 6 }, () => running.post('/api/v0/tools/ls', { path })));
  expect(await (await running.get('/metrics')).text()).toContain('queue="listings"');
});

test('L02 entries beyond sorting are reported; a prefix lists them', async () => {
  const all = Array.from({ length: MAX_DIRECTORY_ENTRIES + 5 }, (_, i) => ({
    name: `n${i}`,
    type: 'file' as const,
  }));
  const asked: number[] = [];
  const directory = {
    list: (most: number, _signal: AbortSignal, prefix = '') => {
      asked.push(most);
      const named = all.filter(({ name }) => name.startsWith(prefix));
      return Promise.resolve({ entries: named.slice(0, most), more: named.length > most });
    },
  } as unknown as OpenedDirectory;
  const { signal } = new AbortController();
  const count = (prefix?: string): Promise<object> =>
    withEntries(
      directory,
      signal,
      ({ entries, more }) =>
        Promise.resolve({ count: entries.length, more, held: queues.listings.stats.running }),
      prefix,
    );
  expect(await count()).toEqual({ count: MAX_DIRECTORY_ENTRIES, more: true, held: 1 });
  expect(await count('n50000')).toEqual({ count: 6, more: false, held: 0 });
  expect(asked).toEqual([5_000, MAX_DIRECTORY_ENTRIES, 5_000]);
});

test('L03 a missing name is compared within a letter limit', async () => {
  const hex = `mkdir sums long; cd sums; seq 6000 | while read n; do printf '%032x%032x\\n' $((n * 7919)) $((n * 104729)); done | xargs touch
    cd ../long; seq 2000 | while read n; do printf '%0190d\\n' $n; done | xargs touch`;
  execFileSync('sh', ['-c', hex], { cwd: W });
  const asked = ['sums/' + '0'.repeat(63) + 'f', 'long/' + '7'.repeat(190)];
  for (const path of asked) expect(await unheld(() => told(path))).toContain('does not exist');
});

test('L04 missing paths of thousands of names', async () => {
  mkdirSync(join(W, 'a/'.repeat(300)), { recursive: true });
  for (const path of [`${'b/'.repeat(1_900)}c`, `${'a/'.repeat(300)}${'b/'.repeat(1_500)}c`]) {
    expect(await unheld(() => told(path))).toContain('does not exist');
    const resolved = await unheld(() => running.get(`/api/v0/resolve-path?path=${join(W, path)}`));
    expect(await resolved.json()).toEqual({ resolved_path: join(W, path) });
  }
  expect(await told(`${'a/'.repeat(300)}b`)).toContain(`Use ${'a/'.repeat(300)}`.slice(0, 60));
});

test('L05 matches of millions of lines stay within answer limits', async () => {
  write('lines.txt', Buffer.alloc(3 << 20, 10));
  write('d/lines.txt', Buffer.alloc(1 << 20, 10));
  for (const path of ['lines.txt', 'd']) {
    const input = { pattern: '(?s).*', path, multiline: true, limit: 1 };
    const ask = (more: object) => running.post('/api/v0/tools/grep', { ...input, ...more });
    const reply = await unheld(() => ask({}));
    expect(await reply.json()).toMatchObject({ isError: false });
    const counted = await unheld(() => ask({ output: 'count' }));
    expect(await counted.json()).toMatchObject({ isError: false });
  }
});

test('L06 an archive search ends without blocking the event loop', async () => {
  const members = Array.from({ length: 12_000 }, (_, i) => ({
    name: `m${String(i).padStart(6, '0')}-${'q'.repeat(80)}.txt`,
    content: i % 2 ? '' : 'needle\n',
    method: 0,
  }));
  write('many.zip', zip(members));
  const input = { pattern: 'absent', path: 'many.zip' };
  const reply = await unheld(() => running.post('/api/v0/tools/grep', input));
  expect(await reply.json()).toMatchObject({ isError: false });
});

/** What `work` gives; of five tries one holds the event loop of the server for no moment. */
async function unheld<T>(work: () => Promise<T>): Promise<T> {
  const lags: number[] = [];
  while (lags.length < 5) {
    await lagSince(running);
    const result = await work();
    const lag = (await lagSince(running)) / slowness();
    if (lag <= MOST_LAG_MS) return result;
    lags.push(lag);
  }
  return expect.fail(`The event loop was held for ${lags.join(', ')} ms.`);
}

async function told(path: string): Promise<string> {
  return (await running.post('/api/v0/tools/read', { path })).text();
}
