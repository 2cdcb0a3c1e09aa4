/**
 * Every kind of heavy work: with a worker the answers are the same as without one, and each is computed once by the
 * worker.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OrielOptions } from '../../src/index.ts';
import { workHandlers } from '../../src/faces/cli/serve-command.ts';
import { openStore } from '../../packages/scale/src/state/store.ts';
import { runJobs } from '../../packages/scale/src/state/run-jobs.ts';
import type { SharedState, WorkEvent, WorkHandler } from '../../src/types/state.ts';
import { temporaryFolder } from '../support/commands.ts';
import { docx, paragraph } from '../support/documents.ts';
import { has } from '../support/has.ts';
import { makePng } from '../support/images.ts';
import { redisServer, type StoreServer } from '../support/stores.ts';
import { workspace } from '../support/workspace.ts';
import '../support/scale.ts';

const key = 'the key of one operator, and no other';

describe.runIf(has('redis'))('heavy work', () => {
  let server: StoreServer;
  beforeAll(async () => {
    server = await redisServer();
  });
  afterAll(() => server.stop());

  async function worker(handlers: readonly WorkHandler[]): Promise<WorkEvent[]> {
    const state = openStore({ url: server.url, key, timeoutMs: 30_000, workers: true }) as SharedState;
    const events: WorkEvent[] = [];
    const log = (event: WorkEvent): void => void events.push(event);
    const jobs = await runJobs({ url: server.url, state, handlers, jobs: 2, log });
    onTestFinished(async () => {
      await jobs?.close();
      await state.close();
    });
    return events;
  }

  /** Of a replica with a cache of its own. */
  const shared = (space = 'common'): OrielOptions => ({
    cache: { directory: temporaryFolder() },
    timeoutMs: 300_000,
    state: { url: server.url, key, space, timeoutMs: 30_000, workers: true },
  });

  // Large, with little to parse: it is to take no long time here either.
  const lines = Array.from({ length: 500 }, (_, i) => `export const value${i} = ${i}; // ${'-'.repeat(600)}`);

  const cases: readonly [string, string, string, string | Uint8Array][] = [
    ['document', 'a.docx', 'a.docx', docx(paragraph('a text'))],
    ['image', 'a.png', 'a.png', makePng(2_500, 1_700)],
    ['outline', 'a.md', 'a.md:outline', `# A\n\n${`${'-'.repeat(600)}\n`.repeat(500)}## B\n`],
    // Found out once, too.
    ['outline', 'b.json', 'b.json:outline', `"${'x'.repeat(600_000)}"`],
  ];

  // The first test: nothing else is alive yet.
  test('without a worker of its version, it is done locally', { tags: 'slow' }, async () => {
    const version = randomBytes(32).toString('hex');
    const events = await worker((await workHandlers()).map((handler) => ({ ...handler, version })));
    for (const [, name, path, content] of cases) {
      const { write, read } = workspace({ timeoutMs: 300_000 });
      write(name, content);
      expect(await read(path, shared('versions'))).toEqual(await read(path));
    }
    expect(events).toEqual([]);
  });

  test.each(cases)('%s: %s', { tags: 'slow' }, async (kind, name, path, content) => {
    const events = await worker(await workHandlers());
    const { write, read } = workspace({ timeoutMs: 300_000 });
    write(name, content);
    const here = await read(path);
    expect(await read(path, shared())).toEqual(here);
    await expect.poll(() => events).toMatchObject([{ event: 'job', kind, outcome: 'done' }]);
    // Another replica finds it; a tenant does not find that of another.
    expect(await read(path, shared())).toEqual(here);
    expect(events).toHaveLength(1);
    expect(await read(path, shared('of another tenant'))).toEqual(here);
    await expect.poll(() => events).toHaveLength(2);
  });

  // A grammar may take longer here than a call has on a busy machine: a worker has the time.
  test('a text with a grammar is parsed by a worker', { tags: 'slow' }, async () => {
    const events = await worker(await workHandlers());
    const { write, text } = workspace({ timeoutMs: 300_000 });
    write('a.ts', `export class A {}\n${lines.join('\n')}\n`);
    const found = await text('a.ts:#value499', shared());
    expect(found.slice(0, 60)).toContain('export const value499 = 499;');
    await expect.poll(() => events).toMatchObject([{ event: 'job', kind: 'outline', outcome: 'done' }]);
  });

  test('small work is done locally', async () => {
    const events = await worker(await workHandlers());
    const { write, read } = workspace();
    write('a.png', makePng(64, 48));
    write('a.ts', lines.slice(0, 100).join('\n'));
    for (const path of ['a.png', 'a.ts:outline']) expect((await read(path, shared())).isError).toBe(false);
    expect(events).toEqual([]);
  });
});
