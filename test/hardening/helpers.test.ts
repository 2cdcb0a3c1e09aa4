/**
 * Helpers that are ended at random moments: decoders, worker threads, shells. No answer may look complete that is not.
 *
 * @module-tag slow
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { beforeEach, expect, test, vi } from 'vitest';
import { fc } from '../support/properties.ts';
import type { ChildPool, ChildPoolOptions } from '../../src/process/child-pool.ts';
import type { Answer, Oriel } from '../../src/index.ts';
import { temporaryFolder } from '../support/commands.ts';
import { makePng } from '../support/images.ts';
import { packed } from '../support/packed.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { codeOf, workspace } from '../support/workspace.ts';

const { workers, pools } = vi.hoisted(() => ({ workers: new Set<Worker>(), pools: new Set<ChildPool>() }));

vi.mock(import('../../src/process/child-pool.ts'), async (original) => {
  const actual = await original();
  class Seen extends actual.ChildPool {
    constructor(options: ChildPoolOptions) {
      super(options);
      pools.add(this);
    }
  }
  return { ...actual, ChildPool: Seen };
});

vi.mock(import('node:worker_threads'), async (original) => {
  const actual = await original();
  class Seen extends actual.Worker {
    constructor(...given: ConstructorParameters<typeof actual.Worker>) {
      super(...given);
      workers.add(this);
      this.once('exit', () => workers.delete(this));
    }
  }
  return { ...actual, Worker: Seen, default: { ...actual, Worker: Seen } };
});

beforeEach(() => workers.clear());

/** Ids of child processes whose command line holds `what`. */
function children(what: RegExp): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(parent) !== process.pid || state === 'Z') return [];
      return what.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1')) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

const HELPERS = /decode-child|^bash\0-c/;

/** Ends what there is of them at this moment. Resolves when the threads are gone: then they end no later call. */
function endHelpers(): Promise<unknown> {
  const ended = Promise.all([...workers].map((worker) => worker.terminate()));
  for (const pid of children(HELPERS)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It was quicker.
    }
  }
  return ended;
}

const CALLS: readonly (readonly [tool: string, input: { [name: string]: string }])[] = [
  ['read', { path: 'photo.png' }],
  ['read', { path: 't.tar.xz' }],
  ['read', { path: 'data.db:t' }],
  ['read', { path: 'data.db?q=select count(*), sum(a) from t' }],
  ['read', { path: 'c.py:outline' }],
  ['bash', { command: 'seq 1 9000; sleep 0.03; echo end' }],
];

/** What may differ between two whole answers: where an output is kept. */
function shown({ content, isError }: Answer): string {
  return JSON.stringify([content, isError]).replaceAll(/\/[^ "]*\/\d+\.log|artifact:\/\/\d+/g, 'kept');
}

/** That a helper has failed is said: by an error, or in a notice where the rest is whole. */
function isSaid(answer: Answer): boolean {
  return answer.isError || JSON.stringify(answer.content).includes('its parser failed');
}

test('L01 helpers ended at random moments', async () => {
  const { write, with: made } = workspace();
  write('photo.png', makePng(1_800, 200));
  write('t.tar.xz', packed.xz.tar);
  write(
    'data.db',
    await databaseBytes(
      'create table t(a); with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) insert into t select i from n',
    ),
  );
  write('c.py', Array.from({ length: 400 }, (_, i) => `def f${i}(x):\n    return x\n`).join('\n'));
  const state = temporaryFolder();
  const call = (oriel: Oriel, at: number): Promise<Answer> => {
    const [tool, input] = CALLS[at] as (typeof CALLS)[number];
    return oriel.tool(tool).run(input);
  };
  const first = made({ spills: { state } });
  const whole: string[] = [];
  for (const at of CALLS.keys()) whole.push(shown(await call(first, at)));
  await first.close();
  const codes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat({ max: CALLS.length - 1 }), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 4 }),
      async (chosen, pauses) => {
        const oriel = made({ spills: { state } });
        const answers = Promise.all(chosen.map((at) => call(oriel, at)));
        const ends: Promise<unknown>[] = [];
        for (const pause of pauses) {
          await sleep(pause);
          ends.push(endHelpers());
        }
        for (const [i, answer] of (await answers).entries()) {
          codes.add(codeOf(answer));
          if (!isSaid(answer)) expect(shown(answer)).toBe(whole[chosen[i] as number]);
        }
        await Promise.all(ends);
        for (const at of chosen) expect(shown(await call(oriel, at))).toBe(whole[at]);
        await oriel.close();
      },
    ),
    { numRuns: 10 },
  );
  // Some were met in their work, and some calls were quicker.
  expect(codes.size).toBeGreaterThan(1);
  expect(codes).toContain('OK');
  // Every child that still lives is an idle one of its pool.
  for (const pool of pools) pool.close();
  await expect.poll(() => children(HELPERS)).toEqual([]);
  // Threads of pools rest for a while, as many as their queues let run.
  await expect.poll(() => workers.size).toBeLessThanOrEqual(4);
});
