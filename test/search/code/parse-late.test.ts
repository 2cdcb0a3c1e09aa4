/** A file that uses its parser up to the timeout does not cost other files of its batch their symbols. */

import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { packTags } from '../../../src/code/tags.ts';
import type * as parsed from '../../../src/code/parsed.ts';
import { textOf, workspace } from '../../support/workspace.ts';

type TagsOf = typeof parsed.tagsOf;

interface Asked {
  readonly texts: readonly string[];
  readonly isAlone: boolean;
  /** The part of the time that was left which they could take. */
  readonly part: number;
}

const { asked, answer } = vi.hoisted(() => ({
  asked: [] as Asked[],
  answer: {
    of: undefined as ((tagsOf: TagsOf, given: Parameters<TagsOf>) => ReturnType<TagsOf>) | undefined,
  },
}));

vi.mock('../../../src/code/parsed.ts', async (original) => {
  const actual = await original<typeof parsed>();
  const tagsOf: TagsOf = (...given) => {
    const [files, until, , { within = Infinity, alone = false } = {}] = given;
    const part = within / (until - performance.now());
    asked.push({ texts: files.map(textIn), isAlone: alone, part });
    return answer.of?.(actual.tagsOf, given) ?? actual.tagsOf(...given);
  };
  return { ...actual, tagsOf };
});

function textIn({ bytes }: parsed.TaggedFile): string {
  return Buffer.from(bytes ?? '').toString();
}

const isHostile = (text: string): boolean => text.includes('hostile');

/** Ends without tags for all that were asked about together. */
const ends = (tagsOf: TagsOf, given: Parameters<TagsOf>): ReturnType<TagsOf> =>
  given[0].map(textIn).some(isHostile) ? Promise.resolve({ none: 'time' }) : tagsOf(...given);

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];

/** Maps of a directory with one hostile file. */
async function mapping(timeoutMs: number): Promise<() => Promise<string>> {
  const w = workspace();
  for (const name of [...NAMES.slice(0, 5), 'hostile', ...NAMES.slice(5)])
    w.write(`src/${name}.ts`, `export function ${name}(): void {\n  return;\n}\n`);
  // What was written in this tick of the clock is parsed again.
  await sleep(50);
  const read = w.with({ timeoutMs }).tool('read');
  return async () => textOf(await read.run({ path: 'src:outline' }));
}

function expectOthers(map: string): void {
  for (const name of NAMES) expect(map).toContain(`${name}.ts: ${name} 1-3\n`);
}

/** Those that were asked about together with the hostile file, and those that were alone. */
function batchAndLate(): { batch: readonly string[]; late: readonly string[] } {
  const batch = asked.find(({ texts, isAlone }) => !isAlone && texts.some(isHostile))?.texts ?? [];
  expect(batch.length).toBeGreaterThan(1);
  return { batch, late: asked.filter(({ isAlone }) => isAlone).flatMap(({ texts }) => texts) };
}

beforeEach(() => {
  asked.length = 0;
});

test('that ends with its thread is not parsed again', { tags: 'slow' }, async () => {
  answer.of = ends;
  const map = await mapping(60_000);
  const first = await map();
  expectOthers(first);
  expect(first).toContain('[hostile.ts took too long to parse: without symbols here]');
  const { batch, late } = batchAndLate();
  expect(late).toEqual(batch);
  // Time is left for those that come after.
  for (const { part } of asked) expect(part).toBeLessThan(0.9);
  asked.length = 0;
  expect(await map()).toBe(first);
  expect(asked).toEqual([]);
});

test('whose parse is stopped: later files are parsed alone', async () => {
  answer.of = (tagsOf, [files, ...rest]) => {
    const at = files.map(textIn).findIndex(isHostile);
    return tagsOf(at === -1 ? files : files.slice(0, at), ...rest);
  };
  const map = await mapping(60_000);
  expectOthers(await map());
  const { batch, late } = batchAndLate();
  expect(late).toEqual(batch.slice(batch.findIndex(isHostile)));
});

test('that had little time is parsed again, the others once', async () => {
  answer.of = ends;
  const map = await mapping(7_000);
  expectOthers(await map());
  asked.length = 0;
  answer.of = undefined;
  expect(await map()).toContain('hostile.ts: hostile 1-3\n');
  expect(asked.map(({ texts }) => texts.map(isHostile))).toEqual([[true]]);
});

test('that changed without a parser never shows old lines', async () => {
  const { write, with: withOptions } = workspace();
  const of = (name: string, lines: number): void => {
    write(`src/${name}.ts`, `export function ${name}(): void {\n${'  run();\n'.repeat(lines)}}\n`);
  };
  for (const name of NAMES) of(name, 1);
  await sleep(50);
  const read = withOptions({}).tool('read');
  const map = async (): Promise<string> => textOf(await read.run({ path: 'src:outline' }));
  expectOthers(await map());
  of('c', 7);
  await sleep(50);
  answer.of = () => Promise.resolve({ none: 'time', isUnasked: true });
  const unparsed = await map();
  expect(unparsed).not.toContain('c 1-3');
  expect(unparsed).toContain(
    '[1 of 11 code files were not parsed before the time limit, or changed meanwhile. Make the same call again to parse them: the answer and its order may change]',
  );
  answer.of = undefined;
  expect(await map()).toContain('c.ts: c 1-9\n');
});

test('that changes with each concurrent call: all are answered', async () => {
  const { write, with: withOptions } = workspace();
  for (const name of NAMES) write(`src/${name}.ts`, `export function ${name}(): void {\n  return;\n}\n`);
  await sleep(50);
  const read = withOptions({}).tool('read');
  await read.run({ path: 'src:outline' });
  let version = 0;
  answer.of = (tagsOf, given) => {
    version += 1;
    write('src/a.ts', `export function a${version}(): void {\n  return;\n}\n`);
    return tagsOf(...given);
  };
  write('src/a.ts', 'export function a0(): void {\n  return;\n}\n');
  const paths = ['src:outline', 'src:#b', 'src:#c:refs', 'src:outline?q=d'];
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => read.run({ path: paths[i % 4] })));
  answer.of = undefined;
  for (const [i, one] of answers.entries()) {
    expect(textOf(one)).not.toContain('Call again');
    if (i % 4 === 0) for (const name of NAMES.slice(1)) expect(textOf(one)).toContain(`${name} 1-3`);
  }
});

test('that one call drops and another parsed keeps its symbols', async () => {
  const w = workspace();
  for (const name of NAMES) w.write(`src/${name}.ts`, `export function ${name}(): void {\n  return;\n}\n`);
  await sleep(50);
  const read = w.with({}).tool('read');
  let [gaveUp, isAsked] = [(): void => undefined, (): void => undefined];
  const first = new Promise<void>((resolve) => (gaveUp = resolve));
  const asking = new Promise<void>((resolve) => (isAsked = resolve));
  answer.of = async () => {
    isAsked();
    await first;
    return { none: 'time', isUnasked: true };
  };
  const early = read.run({ path: 'src:outline' });
  await asking;
  answer.of = undefined;
  expectOthers(textOf(await read.run({ path: 'src:outline' })));
  asked.length = 0;
  gaveUp();
  expectOthers(textOf(await early));
  expectOthers(textOf(await read.run({ path: 'src:outline' })));
  expect(asked).toEqual([]);
});

test('that uses up the CPU time alone is not retried', async () => {
  const limits: (number | undefined)[] = [];
  answer.of = (tagsOf, given) => {
    const [files, , , { alone = false, within = 0, cpuMs } = {}] = given;
    if (!files.map(textIn).some(isHostile)) return tagsOf(...given);
    if (!alone) return Promise.resolve({ none: 'time' });
    if (files.map(textIn).every(isHostile)) limits.push(cpuMs, within);
    return Promise.resolve({ tags: packTags(files.map(() => '')), late: [0] });
  };
  const map = await mapping(60_000);
  expect(await map()).toContain('[hostile.ts took too long to parse: without symbols here]');
  // The parser gives up before the thread is ended, which may only mean that the machine is busy.
  const [cpuMs = Infinity, within = 0] = limits;
  expect(cpuMs).toBeLessThan(within);
  asked.length = 0;
  expect(await map()).toContain('[hostile.ts took too long to parse: without symbols here]');
  expect(asked).toEqual([]);
});

test('a call without a timeout parses them, too', async () => {
  answer.of = undefined;
  const map = await mapping(Infinity);
  expectOthers(await map());
});
