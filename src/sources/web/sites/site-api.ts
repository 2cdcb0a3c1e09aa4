/** Asking the API of a site. What it answers in JSON is parsed and written in the child, whatever its size and shape. */

import type { Endpoints } from '../../../types/settings.ts';
import { convertFor, textOf } from '../convert-page.ts';
import type { Fetched, Visit } from '../page-step.ts';
import type { RecordKind } from '../page-protocol.ts';
import { withoutTrailingSlashes } from '../../../text/slashes.ts';

/** Where an API is. */
export interface Base {
  /** Without a final slash. */
  readonly url: string;
  /** The operator has set it: it is reached whatever its address. */
  readonly trusted: boolean;
}

/** The base URL that the host has set for a site, otherwise the site's own. */
export function baseOf(site: keyof Endpoints, own: string, { endpoints }: Visit): Base {
  const set = endpoints[site];
  return { url: withoutTrailingSlashes(set ?? own), trusted: set !== undefined };
}

/** How JSON is read: its kind, and what was asked for. */
export interface Wanted {
  readonly of: RecordKind;
  readonly ask: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly page: Fetched;
  readonly text: string;
  readonly facts: Readonly<Record<string, string>>;
}

/** Undefined if there is no answer, or one of another shape. */
export async function recordAt(
  base: Base,
  path: string,
  wanted: Wanted,
  visit: Visit,
): Promise<Answered | undefined> {
  const page = await visit.probe(base.url + path, { accept: 'application/json', trusted: base.trusted });
  return page && recordOf(page, wanted, visit);
}

/** Undefined for what is no JSON, of another shape, or cut. */
export async function recordOf(page: Fetched, wanted: Wanted, visit: Visit): Promise<Answered | undefined> {
  if (page.cut) return undefined;
  const found = await convertFor(visit, { is: 'record', ...wanted, url: visit.url }, await page.text());
  return found?.reply.is === 'text'
    ? { page, text: textOf(found), facts: found.reply.facts ?? {} }
    : undefined;
}

/** HTML of an API as Markdown, without the elements of these classes. */
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
