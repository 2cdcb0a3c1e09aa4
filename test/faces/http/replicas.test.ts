/** Several `oriel serve` on one shared store, behind a real balancer: for a client they are one server. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../support/commands.ts';
import { has } from '../../support/has.ts';
import { server, type ServerProcess } from '../../support/server.ts';
import { freePort, redisServer, running, type StoreServer } from '../../support/stores.ts';

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly details: {
    readonly output?: { readonly artifact: string; readonly unshared?: string };
    readonly error?: { readonly code: string };
  };
}

describe.runIf(has('redis'))('replicas', () => {
  let store: StoreServer;
  const keyFile = join(mkdtempSync(join(tmpdir(), 'oriel-key-')), 'key');
  writeFileSync(keyFile, 'the key of one operator, and no other\n', { mode: 0o600 });
  beforeAll(async () => {
    store = await redisServer();
  });
  afterAll(async () => {
    rmSync(dirname(keyFile), { recursive: true });
    await store.stop();
  });

  const replica = (...more: string[]): Promise<ServerProcess> =>
    // A busy machine is no store that is away.
    server(
      [
        temporaryFolder(),
        '--allow-bash',
        '--state',
        store.url,
        '--state-key-file',
        keyFile,
        '--state-timeout',
        '30',
        ...more,
      ],
      { env: { XDG_CACHE_HOME: temporaryFolder() } },
    );
  const call = async (url: string, tool: string, input: object, client = 'alice'): Promise<Answer> => {
    const response = await fetch(`${url}/api/v0/tools/${tool}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'oriel-client': client },
      body: JSON.stringify(input),
    });
    return (await response.json()) as Answer;
  };
  const textOf = ({ content }: Answer): string => content.map(({ text }) => text).join('');
  const artifactOf = (answer: Answer): string => answer.details.output?.artifact ?? textOf(answer);

  /** A balancer that gives each request to the next replica, and to another one where that is dead. */
  async function balancer(replicas: readonly ServerProcess[]): Promise<StoreServer> {
    const directory = mkdtempSync(join(tmpdir(), 'oriel-haproxy-'));
    const port = await freePort();
    const config = join(directory, 'haproxy.cfg');
    writeFileSync(
      config,
      `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option redispatch 1
  retries 3
frontend all
  bind 127.0.0.1:${port}
  default_backend replicas
backend replicas
  balance roundrobin
${replicas.map(({ port: at }, i) => `  server r${i} 127.0.0.1:${at}`).join('\n')}
`,
    );
    const start = (): ReturnType<typeof spawn> =>
      spawn('haproxy', ['-f', config, '-db'], { stdio: 'ignore' });
    const made = await running({ port, url: `http://127.0.0.1:${port}`, directory, start });
    onTestFinished(() => made.stop());
    return made;
  }

  test.runIf(has('haproxy'))(
    'pages of an output that one has kept come from whichever is asked, also when that one was killed',
    async () => {
      const replicas = [await replica(), await replica()] as const;
      const { url } = await balancer(replicas);
      const kept = artifactOf(await call(url, 'bash', { command: 'seq 100000' }));
      expect(kept).toMatch(/^artifact:\/\/\d{4,9}$/);
      const page = async (from: number): Promise<string> =>
        textOf(await call(url, 'read', { path: `${kept}:${from}..${from + 1}:raw` }));
      // One after the other, from both in turn.
      for (const from of [1, 99_998, 50_000, 7]) expect(await page(from)).toContain(`${from}\n${from + 1}`);
      replicas[0].kill('SIGKILL');
      await replicas[0].exited;
      for (const from of [50_002, 3]) expect(await page(from)).toContain(`${from}\n${from + 1}`);
      expect(textOf(await call(url, 'read', { path: 'artifact://' }))).toContain(kept.slice(11));
      const foreign = await call(url, 'read', { path: kept }, 'bob');
      expect(foreign.details.error?.code).toBe('NOT_FOUND');
      // What the dead one kept can also be read where it was never asked for.
      const { url: fresh } = await replica();
      expect(textOf(await call(fresh, 'read', { path: `${kept}:9..10:raw` }))).toContain('9\n10');
    },
  );

  test('what was kept for a client without a name is on its replica alone', async () => {
    const [one, two] = [await replica(), await replica()];
    const nameless = async ({ url }: ServerProcess, tool: string, input: object): Promise<Answer> => {
      const headers = { 'content-type': 'application/json', 'user-agent': 'the same' };
      const init = { method: 'POST', headers, body: JSON.stringify(input) };
      return (await (await fetch(`${url}/api/v0/tools/${tool}`, init)).json()) as Answer;
    };
    const artifact = artifactOf(await nameless(one, 'bash', { command: 'seq 100000' }));
    expect(textOf(await nameless(one, 'read', { path: `${artifact}:1..1` }))).toBe('1|1\n');
    expect((await nameless(two, 'read', { path: `${artifact}:1..1` })).isError).toBe(true);
  });

  test('while the store is away each works alone, and says so in its answers, its log and its metrics', async () => {
    const [one, two] = [await replica(), await replica()];
    const kept = artifactOf(await call(one.url, 'bash', { command: 'seq 100000' }));
    const before = await call(two.url, 'read', { path: `${kept}:1..2:raw` });
    await store.kill();
    expect(textOf(await call(two.url, 'read', { path: `${kept}:1..2:raw` }))).toBe(textOf(before));
    const alone = await call(two.url, 'bash', { command: 'seq 100000' });
    expect(alone.details.output?.unshared).toBe('the shared store does not answer');
    expect(textOf(alone)).toContain('(on this replica alone: the shared store does not answer)');
    expect(artifactOf(alone)).toMatch(/^artifact:\/\/9\d{12}$/);
    expect(textOf(await call(two.url, 'read', { path: `${artifactOf(alone)}:3..4:raw` }))).toContain('3\n4');
    expect(await (await two.get('/metrics')).text()).toMatch(/^oriel_state_up 0$/m);
    await store.restart();
    await expect.poll(async () => (await two.get('/metrics')).text()).toMatch(/^oriel_state_up 1$/m);
    expect(await (await two.get('/metrics')).text()).toMatch(/^oriel_state_outages_total 1$/m);
    expect(two.log()).toMatch(/"event":"state-away","why":"[\w ]+"/);
    await expect.poll(() => two.log()).toContain('"event":"state-back"');
    expect(two.log()).not.toContain(String(store.port));
  });

  test('a server starts while the store is away', async () => {
    const port = await freePort();
    const alone = await replica('--state-timeout', '2', '--state', `redis://127.0.0.1:${port}`);
    const answer = await call(alone.url, 'bash', { command: 'seq 100000' });
    expect(answer.details.output?.unshared).toBe('the shared store does not answer');
  });
});
