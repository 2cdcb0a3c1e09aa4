/**
 * Keeps parts of a page consistent: a further part comes from the version that the caller was shown before, even on another
 * replica that has read the page at another time. If that version is gone, the answer says so.
 */

import { createHash } from 'node:crypto';
import { callerOf } from '../../queues/caller.ts';
import type { Call } from '../../types/call.ts';
import { pageOf, type Wanted } from './page-cache.ts';
import type { Page } from './pipeline.ts';

export interface SameVersionPage {
  readonly page: Page;
  /** Whether another version was shown before. */
  readonly replaced: boolean;
}

export async function sameVersionPage(wanted: Wanted, call: Call): Promise<SameVersionPage> {
  const { url, raw, encoding, part, fresh } = wanted;
  const { seen } = call.session;
  const [caller, place] = [callerOf(call.signal), JSON.stringify(['web', url, raw, encoding])];
  const last = part && !fresh ? await seen.last(caller, place) : {};
  const begun = last.shared ?? last.here;
  const page = await pageOf(
    { ...wanted, ...(begun !== undefined && { isBegun: (one) => digestOf(one) === begun }) },
    call,
  );
  if (page.rendering.method === 'failed' || page.rendering.method === 'ranges')
    return { page, replaced: false };
  const shown = digestOf(page);
  const { here = shown, shared = shown } = last;
  await seen.saw(caller, place, shown);
  return { page, replaced: here !== shown || shared !== shown };
}

const digests = new WeakMap<Page, string>();

function digestOf(page: Page): string {
  let digest = digests.get(page);
  if (digest === undefined) {
    digest = createHash('sha256').update(page.rendering.bytes).digest('base64url');
    digests.set(page, digest);
  }
  return digest;
}
