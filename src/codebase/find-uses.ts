/** Where a symbol is used, and which files import a file. What imports confirm is before what only has the name. */

import { containers } from '../views/structure.ts';
import { isUseCut, type Tag } from '../views/file-tags.ts';
import { familyOf } from './family.ts';
import type { Definition, Tree } from './code-tree.ts';

export interface Use {
  readonly file: number;
  readonly line: number;
  /** The innermost symbol around it. */
  readonly within?: Tag;
  /** Whether imports say that it is this symbol; otherwise it only has its name. */
  readonly sure: boolean;
}

/** Imports that are followed from a file: a module that only hands on what others declare is one step more. */
const STEPS = 3;

/**
 * The uses of what `definitions` declare: the sure ones first, then by rank of the file and line. `cut`: a file has more
 * of them than are kept.
 */
export function findUses(
  tree: Tree,
  definitions: readonly Definition[],
): { readonly uses: readonly Use[]; readonly cut: boolean } {
  const [first] = definitions;
  if (!first) return { uses: [], cut: false };
  const { name } = first.tag;
  const isMember = definitions.every((one) => isInContainer(tree, one));
  const family = isMember ? familyOf(tree, definitions) : undefined;
  const meant = family?.members ?? definitions;
  const isMeant = ({ file, tag }: Definition): boolean =>
    meant.some((one) => one.file === file && one.tag.from === tag.from);
  const homes = new Set([...meant, ...definitions].map(({ file }) => file));
  const rest = tree.definitions(name).filter((one) => !isMeant(one));
  const others = new Set(rest.flatMap(({ file }) => (homes.has(file) ? [] : [file])));
  const owners = family?.classes ?? new Set();
  // `x.pipe()` is not the function `pipe` where classes have a method of that name.
  const isOtherMember = !isMember && rest.some((one) => isInContainer(tree, one));
  const found: Use[] = meant
    .filter((one) => !definitions.some(({ file, tag }) => file === one.file && tag.from === one.tag.from))
    .map(({ file, tag }) => ({ file, line: tag.at, sure: true }));
  let cut = false;
  for (const file of tree.filesUsing(name)) {
    const uses = tree.usesOf(file);
    const own = uses.find((one) => one.name === name);
    if (!own) continue;
    cut ||= isUseCut(own);
    const declaresItself = !homes.has(file) && tree.tagsOf(file).some((tag) => tag.name === name);
    const reaches = homes.has(file) || (!declaresItself && reachesAny(tree, file, { homes, others, name }));
    // Of what type a receiver is, only a compiler knows: the file must know its type, and no other one with that member.
    const knowsOwner = reaches || uses.some((one) => owners.has(one.name));
    const sureMember =
      others.size === 0
        ? knowsOwner
        : reaches && !reachesAny(tree, file, { homes: others, others: homes, name });
    const places = [
      ...own.plain.map((line) => ({ line, sure: !isMember && reaches })),
      ...own.member.map((line) => ({ line, sure: isMember ? sureMember : reaches && !isOtherMember })),
    ];
    const tags = tree.tagsOf(file);
    const lines = new Map<number, boolean>();
    for (const { line, sure } of places) lines.set(line, (lines.get(line) ?? false) || sure);
    for (const [line, sure] of [...lines].sort(([a], [b]) => a - b)) {
      const within = innermost(tags, line);
      found.push({ file, line, sure, ...(within && { within }) });
    }
  }
  const places = tree.places;
  found.sort((a, b) => (places[a.file] ?? 0) - (places[b.file] ?? 0) || a.line - b.line);
  return { uses: [...found.filter(({ sure }) => sure), ...found.filter(({ sure }) => !sure)], cut };
}

/** The files that import one of `targets`, the most important first. */
export function findImporters(tree: Tree, target: number): number[] {
  return tree.order.filter((file) => tree.importsOf(file).includes(target));
}

/** The innermost symbol that holds the line. */
export function innermost(tags: readonly Tag[], line: number): Tag | undefined {
  return tags.findLast((tag) => tag.from <= line && line <= tag.to && tag.to > tag.from);
}

function isInContainer(tree: Tree, { file, tag: { from, to, depth } }: Definition): boolean {
  return (
    depth > 0 &&
    tree
      .tagsOf(file)
      .some((tag) => tag.depth < depth && tag.from <= from && tag.to >= to && containers.has(tag.kind))
  );
}

/** What `name` means: files that declare it, and files that declare another one, through which nothing is reached. */
interface Meaning {
  readonly homes: ReadonlySet<number>;
  readonly others: ReadonlySet<number>;
  readonly name: string;
}

function reachesAny(tree: Tree, file: number, { homes, others, name }: Meaning): boolean {
  let at = [file];
  const seen = new Set(at);
  for (let step = 0; step < STEPS; step += 1) {
    const next: number[] = [];
    for (const one of at) {
      for (const target of tree.importsOf(one)) {
        if (homes.has(target)) return true;
        // Only what names it, or hands on everything, leads further.
        const isLoose = /(^|\/)(index|__init__|mod|lib)\.\w+$/.test(tree.pathOf(target));
        if (seen.has(target) || others.has(target) || !(isLoose || tree.mentions(target, name))) continue;
        seen.add(target);
        next.push(target);
      }
    }
    at = next;
  }
  return false;
}
