/** Large messages of an MCP server are reduced for the calls that wait for them. */

import { expect, onTestFinished, test } from 'vitest';
import { registerCaller } from '../../../src/queues/caller.ts';
import { queues } from '../../../src/queues/queue-table.ts';
import { WaitingCalls } from '../../../src/formats/mcp/servers.ts';

const message = (id: number): Buffer =>
  Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id, result: { contents: [{ uri: 'a:b', text: 'x'.repeat(300_000) }] } }),
  );

function callOf(caller: object) {
  const abort = new AbortController();
  registerCaller(caller, abort.signal);
  return { signal: abort.signal, abort: () => abort.abort(new Error('cancelled')) };
}

/** A call that waits until it is over, or cancelled. */
function waiting(signal: AbortSignal) {
  const on = new WaitingCalls();
  let end = (): void => undefined;
  const over = on
    .during(signal, () => {
      return new Promise<void>((resolve, reject) => {
        end = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    })
    .catch(() => undefined);
  return {
    on,
    async end() {
      end();
      await over;
    },
  };
}

test('one caller uses at most one of the two converters, whatever its servers send', async () => {
  const caller = {};
  const slot = await queues.pages.acquire({ caller });
  const [own, other] = [waiting(callOf(caller).signal), waiting(callOf({}).signal)];
  const queued = own.on.reduce(message(1));
  expect(queues.pages.stats.waiting).toBe(1);
  expect((await other.on.reduce(message(2)))?.length).toBeGreaterThan(300_000);
  expect(queues.pages.stats.waiting).toBe(1);
  slot.release();
  expect((await queued)?.length).toBeGreaterThan(300_000);
  await Promise.all([own.end(), other.end()]);
});

test('no reply is reduced for a cancelled call, and its connection stays open', async () => {
  const slots = await Promise.all([{}, {}].map((caller) => queues.pages.acquire({ caller })));
  onTestFinished(() => slots.forEach((slot) => slot.release()));
  const { signal, abort } = callOf({});
  const queued = waiting(signal).on.reduce(message(1));
  expect(queues.pages.stats.waiting).toBe(1);
  abort();
  expect(JSON.parse(Buffer.from((await queued) ?? []).toString())).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/message',
  });
  expect(queues.pages.stats.waiting).toBe(0);
});
