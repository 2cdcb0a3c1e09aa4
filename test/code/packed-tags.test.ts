/** The tags of some files together. */

import { expect, test } from 'vitest';
import {
  readImports,
  readSymbols,
  readUses,
  countsIn,
  declaredIn,
  hashOf,
  KNOWN,
  packTags,
  unpackTags,
  usedIn,
} from '../../src/code/tags.ts';

const tags = [
  '8\t1\t2\t1\t0\topen\t\topen()\t\n8\t4\t6\t4\t0\tgröße\t\tgröße()\t\x1copen\t3 4\t5\nclose\t\t7\x1c./b.ts\nos',
  '',
  `\x1c${'other\t1\t'}\x1c`,
  // A name that is declared twice, more uses than fit in a byte, and no end of the last part.
  `8\t1\t1\t1\t0\tf\t\tf()\t\n8\t2\t2\t2\t0\tf\t\tf()\t\x1cf\t${'1 '.repeat(199)}9\t${'2 '.repeat(99)}9`,
];

test('packed tags are unpacked as they were, with their numbers', () => {
  const packed = packTags(tags);
  expect(unpackTags(packed)).toEqual(tags);
  expect([...packed.known]).toEqual([KNOWN.all, KNOWN.nothing, KNOWN.all, KNOWN.all]);
  expect(packed.imports.split('\0')).toEqual(tags.map((one) => readImports(one).join('\n')));
  for (const [i, one] of tags.entries()) {
    expect([...declaredIn(packed, i)]).toEqual([
      ...new Set(readSymbols(one).map(({ name }) => hashOf(name))),
    ]);
    expect([...usedIn(packed, i)]).toEqual(readUses(one).map(({ name }) => hashOf(name)));
    expect([...countsIn(packed, i)]).toEqual(
      readUses(one).map(({ plain, member }) => Math.min(255, plain.length + member.length)),
    );
  }
});

test('a file with too many symbols is known in part', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => `8\t${i}\t${i}\t${i}\t0\tm${i}\t\t\t`).join('\n');
  expect([...packTags([`${many}\x1c\x1c`]).known]).toEqual([KNOWN.part]);
});
