import { expect, onTestFinished, test } from 'vitest';
import { memoryBytes } from '../../src/access/bytes.ts';
import { createSession } from '../../src/session/session.ts';
import { offloadWork } from '../../src/session/offload-work.ts';
import { openState } from '../../src/state/open-state.ts';
import type { SharedState } from '../../src/types/state.ts';
import { temporaryFolder } from '../support/commands.ts';
import { has } from '../support/has.ts';
import { redisServer } from '../support/stores.ts';

test.runIf(has('redis'))('without workers no bytes are read', async () => {
  const server = await redisServer();
  const state = openState({
    url: server.url,
    key: 'k'.repeat(32),
    timeoutMs: 30_000,
    workers: true,
  }) as SharedState;
  const session = createSession({
    disk: { directory: temporaryFolder() },
    state: { space: state.space('s'), work: state.work('s') },
  });
  onTestFinished(async () => {
    await session.close();
    await state.close();
    await server.stop();
  });
  const bytes = memoryBytes(Buffer.alloc(1 << 20));
  let reads = 0;
  const source = Object.create(bytes, {
    readInto: {
      value: (...given: Parameters<typeof bytes.readInto>) => {
        reads += 1;
        return bytes.readInto(...given);
      },
    },
  }) as typeof bytes;
  const offload = {
    session,
    signal: new AbortController().signal,
    deadline: performance.now() + 60_000,
  };
  const outcome = await offloadWork({ kind: 'test', version: '1', head: {}, source }, offload);
  expect([outcome, reads]).toEqual([{ is: 'here' }, 0]);
});
