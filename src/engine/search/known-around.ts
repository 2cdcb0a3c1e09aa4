/** The symbols around lines of a file that is already in the code index: nothing is parsed. */

import { readAt } from '../../access/bytes.ts';
import type { AroundLines } from '../../codebase/around-lines.ts';
import { codeRests } from '../../codebase/codebase.ts';
import type { Call } from '../../types/call.ts';
import { step } from '../code/parse-code.ts';

/** Without an answer by then, the file is parsed. */
const WITHIN_MS = 100;

/** `content`: the searched bytes. Undefined if they are not in the index. */
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

/** Undefined if it fails or is late because another call keeps the thread busy. */
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
