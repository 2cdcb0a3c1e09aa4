import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/faces/http/metrics.ts';

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
