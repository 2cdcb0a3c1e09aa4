/** The events of real calls, in every dialect: what was read, which part, what cut it; and never any content. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOriel, createSession, type DialectName, type OrielOptions } from '../../src/index.ts';
import type { TelemetryRecorder } from '../../src/telemetry/telemetry.ts';
import type { TelemetryEvent, TaskReport } from '../../src/types/telemetry.ts';
import { reportOf } from '../../src/telemetry/report.ts';
import { nextOf, unhurried, workspace } from '../support/workspace.ts';

/** 1,000 lines of 100 bytes. */
const LINES = Array.from({ length: 1_000 }, (_, i) => `${String(i + 1).padEnd(99, '.')}\n`).join('');

type Call = (
  tool: string,
  input: object,
  options?: object,
) => ReturnType<ReturnType<typeof createOriel>['tools'][0]['run']>;

function recorded(options: OrielOptions = {}) {
  const { W, write, with: walled } = workspace();
  const oriel = walled(options);
  const telemetry = oriel.session.telemetry as TelemetryRecorder;
  write('big.txt', LINES);
  const call: Call = (tool, input, run) => oriel.tool(tool).run(input, run);
  const events = (): readonly TelemetryEvent[] => telemetry.tasks().flatMap((task) => [...task.events]);
  const report = (): TaskReport => reportOf(telemetry.tasks()[0]!.figures);
  return { W, write, oriel, telemetry, call, events, report };
}

test('a cut read records window, lines, bytes, totals and limit', async () => {
  const { call, events } = recorded();
  const answer = await call('read', { path: 'big.txt' }, { task: 'a task', host: 'a host' });
  const text = answer.content[0]?.type === 'text' ? answer.content[0].text : '';
  expect(events()).toEqual([
    {
      kind: 'call',
      at: expect.any(Number),
      ms: expect.any(Number),
      task: 'a task',
      dialect: 'oriel',
      tool: 'read',
      host: 'a host',
      bytes: Buffer.byteLength(text),
      tokens: Math.ceil(Buffer.byteLength(text) / 4),
      reads: [
        {
          source: 'big.txt',
          what: 'file',
          version: expect.stringMatching(/^[a-z0-9]{5,11}$/),
          lines: [[1, 493]],
          bytes: [[0, 49_300]],
          totalLines: 1_000,
          totalBytes: 100_000,
          cutBy: 'bytes',
        },
      ],
    },
  ]);
});

test('following notices is one chain a larger window saves', async () => {
  const { call, report } = recorded();
  for (let path: string | undefined = 'big.txt'; path !== undefined;)
    path = nextOf(await call('read', { path }));
  expect(report()).toMatchObject({ calls: 3, continued: 2, chains: 1, saved: 2, redundancy: 0, repeated: 2 });
  expect(report().files[0]).toMatchObject({ once: 1_000, again: 0, never: 0, followed: 2 });
});

test('no password, key or query of a path is recorded', async () => {
  const { call, events } = recorded();
  for (const path of [
    'big.txt:password=s3cr3t:1..2',
    'none.pdf:password=s3cr3t:p1',
    'https://anna:s3cr3t@127.0.0.1:9/x',
    'http://127.0.0.1:9/x?api_key=s3cr3t',
    "app.db?q=select 's3cr3t'",
  ])
    await call('read', { path });
  expect(events()).toHaveLength(5);
  expect(JSON.stringify(events())).not.toContain('s3cr3t');
});

test('a change of the file is another version', async () => {
  const { call, write, report } = recorded();
  await call('read', { path: 'big.txt:1..10' });
  write('big.txt', LINES.slice(0, 50_000));
  await call('read', { path: 'big.txt:1..10' });
  expect(report().files[0]).toMatchObject({ versions: 2, again: 0, total: 500 });
});

test.each([
  ['pi', 'read', { path: 'big.txt', limit: 100 }, { path: 'big.txt', offset: 101, limit: 100 }],
  ['zed', 'read_file', { path: 'big.txt', max_bytes: 10_000 }, { path: 'big.txt', start_byte: 10_000 }],
  ['zdx', 'read', { path: 'big.txt', limit: 100 }, { path: 'big.txt', offset: 101, limit: 100 }],
] as const)('%s: the next window is a continuation', async (dialect, tool, first, second) => {
  const { call, report } = recorded({ dialect: dialect as DialectName });
  await call(tool, first);
  await call(tool, second);
  expect(report()).toMatchObject({ calls: 2, continued: 1, chains: 1, dialects: { [dialect]: 2 } });
});

test('coder: the same; a file has one name everywhere', async () => {
  const { W, call, report } = recorded({ dialect: 'coder' });
  await call('read_file', { path: join(W, 'big.txt'), limit: 100 });
  await call('read_file', { path: join(W, 'big.txt'), offset: 101, limit: 100 });
  expect(report()).toMatchObject({ calls: 2, continued: 1 });
  expect(report().files[0]?.source).toBe('big.txt');
});

test('of several paths each has its share of the answer', async () => {
  const { call, write, events, report } = recorded();
  write('small.txt', 'one\ntwo\n');
  await call('read', { path: 'big.txt:1..90,small.txt' });
  const [event] = events();
  expect(event).toMatchObject({ reads: [{ shown: 9_000 }, { shown: 8 }] });
  expect(report()).toMatchObject({ calls: 1, reads: 2, sources: 2 });
  const files = new Map(report().files.map(({ source, bytes }) => [source, bytes]));
  expect(files.get('small.txt')).toBeLessThan(20);
  expect(files.get('big.txt')).toBeGreaterThan(9_000);
});

test('lists: their pages are continuations, and the pattern is nowhere', async () => {
  const { call, events, report } = recorded();
  await call('grep', { pattern: 'sesame', limit: 2 });
  await call('grep', { pattern: '[0-9]', limit: 2 });
  await call('grep', { pattern: '[0-9]', limit: 2, offset: 2 });
  expect(report()).toMatchObject({ continued: 1, tools: { grep: 3 }, cuts: { limit: 2 } });
  expect(JSON.stringify(events())).not.toContain('sesame');
});

test('a kept output is read on by its name', async () => {
  const { call, report, events } = recorded();
  const answer = await call('bash', { command: 'seq 9000; # sesame' });
  const { next } = (answer.details['output'] as { truncation: { next: string } }).truncation;
  await call('read', { path: next });
  expect(report()).toMatchObject({ continued: 1, chains: 1 });
  expect(report().files[0]).toMatchObject({ source: 'artifact://1', reads: 2, again: 0 });
  expect(JSON.stringify(events())).not.toContain('sesame');
});

/**
 * On a busy machine the thread that parses may take longer to start than a call waits for it, which answers with the
 * text itself then. Once it has an outline of `code` it is there for all.
 */
async function untilParsed(code: string): Promise<void> {
  const { call, write } = recorded(unhurried);
  write('first.ts', code);
  let said = '';
  do {
    const answer = await call('read', { path: 'first.ts:outline' });
    said = JSON.stringify(answer.content);
  } while (said.includes('parsing it took too long'));
  expect(said).toContain('f199');
}

test('maps, outlines and symbols', { tags: 'slow' }, async () => {
  const { call, write, report } = recorded(unhurried);
  const code = Array.from(
    { length: 200 },
    (_, i) => `export function f${i}(): void {\n${'  run();\n'.repeat(20)}}\n`,
  );
  write('a.ts', code.join('\n'));
  await untilParsed(code.join('\n'));
  await call('read', { path: 'a.ts' });
  await call('read', { path: 'a.ts:outline' });
  expect(report()).toMatchObject({ habits: [{ name: 'map', times: 1 }] });
  await call('read', { path: 'a.ts:#f3' });
  expect(report().habits).toEqual([]);
  expect(report().files[0]).toMatchObject({ source: 'a.ts', maps: 2, mapFollowed: true, once: 22 });
});

test('failures: the code, and what was asked', async () => {
  const { call, events, report } = recorded();
  await call('read', { path: 'missing.txt' });
  await call('read', {});
  await call('bash', { command: 'exit 3' });
  expect(report()).toMatchObject({ errors: 3, codes: { NOT_FOUND: 1, BAD_INPUT: 1, EXIT: 1 } });
  expect(events()[0]).toMatchObject({ reads: [{ source: 'missing.txt' }] });
});

test('details give the totals of the task on request', async () => {
  const { call } = recorded();
  const plain = await call('read', { path: 'big.txt:1..5' }, { task: 't' });
  expect(plain.details).not.toHaveProperty('task');
  const { details } = await call('read', { path: 'big.txt:1..5' }, { task: 't', totals: true });
  expect(details['task']).toMatchObject({ id: 't', calls: 2, redundancy: 0.5, errors: 0 });
  const always = recorded({ telemetry: { totals: true, task: 'named' } });
  expect((await always.call('ls', {})).details['task']).toMatchObject({ id: 'named', calls: 1 });
});

test('rate limits are reported to the task, wrong ones refused', () => {
  const { oriel, telemetry } = recorded();
  oriel.reportRateLimit({ task: 't', retryAfter: 30, by: 'provider' });
  oriel.reportRateLimit();
  expect(
    telemetry.tasks().map(({ figures }) => [figures.id.replace(/\w{8}$/, ''), figures.rateLimits]),
  ).toEqual([
    ['session-', 1],
    ['t', 1],
  ]);
  for (const retryAfter of [-1, Number.NaN, 1e9])
    expect(() => oriel.reportRateLimit({ retryAfter })).toThrow(/^retryAfter is a number of seconds/);
});

test('callers have tasks of their own, even with equal names', async () => {
  const { call, telemetry } = recorded();
  const [a, b] = [{}, {}];
  await call('ls', {}, { caller: a, task: 't' });
  await call('ls', {}, { caller: a });
  await call('ls', {}, { caller: b, task: 't' });
  const ids = (caller?: object) => telemetry.tasks(caller).map(({ figures }) => figures.id);
  expect([ids(a).length, ids(b), ids()]).toEqual([2, ['t'], []]);
  expect(telemetry.task('t', b)?.figures.calls).toBe(1);
  expect(telemetry.allTasks()).toHaveLength(3);
});

test('hostile names of tasks and paths are one bounded line', async () => {
  const { call, events } = recorded();
  await call(
    'read',
    { path: `${'a/'.repeat(900)}\u202e\n` },
    { task: `x\n\u202e<script>${'y'.repeat(900)}`, host: '\0' },
  );
  const [event] = events();
  expect(event?.task).toMatch(/^x\\n\\u202e<script>y+…[a-z0-9]+$/);
  expect(event?.task.length).toBeLessThanOrEqual(200);
  expect(event).toMatchObject({ host: String.raw`\x00` });
  const source = event?.kind === 'call' ? event.reads?.[0]?.source : '';
  expect([source?.length, source?.includes('\n')]).toSatisfy(([length, line]) => length <= 400 && !line);
});

test('with telemetry: false nothing is recorded', async () => {
  const { oriel, call } = recorded({ telemetry: false });
  expect(oriel.session.telemetry).toBeUndefined();
  expect((await call('ls', {}, { totals: true })).details).not.toHaveProperty('task');
  expect(() => oriel.reportRateLimit()).not.toThrow();
});

test('with a file, closing the session writes the events', async () => {
  const { W } = workspace();
  const path = join(W, 'telemetry.jsonl');
  const { call, oriel } = recorded({ telemetry: { file: path, task: 'in a file' } });
  await call('read', { path: 'big.txt:1..5' });
  await call('ls', {});
  await oriel.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as TelemetryEvent)).toMatchObject([
    { task: 'in a file', tool: 'read' },
    { task: 'in a file', tool: 'ls' },
  ]);
});

// The host hears why.
test('a call that cannot be recorded is still answered', async () => {
  const heard: unknown[] = [];
  const { call, telemetry } = recorded({ onError: (error) => void heard.push(error) });
  telemetry.record = () => {
    throw new Error('no memory');
  };
  const answer = await call('read', { path: 'big.txt:1-2' });
  expect([answer.isError, heard.map(String)]).toEqual([false, ['Error: no memory']]);
});

test('nothing of an answer is held before its call counts', { tags: 'slow' }, async () => {
  const notes: unknown[] = [];
  const sink = {
    record: (note: unknown) => void notes.push(note),
    reportRateLimit() {},
    totals: () => Promise.resolve(undefined),
  };
  const { call, write } = recorded({ session: { ...createSession(), telemetry: sink } });
  write('other.txt', LINES);
  write('code.ts', 'export function name(): void {}\n'.repeat(5_000));
  for (const path of ['big.txt', 'big.txt:1..100,200..300', 'big.txt, other.txt', 'code.ts', '.', 'none.txt'])
    await call('read', { path });
  await call('bash', { command: 'cat big.txt big.txt' });
  await call('grep', { pattern: '1' });
  expect(notes).toHaveLength(8);
  for (const note of notes) {
    const length = JSON.stringify(note).length;
    expect([length < 1_000, note]).toEqual([true, note]);
  }
});
