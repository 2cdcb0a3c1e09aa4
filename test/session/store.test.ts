import { expect, onTestFinished, test } from 'vitest';
import { Identity } from '../../src/identity.ts';
import { MemoryStore, type StoreBudget } from '../../src/session/session.ts';
import { memoryBytes } from '../../src/text/bytes.ts';
import type { ByteSource } from '../../src/types/access.ts';
import type { ComputedValue, DerivedKind, StoreUser, ValueComputation } from '../../src/types/session.ts';

const MIB = 1 << 20;

interface Thing {
  readonly name: string;
  readonly bytes: number;
  readonly disk?: number;
  readonly descriptors?: number;
  lasts?: boolean;
}

/** A kind that notes what becomes of its things. */
function kindOf(name: string): { kind: DerivedKind<Thing, { limit?: number }>; disposed: string[] } {
  const disposed: string[] = [];
  const kind: DerivedKind<Thing, { limit?: number }> = {
    name,
    weigh: ({ bytes, disk = 0, descriptors = 0 }) => ({ memory: bytes, disk, descriptors }),
    dispose: (thing) => void disposed.push(thing.name),
    lasts: ({ lasts = true }) => lasts,
  };
  return { kind, disposed };
}

/** A call: `end` runs what was registered with it, the last first. */
function call(): StoreUser & { end(): Promise<void>; abort(): void; readonly told: string[] } {
  const stop = new AbortController();
  const releases: (() => void | Promise<void>)[] = [];
  const told: string[] = [];
  return {
    signal: stop.signal,
    told,
    progress: ({ message }) => void told.push(message),
    onEnd: (release) => void releases.push(release),
    abort: () => stop.abort(new Error('cancelled')),
    async end() {
      for (const release of releases.splice(0).toReversed()) await release();
    },
  };
}

const bytesOf = (name: string): ByteSource => memoryBytes(name, Identity.of('test', { name }));

function storeOf(budget: Partial<StoreBudget> = {}): MemoryStore {
  const store = new MemoryStore(budget);
  onTestFinished(() => store.close());
  return store;
}

/** Asks for a thing of that name in a call of its own, which ends immediately. */
async function ask(
  store: MemoryStore,
  kind: DerivedKind<Thing, { limit?: number }>,
  name: string,
  thing: Partial<Thing> & { limit?: number; keep?: boolean } = {},
): Promise<'hit' | 'miss'> {
  let made: 'hit' | 'miss' = 'hit';
  const { limit, keep = true, ...facts } = thing;
  const user = call();
  const make = (): Promise<ComputedValue<Thing>> => {
    made = 'miss';
    return Promise.resolve({ value: { name, bytes: 0, ...facts }, keep });
  };
  await store.get(kind, bytesOf(name), limit === undefined ? {} : { limit }, make, user);
  await user.end();
  return made;
}

/** A computation that goes on until it is told what to answer. */
function slow(): {
  make(computation: ValueComputation): Promise<ComputedValue<Thing>>;
  answer(thing: ComputedValue<Thing>): void;
  fail(error: Error): void;
  computations: ValueComputation[];
} {
  let answer: (computed: ComputedValue<Thing>) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const computations: ValueComputation[] = [];
  return {
    computations,
    make(computation) {
      computations.push(computation);
      return new Promise((resolve, reject) => {
        answer = resolve;
        fail = reject;
        computation.signal.addEventListener('abort', () => reject(computation.signal.reason as Error));
      });
    },
    answer: (made) => answer(made),
    fail: (error) => fail(error),
  };
}

test('a value is computed once for bytes, kind and options', async () => {
  const store = storeOf();
  const { kind } = kindOf('text');
  const { kind: other } = kindOf('outline');
  expect([await ask(store, kind, 'a'), await ask(store, kind, 'a')]).toEqual(['miss', 'hit']);
  expect(await ask(store, kind, 'b')).toBe('miss');
  expect([await ask(store, kind, 'a', { limit: 5 }), await ask(store, kind, 'a', { limit: 5 })]).toEqual([
    'miss',
    'hit',
  ]);
  expect(await ask(store, kind, 'a', { limit: Number.POSITIVE_INFINITY })).toBe('miss');
  expect(await ask(store, other, 'a')).toBe('miss');
  const [user, now] = [call(), { name: 'now', bytes: 0 }];
  expect(store.getNow(other, bytesOf('now'), {}, () => now, user)).toBe(now);
  expect(store.getNow(other, bytesOf('now'), {}, () => ({ ...now }), user)).toBe(now);
  expect(store.stats().get('outline')).toMatchObject({ hits: 1, misses: 2, entries: 2 });
  await user.end();
  expect(store.stats().get('text')).toMatchObject({
    hits: 2,
    misses: 4,
    joined: 0,
    entries: 4,
    evictions: 0,
  });
});

test('the end of a computation on an unsettled file leaves that on the same, settled file', async () => {
  const store = storeOf();
  const { kind } = kindOf('text');
  const facts = { dev: 1n, ino: 2n, size: 1n, mtimeNs: 3n, ctimeNs: 3n };
  const [early, late] = [slow(), slow()];
  const get = (settled: boolean, { make }: ReturnType<typeof slow>): Promise<Thing> =>
    store.get(kind, memoryBytes('x', Identity.file(facts, settled)), {}, make, call());
  const first = get(false, early);
  const second = get(true, late);
  early.answer({ value: { name: 'early', bytes: 0 }, keep: true });
  expect((await first).name).toBe('early');
  const third = get(true, { ...slow(), make: () => Promise.reject(new Error('computed again')) });
  late.answer({ value: { name: 'late', bytes: 0 }, keep: true });
  expect([(await second).name, (await third).name]).toEqual(['late', 'late']);
});

test('a value that may not be kept is used once', async () => {
  const store = storeOf();
  const { kind, disposed } = kindOf('text');
  expect(await ask(store, kind, 'a', { keep: false })).toBe('miss');
  expect(disposed).toEqual(['a']);
  expect(await ask(store, kind, 'a')).toBe('miss');
  expect(store.stats().get('text')?.entries).toBe(1);
});

test('nothing is kept for bytes whose identity does not recur', async () => {
  const store = storeOf();
  const { kind, disposed } = kindOf('text');
  const user = call();
  const once = memoryBytes('x');
  const make = () => Promise.resolve({ value: { name: 'once', bytes: 1 }, keep: true });
  const [one, other] = await Promise.all([
    store.get(kind, once, {}, make, user),
    store.get(kind, once, {}, make, user),
  ]);
  expect(one).not.toBe(other);
  expect(store.getNow(kind, once, {}, () => ({ name: 'now', bytes: 1 }), user).name).toBe('now');
  expect(disposed).toEqual([]);
  await user.end();
  expect(disposed).toEqual(['now', 'once', 'once']);
  expect(store.stats().get('text')).toMatchObject({ entries: 0, misses: 3, weight: { memory: 0 } });
});

test('an error is thrown only to the calls that wait', async () => {
  const store = storeOf();
  const { kind } = kindOf('text');
  const failing = () => Promise.reject(new Error('once'));
  await expect(store.get(kind, bytesOf('a'), {}, failing, call())).rejects.toThrow('once');
  const thrown = (): never => {
    throw new Error('at once');
  };
  await expect(store.get(kind, bytesOf('a'), {}, thrown, call())).rejects.toThrow('at once');
  expect(await ask(store, kind, 'a')).toBe('miss');
});

test('the least recently used value is evicted and disposed', async () => {
  const store = storeOf({ memory: 70 * MIB });
  const { kind, disposed } = kindOf('text');
  for (const name of ['a', 'b', 'a']) await ask(store, kind, name, { bytes: 30 * MIB });
  await ask(store, kind, 'c', { bytes: 30 * MIB });
  expect(disposed).toEqual(['b']);
  expect(await ask(store, kind, 'a')).toBe('hit');
  expect(store.stats().get('text')?.evictions).toBe(1);
});

test('a value beyond the whole budget evicts nothing else', async () => {
  const store = storeOf({ memory: 70 * MIB, disk: 100, descriptors: 2 });
  const { kind, disposed } = kindOf('text');
  for (const name of ['a', 'b']) await ask(store, kind, name, { bytes: 30 * MIB });
  await ask(store, kind, 'huge', { bytes: 71 * MIB });
  await ask(store, kind, 'long', { disk: 101 });
  await ask(store, kind, 'full', { disk: 100 });
  expect(disposed).toEqual(['huge', 'long']);
  for (const name of ['a', 'b', 'full']) expect(await ask(store, kind, name)).toBe('hit');
});

test('disk and descriptors have separate budgets', async () => {
  const store = storeOf({ disk: 100, descriptors: 2 });
  const { kind, disposed } = kindOf('spool');
  await ask(store, kind, 'small');
  for (const name of ['a', 'b', 'c']) await ask(store, kind, name, { descriptors: 1 });
  expect(disposed).toEqual(['a']);
  for (const name of ['d', 'e']) await ask(store, kind, name, { disk: 60 });
  expect(disposed).toEqual(['a', 'd']);
  expect(await ask(store, kind, 'small')).toBe('hit');
});

test('the kind over its share is evicted, no other one', async () => {
  const store = storeOf({ memory: 4 * MIB });
  const { kind: index, disposed: lost } = kindOf('line index');
  const { kind: listing, disposed } = kindOf('listing');
  await ask(store, index, 'file', { bytes: 1 * MIB });
  for (let i = 0; i < 64; i += 1) await ask(store, listing, `folder ${i}`, { bytes: MIB / 8 });
  expect(lost).toEqual([]);
  expect(await ask(store, index, 'file')).toBe('hit');
  expect(disposed.slice(0, 3)).toEqual(['folder 0', 'folder 1', 'folder 2']);
  const { memory } = store.stats().get('listing')?.weight ?? { memory: 0 };
  expect(memory).toBeLessThanOrEqual(3 * MIB);
  expect(memory).toBeGreaterThan(2 * MIB);
});

test('of several kinds over their share the largest is evicted', async () => {
  const store = storeOf({ disk: 100 });
  const [first, second, third] = [kindOf('a'), kindOf('b'), kindOf('c')];
  await ask(store, first.kind, 'a', { disk: 40 });
  for (const name of ['b', 'bb']) await ask(store, second.kind, name, { disk: 25 });
  await ask(store, third.kind, 'c', { disk: 20 });
  expect(second.disposed).toEqual(['b']);
});

test('a kind within its share loses nothing while others are in use', async () => {
  const store = storeOf({ disk: 100 });
  const [used, within, none] = [kindOf('a'), kindOf('b'), kindOf('c')];
  const user = call();
  store.getNow(used.kind, bytesOf('a'), {}, () => ({ name: 'a', bytes: 0, disk: 60 }), user);
  await ask(store, none.kind, 'c');
  await ask(store, within.kind, 'b', { disk: 50 });
  expect([within.disposed, await ask(store, used.kind, 'a')]).toEqual([[], 'hit']);
  await user.end();
  expect([used.disposed, within.disposed, none.disposed]).toEqual([['a'], [], []]);
});

test('a kind with its own limit stays within that limit', async () => {
  const store = storeOf({ memory: 100 * MIB });
  const { kind, disposed } = kindOf('text');
  const { kind: other, disposed: others } = kindOf('index');
  const bounded = { ...kind, mostMemory: 3 * MIB };
  await ask(store, other, 'file', { bytes: 50 * MIB });
  for (const name of ['a', 'b', 'c', 'd']) await ask(store, bounded, name, { bytes: MIB - 10_000 });
  expect([disposed, others]).toEqual([['a'], []]);
  expect(await ask(store, bounded, 'd')).toBe('hit');
});

test('small values have a minimum weight, bounding their number', async () => {
  const store = storeOf({ memory: 100_000 });
  const { kind } = kindOf('text');
  for (let i = 0; i < 1000; i += 1) await ask(store, kind, `f${i}`);
  expect(store.stats().get('text')?.entries).toBeLessThan(160);
});

test('a value in use is never evicted, but weighed afterwards', async () => {
  const store = storeOf({ memory: 10 * MIB });
  const { kind, disposed } = kindOf('text');
  const user = call();
  const growing = { name: 'growing', bytes: 0 };
  await store.get(kind, bytesOf('growing'), {}, () => Promise.resolve({ value: growing, keep: true }), user);
  growing.bytes = 6 * MIB;
  await ask(store, kind, 'a', { bytes: 9 * MIB });
  await ask(store, kind, 'b', { bytes: 9 * MIB });
  expect(disposed).toEqual(['a']);
  await user.end();
  expect(disposed).toEqual(['a', 'growing']);
  growing.bytes = 0;
  expect(await ask(store, kind, 'b')).toBe('hit');
});

test('a value that became invalid is evicted at next use', async () => {
  const store = storeOf();
  const { kind, disposed } = kindOf('spool');
  const thing: Thing = { name: 'a', bytes: 1 };
  const make = () => Promise.resolve({ value: thing, keep: true });
  const [one, other] = [call(), call()];
  await store.get(kind, bytesOf('a'), {}, make, one);
  await store.get(kind, bytesOf('a'), {}, make, other);
  thing.lasts = false;
  await one.end();
  expect(disposed).toEqual([]);
  expect(await ask(store, kind, 'a')).toBe('miss');
  await other.end();
  expect(disposed).toEqual(['a']);
  expect(await ask(store, kind, 'a')).toBe('hit');
});

test('concurrent calls share one computation, each to its own end', async () => {
  const store = storeOf();
  const { kind, disposed } = kindOf('text');
  const maker = slow();
  const users = [call(), call(), call()];
  const asked = users.map((user) => store.get(kind, bytesOf('a'), {}, maker.make, user));
  maker.computations[0]?.progress({ message: 'half' });
  maker.answer({ value: { name: 'a', bytes: 0 }, keep: false });
  const things = await Promise.all(asked);
  expect(new Set(things).size).toBe(1);
  expect(maker.computations.length).toBe(1);
  expect(users.map(({ told }) => told)).toEqual([['half'], ['half'], ['half']]);
  for (const user of users) {
    expect(disposed).toEqual([]);
    await user.end();
  }
  expect(disposed).toEqual(['a']);
  expect(store.stats().get('text')).toMatchObject({ misses: 1, joined: 2 });
});

test('cancelling the first call does not end the others’ work', async () => {
  const store = storeOf();
  const { kind } = kindOf('text');
  const maker = slow();
  const [first, second] = [call(), call()];
  const one = store.get(kind, bytesOf('a'), {}, maker.make, first);
  const other = store.get(kind, bytesOf('a'), {}, maker.make, second);
  first.abort();
  await expect(one).rejects.toThrow('cancelled');
  expect(maker.computations[0]?.signal.aborted).toBe(false);
  maker.answer({ value: { name: 'a', bytes: 0 }, keep: true });
  expect(await other).toEqual({ name: 'a', bytes: 0 });
  expect(await ask(store, kind, 'a')).toBe('hit');
});

test('the bytes stay readable through the remaining calls', async () => {
  const store = storeOf();
  const { kind } = kindOf('text');
  const [first, second] = [call(), call()];
  const open = (user: StoreUser): ByteSource => ({
    ...bytesOf('a'),
    readInto(target, offset) {
      if (user.signal.aborted) return Promise.reject(new Error('closed'));
      return bytesOf('a').readInto(target, offset);
    },
  });
  let go = (): void => undefined;
  const make = async ({ source }: ValueComputation): Promise<ComputedValue<Thing>> => {
    await new Promise<void>((resolve) => (go = resolve));
    const target = Buffer.alloc(1);
    await source.readInto(target, 0);
    return { value: { name: target.toString(), bytes: 0 }, keep: true };
  };
  const one = store.get(kind, open(first), {}, make, first);
  const other = store.get(kind, open(second), {}, make, second);
  // The last that lent its bytes leaves, too.
  second.abort();
  await expect(other).rejects.toThrow('cancelled');
  go();
  expect((await one).name).toBe('a');
});

test('a kept value reads on when another call lends its bytes', async () => {
  const store = storeOf();
  const { kind } = kindOf('text');
  let source = bytesOf('b');
  const make = (computation: ValueComputation): Promise<ComputedValue<Thing>> => {
    source = computation.source;
    return Promise.resolve({ value: { name: 'a', bytes: 0 }, keep: true });
  };
  const [first, second] = [call(), call()];
  await store.get(kind, { ...bytesOf('a'), remote: true, size: 1 }, {}, make, first);
  await first.end();
  expect([source.size, source.remote]).toEqual([1, true]);
  const target = Buffer.alloc(1);
  const reading = source.readInto(target, 0);
  await store.get(kind, { ...bytesOf('a'), size: 2 }, {}, make, second);
  expect([await reading, target.toString(), source.size, source.remote]).toEqual([1, 'a', 2, false]);
  await second.end();
  const late = expect(source.readInto(target, 0)).rejects.toThrow('No call uses this any more.');
  await store.close();
  await late;
});

test('work that no call waits for is cancelled and restarted', async () => {
  const store = storeOf();
  const { kind, disposed } = kindOf('text');
  const maker = slow();
  const users = [call(), call()];
  const asked = users.map((user) => store.get(kind, bytesOf('a'), {}, maker.make, user));
  for (const user of users) user.abort();
  for (const one of asked) await expect(one).rejects.toThrow('cancelled');
  expect(maker.computations[0]?.signal.aborted).toBe(true);
  expect(await ask(store, kind, 'a')).toBe('miss');
  expect(disposed).toEqual([]);
});

test('a value completed when no call waits is disposed', async () => {
  const store = storeOf();
  const { kind, disposed } = kindOf('text');
  const user = call();
  let answer: (computed: ComputedValue<Thing>) => void = () => undefined;
  const stubborn = () => new Promise<ComputedValue<Thing>>((resolve) => (answer = resolve));
  const asked = store.get(kind, bytesOf('a'), {}, stubborn, user);
  user.abort();
  await expect(asked).rejects.toThrow('cancelled');
  answer({ value: { name: 'late', bytes: 0 }, keep: true });
  await expect.poll(() => disposed).toEqual(['late']);
  expect(await ask(store, kind, 'a')).toBe('miss');
});

test('an already cancelled call starts nothing', async () => {
  const store = storeOf();
  const { kind } = kindOf('text');
  const user = call();
  user.abort();
  const maker = slow();
  await expect(store.get(kind, bytesOf('a'), {}, maker.make, user)).rejects.toThrow('cancelled');
  expect(maker.computations).toEqual([]);
});

test('closing disposes everything, values in use when their call ends', async () => {
  const store = storeOf();
  const { kind, disposed } = kindOf('text');
  await ask(store, kind, 'idle');
  const user = call();
  const used = () => Promise.resolve({ value: { name: 'used', bytes: 0 }, keep: true });
  await store.get(kind, bytesOf('used'), {}, used, user);
  const maker = slow();
  // The identity of the latter does not recur.
  const asked = [bytesOf('slow'), memoryBytes('x')].map((of) => store.get(kind, of, {}, maker.make, call()));
  const refused = asked.map((one) => expect(one).rejects.toThrow('The session is closed.'));
  await store.close();
  await Promise.all(refused);
  expect(disposed).toEqual(['idle']);
  expect(maker.computations.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  await user.end();
  expect(disposed).toEqual(['idle', 'used']);
  expect(await ask(store, kind, 'later')).toBe('miss');
  expect(disposed).toEqual(['idle', 'used', 'later']);
});

test('a failed disposal does not affect other values', async () => {
  const store = storeOf({ memory: 10_000 });
  const kind: DerivedKind<Thing> = {
    name: 'broken',
    weigh: ({ bytes }) => ({ memory: bytes }),
    dispose: () => Promise.reject(new Error('the disk is gone')),
  };
  for (const name of ['a', 'b', 'c']) await ask(store, kind, name, { bytes: 5000 });
  expect(store.stats().get('broken')).toMatchObject({ evictions: 2, entries: 1 });
});

test('a failed disposal is reported, and the store continues', async () => {
  const told: unknown[] = [];
  const store = new MemoryStore({}, (error) => told.push(error));
  const lost = new Error('EIO');
  const kind: DerivedKind<Thing> = {
    name: 'broken',
    weigh: ({ bytes }) => ({ memory: bytes }),
    dispose: () => Promise.reject(lost),
  };
  await ask(store, kind, 'a');
  await store.close();
  expect(told).toEqual([lost]);
});
