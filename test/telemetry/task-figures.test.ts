/** The figures of a task, from events as they are recorded. */

import { expect, test } from 'vitest';
import { reportOf } from '../../src/telemetry/report.ts';
import { CallPace, TaskFigures } from '../../src/telemetry/task-figures.ts';
import type { ReadFacts } from '../../src/types/telemetry.ts';
import { call, figuresOf, map, page } from '../support/telemetry.ts';

test('calls, bytes, tokens and the average answer', () => {
  const { totals, largest } = figuresOf(
    call({ bytes: 100 }),
    call({ bytes: 300 }),
    call({ bytes: 200, error: 'NOT_FOUND' }),
  );
  expect(totals).toMatchObject({ calls: 3, bytes: 600, tokens: 150, averageBytes: 200, errors: 1 });
  expect(largest).toBe(300);
});

test('a read that begins at a cut continues the chain', () => {
  const figures = figuresOf(
    page(1, 100, { cutBy: 'bytes' }),
    call({ tool: 'grep' }),
    page(101, 200, { cutBy: 'bytes' }),
    page(201, 300),
  );
  expect(figures.totals).toMatchObject({ continued: 2, saved: 2, redundancy: 0 });
  expect([...figures.chains]).toMatchObject([{ id: 1, calls: 3, bytes: 30_000, followed: 2 }]);
});

test('pages backwards, as of a tail, are a chain too', () => {
  const figures = figuresOf(
    page(901, 1_000, { cutBy: 'lines', window: '-100' }),
    page(801, 900, { cutBy: 'lines', window: '-100@90000' }),
  );
  expect(figures.totals.continued).toBe(1);
  expect(figures.chains.size).toBe(1);
});

test('going back before a page has followed no notice', () => {
  const pages = [page(101, 200, { cutBy: 'bytes', window: '101..' }), page(1, 100, { cutBy: 'bytes' })];
  expect(figuresOf(...pages).totals.continued).toBe(0);
});

test('windows of a reader’s own choice are pages, no continuation', () => {
  // 1-220, 220-520, 520-720: the last line of one is the first of the next.
  const figures = figuresOf(page(1, 220), page(220, 520), page(520, 720));
  expect(figures.totals).toMatchObject({ continued: 0, saved: 2 });
  expect(figures.again).toBe(200);
});

test('what is read again in the same pages is another chain', () => {
  const pages = [page(1, 100, { cutBy: 'bytes' }), page(101, 200)];
  const figures = figuresOf(...pages, ...pages, ...pages);
  expect([...figures.chains].map(({ calls }) => calls)).toEqual([2, 2, 2]);
  expect(figures.totals.saved).toBe(3);
});

test('a call reading on in several texts is spared once', () => {
  const both = (from: number, to: number, tool = 'read') => {
    const [a, b] = ['src/a.ts', 'src/b.ts'].map((source) => page(from, to, { source }).reads?.[0]);
    return call({ tool, bytes: 20_000, reads: a && b ? [a, b] : [] });
  };
  expect(figuresOf(both(1, 100), both(101, 200)).totals.saved).toBe(1);
  // The other text would have had to be read all the same.
  const one = figuresOf(both(1, 100), {
    ...both(101, 200),
    reads: [page(101, 200).reads![0]!, { source: 'c' }],
  });
  expect(one.totals.saved).toBe(0);
});

test('whole is each version of each source once', () => {
  const figures = figuresOf(
    page(1, 10),
    page(11, 20),
    page(1, 10, { source: 'b' }),
    page(1, 10, { version: '2' }),
  );
  expect(figures.whole).toBe(3 * (page(1, 10).reads?.[0]?.totalBytes ?? 0));
});

test('windows apart from each other are no chain', () => {
  const figures = figuresOf(page(1, 20), page(500, 520), page(300, 320));
  expect(figures.chains.size).toBe(0);
  expect(figures.totals.saved).toBe(0);
});

test('a chain over the largest window saves what remains', () => {
  const pages = Array.from({ length: 10 }, (_, i) =>
    page(1 + 100 * i, 100 * (i + 1), { cutBy: 'bytes' }, { bytes: 60_000 }),
  );
  // 600,000 bytes are three windows of 256 KiB.
  expect(figuresOf(...pages).totals.saved).toBe(7);
});

test('the next page of a list is a continuation', () => {
  const list = { query: 'q', from: 0, next: 100 };
  const figures = figuresOf(
    call({ tool: 'grep', list }),
    call({ tool: 'grep', list: { query: 'other', from: 100 } }),
    call({ tool: 'grep', list: { query: 'q', from: 100, next: 200 } }),
    call({ tool: 'grep', list: { query: 'q', from: 0, next: 100 } }),
  );
  expect(figures.totals.continued).toBe(1);
});

test('what was read once, again and never, in lines', () => {
  const figures = figuresOf(page(1, 100), page(51, 150), page(51, 60));
  expect(reportOf(figures).files).toEqual([
    {
      source: 'src/a.ts',
      what: 'file',
      reads: 3,
      bytes: 21_000,
      redundancy: 0.286,
      followed: 0,
      versions: 1,
      unit: 'lines',
      total: 1_000,
      never: 850,
      once: 100,
      again: 50,
      stretches: [
        [0, 50, 1],
        [50, 60, 3],
        [60, 100, 2],
        [100, 150, 1],
      ],
    },
  ]);
});

test('where lines are not counted, bytes are', () => {
  const { lines: _, totalLines: __, ...read } = page(1, 10).reads?.[0] ?? { source: '' };
  const figures = figuresOf(call({ reads: [read] }));
  expect(reportOf(figures).files[0]).toMatchObject({
    unit: 'bytes',
    total: 100_000,
    once: 1_000,
    never: 99_000,
  });
});

test('a changed version is read anew, nothing of it repeated', () => {
  const figures = figuresOf(page(1, 100), page(1, 100, { version: 'v2' }));
  expect(figures.totals.redundancy).toBe(0);
  expect(reportOf(figures).files[0]).toMatchObject({ versions: 2, once: 100, again: 0 });
});

test('the bytes of an answer about several texts are shared', () => {
  const of = (source: string, shown: number) => ({ source, what: 'file', shown });
  const figures = figuresOf(call({ bytes: 10_000, reads: [of('a', 900), of('b', 100), of('c', 0)] }));
  const files = () => reportOf(figures).files.map(({ source, bytes }) => [source, bytes]);
  expect(files()).toEqual([
    ['a', 9_000],
    ['b', 1_000],
    ['c', 0],
  ]);
  // Events of older files do not say it: by the bytes of the texts.
  const older = figuresOf(
    call({ bytes: 1_000, reads: [page(1, 30).reads![0]!, page(1, 10, { source: 'src/b.ts' }).reads![0]!] }),
  );
  expect(reportOf(older).files.map(({ bytes }) => bytes)).toEqual([750, 250]);
});

test('an outline has its own totals, not the file’s', () => {
  const outline: Partial<ReadFacts> = { view: 'outline', totalLines: 50, totalBytes: 900 };
  const figures = figuresOf(page(1, 10), page(1, 50, outline));
  expect(reportOf(figures).files[0]).toMatchObject({ total: 1_000, once: 10, never: 990, maps: 1 });
});

test('a map counts as a read but shows no lines', () => {
  const figures = figuresOf(map(), page(1, 10));
  expect(figures).toMatchObject({ reads: 2, repeated: 1, again: 0 });
  expect(reportOf(figures).files[0]).toMatchObject({ maps: 1, mapFollowed: true, once: 10 });
});

test('the wasteful files stand first', () => {
  const b = { source: 'src/b.ts' };
  const figures = figuresOf(page(1, 500), page(1, 10, b), page(1, 10, b), page(1, 10, b));
  expect(reportOf(figures).files.map(({ source }) => source)).toEqual(['src/b.ts', 'src/a.ts']);
});

test('rate limits are counted, as no calls', () => {
  const figures = figuresOf(call(), { kind: 'rate-limit', at: 5, task: 'task', retryAfter: 30 });
  expect(figures.totals).toMatchObject({ calls: 1, rateLimits: 1 });
});

test('names are bounded: those after the fiftieth are counted together', () => {
  const figures = figuresOf(
    ...Array.from({ length: 200 }, (_, i) => call({ tool: `t${i}`, error: `E${i}` })),
  );
  const [tools, codes] = [figures.tools.sorted(), figures.codes.sorted()];
  expect(Object.keys(tools)).toHaveLength(51);
  expect(Object.entries(tools)[0]).toEqual(['others', 150]);
  expect(Object.keys(codes)).toHaveLength(51);
});

test('sources are bounded: those after the five hundredth are counted', () => {
  const figures = figuresOf(...Array.from({ length: 700 }, (_, i) => page(1, 2, { source: `f${i}` })));
  expect(figures.files.size).toBe(500);
  expect(figures.otherReads).toBe(200);
});

test('sources beyond the bound are neither read again nor invented', () => {
  // Of one version, as sources without one are: counted as one they would be pages of one another.
  const reads = Array.from({ length: 800 }, (_, i) => {
    const from = 1 + 10 * (i % 90);
    return page(from, from + 9, { source: `src/${i}.ts`, cutBy: 'lines' });
  });
  const figures = figuresOf(...reads);
  expect(figures.totals).toMatchObject({ calls: 800, redundancy: 0, continued: 0, saved: 0 });
  const report = reportOf(figures, 1_000);
  expect(report).toMatchObject({ reads: 800, repeated: 0, chains: 0, sources: 500, habits: [] });
  expect(report.others).toEqual({ reads: 300, bytes: 300_000 });
  const asked = new Set(reads.map(({ reads: [read] = [] }) => read?.source));
  expect(report.files.every(({ source }) => asked.has(source))).toBe(true);
  // A file that is called so is one of its own.
  expect(figuresOf(...reads, page(1, 10, { source: 'others' })).otherReads).toBe(301);
});

test('the first event is the earliest, in whatever order', () => {
  const events = [call({ at: 5_000 }), call({ at: 2_000 }), call({ at: 9_000 })];
  expect(figuresOf(...events)).toMatchObject({ first: 2_000, last: 9_000 });
});

test('chains and examples weigh, not sources alone', () => {
  const events = Array.from({ length: 600 }, (_, i) => {
    const from = 1 + 30 * (i >> 1) - 900 * Math.floor(i / 60) + 10 * (i % 2);
    return page(from, from + 9, { cutBy: 'lines' });
  });
  const { chains, weight } = figuresOf(...events);
  expect(chains.size).toBe(300);
  expect(weight).toBeGreaterThan(300);
  const maps = Array.from({ length: 100 }, (_, i) => map(`src/${i}.ts`));
  expect(figuresOf(...maps).weight).toBeGreaterThanOrEqual(100 * (8 + 4));
});

test('a page continues only one of the last eight reads', () => {
  const task = new TaskFigures('t');
  const chainOf = (from: number, to: number) => task.add(page(from, to)).reads[0]?.chain;
  const begun = [1, 101, 201, 301, 401, 501, 601, 701, 801].map((from) => chainOf(from, from + 9));
  // The first one is forgotten; the third one goes on, and is the latest then.
  expect(chainOf(11, 20)).not.toBe(begun[0]);
  const third = chainOf(211, 220);
  expect([third === begun[2], third?.calls]).toEqual([true, 2]);
  const after = [901, 921, 941, 961].map((from) => chainOf(from, from + 5));
  expect(new Set([...begun, ...after]).size).toBe(13);
  expect([chainOf(311, 320) === begun[3], chainOf(221, 230) === begun[2]]).toEqual([false, true]);
});

test('calls over time fit sixty intervals, of several tasks together', () => {
  const [minute, day] = [new CallPace(), new CallPace()];
  for (let second = 0; second < 60; second += 1) minute.add(second * 1_000);
  for (let hour = 23; hour >= 0; hour -= 1) day.add(hour * 3_600_000, 2);
  expect(minute.intervals).toEqual({ from: 0, step: 1_000, calls: Array.from({ length: 60 }, () => 1) });
  minute.addAll(day);
  const { from, step, calls } = minute.intervals;
  expect([from, step, calls.length]).toEqual([0, 2_048_000, 41]);
  expect([calls[0], calls.reduce((sum, count) => sum + count, 0)]).toEqual([62, 108]);
});
