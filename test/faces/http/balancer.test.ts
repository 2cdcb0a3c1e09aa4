/**
 * Replicas behind the balancer that is shipped, and what becomes of answers whose balancer, replica or store dies.
 *
 * @module-tag slow
 */

import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/faces/client/client.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { has } from '../../support/has.ts';
import {
  artifactOf,
  balancerInTurn,
  callOn,
  replicaHere,
  replicasOn,
  shippedBalancer,
  textOf,
} from '../../support/replicas.ts';
import { AUTHORIZATION, mcpHeaders, TOKEN, postTo, initialize } from '../../support/server.ts';
import { redisServer } from '../../support/stores.ts';

describe.runIf(has('redis') && has('haproxy'))('behind a balancer', () => {
  const { key, two, replica, here, twoHere } = replicasOn(redisServer);

  /** A session of MCP from before 2026-07-28. */
  async function openSession(url: string): Promise<(id: number) => Promise<number>> {
    const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
      postTo(url, { ...AUTHORIZATION, ...mcpHeaders })('/mcp', { jsonrpc: '2.0', ...body }, { headers });
    const opened = await post(initialize('2025-06-18'));
    await opened.text();
    const session = opened.headers.get('mcp-session-id') ?? 'none';
    return async (id) => {
      const answer = await post({ id, method: 'tools/list' }, { 'mcp-session-id': session });
      await answer.text();
      return answer.status;
    };
  }

  test('each session of MCP stays on its replica', async () => {
    const [mortal, other] = [await replica(), await here()];
    const { url } = await shippedBalancer([mortal, other]);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(url)));
    for (const id of [1, 2]) {
      const statuses = await Promise.all(sessions.map((list) => list(id)));
      expect(statuses).toEqual(sessions.map(() => 200));
    }
    expect(mortal.log()).toContain('"path":"/mcp"');
    expect(other.logged).toContainEqual(expect.objectContaining({ path: '/mcp' }));
    mortal.kill('SIGKILL');
    await mortal.exited;
    const statuses = await Promise.all(sessions.map((list) => list(3)));
    // Those of the dead one are told so, and shake hands again.
    expect([...new Set(statuses)].toSorted()).toEqual([200, 404]);
    expect(await (await openSession(url))(1)).toBe(200);
  });

  test('nameless clients read only their own outputs on every replica', async () => {
    const { url } = await shippedBalancer(await twoHere());
    /** From an address of its own, as the balancer sees it. */
    const from =
      (localAddress: string) =>
      (tool: string, input: object): Promise<string> =>
        new Promise((resolve, reject) => {
          const sent = request(
            `${url}/api/v0/tools/${tool}`,
            {
              method: 'POST',
              localAddress,
              headers: { 'content-type': 'application/json', ...AUTHORIZATION, 'user-agent': 'one program' },
            },
            (response) => {
              let body = '';
              response.on('data', (chunk: Buffer) => (body += chunk.toString()));
              response.on('end', () => resolve(body));
            },
          );
          sent.on('error', reject);
          sent.end(JSON.stringify(input));
        });
    const [alice, bob] = [from('127.0.0.2'), from('127.0.0.3')];
    const kept: [string, string][] = [];
    for (const start of [1, 500_000, 700_000]) {
      const said = await alice('bash', { command: `seq ${start} ${start + 99_999}` });
      kept.push([/artifact:\/\/\d+/.exec(said)?.[0] ?? said, `${start}\\n${start + 1}\\n`]);
    }
    expect(new Set(kept.map(([artifact]) => artifact)).size).toBe(3);
    // The requests of one client go to the replicas in turn.
    for (let turn = 0; turn < 3; turn += 1) {
      for (const [artifact, lines] of kept)
        expect(await alice('read', { path: `${artifact}:1..2:raw` })).toContain(lines);
    }
    for (const who of [alice, bob])
      expect(await who('read', { path: 'artifact://' })).toContain('no output has been kept');
    for (const number of [1, 2, 3])
      expect(await bob('read', { path: `artifact://${number}` })).toContain('NOT_FOUND');
  });

  test('a named client keeps its replica and outlives it', async () => {
    const replicas = await two();
    const { url } = await shippedBalancer(replicas);
    const kept = artifactOf(await callOn(url, 'bash', { command: 'seq 100000' }));
    const page = (from: number): Promise<string> =>
      callOn(url, 'read', { path: `${kept}:${from}..${from + 1}:raw` }).then(textOf);
    for (const from of [1, 300, 99_998]) expect(await page(from)).toContain(`${from}\n${from + 1}`);
    const [used, other] = replicas.map(({ log }) => /"path":"\/api/.test(log()));
    expect([used, other].toSorted()).toEqual([false, true]);
    const its = replicas[used === true ? 0 : 1];
    its.kill('SIGKILL');
    await its.exited;
    // A balancer sends no POST twice: where it had a connection to that replica, it closes ours, and a client asks again.
    const again = (from: number): Promise<string> =>
      page(from).catch((error: { cause?: unknown }) => {
        expect(error.cause).toMatchObject({ code: 'UND_ERR_SOCKET' });
        return page(from);
      });
    for (const from of [5, 50_000]) expect(await again(from)).toContain(`${from}\n${from + 1}`);
  });

  describe('during an answer', () => {
    const SIZE = 64 << 20;

    /** Reads a large body slowly; `kill` comes when a part of it is there. */
    async function broken(
      url: string,
      path: string,
      kill: () => Promise<void>,
    ): Promise<{ bytes: number; failed: boolean }> {
      const opened = await createClient({ url, token: TOKEN }).readFile(path);
      if (!opened.ok) throw new Error(opened.error.message);
      const reader = opened.value.body.getReader();
      let [bytes, isKilled] = [0, false];
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return { bytes, failed: false };
          bytes += value.length;
          if (!isKilled && bytes > 1 << 20) {
            isKilled = true;
            await kill();
          }
        }
      } catch {
        return { bytes, failed: true };
      }
    }

    test.each(['balancer', 'replica'] as const)(
      'a killed %s causes an error, never a truncated answer',
      async (victim) => {
        const workspace = temporaryFolder();
        const path = join(workspace, 'big');
        writeFileSync(path, Buffer.alloc(SIZE, 'line of a file\n'));
        const replicas = victim === 'replica' ? await two({ workspace }) : [];
        const targets = victim === 'replica' ? replicas : await twoHere({ cwd: workspace });
        const balancer = await balancerInTurn(targets);
        const kill = async (): Promise<void> => {
          if (victim === 'balancer') return balancer.kill();
          for (const one of replicas) one.kill('SIGKILL');
          await Promise.all(replicas.map(({ exited }) => exited));
        };
        const { bytes, failed } = await broken(balancer.url, path, kill);
        expect(failed).toBe(true);
        expect(bytes).toBeLessThan(SIZE);
      },
    );

    test('pages continue exactly after the balancer is restarted', async () => {
      const replicas = await twoHere();
      const balancer = await shippedBalancer(replicas);
      const kept = artifactOf(await callOn(balancer.url, 'bash', { command: 'seq 100000' }));
      const page = (from: number): Promise<string> =>
        callOn(balancer.url, 'read', { path: `${kept}:${from}..${from + 1}:raw` }).then(textOf);
      expect(await page(1)).toContain('1\n2');
      const session = await openSession(balancer.url);
      const slow = callOn(balancer.url, 'bash', { command: 'sleep 30; echo late' });
      const lost = slow.then(
        () => 'answered',
        () => 'failed',
      );
      const requests = expect.arrayContaining([expect.objectContaining({ path: '/mcp' })]) as unknown;
      await expect.poll(() => replicas.flatMap(({ logged }) => logged)).toEqual(requests);
      await balancer.kill();
      expect(await lost).toBe('failed');
      await expect(page(3)).rejects.toThrow();
      await balancer.restart();
      for (const from of [3, 70_001]) expect(await page(from)).toContain(`${from}\n${from + 1}`);
      // Which replica had a session is forgotten with it: the session is found, or shakes hands again.
      expect([200, 404]).toContain(await session(1));
    });

    test('a store killed during a copy leaks no partial output', async () => {
      const own = await redisServer();
      const [one, other] = [await replicaHere(own, key), await replicaHere(own, key)];
      const large = artifactOf(await callOn(one.url, 'bash', { command: 'seq 2000000' }));
      const reading = callOn(other.url, 'read', { path: `${large}:-2:raw` });
      await own.kill();
      const read = await reading;
      // It had all of it by then, or says that it could not.
      if (read.isError) expect(read.details.error?.code).toMatch(/^(BUSY|NOT_FOUND)$/);
      else expect(textOf(read)).toContain('1999999\n2000000');
      expect(textOf(await callOn(one.url, 'read', { path: `${large}:-2:raw` }))).toContain(
        '1999999\n2000000',
      );
      await own.stop();
    });
  });
});
