/** Lines of huge objects, counted by a worker that reads them itself. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OrielOptions } from '../../../src/index.ts';
import { workHandlers } from '../../../src/formats/work-handlers.ts';
import { openState } from '../../../src/state/open-state.ts';
import { runJobs } from '../../../src/state/run-jobs.ts';
import type { S3Settings } from '../../../src/types/settings.ts';
import type { SharedState, WorkEvent } from '../../../src/types/state.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { has } from '../../support/has.ts';
import { lineOf, numberedObject, objectServer, type ObjectServer } from '../../support/objects.ts';
import { redisServer, type StoreServer } from '../../support/stores.ts';
import { workspace } from '../../support/workspace.ts';

const key = 'the key of one operator, and no other';
const MIB = 1 << 20;
/** Of lines of 64 bytes. */
const SIZE = 72 * MIB;
const LINES = SIZE / 64;

describe.runIf(has('redis'))('a worker that counts lines', () => {
  let store: StoreServer;
  beforeAll(async () => {
    store = await redisServer();
  });
  afterAll(() => store.stop());

  async function worker(s3: S3Settings | false): Promise<WorkEvent[]> {
    const state = openState({ url: store.url, key, timeoutMs: 30_000, workers: true }) as SharedState;
    const events: WorkEvent[] = [];
    const log = (event: WorkEvent): void => void events.push(event);
    const handlers = workHandlers({ s3, web: false });
    const jobs = await runJobs({ url: store.url, state, handlers, jobs: 1, log });
    onTestFinished(async () => {
      await jobs?.close();
      await state.close();
    });
    return events;
  }

  const shared = (): OrielOptions => ({
    cache: { directory: temporaryFolder() },
    timeoutMs: 300_000,
    s3: {},
    display: 'plain',
    state: { url: store.url, key, timeoutMs: 30_000, workers: true },
  });

  const objects = (etag: string): Promise<ObjectServer> =>
    objectServer({ logs: { 'big.log': numberedObject(SIZE, etag) } });
  const last = `s3://logs/big.log:${LINES}..`;

  /** Bytes that were asked for since `from`. */
  const asked = ({ heard }: ObjectServer, from = 0): number =>
    heard.slice(from).reduce((sum, { range }) => {
      const [, start = '0', end = '0'] = /bytes=(\d+)-(\d+)/.exec(range ?? '') ?? [];
      return sum + Number(end) - Number(start);
    }, 0);

  test(
    'asks a server that sends one byte per range no more often than an honest one',
    { tags: 'slow' },
    async () => {
      const server = await objects('"slow"');
      const events = await worker({ allow: [] });
      const { read } = workspace();
      server.instead = (request, response) => {
        const [, from = '0'] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
        if (Number(from) < 32 * MIB) return false;
        const range = `bytes ${from}-${from}/${SIZE}`;
        response.writeHead(206, { 'content-range': range, etag: '"slow"' }).end('x');
        return true;
      };
      await read(last, shared());
      await expect.poll(() => events).toMatchObject([{ kind: 'lines', outcome: 'failed', why: 'here' }]);
      // Those of the replica, which stops at 256, and those of the worker.
      expect(server.heard.length).toBeLessThan(256 + 100);
    },
  );

  test('reads the object itself, and every replica has its line index', { tags: 'slow' }, async () => {
    const server = await objects('"one"');
    const events = await worker({ allow: [] });
    const { text } = workspace();
    expect(await text(last, shared())).toContain(lineOf(LINES));
    await expect.poll(() => events).toMatchObject([{ kind: 'lines', outcome: 'done' }]);
    const before = server.heard.length;
    // Another replica: a page near the end, by the two requests of a page whose place is known.
    expect(await text(last, shared())).toContain(lineOf(LINES));
    expect(server.heard.length - before).toBeLessThanOrEqual(2);
    expect(asked(server, before)).toBeLessThan(MIB);
    expect(events).toHaveLength(1);
  });

  test('leaves an object to the calling replica if it may not read it', { tags: 'slow' }, async () => {
    await objects('"two"');
    const events = await worker({ allow: [], buckets: ['others'] });
    const { text } = workspace();
    expect(await text(last, shared())).toContain(lineOf(LINES));
    await expect.poll(() => events).toMatchObject([{ kind: 'lines', outcome: 'failed', why: 'here' }]);
  });

  test('leaves a replaced object to the calling replica', { tags: 'slow' }, async () => {
    const server = await objects('"three"');
    const events = await worker({ allow: [] });
    const { read } = workspace();
    server.instead = (request) => {
      const isWorker = events.length === 0 && asked(server) > 44 * MIB;
      // From here on there is another one.
      if (isWorker && request.headers['if-match'] !== undefined)
        server.buckets = { logs: { 'big.log': numberedObject(SIZE, '"four"') } };
      return false;
    };
    const answer = await read(last, shared());
    // The replica notices it as well.
    expect(answer.isError).toBe(true);
    expect(answer.details['error']).toMatchObject({ code: 'BUSY' });
    await expect.poll(() => events).toMatchObject([{ kind: 'lines', outcome: 'failed', why: 'here' }]);
  });
});
