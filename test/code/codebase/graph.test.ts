/** How the files of a tree hang together after a change, beside the same made anew. */

import { expect, test } from 'vitest';
import { FileGraph } from '../../../src/code/codebase/graph.ts';
import { TagStore } from '../../../src/code/codebase/tag-store.ts';
import { sketch } from '../../../src/code/sketch.ts';
import { hashOf, packTags } from '../../../src/code/tags.ts';
import { fc } from '../../support/properties.ts';

/** What one file declares, uses and imports. */
interface Facts {
  readonly declares: readonly string[];
  readonly uses: readonly string[];
  readonly imports: readonly number[];
}

const COUNT = 6;
const paths = Array.from({ length: COUNT }, (_, no) => `src/f${no}.ts`);

function tagsOf({ declares, uses, imports }: Facts): string {
  const symbols = declares.map((name, i) => `8\t${i + 1}\t${i + 1}\t${i + 1}\t0\t${name}\t\t${name}()\t`);
  const used = uses.map((name, i) => `${name}\t${i + 90}\t`);
  return [symbols, used, imports.map((no) => `./f${no}.ts`)].map((part) => part.join('\n')).join('\x1c');
}

/** The files of a tree in a store, and their graphs. */
function tree(): { set(no: number, facts: Facts): void; graph(before?: FileGraph): FileGraph } {
  const store = new TagStore();
  let keys = 0;
  return {
    set: (no, facts) =>
      store.put(
        { entries: [{ path: paths[no] as string, key: `${(keys += 1)}` }], tags: packTags([tagsOf(facts)]) },
        '/',
      ),
    graph: (before) =>
      new FileGraph(
        paths,
        'src',
        paths.map((path) => store.fileOf(`/${path}`)),
        before,
      ),
  };
}

/** All that it says. */
function saidBy(graph: FileGraph): unknown {
  const { ranks, order } = graph.ranking;
  const imports = paths.map((_, file) => graph.importsOf(file));
  return { ranks: [...ranks], order, imports };
}

const name = fc.constantFrom('open', 'close', 'read', 'write', 'seek');
const facts = fc.record({
  declares: fc.uniqueArray(name, { maxLength: 3 }),
  uses: fc.uniqueArray(name, { maxLength: 4 }),
  imports: fc.uniqueArray(fc.nat({ max: COUNT - 1 }), { maxLength: 2 }),
});
const change = fc.record({ no: fc.nat({ max: COUNT - 1 }), facts, asked: fc.boolean() });

test('a graph updated from the former equals a new one', { tags: 'slow' }, () => {
  fc.assert(
    fc.property(
      fc.array(facts, { minLength: COUNT, maxLength: COUNT }),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      (first, changes) => {
        const files = tree();
        first.forEach((one, no) => files.set(no, one));
        let graph = files.graph();
        saidBy(graph);
        for (const { no, facts: now, asked } of changes) {
          files.set(no, now);
          graph = files.graph(graph);
          // Of some nothing but a definition was asked.
          if (!asked) continue;
          expect(saidBy(graph)).toEqual(saidBy(files.graph()));
        }
        expect(saidBy(graph)).toEqual(saidBy(files.graph()));
        for (const one of ['open', 'close', 'read', 'write', 'seek'])
          expect(graph.declarations.filesOf(hashOf(one))).toEqual(
            files.graph().declarations.filesOf(hashOf(one)),
          );
      },
    ),
  );
});

test('a namespace of C# means its files that declare what is used', () => {
  const files = ['use.cs', 'till.cs', 'other.cs'];
  const texts = [
    'using Shop.Cash;\nclass A { Till one; }\n',
    'namespace Shop.Cash;\nclass Till { }\n',
    'namespace Shop.Cash\n{\n  class Other { }\n}\n',
  ];
  const store = new TagStore();
  const tags = packTags(texts.map((text) => sketch(text, 'csharp') ?? ''));
  store.put({ entries: files.map((path) => ({ path, key: path })), tags }, '/');
  const graph = new FileGraph(
    files,
    'top',
    files.map((path) => store.fileOf(`/${path}`)),
  );
  expect(graph.importsOf(0)).toEqual([1]);
});
