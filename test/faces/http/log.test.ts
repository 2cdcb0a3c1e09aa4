import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/faces/http/metrics.ts';
import { server } from '../../support/server.ts';

function written(isTTY: boolean, facts: Readonly<Record<string, unknown>>): string {
  const chunks: string[] = [];
  const out = Object.assign(
    new Writable({
      write(chunk: Buffer, _, done) {
        chunks.push(chunk.toString());
        done();
      },
    }),
    { isTTY },
  );
  createLog(out, () => Date.parse('2026-01-02T03:04:05Z'))('listening', facts);
  return chunks.join('');
}

test('one JSON object for each line', () => {
  expect(written(false, { address: '127.0.0.1:7345', calls: 3 })).toBe(
    '{"time":"2026-01-02T03:04:05.000Z","event":"listening","address":"127.0.0.1:7345","calls":3}\n',
  );
});

test('plain text on a terminal, one line for each event', () => {
  expect(written(true, { address: '127.0.0.1:7345', calls: 3 })).toBe(
    '03:04:05 listening address=127.0.0.1:7345 calls=3\n',
  );
  expect(written(true, { path: 'a\nb\u001b[2J' }).split('\n')).toHaveLength(2);
});

test('requests of a client share a label without its name', { tags: 'slow' }, async () => {
  const running = await server([]);
  const clientsOf = (): string[] =>
    [...running.log().matchAll(/"event":"request".*"client":"([0-9a-f]{8})"/g)].map(
      ([, label = '']) => label,
    );
  for (const client of ['first-name', 'other-name', 'first-name'])
    await running.get('/healthz', { headers: { 'oriel-client': client } });
  await expect.poll(clientsOf).toHaveLength(3);
  const [first, other, again] = clientsOf();
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(running.log()).not.toContain('-name');
});
