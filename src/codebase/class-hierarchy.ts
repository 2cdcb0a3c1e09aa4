/**
 * Finds members of the same name that may override each other: in a class, in its base classes and interfaces, and in the
 * other classes derived from these.
 */

import { containers } from '../views/structure.ts';
import type { Tag } from '../views/file-tags.ts';
import type { Definition, Tree } from './code-tree.ts';

/** Maximum classes of a hierarchy, in each direction. */
const MOST_CLASSES = 200;

export interface Hierarchy {
  /** The names of its classes. */
  readonly classes: ReadonlySet<string>;
  /** The members with the name that these classes declare. */
  readonly members: readonly Definition[];
}

/** The hierarchy of the classes of `members`, which all have one name. Classes with the same name count as one. */
export function hierarchyOf(tree: Tree, members: readonly Definition[]): Hierarchy {
  const name = members[0]?.tag.name ?? '';
  const declared = new Set(tree.definitions(name).map(({ tag }) => ownerOf(tag)));
  const owners = members.map(({ tag }) => ownerOf(tag));
  const above = reachable(owners, (one) => basesOf(tree, one));
  const roots = [...above].filter((one) => declared.has(one));
  const classes = reachable([...owners, ...roots], (one) => derivedFrom(tree, one));
  return { classes, members: tree.definitions(name).filter(({ tag }) => classes.has(ownerOf(tag))) };
}

/** The name of the symbol that directly contains it; empty if there is none. */
export function ownerOf({ qualified, name }: Tag): string {
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
    if (seen.size >= MOST_CLASSES) break;
    for (const one of next(name)) seen.add(one);
  }
  return seen;
}

/** The names of the bases of all classes called `name`. */
function basesOf(tree: Tree, name: string): string[] {
  return tree
    .definitions(name)
    .flatMap(({ tag }) => (containers.has(tag.kind) ? basesIn(tag.signature) : []));
}

/** The names of the classes whose declaration names `name` as a base. */
function derivedFrom(tree: Tree, name: string): string[] {
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
