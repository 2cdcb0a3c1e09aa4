/** Lines of a file of telemetry, whoever wrote them: an event, bounded, or nothing. */

import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { parseEvent } from '../../src/telemetry/event-file.ts';
import { TaskFigures } from '../../src/telemetry/task-figures.ts';
import { reportOf } from '../../src/telemetry/report.ts';
import { call, map, page } from '../support/telemetry.ts';

test('what was recorded comes back as it was', () => {
  const limit = {
    kind: 'rate-limit',
    at: 5,
    task: 't',
    client: 'c',
    retryAfter: 30,
    by: 'provider',
  } as const;
  const list = call({
    list: { query: 'q', from: 0, next: 100, cutBy: 'limit' },
    host: 'h',
    error: 'E',
    images: 1,
  });
  for (const event of [page(1, 20, { cutBy: 'bytes', window: '1..20' }), map(), list, limit])
    expect(parseEvent(JSON.stringify(event))).toEqual(event);
});

test.each(['', '{', 'null', '[]', '5', '{}', '{"kind":"call"}', '{"kind":"other","at":1,"task":"t"}'])(
  'no event: %s',
  (line) => void expect(parseEvent(line)).toBeUndefined(),
);

test('names and lists are bounded and on one line', () => {
  const event = parseEvent(
    JSON.stringify({
      ...page(1, 2),
      task: `t\n\u202e${'x'.repeat(5_000)}`,
      tool: 'y'.repeat(5_000),
      reads: Array.from({ length: 500 }, () => ({
        source: `\0${'z'.repeat(5_000)}`,
        lines: Array.from({ length: 500 }, (_, i) => [i, i]),
        bytes: [[5, 1], [-1, 2], [0.5, 1], ['1', 2], null, [1, 1e300]],
      })),
    }),
  );
  expect(event?.task).toMatch(/^t\\n\\u202ex+…\w+$/);
  expect(event?.task.length).toBeLessThanOrEqual(200);
  if (event?.kind !== 'call') throw new Error('no call');
  expect(event.tool.length).toBeLessThanOrEqual(80);
  expect(event.reads).toHaveLength(20);
  expect(event.reads?.[0]?.lines).toHaveLength(16);
  expect(event.reads?.[0]?.bytes).toBeUndefined();
});

test('any JSON is parsed and counted without a failure', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const event = fc.record(
    {
      kind: fc.constantFrom('call', 'rate-limit', 'x'),
      at: fc.oneof(fc.nat(), value),
      task: fc.oneof(fc.string(), value),
      tool: fc.oneof(fc.string(), value),
      dialect: fc.constantFrom('oriel', 'pi'),
      bytes: fc.oneof(fc.nat(), value),
      reads: fc.oneof(
        fc.array(
          fc.record({
            source: fc.string(),
            lines: fc.array(fc.tuple(fc.nat(50), fc.nat(50))),
            bytes: fc.array(fc.tuple(fc.nat(50), fc.nat(50))),
            totalBytes: fc.oneof(fc.nat(), value),
            view: fc.oneof(fc.constantFrom('map', 'outline'), value),
            cutBy: value,
          }),
        ),
        value,
      ),
      list: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const figures = new TaskFigures('t');
      for (const one of events) {
        const parsed = parseEvent(JSON.stringify(one));
        if (parsed) figures.add(parsed);
      }
      expect(JSON.parse(JSON.stringify(reportOf(figures)))).toEqual(reportOf(figures));
    }),
  );
});
