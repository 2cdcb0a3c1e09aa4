/**
 * Every hostile case through every way in: one table. `npm run hardening` prints it; ORIEL_TABLE=1 does, or names a file for it.
 *
 * @module-tag slow
 */

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases } from './ways/cases/table.ts';
import type { Case, Verdict } from './ways/case.ts';
import type { Figures } from './ways/invariants.ts';
import { makePlace, type Place } from './ways/place.ts';
import { Report } from './ways/report.ts';
import { prepare, runCase } from './ways/run-case.ts';
import { ways } from './ways/table.ts';
import { type Door, type Settings, type Way, type WayName, wayNames } from './ways/way.ts';

/** Without it, what takes seconds is run on one way only, each case on another. */
const all = Boolean(process.env['ORIEL_ALL_WAYS']);
const heavy = cases.filter((one) => one.heavy);

/** What holds the loop, or takes memory, does so every time. */
const TRIES = 5;

const report = new Report(cases);
const doors = new Map<WayName, Door>();
let place: Place;

function settingsOf(way: Way): Settings {
  return {
    cwd: place.W,
    roots: [place.W],
    net: [place.site.host, place.site.tlsHost],
    home: place.home(way.name),
  };
}

const homes = new Map<WayName, string>();

beforeAll(async () => {
  place = await makePlace();
  await Promise.all(
    ways.map(async (way) => {
      const settings = settingsOf(way);
      homes.set(way.name, settings.home);
      const door = await way.open(settings);
      // What is loaded and held from the first call on is there before any case.
      await door.call('bash', { command: 'true' });
      doors.set(way.name, door);
    }),
  );
});

afterAll(async () => {
  await Promise.all([...doors.values()].map((door) => door.close()));
  await place.remove();
  const { ORIEL_TABLE: table } = process.env;
  if (table === undefined) console.log(report.summary());
  else if (table === '1') console.log(report.text());
  else writeFileSync(table, report.text());
});

function waysOf(one: Case): readonly Way[] {
  const mine = ways.filter(({ name }) => (one.ways ?? wayNames).includes(name));
  return one.heavy && !all ? [mine[heavy.indexOf(one) % mine.length] as Way] : mine;
}

/**
 * Through one way, in a process of its own where the case wants that. What takes too much is tried anew, with files and a
 * process that nothing is known of: a busy machine takes it now and then, the product does every time.
 */
async function through(way: Way, one: Case): Promise<readonly Verdict[]> {
  report.set(one.id, way.name, 'BROKEN');
  const figures: Figures = { lagMs: 0, addedMb: 0, seconds: 0 };
  for (let tries = 1; ; tries += 1) {
    const [verdicts, problem] = await once(way, one, figures);
    if (problem === undefined) {
      report.set(one.id, way.name, 'holds');
      return verdicts;
    }
    expect(tries, problem).toBeLessThan(TRIES);
    await prepare(one, place);
  }
}

async function once(way: Way, one: Case, figures: Figures): ReturnType<typeof runCase> {
  const own = one.own && { ...settingsOf(way), ...one.own(place) };
  const door = own ? await way.open(own) : (doors.get(way.name) as Door);
  if (own) delete figures.idleMb;
  try {
    return await runCase(one, door, place, figures);
  } finally {
    if (own) expect(await door.close(), 'the exit code').toBe(0);
  }
}

for (const one of cases) {
  describe.skipIf(one.if === false)(`${one.id} ${one.title}`, () => {
    let first: readonly Verdict[] | undefined;
    beforeAll(() => prepare(one, place));

    if (one.together) {
      test('through all interfaces concurrently', async () => {
        await Promise.all(waysOf(one).map((way) => through(way, one)));
      });
      return;
    }
    for (const way of waysOf(one)) {
      test(`through ${way.name}`, async () => {
        const verdicts = await through(way, one);
        first ??= verdicts;
        const same = new Set(verdicts.map(({ at }) => at));
        if (!one.varies) expect(verdicts).toEqual(first.filter(({ at }) => same.has(at)));
      });
    }
  });
}

test('the servers end when told to and leave no file', async () => {
  for (const [name, door] of doors) {
    expect([name, await door.close()]).toEqual([name, 0]);
    const home = homes.get(name) as string;
    const left = (readdirSync(home, { recursive: true }) as string[]).filter(
      (path) => path !== 'token' && statSync(`${home}/${path}`).isFile(),
    );
    // The command line keeps its outputs for the next command.
    if (name !== 'cli') expect([name, left]).toEqual([name, []]);
  }
});
