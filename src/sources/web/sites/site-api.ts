/** Requests to the API of a site. JSON replies are parsed and formatted in the child process, whatever their size. */

import type { Endpoints } from '../../../types/settings.ts';
import { convertFor, textOf } from '../convert-page.ts';
import type { Fetched, Visit } from '../page-step.ts';
import type { RecordKind } from '../page-protocol.ts';
import { withoutTrailingSlashes } from '../../../text/slashes.ts';

/** The base URL of an API. */
export interface Base {
  /** Without trailing slash. */
  readonly url: string;
  /** Whether the operator has set it; then its network address is not checked. */
  readonly trusted: boolean;
}

/** The base URL that the host has set for a site, otherwise the site's own. */
export function baseOf(site: keyof Endpoints, own: string, { endpoints }: Visit): Base {
  const set = endpoints[site];
  return { url: withoutTrailingSlashes(set ?? own), trusted: set !== undefined };
}

/** How to format the JSON: the kind of record, and the parameters of the request. */
export interface Wanted {
  readonly of: RecordKind;
  readonly ask: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly page: Fetched;
  readonly text: string;
  readonly facts: Readonly<Record<string, string>>;
}

/** Undefined if there is no reply, or one of another shape. */
export async function recordAt(
  base: Base,
  path: string,
  wanted: Wanted,
  visit: Visit,
): Promise<Answered | undefined> {
  const page = await visit.probe(base.url + path, { accept: 'application/json', trusted: base.trusted });
  return page && recordOf(page, wanted, visit);
}

/** Undefined if the reply is not JSON, has another shape, or is truncated. */
export async function recordOf(page: Fetched, wanted: Wanted, visit: Visit): Promise<Answered | undefined> {
  if (page.cut) return undefined;
  const found = await convertFor(visit, { is: 'record', ...wanted, url: visit.url }, await page.text());
  return found?.reply.is === 'text'
    ? { page, text: textOf(found), facts: found.reply.facts ?? {} }
    : undefined;
}

/** Converts HTML of an API to Markdown, without the elements of these classes. */
export async function markdownOf(
  html: string,
  url: string,
  visit: Visit,
  without: readonly string[] = [],
): Promise<string | undefined> {
  const converted = await convertFor(visit, { is: 'fragment', url, without }, html);
  const text = converted ? textOf(converted).trim() : '';
  return text === '' ? undefined : text;
}
