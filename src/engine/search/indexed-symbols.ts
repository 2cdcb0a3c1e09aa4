/** Looks up the symbols around lines of a file in the code index, without parsing. */

import { readAt } from '../../access/bytes.ts';
import type { AroundLines } from '../../codebase/around-lines.ts';
import { codeIsIdle } from '../../codebase/codebase.ts';
import type { Call } from '../../types/call.ts';
import { step } from '../code/parse-code.ts';

/** The timeout in ms; after it the file is parsed instead. */
const WITHIN_MS = 100;

/** `content` is the searched bytes, `lines` are 1-based numbers. Undefined if the index does not have this version. */
export async function indexedSymbols(
  {
    path,
    content,
    lines,
  }: { readonly path: string; readonly content: Uint8Array; readonly lines: readonly number[] },
  { access, signal }: Call,
): Promise<AroundLines | undefined> {
  if (!codeIsIdle()) return undefined;
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

/** Undefined if it fails or times out, for example because another call keeps the thread busy. */
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
