/** What the steps of reading a page are given and what they hand back. */

import { memoryBytes } from '../../access/bytes.ts';
import { sha256Of } from '../../access/digest.ts';
import type { Network, WebResponse } from '../../access/network/fetch.ts';
import { Identity } from '../../identity.ts';
import type { Access } from '../../types/access.ts';
import type { Subject } from '../../types/resource.ts';
import type { Endpoints } from '../../types/settings.ts';

/** What a server sent, with its type by its header. */
export interface Fetched extends WebResponse {
  /** In lower case, without parameters; empty if the server says none. */
  readonly type: string;
  /** The text, decoded once. */
  text(): Promise<string>;
}

/** How one page is read: what its steps may ask. */
export interface Visit {
  /** As it was asked for, normalized. */
  readonly url: string;
  readonly network: Network;
  /** Of known sites that are read from elsewhere. */
  readonly endpoints: Endpoints;
  /** For what the project says of its package registry. */
  readonly access: Access;
  /** Ends with the page's deadline. */
  readonly signal: AbortSignal;
  /** Said in the header of the answer. */
  readonly notes: string[];
  /** What is too large may be read by ranges. */
  readonly mayBeRanges: boolean;
  /** No reply so far was marked `no-store`: each may have become a part of the page. */
  mayKeep(): boolean;
  /** Something was not there in time: the same page may be read otherwise the next time. */
  unsettle(): void;
  isSettled(): boolean;
  /** The page, and with `headers` another form of it. Throws OrielError. */
  fetch(url: string, ask?: Asking): Promise<Fetched>;
  /** What may not be there: undefined if it is not, or not in time. */
  probe(url: string, ask?: Asking): Promise<Fetched | undefined>;
}

export interface Asking {
  /** What was read before: asked whether it still holds. */
  readonly known?: { readonly etag?: string; readonly lastModified?: string };
  readonly accept?: string;
  readonly credentials?: Readonly<Record<string, string>>;
  /** The operator has set this origin: it is reached whatever its address. */
  readonly trusted?: boolean;
}

/** What won. */
export type Rendering = Content &
  (
    | { readonly is: 'text' }
    /** Opened by its own source: an image, a document, an archive. */
    | { readonly is: 'file'; readonly name: string; readonly linked?: Linked }
    /** The body: in UTF-8, or of an encoding that is found from its bytes. */
    | { readonly is: 'raw'; readonly encoding: 'utf-8' | 'stored'; readonly said?: string }
  );

/** A document that is shown in place of the page that links to it. */
export interface Linked {
  readonly url: string;
  /** The few words of the page itself, and how they were found. */
  readonly page: { readonly method: string; readonly markdown: string };
}

interface Content {
  readonly method: string;
  /** A text in UTF-8. */
  readonly bytes: Uint8Array;
  /** The body continues: it was made of this many bytes of it. */
  readonly cutAt?: number;
}

/** One way to read a page; undefined if it is not the way for this one. */
export type Step = (page: Fetched, visit: Visit) => Promise<Rendering | undefined>;

/** A page as its site's API has it. */
export type SitePage = {
  /** The API's first answer. */
  readonly page: Fetched;
} & (
  | {
      readonly text: string;
      /** A further answer that the text was made of. */
      readonly also?: Fetched | undefined;
    }
  /** No text. */
  | { readonly rendering: Rendering }
);

/** Undefined if the API does not answer: the page itself is read. */
export type ReadSite = (visit: Visit) => Promise<SitePage | undefined>;

/** A site whose pages are read in another way than their HTML. */
export interface Site {
  /** The method in the header of an answer. */
  readonly name: string;
  /** Of the hosts that it claims. */
  readonly hosts: { test(hostname: string): boolean };
  /** How this page is read; undefined for one of a kind that is read like any other. */
  page(url: URL): ReadSite | undefined;
}

/** `from`: what the text was made of. */
export const text = (
  method: string,
  content: string | Uint8Array,
  from: Pick<Fetched, 'cut' | 'body'>,
): Rendering => ({
  is: 'text',
  method,
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
  ...cutOf(from),
});

/** Of what says itself where it is cut. */
export const WHOLE = { cut: false, body: new Uint8Array(0) };

export function cutOf({ cut, body }: Pick<Fetched, 'cut' | 'body'>): { readonly cutAt?: number } {
  return cut ? { cutAt: body.length } : {};
}

/** Bytes as the sources know files. */
export function subjectOf(
  url: string,
  name: string,
  bytes: Uint8Array,
  identity: Identity,
  rest = '',
): Subject {
  return {
    typed: url,
    rest,
    name,
    path: url,
    opened: {
      is: 'file',
      path: url,
      size: bytes.length,
      mtimeMs: 0,
      bytes: memoryBytes(bytes, identity),
      close: () => Promise.resolve(),
    },
    head: bytes.subarray(0, 4096),
  };
}

const digests = new WeakMap<Uint8Array, Promise<string>>();

/** Bytes of the web are those of their digest: a server may send others under the same URL. */
export async function identityOf(url: string, bytes: Uint8Array): Promise<Identity> {
  let digest = digests.get(bytes);
  if (!digest) digests.set(bytes, (digest = sha256Of(bytes)));
  return Identity.of('web', { url, sha256: await digest });
}

/** The last part of a URL's path. */
export function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).replaceAll('/', '_');
  } catch {
    return last;
  }
}

export function isHtml({ type }: Fetched, content: string): boolean {
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(type)) return true;
  // A page to log in, and the like, may come under the type of what was asked for.
  return (
    !/^text\/|json$|xml$/.test(type) && /^\s*(?:<!doctype html|<html[\s>])/i.test(content.slice(0, 4_096))
  );
}
