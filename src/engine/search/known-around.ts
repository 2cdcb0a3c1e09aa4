/** The symbols around lines of a file that the map of its codebase has parsed already: nothing is parsed, or waited for. */

import { readAt } from '../../access/bytes.ts';
import type { AroundLines } from '../../codebase/around-lines.ts';
import { codeRests } from '../../codebase/codebase.ts';
import type { Call } from '../../types/call.ts';
import { step } from '../code/parse-code.ts';

/** What is not answered by then is parsed. */
const WITHIN_MS = 100;

/** `content`: what was searched. Undefined if these bytes are not known; then nothing is said of them. */
export async function knownAround(
  {
    path,
    content,
    lines,
  }: { readonly path: string; readonly content: Uint8Array; readonly lines: readonly number[] },
  { access, signal }: Call,
): Promise<AroundLines | undefined> {
  if (!codeRests()) return undefined;
  const opened = await access.open(path, signal).catch(() => undefined);
  try {
    if (opened?.is !== 'file' || opened.size !== content.length) return undefined;
    const { identity } = opened.bytes;
    // The file may have changed since it was searched.
    const stored = identity.recurs
      ? await readAt(opened.bytes, 0, opened.size, signal).catch(() => undefined)
      : undefined;
    if (!stored || !Buffer.from(stored).equals(content)) return undefined;
    const asked = step({ ask: 'around', files: [{ path, key: identity.key, lines }] }, signal);
    const [known] = (await soon(asked)) ?? [];
    return known;
  } finally {
    await opened?.close();
  }
}

/** Undefined if it fails, or is late: somebody else asks a long question. */
async function soon<T>(asked: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, WITHIN_MS, undefined);
  });
  try {
    return await Promise.race([asked.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
