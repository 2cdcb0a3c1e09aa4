/**
 * Finds members that belong together: those of a class, of its base classes and interfaces, and of other
 * classes derived from these.
 */

import { containers } from '../views/structure.ts';
import type { Tag } from '../views/file-tags.ts';
import type { Definition, Tree } from './code-tree.ts';

/** Classes of one family that are followed, upwards and downwards. */
const MOST = 200;

export interface Family {
  /** Names of its classes. */
  readonly classes: ReadonlySet<string>;
  /** What they declare by the name. */
  readonly members: readonly Definition[];
}

/** The family of members of one name. Classes are told by their names alone. */
export function familyOf(tree: Tree, members: readonly Definition[]): Family {
  const name = members[0]?.tag.name ?? '';
  const declared = new Set(tree.definitions(name).map(({ tag }) => ownerOf(tag)));
  const owners = members.map(({ tag }) => ownerOf(tag));
  const above = reached(owners, (one) => basesOf(tree, one));
  const roots = [...above].filter((one) => declared.has(one));
  const classes = reached([...owners, ...roots], (one) => heirsOf(tree, one));
  return { classes, members: tree.definitions(name).filter(({ tag }) => classes.has(ownerOf(tag))) };
}

/** The name of what a symbol is in; empty if it is in nothing. */
export function ownerOf({ qualified, name }: Tag): string {
  return (
    qualified
      .slice(0, -name.length - 1)
      .split('.')
      .at(-1) ?? ''
  );
}

function reached(from: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const seen = new Set(from.filter((name) => name !== ''));
  for (const name of seen) {
    if (seen.size >= MOST) break;
    for (const one of next(name)) seen.add(one);
  }
  return seen;
}

function basesOf(tree: Tree, name: string): string[] {
  return tree
    .definitions(name)
    .flatMap(({ tag }) => (containers.has(tag.kind) ? basesIn(tag.signature) : []));
}

function heirsOf(tree: Tree, name: string): string[] {
  return tree
    .filesUsing(name)
    .flatMap((file) => tree.tagsOf(file))
    .filter(({ kind, signature }) => containers.has(kind) && basesIn(signature).includes(name))
    .map((tag) => tag.name);
}

/** What is between a class and what it is made from, in the languages that have classes. */
const WAYS = [
  /\b(?:extends|implements)\b(.*)/,
  /\bclass\s+\w+\s*\(([^)]*)\)/,
  /\b(?:class|struct|interface|object|record|protocol|enum)\s+\w+[^:]*:(?!:)(.*)/,
  /\bclass\s+[\w:]+\s*<\s*([\w:]+)/,
];

const WORDS: ReadonlySet<string> = new Set(
  'extends implements with public private protected virtual by where'.split(' '),
);

/** `class A<T> extends b.B<T> implements C {` → B, C. */
export function basesIn(signature: string): string[] {
  let plain = signature;
  for (let before = ''; before !== plain;) [before, plain] = [plain, plain.replace(/<[^<>]*>/g, '')];
  const found = WAYS.map((way) => way.exec(plain)?.[1]).find((bases) => bases !== undefined) ?? '';
  const names = found.match(/[\p{L}_$][\p{L}\p{N}_$.:]*/gu) ?? [];
  return names
    .filter((name) => !WORDS.has(name))
    .map((name) => name.slice(name.search(/[^.:]*$/)))
    .filter((name) => name !== '');
}
