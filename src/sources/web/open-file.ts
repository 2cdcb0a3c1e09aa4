/** Opens a file at a URL that is not a text with the source of its kind: an image, a document, an archive. */

import { isOrielError, OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { oneLine } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, TextResource } from '../../types/resource.ts';
import type { Selection } from '../../types/selection.ts';
import { identityOf, type Linked, subjectOf, text, WHOLE } from './page-step.ts';
import type { Page } from './pipeline.ts';

type Facts = Readonly<Record<string, unknown>>;

interface Asked {
  readonly url: string;
  readonly rest: string;
  readonly page: Page;
  /** Undefined if `rest` is not a generic selector; it may name a part of the file. */
  readonly selection: Selection | undefined;
  readonly facts: Facts;
}

/** The opened file, or the page instead if it only links to a document that cannot be read. */
export type OpenedFile =
  | { readonly is: 'resource'; readonly resource: Resource }
  | { readonly is: 'page'; readonly instead: { readonly page: Page; readonly facts: Facts } };

/** Undefined for a text. Throws OrielError. */
export async function openFile(
  { url, rest, page, selection, facts }: Asked,
  call: Call,
): Promise<OpenedFile | undefined> {
  const { rendering } = page;
  if (rendering.is !== 'file') return undefined;
  const { name, bytes, linked } = rendering;
  const subject = subjectOf(url, name, bytes, await identityOf(url, bytes), rest);
  const otherwise = linked && selection && withoutDocument(page, linked, facts);
  const resource = await call.open(subject).catch((error: unknown) => {
    if (!isOrielError(error)) throw error;
    if (otherwise && UNREADABLE.has(error.code)) return undefined;
    throw ofCut(error, page);
  });
  if (otherwise && (!resource || resource.is === 'note')) return otherwise;
  const said = [...page.notes, ...(linked ? [linkedWords(linked)] : []), ...cutWords(page)];
  return resource && { is: 'resource', resource: ofWeb(resource, facts, said) };
}

/** Errors that mean that no part of a document can be read. */
const UNREADABLE: ReadonlySet<string> = new Set(['CORRUPT', 'ENCRYPTED', 'LIMIT', 'UNSUPPORTED']);

function withoutDocument(page: Page, { url, page: own }: Linked, facts: Facts): OpenedFile {
  const notes = [...page.notes, `it links to a document that cannot be read: ${url}`];
  const rendering = text(own.method, own.markdown, WHOLE);
  return {
    is: 'page',
    instead: { page: { ...page, rendering, notes }, facts: { ...facts, method: own.method, notes } },
  };
}

/** The most characters of the page that are quoted in the notice about its linked document. */
const MOST_OWN = 300;

function linkedWords({ url, page }: Linked): string {
  const all = oneLine(page.markdown.replace(/\s+/g, ' ').trim());
  const own = all.length > MOST_OWN ? `${all.slice(0, MOST_OWN).toWellFormed()}…` : all;
  return `This is the document that the page links to: ${url}${own === '' ? '' : `; the page itself says: ${own}`}`;
}

/** Marks a resource as one of the web; `said` are additional notices. */
function ofWeb(resource: Resource, facts: Facts, said: readonly string[]): Resource {
  const told = (text: TextResource): TextResource => ({
    ...text,
    kind: 'web',
    facts: { ...text.facts, ...facts },
    notes: [...(text.notes ?? []), ...said.map((one) => ({ kind: 'said', text: one }) as const)],
  });
  if (resource.is === 'mixed') return { ...resource, kind: 'web', text: told(resource.text) };
  if (resource.is === 'text') return told(resource);
  const ours = { ...resource, kind: 'web' as const, facts: { ...resource.facts, ...facts } };
  if (ours.is === 'note') return ours;
  return {
    ...ours,
    notes: [...(ours.notes ?? []), ...said.map((one) => ({ kind: 'said', text: one }) as const)],
  };
}

/** The notice about a truncated body, for every part of the page. */
export function cutWords({ rendering: { cutAt } }: Page): string[] {
  return cutAt === undefined
    ? []
    : [`Only the first ${binarySize(cutAt)} of the body were read: it is longer`];
}

/** Adds to an error that the file was truncated, which may be the cause. */
function ofCut(error: OrielError, page: Page): OrielError {
  const [words] = cutWords(page);
  if (words === undefined) return error;
  return new OrielError(error.code, `${error.message} ${words}.`, { next: error.next, cause: error });
}
