/** Full-text search for symbols: BM25 over the words of their names, signatures, comments and paths. */

import MiniSearch from 'minisearch';
import type { Tag } from '../views/file-tags.ts';
import type { Definition, Tree } from './code-tree.ts';

/** Maximum files whose symbols are ranked: those with the best scores for the words. */
const MOST_FILES = 300;

/** Maximum words of a query: each is matched against every file. */
const MOST_WORDS = 32;

/** After so many symbols no further file is added. */
const MOST_SYMBOLS = 30_000;

/** The weight of a match in each field. */
const BOOST = { name: 6, qualified: 2, path: 2, signature: 1, doc: 1.5 };

/** The symbols that match at least one of the words, the best first, at most `most`. */
export function findWords(tree: Tree, words: readonly string[], most: number): Definition[] {
  const terms = words.flatMap(wordsOf).slice(0, MOST_WORDS);
  const definitions: Definition[] = [];
  for (const file of filesWith(tree, terms)) {
    for (const tag of tree.tagsOf(file)) definitions.push({ file, tag });
    if (definitions.length > MOST_SYMBOLS) break;
  }
  const search = new MiniSearch<{ id: number }>({
    fields: Object.keys(BOOST),
    tokenize: wordsOf,
    processTerm: (term) => term,
    extractField: (document, field) =>
      field === 'id' ? String(document.id) : fieldOf(tree, definitions[document.id], field),
  });
  search.addAll(definitions.map((_, id) => ({ id })));
  const weight = (id: number): number => {
    const { file, tag } = definitions[id] as Definition;
    return importanceOf(tree, file) * (LESSER.has(tag.kind) ? 0.3 : 1);
  };
  return search
    .search(terms.join(' '), {
      boost: BOOST,
      prefix: (term) => term.length >= 4,
      boostDocument: (id: number) => weight(id),
    })
    .slice(0, most)
    .map(({ id }) => definitions[id as number] as Definition);
}

/** A weight from above 1 for the least important file to 2 for the most important one. */
function importanceOf(tree: Tree, file: number): number {
  const place = tree.places[file] ?? tree.paths.length;
  return 2 - place / Math.max(1, tree.paths.length);
}

/** Symbols that count less than functions and types. */
const LESSER: ReadonlySet<Tag['kind']> = new Set(['property', 'variable', 'constant', 'key']);

function fieldOf(tree: Tree, definition: Definition | undefined, field: string): string {
  if (!definition) return '';
  if (field === 'path') return tree.pathOf(definition.file);
  return String(definition.tag[field as 'name' | 'qualified' | 'signature' | 'doc']);
}

/** The files that contain any of the terms, by the sum of the rarities of these terms. */
function filesWith(tree: Tree, terms: readonly string[]): number[] {
  // Safe as patterns: terms consist of letters and digits.
  const patterns = terms.map((term) => new RegExp(term, 'iu'));
  const hits = patterns.map((): number[] => []);
  for (const file of tree.paths.keys()) {
    const text = `${tree.pathOf(file)}\n${tree.textOf(file)}`;
    patterns.forEach((pattern, i) => {
      if (pattern.test(text)) hits[i]?.push(file);
    });
  }
  const scores = new Float64Array(tree.paths.length);
  for (const files of hits) {
    const rarity = Math.log(1 + tree.paths.length / Math.max(1, files.length));
    for (const file of files) scores[file] = (scores[file] ?? 0) + rarity;
  }
  return tree.order
    .filter((file) => (scores[file] ?? 0) > 0)
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .slice(0, MOST_FILES);
}

/** Lower-case words of at least two characters: `"parseHTTPRequest_v2"` → parse, http, request, v2. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
}
