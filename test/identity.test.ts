import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fc } from './support/properties.ts';
import { type Fact, type Facts, Identity } from '../src/identity.ts';

const stats = { dev: 1n, ino: 2n, size: 3n, mtimeNs: 4n, ctimeNs: 5n };
const member = { name: 'member', options: { path: '' } };

test('a file is what it was when it was opened', () => {
  expect(Identity.file(stats).key).toBe('["file",1n,2n,3n,4n,5n]');
  expect(Identity.file({ ...stats }).equals(Identity.file(stats))).toBe(true);
  for (const field of ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const) {
    expect(Identity.file({ ...stats, [field]: 9n }).equals(Identity.file(stats))).toBe(false);
  }
});

test('a derived identity holds its parent, way, version and options', () => {
  const derived = Identity.file(stats).derive(member, { path: 'a' });
  expect(derived.key).toBe('[["file",1n,2n,3n,4n,5n],"member",1,{"path":"a"}]');
  expect(`${derived}`).toBe(derived.key);
  const newer = Identity.file(stats).derive({ ...member, version: 2 }, { path: 'a' });
  expect(newer.equals(derived)).toBe(false);
});

test('the order of fields and absent fields do not matter', () => {
  const of = (facts: Facts) => Identity.of('x', facts).key;
  expect(of({ a: 1, b: 2 })).toBe(of({ b: 2, a: 1 }));
  expect(of({ a: 1, b: undefined })).toBe(of({ a: 1 }));
});

const fact: fc.Arbitrary<Fact> = fc.letrec<{ fact: Fact }>((tie) => ({
  fact: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.double(),
    fc.bigInt(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('fact'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('fact'), { maxKeys: 3 }),
  ),
})).fact;

test('different facts have different keys, equal facts the same', () => {
  const facts = fc.dictionary(fc.string({ maxLength: 3 }), fact, { maxKeys: 3, noNullPrototype: true });
  // Negative zero is the one number that is written as another one.
  const plain = (value: unknown): unknown =>
    typeof value === 'bigint' ? `big ${value}` : typeof value === 'number' ? `number ${value}` : value;
  const same = (a: Facts, b: Facts) =>
    JSON.stringify(sorted(a), (_, v) => plain(v)) === JSON.stringify(sorted(b), (_, v) => plain(v));
  fc.assert(
    fc.property(facts, facts, (a, b) => {
      expect(Identity.of('x', a).equals(Identity.of('x', b))).toBe(same(a, b));
      expect(Identity.of('x', a).equals(Identity.of('x', sorted(a) as Facts))).toBe(true);
    }),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  );
}

test('paths that contain marks of the encoding do not collide', () => {
  const root = Identity.file(stats);
  const keys = [
    root.derive(member, { path: 'a"},"b' }),
    root.derive(member, { path: 'a' }).derive(member, { path: 'b' }),
    root.derive(member, { path: 'a,b' }),
    root.derive({ name: 'listing' }, { path: 'a' }),
    root.derive(member, { path: 'a', at: 3 } as { path: string }),
    root.derive(member, { path: 'a', at: '3' } as { path: string }),
  ].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

test('an identity that cannot recur derives none that can', () => {
  expect([Identity.file(stats).recurs, Identity.of('x', {}).recurs]).toEqual([true, true]);
  expect(Identity.file(stats, false).derive(member, { path: 'a' }).recurs).toBe(false);
  const [one, other] = [Identity.once('listing'), Identity.once('listing')];
  expect([one.recurs, one.equals(other)]).toEqual([false, false]);
});

test('no two ways of deriving have one name', () => {
  const names = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(`src/${file}`, 'utf8');
      return Array.from(
        text.matchAll(/: (?:Kind|Derivation)<[^=]*=\s*\{\s*name: '([^']+)'/g),
        (found) => found[1],
      );
    });
  expect(names.length).toBeGreaterThan(0);
  expect(names).toEqual([...new Set(names)]);
});
