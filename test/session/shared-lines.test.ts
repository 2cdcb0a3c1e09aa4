/**
 * Line indexes of large objects, and pages, that one replica has read are reused by the others.
 *
 * @module-tag slow
 */

import { createServer, type Server } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOriel } from '../../src/oriel.ts';
import { backends } from '../../packages/scale/src/state/store.ts';
import type { StateBackend } from '../../src/types/state.ts';
import { temporaryFolder } from '../support/commands.ts';
import { has } from '../support/has.ts';
import { lineOf, numberedObject, objectServer, type ObjectServer } from '../support/objects.ts';
import { storeForAll, storeKinds, type StoreServer } from '../support/stores.ts';
import '../support/scale.ts';

const key = 'the key of one operator, and no other';
const SIZE = 32 << 20;
const LINE = SIZE / 64 - 10;

for (const { kind, start } of storeKinds) {
  describe.runIf(has(kind))(`lines in ${kind}`, () => {
    const made = storeForAll(start);

    /** A replica of its own that reads one page: the page, and the requests that it took. */
    async function readAs({ heard }: ObjectServer, space: string): Promise<[string, number]> {
      const oriel = createOriel({
        cwd: temporaryFolder(),
        display: 'plain',
        cache: { directory: temporaryFolder() },
        state: { url: made.server.url, key, space, timeoutMs: 30_000 },
      });
      const before = heard.length;
      const { content } = await oriel.tool('read').run({ path: `s3://logs/big.log:${LINE}..${LINE + 1}` });
      const requests = heard.length - before;
      await oriel.close();
      const [first] = content;
      return [first?.type === 'text' ? first.text : '', requests];
    }

    test('one replica’s line count serves another until the version changes', { tags: 'slow' }, async () => {
      const server = await objectServer({ logs: { 'big.log': numberedObject(SIZE) } });
      const [page, counted] = await readAs(server, 'one');
      expect(page).toContain(lineOf(LINE) + lineOf(LINE + 1));
      expect(counted).toBeGreaterThan(8);
      expect(await readAs(server, 'one')).toEqual([page, 2]);
      // Neither for another tenant, nor for other bytes.
      expect((await readAs(server, 'two'))[1]).toBe(counted);
      server.buckets = { logs: { 'big.log': numberedObject(SIZE, '"another"') } };
      expect((await readAs(server, 'one'))[1]).toBe(counted);
    });

    test('a forged, truncated or foreign index never gives wrong lines', { tags: 'slow' }, async () => {
      const server = await objectServer({ logs: { 'big.log': numberedObject(SIZE, '"forged"') } });
      const backend = (await backends[`${kind}:`]?.open({
        url: made.server.url,
        timeoutMs: 30_000,
      })) as StateBackend;
      onTestFinished(() => backend.close());
      const [page, counted] = await readAs(server, 'forged');
      const names = await keysOf(made.server, kind);
      const values = await Promise.all(names.map((name) => backend.get(name)));
      expect(names.length).toBeGreaterThan(1);
      // Each value in the place of the next one.
      for (const [i, name] of names.entries())
        await backend.set(name, values[(i + 1) % values.length] as string, 60_000);
      expect(await readAs(server, 'forged')).toEqual([page, counted]);
    });

    test('a web page is requested once for all instances', async () => {
      let requests = 0;
      const site: Server = createServer((_, response) => {
        requests += 1;
        response.setHeader('content-type', 'text/plain').end('first\nsecond\nthird\n');
      });
      await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void site.close());
      const { port } = site.address() as { port: number };
      const instance = () =>
        createOriel({
          roots: [temporaryFolder()],
          web: { allow: ['127.0.0.1'] },
          cache: { directory: temporaryFolder() },
          state: { url: made.server.url, key, timeoutMs: 30_000, space: 'team' },
        });
      const read = async (of: ReturnType<typeof instance>, path: string): Promise<string> => {
        const { content } = await of.tool('read').run({ path });
        return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      };
      const one = instance();
      expect(await read(one, `http://127.0.0.1:${port}/page`)).toContain('second');
      await one.close();
      const asked = requests;
      const two = instance();
      expect(await read(two, `http://127.0.0.1:${port}/page:2..2`)).toContain('second');
      expect(requests).toBe(asked);
      await two.close();
    });
  });
}

/** The keys of all that is cached in a store. */
async function keysOf({ url }: StoreServer, kind: 'redis' | 'postgres'): Promise<string[]> {
  if (kind === 'redis') {
    const { default: KeyvRedis } = await import('@keyv/redis');
    const adapter = new KeyvRedis(url);
    const client = (await adapter.getClient()) as unknown as { keys(of: string): Promise<string[]> };
    const names = await client.keys('oriel:cache:*');
    await adapter.disconnect();
    return names;
  }
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    "SELECT key FROM public.oriel_state WHERE key LIKE 'oriel:cache:%' ORDER BY key",
  );
  await client.end();
  return (rows as { key: string }[]).map(({ key: name }) => name);
}
