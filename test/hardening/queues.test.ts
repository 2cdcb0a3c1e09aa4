/**
 * Many calls at once, of every kind: none waits for ever, none starves another, each is answered as if it were alone.
 *
 * @module-tag slow
 */

import { deflateSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Answer, Oriel } from '../../src/index.ts';
import { queues } from '../../src/queues/queue-table.ts';
import { makePng } from '../support/images.ts';
import { packed } from '../support/packed.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { site } from '../support/web.ts';
import { codeOf, textOf, type Workspace, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

type QueueName = keyof typeof queues;

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** For the length of a test. */
function limitAll(limit: number, except: readonly QueueName[] = []): void {
  for (const [name, queue] of Object.entries(queues)) {
    if (except.includes(name as QueueName)) continue;
    const before = queue.limit;
    queue.limit = limit;
    onTestFinished(() => void (queue.limit = before));
  }
}

const idle = (): [string, number, number][] =>
  Object.values(queues).map(({ name, stats }) => [name, stats.running, stats.waiting]);

const notebook = (image: Buffer): string =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      {
        cell_type: 'code',
        source: 'show()',
        metadata: {},
        execution_count: 1,
        outputs: [
          { output_type: 'display_data', data: { 'image/png': image.toString('base64') }, metadata: {} },
        ],
      },
    ],
  });

/** Things whose reading passes several queues, one within another. */
async function everything({ write }: Workspace): Promise<readonly [string, object][]> {
  const image = makePng(40, 30);
  const db = await databaseBytes('create table t(a)', 'insert into t values (1), (2)');
  const inner = zip([
    { name: 'in.tar.bz2', content: packed.bz2.tar },
    { name: 'in.tar.xz', content: packed.xz.tar },
  ]);
  write('plain.txt', 'one\ntwo\n');
  write('lines.bz2', packed.bz2.lines);
  write('lines.xz', packed.xz.lines);
  write('lines.zst', packed.zst.lines);
  write(
    'outer.zip',
    zip([
      { name: 'inner.zip', content: inner },
      { name: 'p.png', content: image },
    ]),
  );
  write(
    'book.zip',
    zip([
      { name: 'nb.ipynb', content: notebook(image) },
      { name: 'app.db', content: db },
    ]),
  );
  write('app.db', db);
  write('p.png', image);
  write('nb.ipynb', notebook(image));
  write('long.txt', Buffer.alloc(3 << 20, 'a line of some text\n'));
  write('packed.z', deflateSync('no archive'));
  const reads = (
    'plain.txt lines.bz2:99990.. lines.xz:99990.. lines.zst:-3 outer.zip ' +
    'outer.zip:inner.zip:in.tar.bz2:dir/a.txt outer.zip:inner.zip:in.tar.xz outer.zip:p.png ' +
    'book.zip:nb.ipynb:outputs book.zip:app.db:t app.db:t p.png nb.ipynb:outputs long.txt:-3 ' +
    'long.txt:140000.. . none.txt code.ts code.ts:outline outer.zip:code.py:outline'
  ).split(' ');
  return [
    ...reads.map((path) => ['read', { path }] as [string, object]),
    ['grep', { pattern: 'line', path: 'long.txt', limit: 3 }],
    ['grep', { pattern: 'two' }],
    ['find', { pattern: '*.zip' }],
    ['ls', {}],
    ['bash', { command: 'echo hello; wc -l < plain.txt' }],
  ];
}

const TIMED = /app\.db:t|code\.|p\.png|nb\.ipynb/;

const shown = ({ content, isError }: Answer): string => JSON.stringify([content, isError]);

async function answers(oriel: Oriel, calls: readonly [string, object][]): Promise<string[]> {
  return Promise.all(calls.map(async ([name, input]) => shown(await oriel.tool(name).run(input))));
}

/** With one slot for each thing, and with one for everything. */
const CROWDED: readonly (readonly QueueName[])[] = [['calls', 'commands'], []];

test('no calls deadlock; each is answered as if alone', async () => {
  const space = workspace();
  const calls = await everything(space);
  const alone: string[] = [];
  // The entries of a directory carry their age.
  const options = { timeoutMs: 120_000, now: () => 0 };
  const first = space.with(options);
  for (const call of calls) alone.push(...(await answers(first, [call])));
  await first.close();
  const twice = [...calls, ...calls.toReversed()];
  const expected = [...alone, ...alone.toReversed()];
  for (const except of CROWDED) {
    limitAll(1, except);
    const oriel = space.with(options);
    const together = await answers(oriel, twice);
    await oriel.close();
    for (const [i, answer] of together.entries()) {
      // Queries, parsers and decoders have a few seconds each, which a busy machine may not give them.
      if (answer !== expected[i] && TIMED.test(JSON.stringify(twice[i]))) continue;
      expect([except, twice[i], answer]).toEqual([except, twice[i], expected[i]]);
    }
    expect(idle()).toEqual(Object.values(queues).map(({ name }) => [name, 0, 0]));
  }
});

describe('commands', () => {
  test('get their whole timeout at the start, however long queued', async () => {
    limitAll(1, ['calls']);
    const { oriel } = workspace();
    const bash = oriel.tool('bash');
    const texts = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const { content } = await bash.run({ command: 'sleep 0.4; echo done', timeout: 5 });
        return content;
      }),
    );
    expect(texts).toEqual(texts.map(() => [{ type: 'text', text: 'done\n' }]));
  });
});

const manyMembers = zip(
  Array.from({ length: 12_000 }, (_, i) => ({ name: `f${i}`, content: '', method: 0 })),
);

describe('a computation runs in the turn of its caller', () => {
  test.each([
    ['outlines', (i: number) => [`f${i}.ts:outline`, `f${i}.ts`, 'export function f() {\n  return 1;\n}\n']],
    ['unpackSmall', (i: number) => [`f${i}.bz2`, `f${i}.bz2`, packed.bz2.hello]],
    ['indexes', (i: number) => [`f${i}.zip`, `f${i}.zip`, manyMembers]],
  ] as [QueueName, (i: number) => [string, string, string | Uint8Array]][])(
    '%s are served in turn by caller',
    async (name, file) => {
      const { write, oriel } = workspace();
      const queue = queues[name];
      limitAll(1, ['calls']);
      const slot = await queue.acquire();
      const order: string[] = [];
      const ask = async (i: number, who: string, caller: object): Promise<void> => {
        const [path, stored, content] = file(i);
        write(stored, content);
        const answer = await oriel.tool('read').run({ path }, { caller });
        expect(answer.isError).toBe(false);
        order.push(who);
      };
      const busy = {};
      const asked = Array.from({ length: 8 }, (_, i) => ask(i, 'busy', busy));
      await expect.poll(() => queue.waiting).toBe(8);
      asked.push(ask(9, 'other', {}));
      await expect.poll(() => queue.waiting).toBe(9);
      slot.release();
      await Promise.all(asked);
      expect(order.indexOf('other')).toBeLessThan(4);
    },
  );
});

test('a page behind many unresponsive servers is refused with BUSY', async () => {
  limitAll(4, []);
  const silent = (): void => undefined;
  const { url, asked } = await site(
    Object.fromEntries([...range(30).map((i) => [`/${i}`, silent]), ['/quick', 'quick']]),
  );
  const space = workspace({ web: { allow: ['127.0.0.1'] }, timeoutMs: 120_000 });
  const answered = await Promise.all(
    [...range(30).map(String), 'quick'].map((path) => space.read(`${url}/${path}`)),
  );
  const codes = answered.map(codeOf);
  expect(new Set(codes)).toEqual(new Set(['TIMEOUT', 'BUSY']));
  expect(codes.at(-1)).toBe('BUSY');
  // They were refused, not asked for one after the other.
  expect(asked.length).toBeLessThan(10);
  expect(textOf(answered.at(-1) as Answer)).toBe(
    'No slot was free in time: 4 calls run at a time. Make the same call again in a moment.',
  );
  expect(idle()).toEqual(Object.values(queues).map(({ name }) => [name, 0, 0]));
});
