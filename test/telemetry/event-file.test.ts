/** An inspected file: pages of a task as in the file, also while it is rotated or emptied, in bounded memory. */

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { EventFile } from '../../src/telemetry/event-file.ts';
import type { CallEvent } from '../../src/types/telemetry.ts';
import { call } from '../support/telemetry.ts';
import { temporaryFolder } from '../support/commands.ts';

const lineOf = (event: CallEvent): string => `${JSON.stringify(event)}\n`;

const NEVER = new AbortController().signal;

async function opened(text: string, mostKept = 1 << 20): Promise<{ path: string; file: EventFile }> {
  const path = join(temporaryFolder(), 'calls.jsonl');
  writeFileSync(path, text);
  const file = await EventFile.open(path, 'a command', mostKept);
  onTestFinished(() => file.close());
  await file.read(NEVER);
  return { path, file };
}

function taskOf(file: EventFile, id: string) {
  const task = file.tasks.find(({ figures }) => figures.id === id);
  if (!task) throw new Error(`there is no task ${id}`);
  const tools = (from: number, most: number): string[] =>
    task.events(from, most).events.map((event) => (event as CallEvent).tool);
  return { ...task, tools };
}

/** Two tasks, one event after the other. */
const mixed = (events: number): string =>
  Array.from({ length: events }, (_, i) =>
    lineOf(call({ task: i % 3 === 0 ? 'b' : 'a', tool: `t${i}`, host: 'h'.repeat(i % 90) })),
  ).join('');

test('pages of a task, with other lines between its events', async () => {
  const { file } = await opened(`no event\n${mixed(3_000)}torn {`);
  const [a, b] = [taskOf(file, 'a'), taskOf(file, 'b')];
  expect([b.total, b.forgotten, file.state.events, file.state.skipped]).toEqual([1_000, 0, 3_000, 2]);
  expect(b.tools(998, 10)).toEqual(['t2994', 't2997']);
  expect(a.tools(2, 3)).toEqual(['t4', 't5', 't7']);
  expect(a.tools(0, 5_000)).toHaveLength(2_000);
});

test('a page of long events ends early, naming the next', async () => {
  const { file } = await opened(lineOf(call({ task: 'a', reads: [long()] })).repeat(60), 1 << 30);
  const task = taskOf(file, 'a');
  let [pages, from] = [0, 0];
  for (; from < 60; pages += 1) {
    const { events, next } = task.events(from, 5_000);
    expect(next - from).toBe(events.length);
    from = next;
  }
  expect(pages).toBeGreaterThan(3);
});

/** A read whose event takes about 40 KiB of a file. */
const long = () => ({ source: 'x', window: 'w'.repeat(40_000) });

test('beyond the bound the longest task forgets its first events', async () => {
  const { file } = await opened(mixed(3_000), 300_000);
  const [a, b] = [taskOf(file, 'a'), taskOf(file, 'b')];
  expect([a.total, b.total, a.figures.calls]).toEqual([2_000, 1_000, 2_000]);
  expect(a.forgotten).toBeGreaterThan(500);
  expect(a.tools(0, 1)).toEqual(a.tools(a.forgotten, 1));
});

test('following ends in the middle of a read without an error', async () => {
  const { path, file } = await opened(lineOf(call({ task: 'a' })));
  const { read } = file.state;
  appendFileSync(path, lineOf(call({ task: 'a' })).repeat(100_000));
  const stop = new AbortController();
  const following = file.follow(stop.signal);
  while (file.state.read === read) await setImmediate();
  stop.abort();
  await expect(following).resolves.toBeUndefined();
});
