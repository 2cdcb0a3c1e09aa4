/** Finds the definitions of a name: by its qualified name, then by the end of that, then by the file, then ignoring case. */

import MiniSearch from 'minisearch';
import { containers, definitionsAmong, standIns } from '../structure.ts';
import { isUseCut, type SymbolTag } from '../tags.ts';
import type { CodeTree, SymbolDefinition } from './code-tree.ts';
import { pathWeight } from './paths.ts';
import { wordsOf } from './words.ts';

/**
 * The definitions that match `name` (`Session.close`, `close`, `Session#close`, `ns::Session::close`) by the first of these
 * ways that finds any. Those in the most important files are first. `inFile`: the path of the only file that is searched.
 */
export function findDefinitions(tree: CodeTree, name: string, inFile?: string): SymbolDefinition[] {
  const dotted = name
    .replace(/::|#|->/g, '.')
    .replace(/\.+/g, '.')
    .replace(/^\.|\(\)$/g, '');
  const last = dotted.slice(dotted.lastIndexOf('.') + 1);
  // Private names of JavaScript begin with `#`, and may be asked for without it.
  const all = [...tree.definitions(last), ...tree.definitions(`#${last}`)];
  const sameName = definitionsAmong(
    inFile === undefined ? all : all.filter(({ file }) => tree.pathOf(file) === inFile),
    ({ tag }) => tag.kind,
  );
  const steps: ((definition: SymbolDefinition) => boolean)[] = [
    ({ tag }) => tag.qualified === name,
    ({ tag }) => plain(tag.qualified) === dotted,
    ({ tag }) => plain(tag.qualified).endsWith(`.${dotted}`),
    // `session.close` for the function `close` of the file session.ts.
    ({ file, tag }) => dotted !== last && inFileCalled(tree, file, dotted, tag.qualified),
  ];
  for (const step of steps) {
    const fits = sameName.filter(step);
    if (fits.length > 0) return inOrder(tree, fits);
  }
  const lower = dotted.toLowerCase();
  const lowerLast = last.toLowerCase();
  const others: SymbolDefinition[] = [];
  for (const known of tree.names()) {
    if (known.toLowerCase() !== lowerLast) continue;
    others.push(
      ...tree.definitions(known).filter(({ tag }) => `.${tag.qualified.toLowerCase()}`.endsWith(`.${lower}`)),
    );
  }
  return inOrder(
    tree,
    definitionsAmong(others, ({ tag }) => tag.kind),
  );
}

/** Without the `#` of private names. */
function plain(qualified: string): string {
  return qualified.replaceAll('#', '');
}

/** Whether path and qualified name, joined by dots, end in `dotted`. */
function inFileCalled(tree: CodeTree, file: number, dotted: string, qualified: string): boolean {
  const path = tree
    .pathOf(file)
    .replace(/\.\w+$/, '')
    .replaceAll('/', '.');
  return `.${path}.${qualified}`.endsWith(`.${dotted}`);
}

/** By importance of the file, then by path, then by line. */
function inOrder(tree: CodeTree, found: readonly SymbolDefinition[]): SymbolDefinition[] {
  return found.toSorted(
    (a, b) =>
      tree.rankOf(b.file) - tree.rankOf(a.file) ||
      byPath(tree.pathOf(a.file), tree.pathOf(b.file)) ||
      a.tag.from - b.tag.from,
  );
}

/** Source code before tests, then by path: unlike ranks, this does not depend on which files are parsed. */
export function inPathOrder(tree: CodeTree, a: number, b: number): number {
  const [one, other] = [tree.pathOf(a), tree.pathOf(b)];
  return pathWeight(other) - pathWeight(one) || byPath(one, other);
}

function byPath(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// Finds the uses of a symbol, and the files that import a file. Uses that imports confirm precede those that only match the name.

interface SymbolUse {
  readonly file: number;
  /** 1-based. */
  readonly line: number;
  /** The innermost symbol of at least two lines that contains the line. */
  readonly within?: SymbolTag | undefined;
  /** Whether imports confirm that it means this symbol; otherwise only the name matches. */
  readonly sure: boolean;
}

/** Maximum length of a chain of imports that is followed: each module that re-exports a symbol is one step. */
const STEPS = 3;

/**
 * The uses of `definitions`, which all have one name: the sure ones first, then by the path of the file, then by line.
 * `cut`: a file uses the name on more lines than are stored.
 */
export function findUses(
  tree: CodeTree,
  definitions: readonly SymbolDefinition[],
): { readonly uses: readonly SymbolUse[]; readonly cut: boolean } {
  const [first] = definitions;
  if (!first) return { uses: [], cut: false };
  const { name } = first.tag;
  const isMember = definitions.every((one) => isInContainer(tree, one));
  const hierarchy = isMember ? hierarchyOf(tree, definitions) : undefined;
  const meant = hierarchy?.members ?? definitions;
  const isMeant = ({ file, tag }: SymbolDefinition): boolean =>
    meant.some((one) => one.file === file && one.tag.from === tag.from);
  const homes = new Set([...meant, ...definitions].map(({ file }) => file));
  const rest = tree.definitions(name).filter((one) => !isMeant(one) && !standIns.has(one.tag.kind));
  const others = new Set(rest.flatMap(({ file }) => (homes.has(file) ? [] : [file])));
  const owners = hierarchy?.classes ?? new Set();
  // If a class has a method `pipe`, `x.pipe()` is probably not the function `pipe`.
  const isOtherMember = !isMember && rest.some((one) => isInContainer(tree, one));
  const found: SymbolUse[] = meant
    .filter((one) => !definitions.some(({ file, tag }) => file === one.file && tag.from === one.tag.from))
    .map(({ file, tag }) => ({ file, line: tag.at, sure: true }));
  let cut = false;
  for (const file of tree.filesUsing(name)) {
    const uses = tree.usesOf(file);
    const own = uses.find((one) => one.name === name);
    if (!own) continue;
    cut ||= isUseCut(own);
    const declaresItself =
      !homes.has(file) && tree.tagsOf(file).some((tag) => tag.name === name && !standIns.has(tag.kind));
    const reaches = homes.has(file) || (!declaresItself && reachesAny(tree, file, { homes, others, name }));
    // Only a compiler knows the type of a receiver. The use is sure if imports lead to the hierarchy and to no other
    // declaration of the name; if there is no other one elsewhere, a mention of one of the classes is enough.
    const knowsOwner = reaches || uses.some((one) => owners.has(one.name));
    const sureMember = OF_EVERY_OBJECT.has(name)
      ? homes.has(file)
      : others.size > 0
        ? reaches && !reachesAny(tree, file, { homes: others, others: homes, name })
        : knowsOwner;
    const places = [
      ...own.plain.map((line) => ({ line, sure: !isMember && reaches })),
      ...own.member.map((line) => ({ line, sure: isMember ? sureMember : reaches && !isOtherMember })),
    ];
    const tags = tree.tagsOf(file);
    const lines = new Map<number, boolean>();
    for (const { line, sure } of places) lines.set(line, (lines.get(line) ?? false) || sure);
    for (const [line, sure] of [...lines].sort(([a], [b]) => a - b)) {
      const within = tags.findLast(({ from, to }) => from <= line && line <= to && to > from);
      found.push({ file, line, sure, within });
    }
  }
  found.sort((a, b) => inPathOrder(tree, a.file, b.file) || a.line - b.line);
  return { uses: [...found.filter(({ sure }) => sure), ...found.filter(({ sure }) => !sure)], cut };
}

/** Members that every object has, whatever its class is. */
const OF_EVERY_OBJECT: ReadonlySet<string> = new Set(
  'toString toLocaleString valueOf hashCode equals'.split(' '),
);

/** The files that import `target`. */
export function findImporters(tree: CodeTree, target: number): number[] {
  return [...tree.paths.keys()]
    .filter((file) => tree.graph.importsOf(file).includes(target))
    .sort((a, b) => inPathOrder(tree, a, b));
}

/** A file that another one imports, and what it uses of it. */
export interface ImportedFile {
  readonly file: number;
  /** The symbols of the file that are used, with the lines (1-based) of their names. */
  readonly used: readonly { readonly tag: SymbolTag; readonly lines: readonly number[] }[];
}

/** What `file` imports: files of the tree with what is used of them, and modules outside it, as written. */
export function findImports(
  tree: CodeTree,
  file: number,
): { readonly files: readonly ImportedFile[]; readonly outside: readonly string[] } {
  const linesOf = new Map(
    tree.usesOf(file).map(({ name, plain, member }) => [name, [...new Set([...plain, ...member])]] as const),
  );
  const files = tree.importsOf(file).map((target): ImportedFile => {
    const names = new Set<string>();
    const modules: SymbolTag[] = [];
    // Members are left out, but not those of modules: only a compiler knows whose they are.
    const used = tree.tagsOf(target).flatMap((tag) => {
      while (modules.length > 0 && (modules.at(-1) as SymbolTag).to < tag.to) modules.pop();
      const isMember = tag.depth > modules.length;
      if (tag.kind === 'module') modules.push(tag);
      if (isMember || tag.kind === 'module' || names.has(tag.name)) return [];
      names.add(tag.name);
      const lines = linesOf.get(tag.name)?.toSorted((a, b) => a - b);
      // Of a component the lines are not known.
      return lines && lines.length > 0 ? [{ tag, lines }] : [];
    });
    return { file: target, used: used.toSorted((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0)) };
  });
  const modules = tree.graph.modulesOf(file);
  const inside = modules.filter(({ files: meant }) => meant.length > 0);
  const written = new Set(modules.map(({ module }) => module));
  const isPython = /\.pyi?$/.test(tree.pathOf(file));
  // `from .money import format` imports `.money`, or `.money.format` if that is a module; `from a.b import c` only `a.b`.
  const isName = (module: string): boolean =>
    (isPython && written.has(module.slice(0, Math.max(0, module.lastIndexOf('.'))))) ||
    inside.some(
      (one) => module.startsWith(one.module) && /^(?:\.|::|\/)/.test(module.slice(one.module.length)),
    );
  const others = modules.filter(({ module, files: meant }) => meant.length === 0 && !isName(module));
  return { files, outside: [...new Set(others.map(({ module }) => module))] };
}

/** Whether the symbol is inside a class or similar. */
function isInContainer(tree: CodeTree, { file, tag: { from, to, depth } }: SymbolDefinition): boolean {
  return (
    depth > 0 &&
    tree
      .tagsOf(file)
      .some((tag) => tag.depth < depth && tag.from <= from && tag.to >= to && containers.has(tag.kind))
  );
}

/** `homes`: files that declare the symbol. `others`: files that declare another symbol of the name; imports are not followed through them. */
interface Resolution {
  readonly homes: ReadonlySet<number>;
  readonly others: ReadonlySet<number>;
  readonly name: string;
}

/** Whether imports lead from `file` to one of `homes`. */
function reachesAny(tree: CodeTree, file: number, { homes, others, name }: Resolution): boolean {
  let at = [file];
  const seen = new Set(at);
  for (let step = 0; step < STEPS; step += 1) {
    const next: number[] = [];
    for (const one of at) {
      for (const target of tree.importsOf(one)) {
        if (homes.has(target)) return true;
        // Followed only if it mentions the name, or is an index file, which may re-export everything.
        const isIndex = /(^|\/)(index|__init__|mod|lib)\.\w+$/.test(tree.pathOf(target));
        if (seen.has(target) || others.has(target) || !(isIndex || tree.mentions(target, name))) continue;
        seen.add(target);
        next.push(target);
      }
    }
    at = next;
  }
  return false;
}

// Finds members of the same name that may override each other: in a class, in its base classes and interfaces, and in the
// other classes derived from these.

/** Maximum classes of a hierarchy, in each direction. */
const MAX_HIERARCHY_CLASSES = 200;

interface ClassHierarchy {
  /** The names of its classes. */
  readonly classes: ReadonlySet<string>;
  /** The members with the name that these classes declare. */
  readonly members: readonly SymbolDefinition[];
}

/** The hierarchy of the classes of `members`, which all have one name. Other classes with the same name count as one. */
function hierarchyOf(tree: CodeTree, members: readonly SymbolDefinition[]): ClassHierarchy {
  const name = members[0]?.tag.name ?? '';
  const declared = new Set(tree.definitions(name).map(({ tag }) => ownerOf(tag)));
  const owners = members.map(({ tag }) => ownerOf(tag));
  const above = reachable(owners, (one) => basesOf(tree, one));
  const roots = [...above].filter((one) => declared.has(one));
  const classes = reachable([...owners, ...roots], (one) => derivedFrom(tree, one));
  const homes = new Set(members.map(({ file }) => file));
  const isOtherClass = ({ file, tag }: SymbolDefinition): boolean =>
    !homes.has(file) && owners.includes(ownerOf(tag)) && ONE_FILE_CLASSES.test(tree.pathOf(file));
  return {
    classes,
    members: tree.definitions(name).filter((one) => classes.has(ownerOf(one.tag)) && !isOtherClass(one)),
  };
}

/** Languages in which a class of the same name in another file is another class. */
const ONE_FILE_CLASSES = /\.(?:[cm]?[jt]sx?|pyi?|java|kts?|php|scala)$/;

/** The name of the symbol that directly contains it; empty if there is none. */
function ownerOf({ qualified, name }: SymbolTag): string {
  return (
    qualified
      .slice(0, -name.length - 1)
      .split('.')
      .at(-1) ?? ''
  );
}

/** The names reachable from `from` by `next`, `from` included. */
function reachable(from: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const seen = new Set(from.filter((name) => name !== ''));
  for (const name of seen) {
    if (seen.size >= MAX_HIERARCHY_CLASSES) break;
    for (const one of next(name)) seen.add(one);
  }
  return seen;
}

/** The names of the bases of all classes called `name`. */
function basesOf(tree: CodeTree, name: string): string[] {
  return tree
    .definitions(name)
    .flatMap(({ tag }) => (containers.has(tag.kind) ? basesIn(tag.signature) : []));
}

/** The names of the classes whose declaration names `name` as a base. */
function derivedFrom(tree: CodeTree, name: string): string[] {
  return tree
    .filesUsing(name)
    .flatMap((file) => tree.tagsOf(file))
    .filter(({ kind, signature }) => containers.has(kind) && basesIn(signature).includes(name))
    .map((tag) => tag.name);
}

/** Where a class declaration lists its bases, in the languages that have classes. */
const BASE_LISTS = [
  /\b(?:extends|implements)\b(.*)/,
  /\bclass\s+\w+\s*\(([^)]*)\)/,
  /\b(?:class|struct|interface|object|record|protocol|enum)\s+\w+[^:]*:(?!:)(.*)/,
  /\bclass\s+[\w:]+\s*<\s*([\w:]+)/,
];

/** Words in a list of bases that are not names. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'extends implements with public private protected virtual by where'.split(' '),
);

/** The base classes and interfaces, without type arguments and qualifiers: `class A<T> extends b.B<T> implements C {` → B, C. */
export function basesIn(signature: string): string[] {
  let plain = signature;
  for (let before = ''; before !== plain;) [before, plain] = [plain, plain.replace(/<[^<>]*>/g, '')];
  const found =
    BASE_LISTS.map((pattern) => pattern.exec(plain)?.[1]).find((bases) => bases !== undefined) ?? '';
  const names = found.match(/[\p{L}_$][\p{L}\p{N}_$.:]*/gu) ?? [];
  return names
    .filter((name) => !KEYWORDS.has(name))
    .map((name) => name.slice(name.search(/[^.:]*$/)))
    .filter((name) => name !== '');
}

// Full-text search for symbols: BM25 over the words of their names, signatures, comments and paths.

/** Maximum files whose symbols are ranked: those with the best scores for the words. */
const MAX_RANKED_FILES = 300;

/** Maximum words of a query: each is matched against every file. */
export const MAX_QUERY_WORDS = 32;

/** After so many symbols no further file is added. */
export const MAX_RANKED_SYMBOLS = 30_000;

/** The weight of a match in each field. */
const BOOST = { name: 6, qualified: 2, path: 2, signature: 1, doc: 1.5 };

/** The symbols that match at least one of the words of a query, the best first, at most `most`. */
export function findWords(tree: CodeTree, query: string, most: number): SymbolDefinition[] {
  const terms = wordsOf(query).slice(0, MAX_QUERY_WORDS);
  const definitions: SymbolDefinition[] = [];
  for (const file of filesWith(tree, terms).files) {
    for (const tag of tree.tagsOf(file)) definitions.push({ file, tag });
    if (definitions.length > MAX_RANKED_SYMBOLS) break;
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
    const { file, tag } = definitions[id] as SymbolDefinition;
    return importanceOf(tree, file) * (LESSER.has(tag.kind) ? 0.3 : 1);
  };
  return search
    .search(terms.join(' '), {
      boost: BOOST,
      prefix: (term) => term.length >= 4,
      boostDocument: (id: number) => weight(id),
    })
    .slice(0, most)
    .map(({ id }) => definitions[id as number] as SymbolDefinition);
}

/** A weight from above 1 for the least important file to 2 for the most important one. */
function importanceOf(tree: CodeTree, file: number): number {
  const place = tree.places[file] ?? tree.paths.length;
  return 2 - place / Math.max(1, tree.paths.length);
}

/** Symbols that count less than functions and types. */
const LESSER: ReadonlySet<SymbolTag['kind']> = new Set(['property', 'variable', 'constant', 'key', 'alias']);

function fieldOf(tree: CodeTree, definition: SymbolDefinition | undefined, field: string): string {
  if (!definition) return '';
  if (field === 'path') return tree.pathOf(definition.file);
  return String(definition.tag[field as 'name' | 'qualified' | 'signature' | 'doc']);
}

/** The files that contain any of the terms, by the sum of the rarities of these terms, and these. */
export function filesWith(
  tree: CodeTree,
  terms: readonly string[],
): { readonly files: readonly number[]; readonly rarities: readonly number[] } {
  // Safe as patterns: terms consist of letters and digits. A stem ends in i where its word has a y.
  const patterns = terms.map((term) => new RegExp(term.replace(/i$/, '[iy]'), 'iu'));
  const hits = patterns.map((): number[] => []);
  for (const file of tree.paths.keys()) {
    const text = `${tree.pathOf(file)}\n${tree.textOf(file)}`;
    patterns.forEach((pattern, i) => {
      if (pattern.test(text)) hits[i]?.push(file);
    });
  }
  const scores = new Float64Array(tree.paths.length);
  const rarities = hits.map(({ length }) => Math.log(1 + tree.paths.length / Math.max(1, length)));
  hits.forEach((files, i) => {
    for (const file of files) scores[file] = (scores[file] ?? 0) + (rarities[i] ?? 0);
  });
  const files = tree.order
    .filter((file) => (scores[file] ?? 0) > 0)
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .slice(0, MAX_RANKED_FILES);
  return { files, rarities };
}
