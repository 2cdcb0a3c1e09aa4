/** Finds the stages of a Dockerfile. */

import type { Found, Scanner } from './scanner.ts';

const from = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i;

export const dockerfile: Scanner = (lines) => {
  const found: Found[] = [];
  const starts = lines.flatMap((text, row) => {
    const match = from.exec(text);
    return match ? [{ row, image: match[1] ?? '', stage: match[2], text }] : [];
  });
  for (const [index, { row, image, stage, text }] of starts.entries()) {
    let to = starts[index + 1]?.row ?? lines.length;
    while (to > row + 1 && /^\s*(?:#.*)?$/.test(lines[to - 1] ?? '')) to -= 1;
    const body = { bodyFrom: row + 2, bodyTo: to };
    found.push({ kind: 'stage', name: stage ?? image, signature: text.trim(), from: row + 1, to, ...body });
  }
  return found;
};
