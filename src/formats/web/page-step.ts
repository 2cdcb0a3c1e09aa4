/** The interface of the steps of reading a page, and helpers for them. */

import { sha256Of } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import type { NetworkAccess, WebResponse } from '../../network/fetch.ts';
import { detachedFile, memoryBytes } from '../../text/bytes.ts';
import { decodeUri } from '../../text/visible.ts';
import type { FileAccess } from '../../types/access.ts';
import type { SourceSubject } from '../../types/call.ts';
import type { SiteEndpoints } from '../../types/settings.ts';

/** A response with its media type and decoded text. */
export interface FetchedPage extends WebResponse {
  /** The media type in lower case without parameters; empty if the server states none. */
  readonly type: string;
  text(): Promise<string>;
}

/** What reading a page needs. */
export interface PageContext {
  /** The requested URL, normalized. */
  readonly url: string;
  readonly network: NetworkAccess;
  readonly endpoints: SiteEndpoints;
  /** For reading the package registry settings of the project. */
  readonly access: FileAccess;
  /** Of a visit, aborts also at the deadline of the page. */
  readonly signal: AbortSignal;
}

export interface PageVisit extends PageContext {
  readonly notes: string[];
  /** Whether the page may be cached: no reply that may have become a part of it was marked `no-store`. */
  mayKeep: boolean;
  /** False if something timed out, so that the next read may give another result. */
  isSettled: boolean;
  /** Fetches a URL. Throws OrielError. */
  fetch(url: string, ask?: PageFetchOptions): Promise<FetchedPage>;
  /** Fetches something optional; undefined if it does not exist or does not answer in time. */
  probe(url: string, ask?: PageFetchOptions): Promise<FetchedPage | undefined>;
}

export interface PageFetchOptions {
  /** The validators of the cached page, for a conditional request. */
  readonly known?:
    | { readonly etag?: string | undefined; readonly lastModified?: string | undefined }
    | undefined;
  readonly accept?: string | undefined;
  readonly credentials?: Readonly<Record<string, string>> | undefined;
  /** Whether the operator has set this origin; then its network address is not checked. */
  readonly trusted?: boolean | undefined;
}

export type PageRendering = RenderingContent &
  (
    | { readonly kind: 'text' }
    /** A file that is opened by the source of its kind: an image, a document, an archive. */
    | { readonly kind: 'file'; readonly name: string; readonly linked?: LinkedDocument | undefined }
    /** The unconverted body, as UTF-8 or in the stored encoding. */
    | { readonly kind: 'raw'; readonly encoding: 'utf-8' | 'stored'; readonly said?: string | undefined }
  );

/** A document that is shown instead of the page that links to it. */
export interface LinkedDocument {
  readonly url: string;
  /** The short text of the page itself, and how it was found. */
  readonly page: { readonly method: string; readonly markdown: string };
}

interface RenderingContent {
  readonly method: string;
  /** For a text, in UTF-8. */
  readonly bytes: Uint8Array;
  /** Set if the body was truncated: the number of bytes that were read. */
  readonly cutAt?: number | undefined;
}

/** One way of reading a page; undefined if it does not apply to this one. */
export type PageStep = (page: FetchedPage, visit: PageVisit) => Promise<PageRendering | undefined>;

/** A page that was read through the API of its site. */
export type SitePage = {
  readonly page: FetchedPage;
} & (
  | {
      readonly text: string;
      /** A second reply that the text was made from. */
      readonly also?: FetchedPage | undefined;
    }
  /** For content that is not a text. */
  | { readonly rendering: PageRendering }
);

/** Undefined if the API does not answer; then the page itself is read. */
type ReadSite = (visit: PageVisit) => Promise<SitePage | undefined>;

/** A site whose pages are read through its API instead of their HTML. */
export interface ApiSite {
  readonly name: string;
  readonly hosts: { test(hostname: string): boolean };
  /** The function that reads this page; undefined for pages that are read as HTML. */
  page(url: URL): ReadSite | undefined;
}

/** A text rendering; `from` is the response that it was made from. */
export const textRendering = (
  method: string,
  content: string | Uint8Array,
  from: Pick<FetchedPage, 'cut' | 'body'>,
): PageRendering => ({
  kind: 'text',
  method,
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
  ...cutOf(from),
});

/** For texts that state themselves where they are truncated. */
export const WHOLE = { cut: false, body: new Uint8Array(0) };

export function cutOf({ cut, body }: Pick<FetchedPage, 'cut' | 'body'>): {
  readonly cutAt?: number | undefined;
} {
  return cut ? { cutAt: body.length } : {};
}

/** A subject for bytes of the web, as sources expect it. */
export function subjectOf(
  url: string,
  name: string,
  bytes: Uint8Array,
  identity: Identity,
  rest = '',
): SourceSubject {
  return {
    typed: url,
    rest,
    name,
    path: url,
    opened: detachedFile(url, memoryBytes(bytes, identity)),
    head: bytes.subarray(0, 4096),
  };
}

const digests = new WeakMap<Uint8Array, Promise<string>>();

/** The identity of bytes of the web includes their digest, because a server may send others under the same URL. */
export async function identityOf(url: string, bytes: Uint8Array): Promise<Identity> {
  let digest = digests.get(bytes);
  if (!digest) digests.set(bytes, (digest = sha256Of(bytes)));
  return Identity.of('web', { url, sha256: await digest });
}

export function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return decodeUri(last).replaceAll('/', '_');
}

export function isHtml({ type }: FetchedPage, content: string): boolean {
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(type)) return true;
  // A login page or the like may be sent with the media type of the requested file.
  return (
    !/^text\/|json$|xml$/.test(type) && /^\s*(?:<!doctype html|<html[\s>])/i.test(content.slice(0, 4_096))
  );
}
