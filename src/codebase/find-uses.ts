/** Finds the uses of a symbol, and the files that import a file. Uses that imports confirm precede those that only match the name. */

import { containers } from '../views/structure.ts';
import { isUseCut, type Tag } from '../views/file-tags.ts';
import { hierarchyOf } from './class-hierarchy.ts';
import type { Definition, Tree } from './code-tree.ts';

export interface Use {
  readonly file: number;
  /** 1-based. */
  readonly line: number;
  /** The innermost symbol that contains the line. */
  readonly within?: Tag;
  /** Whether imports confirm that it means this symbol; otherwise only the name matches. */
  readonly sure: boolean;
}

/** Maximum length of a chain of imports that is followed: each module that re-exports a symbol is one step. */
const STEPS = 3;

/**
 * The uses of `definitions`, which all have one name: the sure ones first, then by importance of the file, then by line.
 * `cut`: a file uses the name on more lines than are stored.
 */
export function findUses(
  tree: Tree,
  definitions: readonly Definition[],
): { readonly uses: readonly Use[]; readonly cut: boolean } {
  const [first] = definitions;
  if (!first) return { uses: [], cut: false };
  const { name } = first.tag;
  const isMember = definitions.every((one) => isInContainer(tree, one));
  const hierarchy = isMember ? hierarchyOf(tree, definitions) : undefined;
  const meant = hierarchy?.members ?? definitions;
  const isMeant = ({ file, tag }: Definition): boolean =>
    meant.some((one) => one.file === file && one.tag.from === tag.from);
  const homes = new Set([...meant, ...definitions].map(({ file }) => file));
  const rest = tree.definitions(name).filter((one) => !isMeant(one));
  const others = new Set(rest.flatMap(({ file }) => (homes.has(file) ? [] : [file])));
  const owners = hierarchy?.classes ?? new Set();
  // If a class has a method `pipe`, `x.pipe()` is probably not the function `pipe`.
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
    // Only a compiler knows the type of a receiver. The use is sure if imports lead to the hierarchy and to no other
    // declaration of the name; if there is no other one elsewhere, a mention of one of the classes is enough.
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

/** The innermost symbol of at least two lines that contains the line. */
export function innermost(tags: readonly Tag[], line: number): Tag | undefined {
  return tags.findLast((tag) => tag.from <= line && line <= tag.to && tag.to > tag.from);
}

/** Whether the symbol is inside a class or similar. */
function isInContainer(tree: Tree, { file, tag: { from, to, depth } }: Definition): boolean {
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
function reachesAny(tree: Tree, file: number, { homes, others, name }: Resolution): boolean {
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
