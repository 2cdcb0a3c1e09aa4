/** The index of events: pages of a task as in the file, with bounded memory. */

import { expect, test } from 'vitest';
import { EventIndex } from '../../src/telemetry/event-file.ts';
import { TaskFigures } from '../../src/telemetry/task-figures.ts';
import type { CallEvent } from '../../src/types/telemetry.ts';
import { call } from '../support/telemetry.ts';

/** Two tasks, one event after the other. */
function filled(events: number, most?: number) {
  const index = new EventIndex(most);
  const [a, b] = [new TaskFigures('a'), new TaskFigures('b')];
  let text = '';
  for (let i = 0; i < events; i += 1) {
    const line = JSON.stringify(call({ tool: `t${i}`, host: 'h'.repeat(i % 90) }));
    index.add(i % 3 === 0 ? b : a, text.length, line.length);
    text += `${line}\n`;
  }
  let reads = 0;
  const bytes = Buffer.from(text);
  const read = (at: number, into: Buffer): Promise<number> => {
    reads += 1;
    return Promise.resolve(bytes.copy(into, 0, at, at + into.length));
  };
  const tools = async (task: TaskFigures, from: number, count: number): Promise<string[]> =>
    (await index.read(task, from, count, read)).events.map((event) => (event as CallEvent).tool);
  return { index, a, b, bytes, tools, reads: () => reads };
}

test('pages of a task, with any other lines between its events', async () => {
  const { index, a, b, tools, reads } = filled(3_000);
  expect(index.of(b)).toEqual({ total: 1_000, forgotten: 0 });
  expect(await tools(b, 998, 10)).toEqual(['t2994', 't2997']);
  expect(await tools(a, 2, 3)).toEqual(['t4', 't5', 't7']);
  const before = reads();
  expect(await tools(a, 0, 5_000)).toHaveLength(2_000);
  // In stretches, not one by one.
  expect(reads() - before).toBeLessThan(10);
});

test('a page of long events ends early, with the number of the next event', async () => {
  const index = new EventIndex();
  const task = new TaskFigures('a');
  const line = JSON.stringify(call({ host: 'h'.repeat(60_000) }));
  for (let i = 0; i < 40; i += 1) index.add(task, i * (line.length + 1), line.length);
  const bytes = Buffer.from(`${line}\n`.repeat(40));
  let read = 0;
  for (let from = 0, pages = 0; from < 40; pages += 1) {
    const { events, next } = await index.read(task, from, 5_000, (at, into) =>
      Promise.resolve(bytes.copy(into, 0, at, at + into.length)),
    );
    expect(next - from).toBe(events.length);
    expect(events.length * line.length).toBeLessThan(700_000);
    [from, read] = [next, read + events.length];
    expect(pages).toBeLessThan(10);
  }
  expect(read).toBe(40);
});

test('if the file was changed, lines that are no events are left out', async () => {
  const { a, bytes, tools } = filled(9);
  bytes.fill('x', 0, 400);
  expect((await tools(a, 0, 9)).length).toBeLessThan(6);
});

test('beyond the limit the first events of the longest task are evicted', async () => {
  const { index, a, b, tools } = filled(3_000, 1_500);
  const [{ total, forgotten }, other] = [index.of(a), index.of(b)];
  expect(total).toBe(2_000);
  expect(forgotten).toBeGreaterThan(1_000);
  expect(total - forgotten + other.total - other.forgotten).toBeLessThanOrEqual(1_500);
  expect(await tools(a, 0, 1)).toEqual(await tools(a, forgotten, 1));
});

test('the events of a removed part are evicted', () => {
  const { index, a, b } = filled(9);
  index.forgetBefore(1_000_000);
  expect([index.of(a), index.of(b)]).toEqual([
    { total: 6, forgotten: 6 },
    { total: 3, forgotten: 3 },
  ]);
});
