/** Where a name is declared in a tree: exactly, then as the end of a qualified name, then whatever its case. */

import type { Definition, Tree } from './code-tree.ts';

/** All that `name` may mean, the best first: `Session.close`, `close`, `Session#close`, `ns::Session::close`. */
export function findDefinitions(tree: Tree, name: string): Definition[] {
  const dotted = name
    .replace(/::|#|->/g, '.')
    .replace(/\.+/g, '.')
    .replace(/^\.|\(\)$/g, '');
  const last = dotted.slice(dotted.lastIndexOf('.') + 1);
  // `#count` is a private name of JavaScript.
  const sameName = [...tree.definitions(last), ...tree.definitions(`#${last}`)];
  const steps: ((definition: Definition) => boolean)[] = [
    ({ tag }) => plain(tag.qualified) === dotted,
    ({ tag }) => plain(tag.qualified).endsWith(`.${dotted}`),
    // `session.close` where `close` is a function of the file session.ts.
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

function plain(qualified: string): string {
  return qualified.replaceAll('#', '');
}

function inFileCalled(tree: Tree, file: number, dotted: string, qualified: string): boolean {
  const path = tree
    .pathOf(file)
    .replace(/\.\w+$/, '')
    .replaceAll('/', '.');
  return `.${path}.${qualified}`.endsWith(`.${dotted}`);
}

/** The most important files first, equals by their paths; in a file, in the order of the text. */
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
