/**
 * What every source and every scheme must keep, whatever it reads. A new one is a row in cases.ts.
 *
 * @module-tag slow
 */

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { schemes } from '../../../src/formats/resources/table.ts';
import { sources } from '../../../src/formats/table.ts';
import type { LimitOptions } from '../../../src/index.ts';
import type { Called } from '../../support/dialect.ts';
import { type SourceCase, sourceCases } from './cases.ts';
import { bodyOf, follow, identityOf, placeOf, plainPlace } from './read.ts';

const named = (cases: readonly SourceCase[]): [string, SourceCase][] =>
  cases.map((source) => [source.name, source]);

test('every source and every scheme is here', () => {
  const kinds = new Set(sourceCases.filter(({ scheme }) => !scheme).map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(['web', ...sources.map(({ format }) => format)].toSorted());
  const urls = new Set(sourceCases.flatMap(({ scheme = [] }) => scheme));
  expect([...urls].toSorted()).toEqual(schemes.map(({ name }) => name).toSorted());
});

/** All but the last make many pages of every small text. */
const limitsOfPages: Readonly<Record<string, LimitOptions>> = {
  'one line at a time': { lines: 1 },
  'very few bytes': { bytes: 64 },
  'a few lines': { lines: 7, bytes: 500 },
  'by default': {},
};

describe('paging', () => {
  test.each(named(sourceCases))('%s: the notices lead to everything once', async (_, source) => {
    const here = await placeOf(source);
    const answer = await here.oriel.tool('read').run({ path: source.path });
    expect(answer).toMatchObject({ isError: false, details: { kind: source.kind } });
    const pagesWithin = (limits: LimitOptions): Promise<Called[]> =>
      follow(plainPlace({ cwd: here.folder, session: here.oriel.session, limits }), source.path);
    // Every small text is one answer.
    const wide = { lines: 1e6, bytes: 1 << 24 };
    const whole = source.text?.('small') ?? (await pagesWithin(wide)).map(bodyOf).join('');
    for (const [name, limits] of Object.entries(limitsOfPages)) {
      const pages = await pagesWithin(limits);
      expect(JSON.stringify(pages.at(-1)?.details), name).not.toContain('to continue');
      const bodies = pages.map(bodyOf);
      if (source.items) {
        const { of, all } = source.items;
        const shown = bodies.flatMap((body) => [...body.matchAll(of)].map(([, item]) => item));
        expect(shown, name).toEqual(all('small'));
      } else expect(bodies.join(''), name).toBe(whole);
    }
  });
});

describe('identities', () => {
  test.each(named(sourceCases))(
    '%s: equal text has one, others and later versions differ',
    async (_, source) => {
      const here = await placeOf(source);
      const digests = new Map<string, string | undefined>();
      const look = async (path: string): Promise<string | undefined> => {
        const { key, digest } = await identityOf(here, path);
        if (key === undefined) return undefined;
        expect(digests.get(key) ?? digest).toBe(digest);
        digests.set(key, digest);
        return key;
      };
      // What has only just been written is not kept, and has another identity each time.
      await sleep(30);
      const paths = [source.path, ...(source.others ?? [])];
      for (const path of [...paths, ...paths.toReversed()]) await look(path);
      if (source.scheme) return;
      await source.furnish(here, 'large');
      await sleep(30);
      for (const path of paths) await look(path);
    },
  );

  test('no two sources share one', async () => {
    const here = plainPlace();
    for (const source of sourceCases) await source.furnish(here, 'small');
    await sleep(30);
    const seen = new Map<string, [string, string | undefined]>();
    for (const path of sourceCases.flatMap((source) => [source.path, ...(source.others ?? [])])) {
      const { key, digest } = await identityOf(here, path);
      if (key === undefined) continue;
      const [other, known] = seen.get(key) ?? [path, digest];
      expect([other, known]).toEqual([other, digest]);
      seen.set(key, [path, digest]);
    }
    expect(seen.size).toBeGreaterThan(sourceCases.length);
  });
});

/** Bytes that this process has read so far, its threads included. Source: proc_pid_io(5). */
function bytesRead(): number {
  return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1]);
}

/**
 * Bytes read for `path`: the least of three times, since another thread of the process may load something meanwhile. What
 * costs no more than `most` is not asked for again.
 */
async function cost(read: (path: string) => Promise<unknown>, path: string, most = 0): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < 3 && least > most; time += 1) {
    const before = bytesRead();
    await read(path);
    least = Math.min(least, bytesRead() - before);
  }
  return least;
}

describe.runIf(process.platform === 'linux')('cost', () => {
  test.each(named(sourceCases.filter(({ pages }) => pages)))(
    '%s: no large text page costs more than its first',
    async (_, source) => {
      const here = await placeOf(source, 'large');
      const read = async (path: string): Promise<void> => {
        const answer = await here.oriel.tool('read').run({ path });
        expect(answer.isError, path).toBe(false);
      };
      const [first, ...others] = source.pages as readonly [string, ...string[]];
      await sleep(30);
      // What is found once and kept: where lines begin, what was unpacked.
      for (const path of [first, ...others]) await read(path);
      const most = (await cost(read, first)) + SLACK;
      const costs = new Map<string, number>();
      for (const path of others) costs.set(path, await cost(read, path, most));
      expect([...costs].filter(([, bytes]) => bytes > most)).toEqual([]);
    },
  );
});

/** A page may begin and end anywhere in the two blocks of 64 KiB that are read beside the first one. */
const SLACK = 132 << 10;
