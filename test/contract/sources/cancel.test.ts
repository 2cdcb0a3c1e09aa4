/**
 * A call that is cancelled at any of its asynchronous steps gives back descriptors, threads, children and files.
 *
 * @module-tag slow
 */

import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createOriel, type Oriel } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { callsOf } from '../../support/dialect.ts';
import { notesServer } from '../../support/mcp.ts';
import { type SourceCase, sourceCases } from './cases.ts';
import { placeOf, reachable } from './read.ts';

/** Of each call so many steps are tried, spread evenly; all of them, which takes many minutes, with ORIEL_ALL_STEPS=1. */
const allSteps = process.env['ORIEL_ALL_STEPS'] !== undefined;
const mostSteps = allSteps ? Number.POSITIVE_INFINITY : 5;

/** What `act` gives, and how many callbacks and continuations ran for it. Before step `at` (from 1) the signal aborts. */
async function stepped<T>(
  act: (signal: AbortSignal) => Promise<T>,
  at?: number,
): Promise<{ readonly result: T; readonly steps: number }> {
  const controller = new AbortController();
  const origin = new AsyncResource('call');
  const ours = new Set([origin.asyncId()]);
  const sockets = new Set<number>();
  let steps = 0;
  const hook = createHook({
    init(id, type) {
      if (ours.has(executionAsyncId())) ours.add(id);
      if (/^(TCP|PIPE)/.test(type)) sockets.add(id);
    },
    before(id) {
      if (!ours.has(id)) return;
      steps += 1;
      if (steps !== at) return;
      // Node hands a socket what was read in an array that all of them share: one that is closed here would overwrite it.
      if (sockets.has(id)) queueMicrotask(() => controller.abort());
      else controller.abort();
    },
  }).enable();
  try {
    return { result: await origin.runInAsyncScope(() => act(controller.signal)), steps };
  } finally {
    hook.disable();
  }
}

/** What this process holds on to. */
interface Held {
  /** Open files below the directories that are looked at. */
  readonly open: readonly string[];
  readonly threads: number;
  readonly children: number;
  /** Files that are left where temporary ones are made. */
  readonly files: readonly string[];
}

/** A whole entry of the cache on disk, which a call leaves there on purpose, also after its end. */
const CACHED = /\/oriel\/derived\/[0-9a-f]{64}$/;

function held(opened: string, temporary: string): Held {
  const tasks = readdirSync('/proc/self/task');
  return {
    open: openFiles().filter((path) => path.startsWith(opened) || path.startsWith(temporary)),
    threads: tasks.length,
    children: tasks.flatMap(childrenOf).length,
    files: (readdirSync(temporary, { recursive: true }) as string[]).filter(
      (name) => !CACHED.test(name) && statSync(join(temporary, name), { throwIfNoEntry: false })?.isFile(),
    ),
  };
}

/** Of one thread, which may be gone by now. */
function childrenOf(task: string): string[] {
  try {
    return readFileSync(`/proc/self/task/${task}/children`, 'latin1').trim().split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return [];
    }
  });
}

/** What is held once that fits `holds`, or after a hundred seconds. */
async function settled(look: () => Held, holds: (held: Held) => boolean): Promise<Held> {
  for (let waited = 0; ; waited += 5) {
    const now = look();
    if (holds(now) || waited > 100_000) return now;
    await sleep(5);
  }
}

describe.runIf(process.platform === 'linux')('cancelled at any step', () => {
  test.each(sourceCases.map((source): [string, SourceCase] => [source.name, source]))(
    '%s',
    async (_, source) => {
      const [temporary, state] = [temporaryFolder(), temporaryFolder()];
      const furnished = await placeOf(source);
      const { folder } = furnished;
      // What has only just been written is not kept.
      await sleep(30);
      vi.stubEnv('TMPDIR', temporary);
      onTestFinished(() => void vi.unstubAllEnvs());
      const look = (): Held => held(folder, temporary);
      /** In a session of its own, so that every step is gone through each time. */
      const session = async <T>(act: (oriel: Oriel) => Promise<T>): Promise<T> => {
        const oriel = createOriel({
          web: reachable,
          cwd: folder,
          roots: [folder],
          now: () => 0,
          spills: { state },
          agentOutputs: folder,
          mcpServers: notesServer(folder),
        });
        if (source.scheme) await source.furnish({ ...furnished, oriel, call: callsOf(oriel) }, 'small');
        try {
          return await act(oriel);
        } finally {
          await oriel.close();
        }
      };
      const read = async (oriel: Oriel, signal?: AbortSignal): Promise<string> => {
        const { content } = await oriel.tool('read').run({ path: source.path }, signal && { signal });
        return JSON.stringify(content);
      };

      // The first call loads what is loaded once, and starts the threads that rest between calls.
      const expected = await session(read);
      const { steps } = await session((oriel) => stepped((signal) => read(oriel, signal)));
      const idle = look();
      let cancelled = 0;
      for (let at = 1; at <= steps; at += Math.max(1, steps / mostSteps)) {
        const step = `step ${Math.floor(at)} of ${steps}`;
        await session(async (oriel) => {
          const { result } = await stepped((signal) => read(oriel, signal), Math.floor(at));
          if (result !== expected) {
            expect(result, step).toContain('The call was cancelled.');
            cancelled += 1;
          }
          const now = await settled(look, ({ open }) => open.length === 0);
          expect(
            now.open.filter((path) => path.startsWith(folder)),
            step,
          ).toEqual([]);
          expect(await read(oriel), `after ${step}`).toBe(expected);
        });
        const within = ({ open, threads, children, files }: Held): boolean =>
          open.length === 0 && files.length === 0 && children <= idle.children && threads <= idle.threads;
        const now = await settled(look, within);
        if (!within(now)) expect(now, `after ${step}`).toEqual(idle);
      }
      expect(cancelled).toBeGreaterThan(Math.min(steps, mostSteps) / 2);
    },
    allSteps ? 3_600_000 : undefined,
  );
});
