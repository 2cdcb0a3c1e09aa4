/**
 * Several `oriel serve` on one shared store, behind a real balancer: for a client they are one server.
 *
 * @module-tag slow
 */

import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { has } from '../../support/has.ts';
import {
  artifactOf,
  balancerInTurn,
  callOn as call,
  keyFile,
  replicaOn,
  replicasOn,
  textOf,
} from '../../support/replicas.ts';
import { freePort, storeKinds } from '../../support/stores.ts';

for (const { kind, start, end } of storeKinds) {
  describe.runIf(has(kind))(`replicas on ${kind}`, () => {
    const shared = replicasOn(start);
    const { replica, here, twoHere } = shared;

    test.runIf(has('haproxy'))('a kept output outlives its replica and is read everywhere', async () => {
      const mortal = await replica();
      const { url } = await balancerInTurn([mortal, await here()]);
      const kept = artifactOf(await call(url, 'bash', { command: 'seq 100000' }));
      expect(kept).toMatch(/^artifact:\/\/\d{4,9}$/);
      const page = async (from: number): Promise<string> =>
        textOf(await call(url, 'read', { path: `${kept}:${from}..${from + 1}:raw` }));
      // One after the other, from both in turn.
      for (const from of [1, 99_998, 50_000, 7]) expect(await page(from)).toContain(`${from}\n${from + 1}`);
      mortal.kill('SIGKILL');
      await mortal.exited;
      for (const from of [50_002, 3]) expect(await page(from)).toContain(`${from}\n${from + 1}`);
      expect(textOf(await call(url, 'read', { path: 'artifact://' }))).toContain(kept.slice(11));
      const foreign = await call(url, 'read', { path: kept }, { client: 'bob' });
      expect(foreign.details.error?.code).toBe('NOT_FOUND');
      // What the dead one kept can also be read where it was never asked for.
      const { url: fresh } = await here();
      expect(textOf(await call(fresh, 'read', { path: `${kept}:9..10:raw` }))).toContain('9\n10');
    });

    test('without the store each replica works alone and says so', async () => {
      const [one, other] = await twoHere();
      const kept = artifactOf(await call(one.url, 'bash', { command: 'seq 100000' }));
      const before = await call(other.url, 'read', { path: `${kept}:1..2:raw` });
      await shared.store.kill(end);
      expect(textOf(await call(other.url, 'read', { path: `${kept}:1..2:raw` }))).toBe(textOf(before));
      const alone = await call(other.url, 'bash', { command: 'seq 100000' });
      expect(alone.details.output?.unshared).toBe('the shared store does not answer');
      expect(textOf(alone)).toContain('(on this replica alone: the shared store does not answer)');
      expect(artifactOf(alone)).toMatch(/^artifact:\/\/9\d{12}$/);
      expect(textOf(await call(other.url, 'read', { path: `${artifactOf(alone)}:3..4:raw` }))).toContain(
        '3\n4',
      );
      expect(await (await other.get('/metrics')).text()).toMatch(/^oriel_state_up 0$/m);
      await shared.store.restart();
      await expect.poll(async () => (await other.get('/metrics')).text()).toMatch(/^oriel_state_up 1$/m);
      expect(await (await other.get('/metrics')).text()).toMatch(/^oriel_state_outages_total 1$/m);
      const event = (facts: object): unknown => expect.arrayContaining([expect.objectContaining(facts)]);
      expect(other.logged).toEqual(event({ event: 'state-away', why: expect.stringMatching(/^[\w ]+$/) }));
      await expect.poll(() => other.logged).toEqual(event({ event: 'state-back' }));
      expect(JSON.stringify(other.logged)).not.toContain(String(shared.store.port));
    });
  });
}

test.runIf(has('redis'))('a server starts without the store', async () => {
  const key = keyFile();
  const url = `redis://127.0.0.1:${await freePort()}`;
  const alone = await replicaOn({ url }, key, { more: ['--state-timeout', '2'] });
  const answer = await call(alone.url, 'bash', { command: 'seq 100000' });
  expect(answer.details.output?.unshared).toBe('the shared store does not answer');
  rmSync(dirname(key), { recursive: true });
});
