import { expect, test } from 'vitest';
import { Identity } from '../../src/identity.ts';
import { TelemetryRecorder, NoteQueue } from '../../src/telemetry/telemetry.ts';
import { textVersion } from '../../src/telemetry/call-facts.ts';
import type { CallNote, TextNote } from '../../src/types/telemetry.ts';

const text: TextNote = {
  of: { source: 'a.ts', version: 'v1' },
  kind: 'file',
  view: 'outline',
  window: { by: 'tail', lines: 20 },
  cutBy: 'bytes',
  totals: { lines: 20, bytes: 460 },
  first: 1,
  last: 20,
  from: 0,
  to: 460,
  spans: { lines: [[1, 2]], bytes: [[0, 9]] },
};

const note: CallNote = {
  task: 'a task',
  caller: {},
  host: 'a host',
  dialect: 'oriel',
  tool: 'read',
  began: 12.5,
  ms: 0.25,
  bytes: 486,
  images: 2,
  error: 'NOT_FOUND',
  text,
  reads: undefined,
  list: { query: 'q', from: 0 },
};

const sparse: CallNote = {
  ...note,
  task: undefined,
  caller: undefined,
  host: undefined,
  images: undefined,
  error: undefined,
  text: { ...text, view: undefined, window: undefined, cutBy: undefined, spans: undefined },
  list: undefined,
};

const withoutLines: CallNote = {
  ...sparse,
  text: {
    ...text,
    totals: { lines: undefined, bytes: 0 },
    first: undefined,
    last: undefined,
    from: undefined,
    to: undefined,
  },
};

const withoutText: CallNote = { ...sparse, text: undefined, reads: [{ source: 'b.ts' }] };

test('notes come out as they went in, also in places that others had before', () => {
  const queue = new NoteQueue();
  const all = [note, sparse, withoutLines, withoutText];
  for (const notes of [all, all.toReversed()]) {
    for (const one of notes) queue.push(one);
    expect(notes.map((_, i) => queue.at(i))).toEqual(notes);
    queue.clear();
    expect([queue.length, queue.isFull]).toEqual([0, false]);
  }
});

test('it is full with many notes, or with few that have long names', () => {
  const fill = (one: CallNote): number => {
    const queue = new NoteQueue();
    while (!queue.isFull) queue.push(one);
    return queue.length;
  };
  expect([fill(note), fill({ ...note, task: 'x'.repeat(40_000) })]).toEqual([256, 2]);
});

test('repeated reads of a text share one object; another version has its own', () => {
  const file = (size: bigint): Identity =>
    Identity.file({ dev: 1n, ino: 2n, size, mtimeNs: 3n, ctimeNs: 4n });
  const first = textVersion('one.txt', file(1n));
  expect(textVersion('one.txt', file(1n))).toBe(first);
  const changed = textVersion('one.txt', file(2n));
  expect([changed === first, changed.version === first.version]).toEqual([false, false]);
  expect(textVersion('one.txt', undefined).version).toBeUndefined();
});

test('a listener can ask for figures and record events: it gets each call once', () => {
  const telemetry = new TelemetryRecorder();
  const heard: number[] = [];
  telemetry.watch((event) => {
    if (event.kind !== 'call') return;
    heard.push(event.bytes);
    telemetry.tasks();
    if (event.bytes < 600) telemetry.record({ ...sparse, bytes: 1_000 + event.bytes }, undefined);
  });
  for (let bytes = 0; bytes < 600; bytes += 1) telemetry.record({ ...sparse, bytes }, undefined);
  telemetry.settle();
  telemetry.settle();
  const numbers = Array.from({ length: 600 }, (_, i) => i);
  expect(heard.toSorted((a, b) => a - b)).toEqual([...numbers, ...numbers.map((i) => 1_000 + i)]);
});
