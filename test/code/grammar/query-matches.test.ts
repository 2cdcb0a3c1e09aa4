/**
 * Matches that are read from the parser's memory are those that its library makes.
 *
 * @module-tag slow
 */

import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Language as Grammar, Parser, Query, type QueryMatch } from 'web-tree-sitter';
import type { GrammarMatch } from '../../../src/code/grammar/captures.ts';
import { type ParserModule, queryMatches } from '../../../src/code/grammar/parse.ts';
import { languageOf, languages } from '../../../src/code/languages.ts';
import { built } from '../../support/built.ts';

const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { Memory: new (size: { initial: number; maximum: number }) => ParserModule['wasmMemory'] };
};
const module = { wasmMemory: new wasm.Memory({ initial: 512, maximum: 32_768 }) } as ParserModule;
await Parser.init(module);

const fixtures = new URL('../../fixtures/outlines/', import.meta.url);
const asset = (path: string): Buffer => readFileSync(built(`grammars/${path}`));

const plain = ({ patternIndex, captures }: QueryMatch): GrammarMatch => ({
  pattern: patternIndex,
  captures: captures.map(({ name, node }) => ({ name, start: node.startIndex, end: node.endIndex })),
});

test.each(languages.filter(({ grammar }) => grammar !== undefined))(
  '$name',
  { tags: 'slow' },
  async (language) => {
    const { grammar, queries = [], uses = [] } = language;
    const read = await Grammar.load(brotliDecompressSync(asset(`${grammar}.wasm.br`)));
    const parser = new Parser();
    parser.setLanguage(read);
    const files = [...queries, ...uses.map((name) => `uses/${name}`)];
    const query = new Query(read, files.map((name) => asset(`${name}.scm`)).join('\n'));
    const named = readdirSync(fixtures).filter((name) => name.endsWith('.txt'));
    const texts = named
      .map((name) => [name.slice(0, -'.txt'.length), readFileSync(new URL(name, fixtures), 'utf8')] as const)
      .filter(([name, text]) => languageOf(name, text) === language)
      // Characters of two units before all nodes.
      .flatMap(([, text]) => [text, text.replaceAll('"', '"\u{1f600}')]);
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      const tree = parser.parse(text);
      if (!tree) throw new Error('not parsed');
      const wanted = query.matches(tree.rootNode).map(plain);
      const all = { module, late: () => false, firstUse: Infinity };
      const { matches } = queryMatches(query, tree, text, all);
      expect(matches).toEqual(wanted);
      expect(matches.length).toBeGreaterThan(0);
      const firstUse = wanted[wanted.length >> 1]?.pattern ?? 0;
      const parts = queryMatches(query, tree, text, { ...all, firstUse });
      expect(parts.matches).toEqual(wanted.filter(({ pattern }) => pattern < firstUse));
      const { names, capture, start, end, count } = parts.uses;
      expect(
        Array.from({ length: count }, (_, i) => ({
          name: names[capture[i] as number],
          start: start[i],
          end: end[i],
        })),
      ).toEqual(
        wanted
          .flatMap(({ pattern, captures }) => (pattern < firstUse ? [] : captures))
          .sort((a, b) => a.start - b.start),
      );
      tree.delete();
    }
  },
);

test('a query that is told to stop ends immediately', async () => {
  const read = await Grammar.load(brotliDecompressSync(asset('javascript.wasm.br')));
  const parser = new Parser();
  parser.setLanguage(read);
  const query = new Query(read, '(identifier) @use');
  const text = 'a + b;\n'.repeat(5_000);
  const tree = parser.parse(text);
  if (!tree) throw new Error('not parsed');
  const run = (late: () => boolean): number =>
    queryMatches(query, tree, text, { module, late, firstUse: Infinity }).matches.length;
  expect(run(() => true)).toBeLessThan(1_000);
  expect(run(() => false)).toBe(10_000);
});
