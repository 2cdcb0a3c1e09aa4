import { expect, test } from 'vitest';
import { writeEvent, LineBuffer } from '../../src/telemetry/event-line.ts';
import { safeJson } from '../../src/text/visible.ts';
import type { CallEvent, ReadFacts, TelemetryEvent } from '../../src/types/telemetry.ts';
import { fc } from '../support/properties.ts';
import { call } from '../support/telemetry.ts';

const names = fc.string({ unit: 'binary', maxLength: 60 });
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const sizes = fc.oneof(fc.nat(), fc.nat({ max: Number.MAX_SAFE_INTEGER }));
const spans = maybe(fc.array(fc.tuple(sizes, sizes), { maxLength: 3 }));

/** Values for every field of an event. A field that is missing here does not compile. */
const record = <T>(fields: { readonly [K in keyof T]-?: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record<T>(fields as { [K in keyof T]: fc.Arbitrary<T[K]> });

/** In the order of `readOfText`. */
const reads = record<ReadFacts>({
  source: names,
  what: maybe(names),
  version: maybe(names),
  view: maybe(names),
  window: maybe(names),
  lines: spans,
  bytes: spans,
  totalLines: maybe(sizes),
  totalBytes: maybe(sizes),
  cutBy: maybe(names),
  shown: maybe(sizes),
});

/** In the order of `eventOfCall`. */
const calls = record<CallEvent>({
  kind: fc.constant('call' as const),
  task: names,
  client: maybe(names),
  at: sizes,
  ms: fc.oneof(
    fc.double(),
    fc.nat().map((thousandths) => thousandths / 1_000),
  ),
  dialect: names,
  tool: names,
  host: maybe(names),
  bytes: sizes,
  tokens: sizes,
  images: maybe(sizes),
  error: maybe(names),
  reads: maybe(fc.array(reads, { maxLength: 3 })),
  list: maybe(fc.record({ query: names, from: sizes })),
});

const limits = fc.record({
  kind: fc.constant('rate-limit' as const),
  task: names,
  at: sizes,
  by: names,
});

function linesOf(events: readonly TelemetryEvent[]): string {
  const lines = new LineBuffer();
  for (const event of events) writeEvent(lines, event);
  return lines.take().toString();
}

test('the line of every event is its JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(calls, limits), { maxLength: 8 }), (events) => {
      expect(linesOf(events)).toBe(events.map((event) => `${safeJson(event)}\n`).join(''));
    }),
  );
});

test.each([
  0,
  9,
  10,
  99,
  1_000,
  999_999_999,
  1_000_000_000,
  1_000_000_001,
  1_795_363_200_000,
  999_999_999_999_999,
  1e15,
  2 ** 53,
  1e21,
  0.001,
  0.01,
  0.1,
  0.9,
  0.999,
  12.05,
  12.345,
  999_999.999,
  1_000_000.5,
  0.0005,
  1e-7,
  -0,
  -1,
  -0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('the number %d is written as JSON writes it', (number) => {
  const buffer = new LineBuffer();
  buffer.number(number);
  expect(buffer.take().toString()).toBe(JSON.stringify(number));
});

test('many lines and long names fit; earlier lines stay unchanged', () => {
  const events = Array.from({ length: 3_000 }, (_, i) =>
    call({ bytes: i, reads: [{ source: 'x'.repeat(i % 900) }] }),
  );
  const lines = new LineBuffer();
  for (const event of events) writeEvent(lines, event);
  const taken = lines.take();
  expect(lines.length).toBe(0);
  for (const event of events.toReversed()) writeEvent(lines, event);
  const parsed: unknown[] = taken
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(parsed).toEqual(events);
  expect(lines.take().length).toBe(taken.length);
});
