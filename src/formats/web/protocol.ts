/** The messages between the engine and the child process that converts pages, feeds and JSON. */

import type { ShapeName } from '../github/shapes.ts';

/** `url` is the base for resolving links. */
export type PageJob = { readonly url: string } &
  /** With `asXml` the page is XHTML, in which any element may be self-closing. */
  (
    | { readonly kind: 'page'; readonly asXml?: boolean | undefined }
    | { readonly kind: 'feed' }
    /** Only the first entry of a feed. */
    | { readonly kind: 'entry' }
    /** HTML without page chrome, converted without the elements of these classes. */
    | { readonly kind: 'fragment'; readonly without: readonly string[] }
    /** Any JSON. `cut`: it is truncated; `feed`: it declares itself a JSON Feed. */
    | { readonly kind: 'json'; readonly cut: boolean; readonly feed: boolean }
    /** Reduces a reply of GitHub to the used fields. */
    | { readonly kind: 'github'; readonly shape: ShapeName }
    /** Reduces a message of an MCP server to the used fields. */
    | { readonly kind: 'mcp' }
    /** JSON of a known shape. */
    | { readonly kind: 'record'; readonly of: RecordKind; readonly ask: Readonly<Record<string, string>> }
  );

export type RecordKind =
  | 'github-repository'
  | 'mdn-page'
  | 'npm-package'
  | 'npm-manifest'
  | 'pypi-project'
  | 'stackexchange-question'
  | 'stackexchange-answers';

/** The head of a reply; the body of the frame is the text. */
export type PageReply =
  | {
      readonly kind: 'text';
      readonly how: PageMethod;
      /** Word counts, if the main text has clearly fewer words than the page. */
      readonly words?: { readonly shown: number; readonly all: number } | undefined;
      /** For a record: facts that decide on further requests to the site. */
      readonly facts?: Readonly<Record<string, string>> | undefined;
    }
  /** The content is not of this kind, or is empty. */
  | { readonly kind: 'nothing'; readonly why?: 'notJson' | 'otherShape' | undefined };

/** How the text was made. For a page: by a library, by its own markup (`main`), or the whole `page`. Otherwise the kind. */
export type PageMethod =
  | 'readability'
  | 'defuddle'
  | 'main'
  | 'page'
  | 'feed'
  | 'fragment'
  | 'json'
  | 'github'
  | 'mcp'
  | 'record';
