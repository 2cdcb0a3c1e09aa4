/** Reads one page: runs the steps in order; the first that applies wins. */

import type { Network, WebRequest } from '../../access/network/fetch.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { deadlineOf } from '../../queues/deadline.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Access } from '../../types/access.ts';
import type { Endpoints } from '../../types/settings.ts';
import { textOfBytes } from './charset.ts';
import { failedPage } from './failed-page.ts';
import { isLarge, mostBytesOf, wholeUpTo } from './large-file.ts';
import {
  type Asking,
  cutOf,
  type Fetched,
  isHtml,
  type Rendering,
  type Step,
  text,
  type Visit,
} from './page-step.ts';
import { ProbeTime } from './probe-time.ts';
import { siteStep } from './sites/site-table.ts';
import { alternateStep, suffixStep } from './steps/alternate.ts';
import { feedAlternateStep } from './steps/feed-alternate.ts';
import { feedStep } from './steps/feed.ts';
import { fileStep } from './steps/file.ts';
import { jsonStep } from './steps/json.ts';
import { linkedDocumentStep } from './steps/linked-document.ts';
import { rawStep } from './steps/raw.ts';
import { llmsStep, readableStep, thinStep } from './steps/readable.ts';
import { textStep } from './steps/text.ts';
import { PAGE_MS } from './web-limits.ts';

/** Steps for responses that are not HTML. Content negotiation is in the first request, which prefers Markdown. */
const DIRECT: readonly Step[] = [fileStep, jsonStep, feedStep, textStep];

const HTML: readonly Step[] = [
  alternateStep,
  suffixStep,
  readableStep,
  linkedDocumentStep,
  feedAlternateStep,
  llmsStep,
  thinStep,
];

/** Steps that read something else instead of the page, for which the page's validators are meaningless. */
const ELSEWHERE: ReadonlySet<Step> = new Set([
  alternateStep,
  suffixStep,
  feedAlternateStep,
  linkedDocumentStep,
  llmsStep,
]);

export interface Page {
  /** The URL after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  readonly contentType: string;
  readonly notes: readonly string[];
  readonly rendering: Rendering;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Must not be cached on disk: the server says so, or it came through an API that may have used credentials. */
  readonly transient?: true;
  /** Something timed out, so the cached page is used only for parts. */
  readonly unsettled?: true;
}

export interface Reading {
  readonly url: string;
  readonly raw: boolean;
  /** The encoding to use instead of the stated one. */
  readonly encoding?: string;
  /** Set to read the whole body, however large. */
  readonly whole?: true;
  readonly network: Network;
  readonly endpoints: Endpoints;
  readonly access: Access;
  readonly signal: AbortSignal;
  /** Milliseconds of the page's timeout that the call has already waited. */
  readonly waitedMs?: number;
  /** The cached page, for a conditional request. */
  readonly known?: Page | undefined;
}

/** Errors after which the next read may give another result. */
const UNSETTLED: ReadonlySet<string> = new Set(['TIMEOUT', 'NETWORK', 'BUSY']);

const ACCEPT =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.8, text/plain;q=0.8, */*;q=0.5';

/** Throws OrielError as `Network.get` does, and `TIMEOUT`. */
export async function readPage(reading: Reading): Promise<Page> {
  const { url, raw, signal, known, waitedMs = 0 } = reading;
  const late = (): Error =>
    new OrielError(
      'TIMEOUT',
      `${quote(url)} took longer than ${PAGE_MS / 1000} seconds. Use ${raw ? 'the same call later' : `${quote(url)}:raw, which is not converted`}.`,
      raw ? {} : { next: `${url}:raw` },
    );
  const deadline = deadlineOf(signal, PAGE_MS - waitedMs, late);
  const probes = new ProbeTime(deadline.signal, waitedMs);
  const visit = visitOf(reading, deadline.signal, probes);
  try {
    const special = raw ? undefined : await siteStep(visit);
    if (special) {
      // The final URL is the page's; the validators belong to the API, so the page is not cached on disk.
      const read = pageOf(special.page, { rendering: special.rendering, isOwn: false }, visit);
      return { ...read, finalUrl: url, transient: true };
    }
    const accept = raw ? '*/*' : ACCEPT;
    let page = await visit.fetch(url, { accept, ...(known && { known }) });
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

/** The note for a page that was redirected. */
export function redirectNote(url: string): string {
  return `redirected from ${url}`;
}

interface Rendered {
  readonly rendering: Rendering;
  /** Whether it was made from the response of this URL. */
  readonly isOwn: boolean;
}

async function renderingOf(page: Fetched, raw: boolean, visit: Visit): Promise<Rendered> {
  const own = (rendering: Rendering): Rendered => ({ rendering, isOwn: true });
  if (page.status >= 400 || page.status === 304) return own(await failedPage(page, raw, visit));
  if (page.cut && visit.mayBeRanges && isLarge(page.headers))
    return own({ is: 'file', method: 'ranges', name: '', bytes: page.body });
  if (page.body.length === 0) visit.notes.push('the body is empty');
  if (page.status === 206) {
    const { 'content-range': range = 'which, it does not say' } = page.headers;
    visit.notes.push(`the server sent a part of it alone: ${oneLine(range.slice(0, 100))}`);
  }
  if (raw) return own(await rawOf(page, visit));
  for (const step of DIRECT) {
    const rendering = await step(page, visit);
    if (rendering) return own(rendering);
  }
  if (isHtml(page, await page.text())) {
    for (const step of HTML) {
      const rendering = await step(page, visit);
      if (rendering) return { rendering, isOwn: !ELSEWHERE.has(step) };
    }
  }
  return own((await rawStep(page, visit)) ?? text('raw', await page.text(), page));
}

/** The unconverted body, decoded if it is text. */
async function rawOf(page: Fetched, { notes }: Visit): Promise<Rendering> {
  const { body } = page;
  const raw = { is: 'raw', method: 'raw', ...cutOf(page) } as const;
  if (body.subarray(0, 4096).includes(0)) return { ...raw, encoding: 'stored', bytes: body };
  const others = notes.length;
  const decoded = await page.text();
  const [note] = notes.splice(others);
  const said = note === undefined ? {} : { said: note };
  return { ...raw, encoding: 'utf-8', bytes: Buffer.from(decoded), ...said };
}

function pageOf(page: Fetched, { rendering, isOwn }: Rendered, visit: Visit): Page {
  const { etag, 'last-modified': lastModified, 'content-type': contentType = '' } = page.headers;
  const { notes } = visit;
  const settled = visit.isSettled();
  // Validators are kept only for a settled page made from this response; others must be read again.
  const validates = isOwn && settled;
  return {
    finalUrl: page.url,
    status: page.status,
    contentType,
    notes,
    rendering,
    ...(validates && isValidator(etag) && { etag }),
    ...(validates && isValidator(lastModified) && { lastModified }),
    ...((!visit.mayKeep() || !settled) && { transient: true as const }),
    ...(!settled && { unsettled: true as const }),
  };
}

/** The most characters of a validator, because servers reject requests with long headers. */
const MOST_VALIDATOR = 1_024;

function isValidator(value: string | undefined): value is string {
  return value !== undefined && value.length <= MOST_VALIDATOR;
}

/** Whether both URLs have the same origin, or one host redirects from http to https. */
function isSameSite(found: string, asked: string): boolean {
  const [to, from] = [new URL(found), new URL(asked)];
  return (
    to.origin === from.origin ||
    (from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname)
  );
}

function visitOf(
  { url, encoding, whole, network, endpoints, access }: Reading,
  signal: AbortSignal,
  probes: ProbeTime,
): Visit {
  const notes: string[] = [];
  let mayKeep = true;
  let settled = true;
  const unsettle = (): void => void (settled = false);
  const get = async (address: string, ask: Asking, until: AbortSignal): Promise<Fetched> => {
    const headers: Record<string, string> = {};
    if (ask.accept !== undefined) headers['accept'] = ask.accept;
    if (ask.known?.etag !== undefined) headers['if-none-match'] = ask.known.etag;
    else if (ask.known?.lastModified !== undefined) headers['if-modified-since'] = ask.known.lastModified;
    const request: WebRequest = {
      headers,
      ...(ask.credentials && { credentials: ask.credentials }),
      ...(ask.trusted === true && { trusted: true }),
      signal: until,
      mostBytes: whole ? wholeUpTo : mostBytesOf,
    };
    const reply = await network.get(address, request);
    if (/\bno-store\b/i.test(reply.headers['cache-control'] ?? '')) mayKeep = false;
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
  return {
    url,
    network,
    endpoints,
    access,
    signal,
    notes,
    mayBeRanges: !whole,
    mayKeep: () => mayKeep,
    unsettle,
    isSettled: () => settled,
    fetch: (address, ask = {}) => get(address, ask, signal),
    async probe(address, ask = {}) {
      try {
        const found = await probes.run((until) => get(address, ask, until));
        // After a redirect to another site, it is not a form of this page.
        return found.status === 200 && isSameSite(found.url, address) ? found : undefined;
      } catch (error) {
        // If it does not exist or times out, the page itself is read.
        signal.throwIfAborted();
        if (!isOrielError(error) || UNSETTLED.has(error.code)) unsettle();
        return undefined;
      }
    },
  };
}
