/** `oriel report`: the figures of a file as text and JSON, whatever stands in it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TasksOverview } from '../../../src/telemetry/report.ts';
import type { TelemetryEvent } from '../../../src/types/telemetry.ts';
import { run } from '../../support/warm-cli.ts';
import { call, map, page } from '../../support/telemetry.ts';
import { temporaryFolder } from '../../support/commands.ts';

function fileOf(...events: readonly (TelemetryEvent | string)[]): string {
  const path = join(temporaryFolder(), 't.jsonl');
  const lines = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
  writeFileSync(path, lines.join('\n'));
  return path;
}

const few = (name: string): TelemetryEvent[] => [
  page(1, 500, { source: name }),
  page(501, 1_000, { source: name }),
];
const many = (name: string): TelemetryEvent[] =>
  Array.from({ length: 20 }, (_, i) => page(1 + 50 * i, 50 * (i + 1), { source: name, cutBy: 'lines' }));

test('the verdict, the habits, and each task', () => {
  const path = fileOf(
    ...['a.ts', 'b.ts', 'c.ts'].flatMap(few),
    ...['d.ts', 'e.ts', 'f.ts'].flatMap(many),
    page(40, 80, { source: 'a.ts' }),
    map('src/g.ts'),
    { kind: 'rate-limit', at: 5, task: 'task' },
    'no event',
  );
  expect(run(['report', path])).toEqual({
    err: '',
    code: 0,
    out: `1 task, 68 calls; 1 line is not an event

The habits that cost most
  read whole, needed in part: 1 time, 97.7 KiB, about 25,000 tokens
    a.ts (97.7 KiB): a.ts:40..80 would have been enough
  maps never followed: 1 time, 7.8 KiB, about 2,000 tokens
    src/g.ts (7.8 KiB): nothing of it was read

Task task (oriel)
  68 calls, 68 reads of 7 sources, 61 of them not the first; 6 chains of pages
  598 KiB, about 153,025 tokens; an answer has 8.8 KiB on average
  57 calls followed a notice; windows of 256 KiB would have saved 60 calls
  1 % of what was shown had been shown before
  0 errors, 1 rate limit reported
    a.ts: 3 reads, 102 KiB; once 959, again 41, never 0 of 1,000 lines
    b.ts: 2 reads, 97.7 KiB; once 1,000, again 0, never 0 of 1,000 lines
    c.ts: 2 reads, 97.7 KiB; once 1,000, again 0, never 0 of 1,000 lines
    d.ts: 20 reads, 97.7 KiB; once 1,000, again 0, never 0 of 1,000 lines
    e.ts: 20 reads, 97.7 KiB; once 1,000, again 0, never 0 of 1,000 lines
    f.ts: 20 reads, 97.7 KiB; once 1,000, again 0, never 0 of 1,000 lines
    src/g.ts: 1 read, 7.8 KiB; once 0, again 0, never 1,000 of 1,000 lines

Larger windows reduced calls: texts over 8 KiB that were begun with an answer of 32 KiB or more took 2.3 reads each (3 of them), those begun with less than 8 KiB took 20.0 (3 of them).
`,
  });
});

test('the same figures as JSON', () => {
  const path = fileOf(...few('a.ts'), call({ task: 'other', client: 'c' }), '{');
  const { out, code } = run(['report', path, '--json']);
  const report = JSON.parse(out) as TasksOverview & { events: number; skipped: number };
  expect(code).toBe(0);
  expect(report).toMatchObject({
    events: 3,
    skipped: 1,
    tasks: 2,
    calls: 3,
    verdict: { reduced: 'unknown' },
  });
  expect(report.reports.map(({ id, client, calls }) => [id, client, calls])).toEqual([
    ['task', undefined, 2],
    ['other', 'c', 1],
  ]);
});

test('rotated parts belong to it, the oldest first', () => {
  const path = fileOf(page(201, 300));
  writeFileSync(`${path}.1`, `${JSON.stringify(page(101, 200, { cutBy: 'bytes' }))}\n`);
  writeFileSync(`${path}.2`, `${JSON.stringify(page(1, 100, { cutBy: 'bytes' }))}\n`);
  expect(JSON.parse(run(['report', path, '--json']).out)).toMatchObject({ events: 3, continued: 2 });
});

test('a missing file, a directory, no operand', () => {
  expect(run(['report', fileOf('')])).toEqual({ out: 'No events\n', err: '', code: 1 });
  expect(run(['report', fileOf('a', 'b')])).toEqual({
    out: 'No events; 2 lines are not events. Use a file that --telemetry FILE wrote\n',
    err: '',
    code: 1,
  });
  expect(run(['report', '/none/such'])).toEqual({
    out: '',
    err: 'oriel: /none/such does not exist. Use oriel report FILE with a file that --telemetry FILE wrote.\n',
    code: 2,
  });
  expect(run(['report', '/dev']).err).toBe(
    'oriel: /dev is not a file of telemetry. Use oriel report FILE with a file that --telemetry FILE wrote.\n',
  );
  expect(run(['report']).code).toBe(2);
});

test('hostile names cannot control a terminal, huge lines are skipped', () => {
  const path = fileOf(
    page(1, 20, { source: '\u001b[2J\u202e<script>' }, { task: '\u001b]0;x\u0007' }),
    'x'.repeat(20 << 20),
    page(1, 20),
  );
  const { out, code } = run(['report', path]);
  expect(code).toBe(0);
  expect(out).not.toMatch(/[^\n\x20-\x7e…]/);
  expect(out).toContain('1 line is not an event');
});
