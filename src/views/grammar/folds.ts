/** Converts the fold captures of a query to whole lines. */

import { inside, lastRow } from '../lines.ts';
import type { Fold } from '../structure.ts';
import type { Node } from './declaration.ts';

const kinds = { imports: 'imports', comment: 'comment', doc: 'docstring', block: 'block' } as const;

export function isFoldName(name: string): name is keyof typeof kinds {
  return Object.hasOwn(kinds, name);
}

/** The fold, or none if no whole line would be left out. */
export function foldOf(name: keyof typeof kinds, node: Node, lines: readonly string[]): Fold[] {
  const kind = kinds[name];
  if (kind === 'block') {
    const interior = inside(lines, node);
    return interior ? [{ kind, ...interior }] : [];
  }
  if (kind === 'comment' && isBesideCode(node, lines)) return [];
  return [{ kind, from: node.row + 1, to: lastRow(node) + 1 }];
}

function isBesideCode({ row, column, endRow, endColumn }: Node, lines: readonly string[]): boolean {
  const after = endColumn === 0 ? '' : (lines[endRow] ?? '').slice(endColumn);
  return ((lines[row] ?? '').slice(0, column) + after).trim() !== '';
}
