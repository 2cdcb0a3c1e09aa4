/** The messages between the engine and the child that reads pages, feeds and JSON. */

import type { ShapeName } from '../github/shapes.ts';

/** `url`: against which links are resolved. */
export type Job = { readonly url: string } &
  /** `asXml`: it is XHTML, in which any element may close itself. */
  (
    | { readonly is: 'page'; readonly asXml?: boolean }
    | { readonly is: 'feed' }
    /** The first entry of a feed, by itself. */
    | { readonly is: 'entry' }
    /** HTML that is text throughout, without the elements of these classes. */
    | { readonly is: 'fragment'; readonly without: readonly string[] }
    /** Any JSON; `cut`: its end is missing; `feed`: it says that it is one. */
    | { readonly is: 'json'; readonly cut: boolean; readonly feed: boolean }
    /** What is taken of an answer of GitHub, as JSON. */
    | { readonly is: 'github'; readonly shape: ShapeName }
    /** What is read of a message of an MCP server, as JSON. */
    | { readonly is: 'mcp' }
    /** JSON of a known shape. */
    | { readonly is: 'record'; readonly of: RecordKind; readonly ask: Readonly<Record<string, string>> }
  );

export type RecordKind =
  | 'github-repository'
  | 'mdn-page'
  | 'npm-package'
  | 'npm-manifest'
  | 'pypi-project'
  | 'stackexchange-question'
  | 'stackexchange-answers';

/** The body of the frame is the text. */
export type Reply =
  | {
      readonly is: 'text';
      readonly how: How;
      readonly title?: string;
      /** Of a page whose main text has clearly fewer than it has. */
      readonly words?: { readonly shown: number; readonly all: number };
      /** Of a record: what decides how the site is read on. */
      readonly facts?: Readonly<Record<string, string>>;
    }
  /** Not of this kind, or nothing in it. */
  | { readonly is: 'nothing'; readonly why?: 'notJson' | 'otherShape' };

/** Who found the main text of a page: a library, its own markup, or nobody: then it is all of it. Else what it was. */
export type How =
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
