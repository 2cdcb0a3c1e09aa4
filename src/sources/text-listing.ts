/** A listing of something that is not a directory of the file system, as a text with one name per line. */

import { memoryBytes } from '../access/bytes.ts';
import { sha256Of } from '../access/digest.ts';
import { Identity } from '../identity.ts';
import type { TextResource } from '../types/resource.ts';
import { selectionOf } from './file.ts';

/** `rest` is a selector, without the colon. */
export async function textListing(
  lines: readonly string[],
  target: string,
  rest: string,
): Promise<TextResource> {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  return {
    is: 'text',
    kind: 'internal',
    bytes: memoryBytes(bytes, Identity.of('text-listing', { target, sha256: await sha256Of(bytes) })),
    encoding: 'utf-8',
    selection: selectionOf({ typed: target, rest }),
    target,
    name: 'listing',
    display: 'plain',
    editable: false,
  };
}
