/** Caches the pages of a session: each is fetched once per URL and mode, until a fresh version is requested. */

import { createHash } from 'node:crypto';
import { version } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import { webNetwork } from '../../network/fetch.ts';
import { callerOf } from '../../queues/caller.ts';
import { memoryBytes } from '../../text/bytes.ts';
import type { ByteSource } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { ComputedValue, DerivedKind, DiskCache } from '../../types/session.ts';
import type { WebSettings } from '../../types/settings.ts';
import { DiskCopy, type ReplySerializer } from '../reply-cache.ts';
import type { PageRendering } from './page-step.ts';
import { type PageMode, readPage, redirectNote, type WebPage } from './pipeline.ts';
import { isOfSite } from './sites.ts';

interface PageVersion {
  count: number;
  kept: number | undefined;
  /** A weak reference, because the store counts the page's weight. After eviction the page is fetched again. */
  page: WeakRef<WebPage> | undefined;
}

/** As a cache key. */
type PageKey = { readonly [K in keyof PageMode]: PageMode[K] };

const versions: DerivedKind<PageVersion, PageKey> = { name: 'web-version', weigh: () => ({ memory: 256 }) };

const pages: DerivedKind<WebPage, PageKey & { readonly count: number }> = {
  name: 'web-page',
  weigh: ({ rendering }) => ({
    memory: 1024 + rendering.bytes.length,
  }),
};

export interface WebPageRequest extends PageMode {
  readonly url: string;
  readonly fresh: boolean;
  /** Whether a part of the page is requested, as after a truncated answer. */
  readonly part: boolean;
  readonly web: WebSettings;
  /** Whether a page is the version of which the caller was shown a part; absent if that is unknown. */
  readonly isBegun?: ((page: WebPage) => boolean) | undefined;
}

export const hasFailed = ({ rendering }: WebPage): boolean => rendering.method === 'failed';

/** The page of a URL. Concurrent calls share one request. */
async function readCachedPage(wanted: WebPageRequest, call: Call): Promise<WebPage> {
  const { url, raw, fresh, part, web } = wanted;
  const { store } = call.session;
  const of = (address: string): ByteSource => pageSource(address, web, call);
  const version = versionOf(url, wanted, call);
  let known = version.page?.deref();
  if (fresh || (known?.unsettled && !part)) version.count += 1;
  else if (known && wanted.isBegun?.(known) === false && (await elsewhere(wanted, call))) {
    // Another replica has cached the version of which the caller has seen a part.
    version.count += 1;
    known = undefined;
  }
  const { count } = version;
  // After a failure the previous version stays the current one.
  const goBack = (): void => {
    if (version.count === count && version.kept !== undefined) version.count = version.kept;
  };
  let isNew = false;
  const reading = store.get(
    pages,
    of(url),
    { ...modeOf(wanted), count },
    async ({ signal }): Promise<ComputedValue<WebPage>> => {
      const value = await readOrFind(wanted, known, signal, call);
      isNew = true;
      return { value, keep: !hasFailed(value) };
    },
    call,
  );
  const page = await reading.catch((error: unknown) => {
    goBack();
    throw error;
  });
  // A failed page is not reused, and neither are its validators, which belong to the error page.
  if (hasFailed(page)) {
    goBack();
    return page;
  }
  version.kept = count;
  version.page = new WeakRef(page);
  // The final URL gets the same page, except for known sites, where the API is used for it.
  if (isNew && page.finalUrl !== url && (raw || !isOfSite(page.finalUrl))) {
    const direct: WebPage = { ...page, notes: page.notes.filter((note) => note !== redirectNote(url)) };
    const final = versionOf(page.finalUrl, wanted, call);
    final.page = new WeakRef(direct);
    // This page is newer than the cached one of the final URL.
    final.count += 1;
    final.kept = final.count;
    await store.get(
      pages,
      of(page.finalUrl),
      { ...modeOf(wanted), count: final.count },
      () => Promise.resolve({ value: direct, keep: true }),
      call,
    );
  }
  return page;
}

/** The cache key. It contains the allowed addresses, because hosts with other settings may share the session. */
function pageSource(address: string, { allow, endpoints }: WebSettings, { access }: Call): ByteSource {
  return memoryBytes(
    '',
    Identity.of('web-url', { url: address, allow, endpoints: { ...endpoints }, cwd: access.cwd }),
  );
}

function modeOf({ raw, encoding }: PageMode): PageKey {
  return { raw, encoding };
}

function versionOf(address: string, wanted: PageMode & Pick<WebPageRequest, 'web'>, call: Call): PageVersion {
  const unknown = (): PageVersion => ({ count: 0, kept: undefined, page: undefined });
  return call.session.store.getNow(
    versions,
    pageSource(address, wanted.web, call),
    modeOf(wanted),
    unknown,
    call,
  );
}

/** Whether the cached page of `url` is an archive, a database or another file with parts. */
export async function isKeptFile(url: string, web: WebSettings, call: Call): Promise<boolean> {
  const { session, now } = call;
  const kept = versionOf(url, { raw: false, web }, call).page?.deref();
  const page =
    kept ??
    (await (session.disk && new PageOnDisk(session.disk, { url, raw: false, web }, now).find()))?.page;
  return page?.rendering.kind === 'file';
}

/** Whether the shared cache has the version of which the caller has seen a part. */
async function elsewhere(
  { url, raw, web, isBegun }: WebPageRequest,
  { session, now }: Call,
): Promise<boolean> {
  const found = await (session.disk && new PageOnDisk(session.disk, { url, raw, web }, now).find());
  return found?.current === true && isBegun?.(found.page) === true;
}

/** `known` is the page that this session has read. A page of an earlier process is used for parts and for revalidation. */
async function readOrFind(
  wanted: WebPageRequest,
  known: WebPage | undefined,
  signal: AbortSignal,
  { access, session, now, waitedMs = 0 }: Call,
): Promise<WebPage> {
  const { url, raw, encoding, fresh, part, web } = wanted;
  const disk = encoding === undefined ? session.disk : undefined;
  const copy = disk && new PageOnDisk(disk, { url, raw, web }, now);
  const found = known ? undefined : await copy?.find();
  if (found?.current === true && part && !fresh) return found.page;
  const page = await readPage({
    ...modeOf(wanted),
    url,
    network: webNetwork(web),
    endpoints: web.endpoints,
    access,
    signal,
    waitedMs,
    known: known ?? found?.page,
  });
  if (!hasFailed(page)) await copy?.keep(page);
  else if (page.status < 500) copy?.forget();
  return page;
}

// Keeps parts of a page consistent: a further part comes from the version that the caller was shown before, even on another
// replica that has read the page at another time. If that version is gone, the answer says so.

export interface SameVersionPage {
  readonly page: WebPage;
  readonly replaced: boolean;
}

export async function sameVersionPage(wanted: WebPageRequest, call: Call): Promise<SameVersionPage> {
  const { url, raw, encoding, part, fresh } = wanted;
  const { seen } = call.session;
  const [caller, place] = [callerOf(call.signal), JSON.stringify(['web', url, raw, encoding])];
  const last = part && !fresh ? await seen.last(caller, place) : {};
  const begun = last.shared ?? last.here;
  const page = await readCachedPage(
    { ...wanted, ...(begun !== undefined && { isBegun: (one) => digestOf(one) === begun }) },
    call,
  );
  if (page.rendering.method === 'failed' || page.rendering.method === 'ranges')
    return { page, replaced: false };
  const shown = digestOf(page);
  const { here = shown, shared = shown } = last;
  await seen.saw(caller, place, shown);
  return { page, replaced: here !== shown || shared !== shown };
}

const digests = new WeakMap<WebPage, string>();

function digestOf(page: WebPage): string {
  let digest = digests.get(page);
  if (digest === undefined) {
    digest = createHash('sha256').update(page.rendering.bytes).digest('base64url');
    digests.set(page, digest);
  }
  return digest;
}

// Caches pages on disk, so that a later process can continue a truncated page, and revalidate pages with the server.

/** Milliseconds for which parts are served from the cached page. */
const PARTS_MS = 5 * 60_000;

/** Milliseconds after which a page is no longer revalidated but fetched again. */
const KNOWN_MS = 7 * 24 * 60 * 60_000;

const MAX_DISK_PAGE_BYTES = 16 << 20;

type Head = Omit<WebPage, 'rendering'> & { readonly rendering: Omit<PageRendering, 'bytes'> };

const written: ReplySerializer<WebPage> = {
  // 4: converted in a realm of its own, so that no other page has changed it.
  version: 4,
  parts({ rendering: { bytes, ...rendering }, ...page }) {
    return { head: { ...page, rendering } satisfies Head, body: bytes };
  },
  value(head, body) {
    const { rendering, ...page } = head as Head;
    return { ...page, rendering: { ...rendering, bytes: body } } as WebPage;
  },
};

class PageOnDisk {
  readonly #copy: DiskCopy<WebPage>;
  readonly #now: () => number;

  /** The cache key includes the allowed addresses and the version of the converter. */
  constructor(
    disk: DiskCache,
    { url, raw, web }: { readonly url: string; readonly raw: boolean; readonly web: WebSettings },
    now: () => number,
  ) {
    const { allow, endpoints } = web;
    const facts = { url, raw, allow, endpoints: { ...endpoints }, code: version() };
    this.#copy = new DiskCopy(disk, Identity.of('web-page', facts), written);
    this.#now = now;
  }

  /** `current` says that the page is young enough to serve parts of it. */
  async find(): Promise<{ readonly page: WebPage; readonly current: boolean } | undefined> {
    const now = this.#now();
    const found = await this.#copy.find(now);
    if (!found || now - found.at >= KNOWN_MS) return undefined;
    return { page: found.value, current: now - found.at < PARTS_MS };
  }

  /** Resolves when other replicas can find it. */
  async keep(page: WebPage): Promise<void> {
    if (page.transient === true || page.rendering.bytes.length > MAX_DISK_PAGE_BYTES) return this.forget();
    await this.#copy.keep({ value: page, at: this.#now() });
  }

  forget(): void {
    void this.#copy.forget(this.#now());
  }
}
