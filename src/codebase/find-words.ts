/** Symbols by what they are about: BM25 over their names, split into words, their signatures, comments and paths. */

import MiniSearch from 'minisearch';
import type { Tag } from '../views/file-tags.ts';
import type { Definition, Tree } from './code-tree.ts';

/** Files whose symbols are compared: those that have the most of the words. */
const MOST_FILES = 300;

/** Words that are looked for: each is compared with every file. */
const MOST_WORDS = 32;
const MOST_SYMBOLS = 30_000;

/** What is found in each field counts. */
const BOOST = { name: 6, qualified: 2, path: 2, signature: 1, doc: 1.5 };

/** The symbols that match at least one of the words, the best first. */
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
    return standingOf(tree, file) * (LESSER.has(tag.kind) ? 0.3 : 1);
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

/** The more a file matters, the better its symbols; no file matters more than twice as much as another. */
function standingOf(tree: Tree, file: number): number {
  const place = tree.places[file] ?? tree.paths.length;
  return 2 - place / Math.max(1, tree.paths.length);
}

const LESSER: ReadonlySet<Tag['kind']> = new Set(['property', 'variable', 'constant', 'key']);

function fieldOf(tree: Tree, definition: Definition | undefined, field: string): string {
  if (!definition) return '';
  if (field === 'path') return tree.pathOf(definition.file);
  return String(definition.tag[field as 'name' | 'qualified' | 'signature' | 'doc']);
}

/** By how rare the words are that a file has. */
function filesWith(tree: Tree, terms: readonly string[]): number[] {
  // They are letters and digits only.
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

/** `"parseHTTPRequest_v2"` → parse, http, request, v2. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
}
