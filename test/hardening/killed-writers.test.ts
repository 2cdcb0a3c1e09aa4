/**
 * Servers that are killed at any moment while they keep outputs, fill caches and share state: who comes after them gives
 * right answers only, and cleans what they have left. ORIEL_KILL_ROUNDS: how often, for each way.
 *
 * @module-tag slow
 */

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/commands.ts';
import { docx, paragraph } from '../support/documents.ts';
import { has } from '../support/has.ts';
import { server } from '../support/server.ts';
import { redisServer } from '../support/stores.ts';
import { workspace } from '../support/workspace.ts';

const ROUNDS = Number(process.env['ORIEL_KILL_ROUNDS'] ?? 2);

/** The longest that a server lives in a round, in ms. */
const LIFE_MS = 1_500;

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
}

interface Running {
  readonly pid: number;
  call(tool: string, input: object): Promise<Answer>;
  kill(signal: NodeJS.Signals): void;
}

type Start = (cwd: string, home: string) => Promise<Running>;

const environment = (home: string): NodeJS.ProcessEnv => ({ XDG_CACHE_HOME: home, TMPDIR: home, HOME: home });

const serve =
  (...more: string[]): Start =>
  async (cwd, home) => {
    const running = await server([cwd, '--allow-bash', ...more], { env: environment(home) });
    return {
      pid: running.pid,
      kill: running.kill,
      call: async (tool, input) =>
        (await (await running.post(`/api/v0/tools/${tool}`, input)).json()) as Answer,
    };
  };

const mcp: Start = async (cwd, home) => {
  const child = spawn(process.execPath, [cli, 'mcp', '--allow-bash'], {
    cwd,
    env: { ...process.env, ...environment(home) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  const waiting = new Map<number, (result: Answer) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id?: number; result?: Answer };
    if (id !== undefined && result) waiting.get(id)?.(result);
  });
  let last = 0;
  const ask = (method: string, params: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, resolve);
      child.once('exit', reject);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  child.setMaxListeners(0);
  const clientInfo = { name: 'test', version: '1' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    pid: child.pid as number,
    kill: (signal) => void child.kill(signal),
    call: (name, input) => ask('tools/call', { name, arguments: input }),
  };
};

/** An output that is kept, a converted document, an index of lines, a map of code, symbols, what outgrows memory. */
const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ['bash', { command: 'seq 1 30000' }],
  ['read', { path: 'report.docx' }],
  ['read', { path: 'large.txt:50000..50005' }],
  ['read', { path: 'src:outline' }],
  ['find', { symbol: 'helper7' }],
  ['read', { path: 'large.gz:-1' }],
  ['read', { path: 'src/m3.ts' }],
];

function furnished(): string {
  const { W, write } = workspace();
  write('report.docx', docx(Array.from({ length: 300 }, (_, i) => paragraph(`Paragraph ${i}`)).join('')));
  write('large.txt', Array.from({ length: 60_000 }, (_, i) => `line ${i + 1}\n`).join(''));
  write('large.gz', gzipSync(Buffer.from(`${'0123456789abcdef'.repeat(8)}\n`.repeat(20_000))));
  for (let i = 0; i < 60; i += 1) {
    const uses = `import { helper${i + 1} } from './m${i + 1}.ts';\n`;
    write(`src/m${i}.ts`, `${uses}export function helper${i}(): number {\n  return helper${i + 1}();\n}\n`);
  }
  return W;
}

/** Numbers and names of kept outputs are those of a session. */
const shown = ({ content, isError }: Answer): string =>
  JSON.stringify([content.map(({ text }) => text), isError ?? false]).replaceAll(
    /artifact:\/\/\d+|\/[^ "\]]*\/\d+\.log/g,
    'kept',
  );

/** Processes whose private files lie below `home`. */
function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(home);
      } catch {
        return false;
      }
    });
}

/** Sessions, unfinished files and scratch directories of processes other than `pid`. */
function leftBy(home: string, pid: number): string[] {
  return (readdirSync(home, { recursive: true }) as string[]).filter((path) => {
    const owner = /(?:^|\/sessions\/|scratch-|\.)(\d+)-[0-9a-f]{16}(?:\.tmp)?$/.exec(path)?.[1];
    return owner !== undefined && Number(owner) !== pid;
  });
}

/** From 0 (inclusive) to 1 (exclusive), the same ones in each run. */
function random(seed: number): number {
  return ((Math.imul(seed + 1, 2_654_435_761) >>> 0) % 10_007) / 10_007;
}

async function holds(start: Start): Promise<void> {
  const W = furnished();
  const fresh = await start(W, temporaryFolder());
  const right: string[] = [];
  for (const [tool, input] of CALLS) right.push(shown(await fresh.call(tool, input)));
  fresh.kill('SIGTERM');

  const home = temporaryFolder();
  for (let round = 0; round < ROUNDS; round += 1) {
    const running = await start(W, home);
    const answers = CALLS.map(([tool, input]) => running.call(tool, input).catch(() => undefined));
    await sleep(random(round) * LIFE_MS);
    running.kill('SIGKILL');
    // Some were answered before it.
    await Promise.all(
      answers.map((answer, i) =>
        Promise.race([answer, sleep(1_000)]).then((told) => told && expect(shown(told)).toBe(right[i])),
      ),
    );
  }

  await expect.poll(() => processesOf(home)).toEqual([]);
  const last = await start(W, home);
  for (let again = 0; again < 2; again += 1) {
    for (const [i, [tool, input]] of CALLS.entries())
      expect(shown(await last.call(tool, input))).toBe(right[i]);
  }
  // A document that nobody has read before is written to the cache, which is cleaned then.
  writeFileSync(join(W, 'new.docx'), docx(paragraph('new')));
  await last.call('read', { path: 'new.docx' });
  await expect.poll(() => leftBy(home, last.pid)).toEqual([]);
}

describe.skipIf(process.platform !== 'linux')('J04 servers that are killed while they write', () => {
  const timeout = 300_000 + ROUNDS * 20_000;

  test('oriel serve', { timeout }, () => holds(serve()));

  test('oriel mcp', { timeout }, () => holds(mcp));

  test.runIf(has('redis'))('oriel serve with shared state', { timeout }, async () => {
    const store = await redisServer();
    onTestFinished(() => store.stop());
    const key = join(temporaryFolder(), 'key');
    writeFileSync(key, 'the key of one operator, and no other\n', { mode: 0o600 });
    await holds(serve('--state', store.url, '--state-key-file', key, '--state-timeout', '30'));
  });
});
