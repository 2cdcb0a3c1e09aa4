/**
 * Documents that are converted by `oriel worker` processes for replicas of `oriel serve`.
 *
 * @module-tag slow
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { docx, paragraph } from '../../support/documents.ts';
import { has } from '../../support/has.ts';
import { server, type ServerProcess } from '../../support/server.ts';
import { freePort, redisServer, type StoreServer } from '../../support/stores.ts';
import { run } from '../../support/warm-cli.ts';
import { callOn, textOf } from '../../support/replicas.ts';

interface WorkerProcess {
  readonly pid: number;
  /** Events of its log of that name. */
  events(name: string): readonly Record<string, unknown>[];
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}

describe.runIf(has('redis'))('workers', () => {
  let store: StoreServer;
  const secrets = mkdtempSync(join(tmpdir(), 'oriel-key-'));
  const keyFile = join(secrets, 'key');
  writeFileSync(keyFile, 'the key of one operator, and no other\n', { mode: 0o600 });
  beforeAll(async () => {
    store = await redisServer();
  });
  afterAll(async () => {
    rmSync(secrets, { recursive: true });
    await store.stop();
  });

  const stateArgs = (): string[] => [
    '--state',
    store.url,
    '--state-key-file',
    keyFile,
    // A busy machine is no store that is away.
    '--state-timeout',
    '30',
  ];

  const replica = (cwd: string): Promise<ServerProcess> =>
    server([cwd, '--workers', ...stateArgs()], { env: { XDG_CACHE_HOME: temporaryFolder() } });

  async function worker(...args: string[]): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [cli, 'worker', ...args, ...stateArgs()], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const events = (name: string): Record<string, unknown>[] =>
      log
        .split('\n')
        .filter((line) => line.includes(`"event":"${name}"`))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
    await expect.poll(() => events('working').length || log.includes('oriel: ')).toBe(1);
    return { pid: child.pid as number, events, kill: (signal) => void child.kill(signal), exited };
  }

  const read = async (url: string, path: string): Promise<string> => {
    return textOf(await callOn(url, 'read', { path }));
  };

  /** Processes that it has started and that run now: converters. */
  const childrenOf = (pid: number): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

  test('one document for two replicas is converted once', { tags: 'slow' }, async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.docx'), docx(paragraph('converted elsewhere')));
    const working = await worker();
    const replicas = await Promise.all([replica(cwd), replica(cwd)]);
    const texts = await Promise.all(replicas.map(({ url }) => read(url, 'a.docx')));
    expect(texts).toEqual(['1|converted elsewhere\n', '1|converted elsewhere\n']);
    // A replica that asked a moment later may have left a job for which nothing is to be done.
    const done = (): number => working.events('job').filter(({ outcome }) => outcome === 'done').length;
    await expect.poll(done).toBe(1);
    for (const { pid } of replicas) expect(childrenOf(pid)).toEqual([]);
    // The next one finds it in the store, also when no worker is left.
    working.kill('SIGTERM');
    expect(await working.exited).toBe(0);
    expect(working.events('ended')).toHaveLength(1);
    const { url } = await replica(cwd);
    expect(await read(url, 'a.docx')).toBe('1|converted elsewhere\n');
  });

  test('a killed worker’s read is answered; the next finds it', { tags: 'slow' }, async () => {
    const cwd = temporaryFolder();
    const working = await worker();
    const { url } = await replica(cwd);
    /** Asks for new documents until the converter of one is caught and stopped before it answers. */
    const caught = async (): Promise<{ name: string; answer: Promise<string>; converter: number }> => {
      for (let i = 0; ; i += 1) {
        const name = `${i}.docx`;
        writeFileSync(join(cwd, name), docx(paragraph(`text ${i}`)));
        let over = false;
        const answer = read(url, name).finally(() => (over = true));
        while (!over) {
          const [converter] = childrenOf(working.pid);
          if (converter !== undefined) {
            process.kill(converter, 'SIGSTOP');
            await new Promise((resolve) => setImmediate(resolve));
            if (!over) return { name, answer, converter };
            process.kill(converter, 'SIGKILL');
          }
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      }
    };
    const { name, answer, converter } = await caught();
    working.kill('SIGKILL');
    await working.exited;
    process.kill(converter, 'SIGKILL');
    expect(await answer).toBe(`1|text ${Number.parseInt(name, 10)}\n`);
    // Another worker takes the job over: what it would make is there already.
    const next = await worker();
    await expect.poll(() => next.events('job')).toMatchObject([{ outcome: 'known' }]);
  });

  test('a worker serves its metrics and its health', { tags: 'slow' }, async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'm.docx'), docx(paragraph('for the metrics')));
    const working = await worker('--metrics', '127.0.0.1:0');
    const address = String(working.events('listening')[0]?.['address']);
    const { url } = await replica(cwd);
    expect(await read(url, 'm.docx')).toBe('1|for the metrics\n');
    await expect
      .poll(async () => (await fetch(`${address}/metrics`)).text())
      .toContain('oriel_jobs_total{kind="document",outcome="done"} 1\n');
    const metrics = await (await fetch(`${address}/metrics`)).text();
    for (const name of ['oriel_jobs_running', 'oriel_jobs_waiting'])
      for (const kind of ['document', 'image', 'outline'])
        expect(metrics).toContain(`${name}{kind="${kind}"} 0\n`);
    expect(metrics).toContain('oriel_state_up 1\n');
    expect(metrics).not.toContain('for the metrics');
    expect(await (await fetch(`${address}/healthz`)).json()).toEqual({ status: 'ok' });
    expect((await fetch(`${address}/api/v0/tools`)).status).toBe(404);
    expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405);
    working.kill('SIGTERM');
    expect(await working.exited).toBe(0);
  });

  test('a worker that never had a store ends when told', { tags: 'slow' }, async () => {
    const port = await freePort();
    const args = ['--state', `redis://127.0.0.1:${port}`, '--state-key-file', keyFile];
    const child = spawn(process.execPath, [cli, 'worker', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const exited = new Promise((resolve) => void child.once('exit', (code) => resolve(code)));
    await expect.poll(() => log).toContain('"event":"state-away"');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(log).toContain('"event":"ended"');
  });

  test('missing options of a worker are reported', { tags: 'slow' }, () => {
    const noState = run(['worker']);
    expect(noState).toMatchObject({ code: 2, out: '' });
    expect(noState.err).toContain('Use --state redis://HOST:PORT --state-key-file FILE.');
    const postgres = run(['worker', '--state', 'postgres://h/db', '--state-key-file', keyFile]);
    expect(postgres.err).toContain('Workers get their jobs through Redis or Valkey, not postgres:.');
    const many = run(['worker', '--jobs', '9', ...stateArgs()]);
    expect(many.err).toContain('--jobs takes 1 to 2, not 9. Use --jobs 1.');
    const fast = run(['worker', '--rate', '0', ...stateArgs()]);
    expect(fast.err).toContain('--rate takes 1 to 100000, not 0. Use --rate 60.');
    expect(run(['serve', '--workers']).err).toContain('--workers is for a shared state.');
  });
});
