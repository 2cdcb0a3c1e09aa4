/** Finds the definitions of a name: by its qualified name, then by the end of that, then by the file, then ignoring case. */

import type { Definition, Tree } from './code-tree.ts';

/**
 * The definitions that match `name` (`Session.close`, `close`, `Session#close`, `ns::Session::close`) by the first of these
 * ways that finds any. Those in the most important files are first.
 */
export function findDefinitions(tree: Tree, name: string): Definition[] {
  const dotted = name
    .replace(/::|#|->/g, '.')
    .replace(/\.+/g, '.')
    .replace(/^\.|\(\)$/g, '');
  const last = dotted.slice(dotted.lastIndexOf('.') + 1);
  // Private names of JavaScript begin with `#`, and may be asked for without it.
  const sameName = [...tree.definitions(last), ...tree.definitions(`#${last}`)];
  const steps: ((definition: Definition) => boolean)[] = [
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
  const others: Definition[] = [];
  for (const known of tree.names()) {
    if (known.toLowerCase() !== lowerLast) continue;
    others.push(
      ...tree.definitions(known).filter(({ tag }) => `.${tag.qualified.toLowerCase()}`.endsWith(`.${lower}`)),
    );
  }
  return inOrder(tree, others);
}

/** Without the `#` of private names. */
function plain(qualified: string): string {
  return qualified.replaceAll('#', '');
}

/** Whether path and qualified name, joined by dots, end in `dotted`. */
function inFileCalled(tree: Tree, file: number, dotted: string, qualified: string): boolean {
  const path = tree
    .pathOf(file)
    .replace(/\.\w+$/, '')
    .replaceAll('/', '.');
  return `.${path}.${qualified}`.endsWith(`.${dotted}`);
}

/** By importance of the file, then by path, then by line. */
function inOrder(tree: Tree, found: readonly Definition[]): Definition[] {
  return found.toSorted(
    (a, b) =>
      tree.rankOf(b.file) - tree.rankOf(a.file) ||
      byPath(tree.pathOf(a.file), tree.pathOf(b.file)) ||
      a.tag.from - b.tag.from,
  );
}

function byPath(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
