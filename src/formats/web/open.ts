/** Reads a URL: the page from the cache or fetched, with its header lines. */

import { isOrielError, OrielError } from '../../errors.ts';
import { webNetwork } from '../../network/fetch.ts';
import { startDeadline } from '../../queues/caller.ts';
import { binarySize } from '../../render/display.ts';
import { everything, notASelector, parseBehind } from '../../selector/selection.ts';
import { keepOutput } from '../../session/snapshots.ts';
import { memoryBytes } from '../../text/bytes.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Call, Resource, TextResource } from '../../types/call.ts';
import type { Selection, Window } from '../../types/excerpt.ts';
import type { SpilledOutput } from '../../types/session.ts';
import type { WebSettings } from '../../types/settings.ts';
import { readThread, type ThreadName } from '../github/open.ts';
import { isGitHub, REPOSITORY_PART } from '../github/repository.ts';
import { asImmutable } from '../resources/names.ts';
import { sources } from '../table.ts';
import {
  hasFailed,
  isKeptFile,
  sameVersionPage,
  type SameVersionPage,
  type WebPageRequest,
} from './cache.ts';
import { openLarge } from './large-file.ts';
import { PAGE_LINES } from './limits.ts';
import {
  identityOf,
  type LinkedDocument,
  nameOf,
  type PageRendering,
  subjectOf,
  textRendering,
  WHOLE,
} from './page-step.ts';
import type { WebPage } from './pipeline.ts';
import { listWebAddresses, parseWebAddress, type WebAddress } from './select.ts';

/** Throws OrielError: `UNSUPPORTED` if the web is off, and the errors of reading. */
export async function openWebPage(target: string, call: Call): Promise<Resource> {
  const { web, operator } = call.settings;
  if (web === false) {
    throw new OrielError(
      'UNSUPPORTED',
      `${quote(target)} is not read: the web is off here. The operator of oriel can allow it ${operator.web}.`,
    );
  }
  const holds = (name: string): boolean => sources.some((source) => source.holds?.(name) ?? false);
  const address = parseWebAddress(target, holds);
  const { url, rest, fresh } = (await fileBefore(target, web, call)) ?? address;
  const selection = rest === '' ? everything : parseBehind(url, rest);
  const raw = selection?.mode === 'raw';
  const part = rest !== '' && rest !== 'raw';
  const encoding = selection?.encoding;
  const told = encoding === undefined ? {} : { encoding };
  const wanted: WebPageRequest = { url, raw, fresh, part, web, ...told };
  const read = await pageOrThread(wanted, call);
  if (read.page.rendering.method === 'ranges') {
    const file = { url, page: read.page, rest, facts: factsOf(read.page, url) };
    return openLarge(file, webNetwork(web), call);
  }
  const { page, replaced } = read;
  const facts = factsOf(page, url);
  const file = await openWebFile({ url, rest, page, selection, facts }, call);
  if (file && 'kind' in file) return file;
  if (!selection) throw notASelector(url, rest, 'lines (:50-100), :raw or :fresh');
  const shown = { url, page, raw, selection, facts, replaced, ...file };
  return hasFailed(page) ? failureResource(shown) : textResource(shown, call);
}

function factsOf({ finalUrl, contentType, rendering, status, notes }: WebPage, url: string) {
  return {
    url,
    finalUrl,
    contentType: contentType.slice(0, 200),
    method: rendering.method,
    status,
    notes: notes.length > 0 ? notes : undefined,
  };
}

/** The address if a known file with parts ends before a colon of the target. */
async function fileBefore(target: string, web: WebSettings, call: Call): Promise<WebAddress | undefined> {
  for (const way of listWebAddresses(target)) if (await isKeptFile(way.url, web, call)) return way;
  return undefined;
}

async function pageOrThread(wanted: WebPageRequest, call: Call): Promise<SameVersionPage> {
  const thread = await threadPage(wanted, call);
  // No fallback to the page: it would wait for the same slots.
  if (isOrielError(thread) && thread.code === 'BUSY') throw thread;
  if (!isOrielError(thread))
    return thread ? { page: thread, replaced: false } : sameVersionPage(wanted, call);
  const { page, replaced } = await sameVersionPage(wanted, call).catch(() => {
    call.signal.throwIfAborted();
    throw thread;
  });
  return {
    replaced,
    page: { ...page, notes: [...page.notes, `github: ${thread.message} This is the page itself`] },
  };
}

interface ShownPage {
  readonly url: string;
  readonly page: WebPage;
  readonly raw: boolean;
  readonly selection: Selection;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly replaced: boolean;
}

/** The most characters of a URL in notices. For a longer one (such as a signed URL) the artifact is named instead. */
const MAX_NAMED_URL_CHARACTERS = 500;

async function textResource(shown: ShownPage, call: Call): Promise<TextResource> {
  const { url, page, raw, selection, facts, replaced } = shown;
  const { rendering } = page;
  // Not for parts: on the command line each part would keep another copy of the whole page.
  const kept = raw || selection.window ? undefined : await keptAs(page, url, call);
  const isText = rendering.kind !== 'raw' || rendering.encoding === 'utf-8';
  // The page was already decoded with the selected encoding.
  const { encoding, ...decoded } = selection;
  const hasHeader = !raw && !selection.window && selection.symbol === undefined;
  const isOutline = selection.mode === 'outline' || selection.symbol !== undefined;
  // It was converted to Markdown, whose headings make the outline.
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(page.contentType);
  const said = [
    ...(hasHeader ? [] : page.notes),
    ...(replaced ? [`${url} was read again since, and has changed: lines may lie elsewhere`] : []),
    ...truncationSentences(page),
    ...(rendering.kind === 'raw' && rendering.said !== undefined ? [rendering.said] : []),
    ...(kept ? [keptWords(kept, rendering)] : []),
  ];
  return {
    ...(await pageText(shown)),
    encoding: isText ? 'utf-8' : 'stored',
    selection: isText ? decoded : selection,
    target:
      isText && encoding !== undefined
        ? `${url}:encoding=${encoding}`
        : kept && url.length > MAX_NAMED_URL_CHARACTERS
          ? kept.url
          : url,
    name: raw || (isOutline && !isHtml) ? nameOf(page.finalUrl) : 'page.md',
    above: !raw ? headerOf(page) : undefined,
    facts: { ...facts, ...(kept && { artifact: kept.url }) },
    notes: said.map((one) => ({ kind: 'said', text: one })),
  };
}

/** The resource for a failed page. The reason is shown whatever lines were requested; the server's text can be paged. */
async function failureResource(shown: ShownPage): Promise<TextResource> {
  const { url, page, raw, selection } = shown;
  const { window } = selection;
  const isNext = window !== undefined && goesOn(window, page.rendering.bytes);
  return {
    ...(await pageText(shown)),
    encoding: 'utf-8',
    selection: isNext ? { window } : everything,
    target: raw ? `${url}:raw` : url,
    name: 'page.md',
    above: headerOf(page),
    notes: [...(isNext ? page.notes : []), ...truncationSentences(page)].map((one) => ({
      kind: 'said',
      text: one,
    })),
  };
}

async function pageText({ url, page, facts }: ShownPage) {
  const { bytes } = page.rendering;
  return {
    kind: 'text',
    format: 'web',
    bytes: memoryBytes(bytes, await identityOf(url, bytes)),
    display: 'lines',
    pageLines: PAGE_LINES,
    editable: false,
    facts,
  } as const;
}

/** Whether a window begins after the first line and before the end of the text. */
function goesOn(window: Window, bytes: Uint8Array): boolean {
  switch (window.kind) {
    case 'lines': {
      const { from = 1 } = window.ranges[0] ?? {};
      return (from > 1 || window.inside !== undefined) && hasLines(bytes, from - 1);
    }
    case 'bytes':
      return window.start > 0 && window.start < bytes.length;
    default:
      return window.kind === 'tail' && window.before !== undefined;
  }
}

function headerOf({ finalUrl, contentType, notes, rendering }: WebPage): string {
  const lines = [
    `URL: ${oneLine(finalUrl)}`,
    `Content-Type: ${oneLine(contentType).slice(0, 200) || 'none'}`,
    `Method: ${rendering.method}`,
    ...(notes.length > 0 ? [`Notes: ${oneLine(notes.join('; '))}`] : []),
  ];
  return `${lines.join('\n')}\n\n---\n`;
}

const NEWLINE = 10;

function keptWords({ url, bytes, capped }: SpilledOutput, { cutAt }: PageRendering): string {
  const all = cutAt === undefined ? 'All of it' : 'All that was read';
  return `${capped ? `The first ${binarySize(bytes)} of it` : all} is kept as ${url}`;
}

/** Keeps a page that does not fit into one answer as an artifact. */
async function keptAs(page: WebPage, url: string, call: Call): Promise<SpilledOutput | undefined> {
  // A page that may not be cached on disk is not kept as a file either.
  if (page.rendering.kind !== 'text' || page.transient) return undefined;
  const { bytes } = page.rendering;
  if (bytes.length <= call.limits.bytes && !hasLines(bytes, PAGE_LINES)) return undefined;
  try {
    return await keepOutput(bytes, await identityOf(url, bytes), call.session.spills);
  } catch (error) {
    call.signal.throwIfAborted();
    // A full disk must not prevent reading the page.
    if (isOrielError(error)) return undefined;
    throw error;
  }
}

function hasLines(bytes: Uint8Array, count: number): boolean {
  let at = -1;
  for (let found = 0; found < count; found += 1) {
    at = bytes.indexOf(NEWLINE, at + 1);
    if (at === -1) return false;
  }
  return true;
}

// Opens a file at a URL that is not a text with the source of its kind: an image, a document, an archive.

type Facts = Readonly<Record<string, unknown>>;

interface FileRequest {
  readonly url: string;
  readonly rest: string;
  readonly page: WebPage;
  /** Undefined if `rest` is not a generic selector; it may name a part of the file. */
  readonly selection: Selection | undefined;
  readonly facts: Facts;
}

/** The page that is shown instead of a file, if it only links to a document that cannot be read. */
type LinkingPage = Pick<FileRequest, 'page' | 'facts'>;

/** Undefined for a text. Throws OrielError. */
async function openWebFile(
  { url, rest, page, selection, facts }: FileRequest,
  call: Call,
): Promise<Resource | LinkingPage | undefined> {
  const { rendering } = page;
  if (rendering.kind !== 'file') return undefined;
  const { name, bytes, linked } = rendering;
  const subject = subjectOf(url, name, bytes, await identityOf(url, bytes), rest);
  const otherwise = linked && selection && withoutDocument(page, linked, facts);
  const resource = await call.open(subject).catch((error: unknown) => {
    if (!isOrielError(error)) throw error;
    if (otherwise && UNREADABLE.has(error.code)) return undefined;
    throw ofCut(error, page);
  });
  if (otherwise && (!resource || resource.kind === 'note')) return otherwise;
  const said = [...page.notes, ...(linked ? [linkedWords(linked)] : []), ...truncationSentences(page)];
  return resource && asImmutable(resource, 'web', facts, said);
}

/** Errors that mean that no part of a document can be read. */
const UNREADABLE: ReadonlySet<string> = new Set(['CORRUPT', 'ENCRYPTED', 'LIMIT', 'UNSUPPORTED']);

function withoutDocument(page: WebPage, { url, page: own }: LinkedDocument, facts: Facts): LinkingPage {
  const notes = [...page.notes, `it links to a document that cannot be read: ${url}`];
  const rendering = textRendering(own.method, own.markdown, WHOLE);
  return { page: { ...page, rendering, notes }, facts: { ...facts, method: own.method, notes } };
}

/** The most characters of the page that are quoted in the notice about its linked document. */
const MAX_QUOTED_CHARACTERS = 300;

function linkedWords({ url, page }: LinkedDocument): string {
  const all = oneLine(page.markdown.replace(/\s+/g, ' ').trim());
  const own =
    all.length > MAX_QUOTED_CHARACTERS ? `${all.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}…` : all;
  return `This is the document that the page links to: ${url}${own === '' ? '' : `; the page itself says: ${own}`}`;
}

function truncationSentences({ rendering: { cutAt } }: WebPage): string[] {
  return cutAt === undefined
    ? []
    : [`Only the first ${binarySize(cutAt)} of the body were read: it is longer`];
}

/** Adds to an error that the file was truncated, which may be the cause. */
function ofCut(error: OrielError, page: WebPage): OrielError {
  const [words] = truncationSentences(page);
  if (words === undefined) return error;
  return new OrielError(error.code, `${error.message} ${words}.`, { next: error.next, cause: error });
}

// Reads GitHub issues and pull requests by their page URLs: with the text and cache of `issue://` and `pr://`.

/** The timeout of the API in ms, short enough that the page itself can still be read in the same call. */
const THREAD_MS = 12_000;

/** The thread as a page, or the error of the API; undefined if the URL does not name a thread. */
async function threadPage(
  { url, raw, fresh, web }: WebPageRequest,
  call: Call,
): Promise<WebPage | OrielError | undefined> {
  const thread = raw ? undefined : threadOf(url);
  if (!thread) return undefined;
  const late = (): Error =>
    new OrielError('TIMEOUT', `Its API took longer than ${THREAD_MS / 1000} seconds.`);
  const deadline = startDeadline(call.signal, THREAD_MS, late);
  try {
    const within: Call = { ...call, signal: deadline.signal };
    const { bytes, notes } = await readThread(thread, { web, fresh }, within);
    return {
      finalUrl: url,
      status: 200,
      contentType: 'application/json',
      notes,
      rendering: textRendering('github', bytes, WHOLE),
      transient: true,
    };
  } catch (error) {
    call.signal.throwIfAborted();
    if (isOrielError(error)) return error;
    throw error;
  } finally {
    deadline.stop();
  }
}

function threadOf(url: string): ThreadName | undefined {
  const { hostname, pathname } = new URL(url);
  if (!isGitHub(hostname)) return undefined;
  const [, owner = '', name = '', kind, digits] =
    /^\/+([\w.-]+)\/+([\w.-]+)\/+(issues|pull)\/+(\d{1,10})\/*$/.exec(pathname) ?? [];
  const plain = name.replace(/\.git$/, '');
  if (!REPOSITORY_PART.test(owner) || !REPOSITORY_PART.test(plain)) return undefined;
  return {
    scheme: kind === 'pull' ? 'pr' : 'issue',
    repository: `${owner}/${plain}`,
    number: Number(digits),
  };
}
