/** Reads a URL: the page from the cache or fetched, with its header lines. */

import { memoryBytes } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { notASelector } from '../../selector/not-a-selector.ts';
import { everything, parseBehind } from '../../selector/selection.ts';
import { binarySize } from '../../render/units.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, TextResource } from '../../types/resource.ts';
import type { Spill } from '../../types/session.ts';
import type { Window } from '../../types/excerpt.ts';
import type { WebSettings } from '../../types/settings.ts';
import type { Selection } from '../../types/selection.ts';
import { keepOutput } from '../../session/kept-output.ts';
import { sources } from '../source-table.ts';
import { type Address, addressOf, waysOf } from './web-address.ts';
import { sameVersionPage, type SameVersionPage } from './same-version-page.ts';
import { hasFailed, isKeptFile, networkOf, rangeAnswersOf, type Wanted } from './page-cache.ts';
import { identityOf, nameOf, type Rendering } from './page-step.ts';
import { cutWords, openFile } from './open-file.ts';
import { openLarge } from './large-file.ts';
import type { Page } from './pipeline.ts';
import { threadPage } from './thread-page.ts';
import { PAGE_LINES } from './web-limits.ts';

/** Throws OrielError: `UNSUPPORTED` if the web is off, and the errors of reading. */
export async function openPage(target: string, call: Call): Promise<Resource> {
  const { web, operator } = call.settings;
  if (web === false) {
    throw new OrielError(
      'UNSUPPORTED',
      `${quote(target)} is not read: the web is off here. The operator of oriel can allow it ${operator.web}.`,
    );
  }
  const holds = (name: string): boolean => sources.some((source) => source.holds?.(name) ?? false);
  const address = addressOf(target, holds);
  const { url, rest, fresh } = (await fileBefore(target, web, call)) ?? address;
  const selection = rest === '' ? everything : parseBehind(url, rest);
  const raw = selection?.mode === 'raw';
  const part = rest !== '' && rest !== 'raw';
  const encoding = selection?.encoding;
  const told = encoding === undefined ? {} : { encoding };
  const wanted: Wanted = { url, raw, fresh, part, web, ...told };
  let read = await pageOrThread(wanted, call);
  if (read.page.rendering.method === 'ranges') {
    const { finalUrl, contentType } = read.page;
    const answers = rangeAnswersOf(read.page, web, call);
    // With `:fresh`, try ranges again even if the server did not support them before.
    if (fresh && answers.known === 'all') answers.known = undefined;
    const file = { url, finalUrl, contentType, rest, facts: factsOf(read.page, url), answers };
    const large = await openLarge(file, networkOf(web), call);
    if (large) return large;
    read = await sameVersionPage({ ...wanted, whole: true }, call);
  }
  const { page, replaced } = read;
  const facts = factsOf(page, url);
  const file = await openFile({ url, rest, page, selection, facts }, call);
  if (file?.is === 'resource') return file.resource;
  if (!selection) throw notASelector(url, rest, 'lines (:50-100), :raw or :fresh');
  const shown = { url, page, raw, selection, facts, replaced, ...file?.instead };
  return hasFailed(page) ? failureResource(shown) : textResource(shown, call);
}

function factsOf({ finalUrl, contentType, rendering, status, notes }: Page, url: string) {
  return {
    url,
    finalUrl,
    contentType: contentType.slice(0, 200),
    method: rendering.method,
    status,
    ...(notes.length > 0 && { notes }),
  };
}

/** The address if a known file with parts ends before a colon of the target. */
async function fileBefore(target: string, web: WebSettings, call: Call): Promise<Address | undefined> {
  for (const way of waysOf(target)) if (await isKeptFile(way.url, web, call)) return way;
  return undefined;
}

async function pageOrThread(wanted: Wanted, call: Call): Promise<SameVersionPage> {
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

interface Shown {
  readonly url: string;
  readonly page: Page;
  readonly raw: boolean;
  readonly selection: Selection;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly replaced: boolean;
}

/** The most characters of a URL in notices. For a longer one (such as a signed URL) the artifact is named instead. */
const MOST_NAMED = 500;

async function textResource(
  { url, page, raw, selection, facts, replaced }: Shown,
  call: Call,
): Promise<TextResource> {
  const { rendering } = page;
  // Not for parts: on the command line each part would keep another copy of the whole page.
  const kept = raw || selection.window ? undefined : await keptAs(page, url, call);
  const isText = rendering.is !== 'raw' || rendering.encoding === 'utf-8';
  // The page was already decoded with the selected encoding.
  const { encoding, ...decoded } = selection;
  const hasHeader = !raw && !selection.window && selection.symbol === undefined;
  const said = [
    ...(hasHeader ? [] : page.notes),
    ...(replaced ? [`${url} was read again since, and has changed: lines may lie elsewhere`] : []),
    ...cutWords(page),
    ...(rendering.is === 'raw' && rendering.said !== undefined ? [rendering.said] : []),
    ...(kept ? [keptWords(kept, rendering)] : []),
  ];
  return {
    is: 'text',
    kind: 'web',
    bytes: memoryBytes(rendering.bytes, await identityOf(url, rendering.bytes)),
    encoding: isText ? 'utf-8' : 'stored',
    selection: isText ? decoded : selection,
    target:
      isText && encoding !== undefined
        ? `${url}:encoding=${encoding}`
        : kept && url.length > MOST_NAMED
          ? kept.url
          : url,
    name: raw || (asksForSymbols(selection) && !isHtmlType(page)) ? nameOf(page.finalUrl) : 'page.md',
    display: 'lines',
    pageLines: PAGE_LINES,
    editable: false,
    ...(!raw && { above: headerOf(page) }),
    facts: { ...facts, ...(kept && { artifact: kept.url }) },
    notes: said.map((one) => ({ kind: 'said', text: one })),
  };
}

/** The resource for a failed page. The reason is shown whatever lines were requested; the server's text can be paged. */
async function failureResource({
  url,
  page,
  raw,
  selection: { window },
  facts,
}: Shown): Promise<TextResource> {
  const { bytes } = page.rendering;
  const isNext = window !== undefined && goesOn(window, bytes);
  return {
    is: 'text',
    kind: 'web',
    bytes: memoryBytes(bytes, await identityOf(url, bytes)),
    encoding: 'utf-8',
    selection: isNext ? { window } : everything,
    target: raw ? `${url}:raw` : url,
    name: 'page.md',
    display: 'lines',
    pageLines: PAGE_LINES,
    editable: false,
    above: headerOf(page),
    facts,
    notes: [...(isNext ? page.notes : []), ...cutWords(page)].map((one) => ({ kind: 'said', text: one })),
  };
}

/** Whether a window begins after the first line and before the end of the text. */
function goesOn(window: Window, bytes: Uint8Array): boolean {
  switch (window.by) {
    case 'lines': {
      const { from = 1 } = window.ranges[0] ?? {};
      return (from > 1 || window.inside !== undefined) && hasLines(bytes, from - 1);
    }
    case 'bytes':
      return window.start > 0 && window.start < bytes.length;
    default:
      return window.by === 'tail' && window.before !== undefined;
  }
}

/** Whether the page was HTML; it was converted to Markdown, whose headings make the outline. */
function isHtmlType({ contentType }: Page): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType);
}

/** Whether the selection needs symbols: an outline or a symbol. */
function asksForSymbols({ mode, symbol }: Selection): boolean {
  return mode === 'outline' || symbol !== undefined;
}

function headerOf({ finalUrl, contentType, notes, rendering }: Page): string {
  const lines = [
    `URL: ${oneLine(finalUrl)}`,
    `Content-Type: ${oneLine(contentType).slice(0, 200) || 'none'}`,
    `Method: ${rendering.method}`,
    ...(notes.length > 0 ? [`Notes: ${oneLine(notes.join('; '))}`] : []),
  ];
  return `${lines.join('\n')}\n\n---\n`;
}

const NEWLINE = 10;

function keptWords({ url, bytes, capped }: Spill, { cutAt }: Rendering): string {
  const all = cutAt === undefined ? 'All of it' : 'All that was read';
  return `${capped ? `The first ${binarySize(bytes)} of it` : all} is kept as ${url}`;
}

/** Keeps a page that does not fit into one answer as an artifact. */
async function keptAs(page: Page, url: string, call: Call): Promise<Spill | undefined> {
  // A page that may not be cached on disk is not kept as a file either.
  if (page.rendering.is !== 'text' || page.transient) return undefined;
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

/** Whether there are at least `count` newlines. */
function hasLines(bytes: Uint8Array, count: number): boolean {
  let at = -1;
  for (let found = 0; found < count; found += 1) {
    at = bytes.indexOf(NEWLINE, at + 1);
    if (at === -1) return false;
  }
  return true;
}
