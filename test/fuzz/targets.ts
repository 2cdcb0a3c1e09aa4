/** What is fuzzed: each target takes any bytes or text and fails where an answer is wrong, unbounded or unexplained. */

import { expect } from 'vitest';
import { codeOf, SECRET, textOf, type Workspace } from '../support/workspace.ts';

/** Whatever the bytes are, every answer is bounded, well-formed and explained. */
export async function tryContainer(
  { read, write }: Workspace,
  name: string,
  bytes: Uint8Array,
  more: readonly string[],
): Promise<void> {
  write(name, bytes);
  for (const path of ['', ...more].map((rest) => name + rest)) {
    const answer = await read(path);
    const text = textOf(answer);
    expect(codeOf(answer), path).not.toBe('INTERNAL');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain(SECRET);
    if (path.endsWith(':raw')) continue;
    expect(text).not.toMatch(/(?!\r\n)[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  }
}
