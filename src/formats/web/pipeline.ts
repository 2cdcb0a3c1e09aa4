/** Reads one page: runs the steps in order; the first that applies wins. */

import { isOrielError, OrielError } from '../../errors.ts';
import type { WebRequest } from '../../network/fetch.ts';
import { startDeadline, type WorkDeadline } from '../../queues/caller.ts';
import { oneLine, quote } from '../../text/visible.ts';
import { textOfBytes } from './charset.ts';
import { convert, convertedText, pageJob } from './convert.ts';
import { isLarge, maxBodyBytes } from './large-file.ts';
import { OWN_MS, PAGE_MS, PROBE_MS, PROBES_MS } from './limits.ts';
import {
  cutOf,
  type FetchedPage,
  isHtml,
  type PageContext,
  type PageFetchOptions,
  type PageRendering,
  type PageStep,
  type PageVisit,
  textRendering,
  WHOLE,
} from './page-step.ts';
import { siteStep } from './sites.ts';
import {
  alternateStep,
  feedAlternateStep,
  feedStep,
  fileStep,
  jsonStep,
  linkedDocumentStep,
  llmsStep,
  rawStep,
  readableStep,
  suffixStep,
  textStep,
  thinStep,
} from './steps.ts';

/** Steps for responses that are not HTML. Content negotiation is in the first request, which prefers Markdown. */
const DIRECT: readonly PageStep[] = [fileStep, jsonStep, feedStep, textStep];

const HTML: readonly PageStep[] = [
  alternateStep,
  suffixStep,
  readableStep,
  linkedDocumentStep,
  feedAlternateStep,
  llmsStep,
  thinStep,
];

/** Methods that read something else instead of the page, for which the page's validators are meaningless. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  'alternate-markdown md-suffix feed-alternate linked-document llms.txt'.split(' '),
);

export interface WebPage {
  /** The URL after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  readonly contentType: string;
  readonly notes: readonly string[];
  readonly rendering: PageRendering;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Must not be cached on disk: the server says so, or it came through an API that may have used credentials. */
  readonly transient?: true | undefined;
  /** Something timed out, so the cached page is used only for parts. */
  readonly unsettled?: true | undefined;
}

export interface PageMode {
  readonly raw: boolean;
  /** The encoding that the caller selects, if the page states a wrong one or none. */
  readonly encoding?: string | undefined;
}

interface PageReading extends PageContext, PageMode {
  /** Milliseconds of the page's timeout that the call has already waited. */
  readonly waitedMs?: number | undefined;
  /** The cached page, for a conditional request. */
  readonly known?: WebPage | undefined;
}

/** Errors after which the next read may give another result. */
const UNSETTLED: ReadonlySet<string> = new Set(['TIMEOUT', 'NETWORK', 'BUSY']);

const ACCEPT =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.8, text/plain;q=0.8, */*;q=0.5';

/** Throws OrielError as `Network.get` does, and `TIMEOUT`. */
export async function readPage(reading: PageReading): Promise<WebPage> {
  const { url, raw, signal, known, waitedMs = 0 } = reading;
  const late = (): Error =>
    new OrielError(
      'TIMEOUT',
      `${quote(url)} took longer than ${PAGE_MS / 1000} seconds. Use ${raw ? 'the same call later' : `${quote(url)}:raw, which is not converted`}.`,
      raw ? {} : { next: `${url}:raw` },
    );
  const deadline = startDeadline(signal, PAGE_MS - waitedMs, late);
  const probes = new ProbeTime(deadline.signal, waitedMs);
  const visit = visitOf(reading, deadline.signal, probes);
  try {
    const special = raw ? undefined : await siteStep(visit);
    if (special) {
      // The final URL is the page's; the validators belong to the API, so the page is not cached on disk.
      const read = pageOf(special.page, special.rendering, visit);
      return { ...read, finalUrl: url, transient: true, etag: undefined, lastModified: undefined };
    }
    const accept = raw ? '*/*' : ACCEPT;
    let page = await visit.fetch(url, { accept, known });
    if (page.status === 304 && known) {
      if (page.url === known.finalUrl) return known;
      // The URL redirects elsewhere now; the validators do not apply to another URL.
      page = await visit.fetch(url, { accept });
    }
    if (page.url !== url) visit.notes.push(redirectNote(url));
    return pageOf(page, await renderingOf(page, raw, visit), visit);
  } finally {
    probes.stop();
    deadline.stop();
  }
}

export function redirectNote(url: string): string {
  return `redirected from ${url}`;
}

async function renderingOf(page: FetchedPage, raw: boolean, visit: PageVisit): Promise<PageRendering> {
  if (page.status >= 400 || page.status === 304) return failedPage(page, raw, visit);
  if (page.cut && isLarge(page.headers))
    return { kind: 'file', method: 'ranges', name: '', bytes: page.body };
  if (page.body.length === 0) visit.notes.push('the body is empty');
  if (page.status === 206) {
    const { 'content-range': range = 'which, it does not say' } = page.headers;
    visit.notes.push(`the server sent a part of it alone: ${oneLine(range.slice(0, 100))}`);
  }
  if (raw) return rawOf(page, visit);
  for (const step of DIRECT) {
    const rendering = await step(page, visit);
    if (rendering) return rendering;
  }
  for (const step of isHtml(page, await page.text()) ? HTML : []) {
    const rendering = await step(page, visit);
    if (rendering) return rendering;
  }
  return (await rawStep(page, visit)) ?? textRendering('raw', await page.text(), page);
}

/** The unconverted body, decoded if it is text. */
async function rawOf(page: FetchedPage, { notes }: PageVisit): Promise<PageRendering> {
  const { body } = page;
  const raw = { kind: 'raw', method: 'raw', ...cutOf(page) } as const;
  if (body.subarray(0, 4096).includes(0)) return { ...raw, encoding: 'stored', bytes: body };
  const others = notes.length;
  const decoded = await page.text();
  const [note] = notes.splice(others);
  const said = note === undefined ? {} : { said: note };
  return { ...raw, encoding: 'utf-8', bytes: Buffer.from(decoded), ...said };
}

function pageOf(page: FetchedPage, rendering: PageRendering, visit: PageVisit): WebPage {
  const { etag, 'last-modified': lastModified, 'content-type': contentType = '' } = page.headers;
  const { notes } = visit;
  const { isSettled: settled } = visit;
  // Validators are kept only for a settled page made from this response; others must be read again.
  const validates = settled && !ELSEWHERE.has(rendering.method);
  return {
    finalUrl: page.url,
    status: page.status,
    contentType,
    notes,
    rendering,
    etag: validates && isValidator(etag) ? etag : undefined,
    lastModified: validates && isValidator(lastModified) ? lastModified : undefined,
    transient: !visit.mayKeep || !settled ? (true as const) : undefined,
    unsettled: !settled ? (true as const) : undefined,
  };
}

/** The most characters of a validator, because servers reject requests with long headers. */
const MAX_VALIDATOR_CHARACTERS = 1_024;

function isValidator(value: string | undefined): value is string {
  return value !== undefined && value.length <= MAX_VALIDATOR_CHARACTERS;
}

/** Whether both URLs have the same origin, or one host redirects from http to https. */
function isSameSite(found: string, asked: string): boolean {
  const [to, from] = [new URL(found), new URL(asked)];
  return (
    to.origin === from.origin ||
    (from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname)
  );
}

function visitOf(reading: PageReading, signal: AbortSignal, probes: ProbeTime): PageVisit {
  const { url, encoding, network, endpoints, access } = reading;
  const notes: string[] = [];
  const get = async (address: string, ask: PageFetchOptions, until: AbortSignal): Promise<FetchedPage> => {
    const headers: Record<string, string> = {};
    if (ask.accept !== undefined) headers['accept'] = ask.accept;
    if (ask.known?.etag !== undefined) headers['if-none-match'] = ask.known.etag;
    else if (ask.known?.lastModified !== undefined) headers['if-modified-since'] = ask.known.lastModified;
    const request: WebRequest = {
      headers,
      ...(ask.credentials && { credentials: ask.credentials }),
      trusted: ask.trusted === true || undefined,
      signal: until,
      mostBytes: maxBodyBytes,
    };
    const reply = await network.get(address, request);
    if (/\bno-store\b/i.test(reply.headers['cache-control'] ?? '')) visit.mayKeep = false;
    const contentType = reply.headers['content-type'] ?? '';
    // A byte order mark takes precedence over this.
    const stated = encoding === undefined || address !== url ? contentType : `; charset=${encoding}`;
    let decoded: Promise<string> | undefined;
    return {
      ...reply,
      type: contentType.split(';')[0]?.trim().toLowerCase() ?? '',
      text: () =>
        (decoded ??= textOfBytes(reply.body, stated, reply.cut).then((found) => {
          if (found.note !== undefined) notes.push(found.note);
          return found.text;
        })),
    };
  };
  const visit: PageVisit = {
    url,
    network,
    endpoints,
    access,
    signal,
    notes,
    mayKeep: true,
    isSettled: true,
    fetch: (address, ask = {}) => get(address, ask, signal),
    async probe(address, ask = {}) {
      try {
        const found = await probes.run((until) => get(address, ask, until));
        // After a redirect to another site, it is not a form of this page.
        return found.status === 200 && isSameSite(found.url, address) ? found : undefined;
      } catch (error) {
        // If it does not exist or times out, the page itself is read.
        signal.throwIfAborted();
        if (!isOrielError(error) || UNSETTLED.has(error.code)) visit.isSettled = false;
        return undefined;
      }
    },
  };
  return visit;
}

// The answer for a page with an error status: the status, advice, and the text of the server.

const MAX_ERROR_TEXT_CHARACTERS = 2_000;
const MAX_ERROR_TEXT_LINES = 60;

/** With `raw` the body is shown unconverted. */
async function failedPage(page: FetchedPage, raw: boolean, visit: PageVisit): Promise<PageRendering> {
  visit.notes.push(`HTTP ${page.status}: ${adviceFor(page)}`);
  if (raw) return textRendering('failed', await page.text(), page);
  const said = (await saidBy(page, visit)).trim();
  const shown = said
    .split('\n', MAX_ERROR_TEXT_LINES)
    .join('\n')
    .slice(0, MAX_ERROR_TEXT_CHARACTERS)
    .toWellFormed();
  const more =
    shown.length < said.length ? `…\n\n(The server says more. Use ${visit.url}:raw for all of it.)` : '';
  return textRendering('failed', `${shown || '(The server says nothing more.)'}${more}\n`, WHOLE);
}

async function saidBy(page: FetchedPage, visit: PageVisit): Promise<string> {
  const content = await page.text();
  if (content.includes('\0')) return '';
  if (!isHtml(page, content)) return content;
  const converted = await convert(pageJob(page), content, visit.signal);
  return converted ? convertedText(converted) : '';
}

function adviceFor({ status, url, headers }: FetchedPage): string {
  const again = `use the same call ${laterBy(headers['retry-after'])}`;
  if (status === 429) return `the server has received too many requests, ${again}`;
  if (status >= 500) return `the server has failed, ${again}`;
  switch (status) {
    case 304:
      return 'the server says that nothing has changed, but no copy is cached; use the same call with :fresh';
    case 401:
    case 402:
    case 403:
    case 407:
      return 'the server requires a login or other access, and pages are read without credentials; use another source';
    case 404:
    case 410: {
      const what = status === 404 ? 'there is nothing at this URL' : 'it has been removed permanently';
      const { origin, href } = new URL(url);
      const top = `${origin}/`;
      return href === top ? what : `${what}; use ${top} to look for it`;
    }
    case 451:
      return 'it may not be shown for legal reasons; use another source';
    default:
      return `the server does not answer this request; use another URL`;
  }
}

/** When to try again: "in 60 seconds", "after Wed, 21 Oct 2026 07:28:00 GMT". */
function laterBy(after: string | undefined): string {
  if (after === undefined) return 'later';
  return /^\d{1,6}$/.test(after) ? `in ${Number(after)} seconds` : `after ${oneLine(after).slice(0, 40)}`;
}

// The timeouts for optional requests: other forms of a page, the API of a known site.

const late = (): Error => new OrielError('TIMEOUT', 'It did not answer in time.');

/** It pauses only while a converter is waited for, and ends before the timeout of the page, which must still be read. */
export class ProbeTime {
  readonly #last: WorkDeadline;
  #all: WorkDeadline | undefined;

  /** `signal` is that of the page, whose timeout begins now; the call has already waited for `waitedMs` milliseconds. */
  constructor(signal: AbortSignal, waitedMs = 0) {
    this.#last = startDeadline(signal, PAGE_MS - OWN_MS - waitedMs, late);
  }

  async run<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#all ??= startDeadline(this.#last.signal, PROBES_MS, late);
    const one = startDeadline(this.#all.signal, PROBE_MS, late);
    try {
      return await ask(one.signal);
    } finally {
      one.stop();
    }
  }

  stop(): void {
    this.#last.stop();
    this.#all?.stop();
  }
}
