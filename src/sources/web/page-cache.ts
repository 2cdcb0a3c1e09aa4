/** Caches the pages of a session: each is fetched once per URL and mode, until a fresh version is requested. */

import { memoryBytes } from '../../access/bytes.ts';
import { createNetwork, type Network } from '../../access/network/fetch.ts';
import { Identity } from '../../identity.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { WebSettings } from '../../types/settings.ts';
import type { Computed, Kind } from '../../types/store.ts';
import { PageOnDisk } from './page-on-disk.ts';
import { type Page, readPage, redirectNote } from './pipeline.ts';
import { type RangeAnswers, rangeAnswers } from './range-answers.ts';
import { isOfSite } from './sites/site-table.ts';

/** One network per instance, so that connections are reused. */
const networks = new WeakMap<WebSettings, Network>();

export function networkOf(web: WebSettings): Network {
  let network = networks.get(web);
  if (!network) networks.set(web, (network = createNetwork(web)));
  return network;
}

/** The current version of a URL. */
interface Version {
  count: number;
  /** The last version that is cached. */
  kept: number | undefined;
  /** A weak reference, because the store counts the page's weight. After eviction the page is fetched again. */
  page: WeakRef<Page> | undefined;
}

type Mode = { readonly raw: boolean; readonly encoding?: string; readonly whole?: true };

const versions: Kind<Version, Mode> = { name: 'web-version', weigh: () => ({ memory: 256 }) };

const pages: Kind<Page, Mode & { readonly count: number }> = {
  name: 'web-page',
  weigh: ({ rendering }) => ({
    memory: 1024 + rendering.bytes.length,
  }),
};

export interface Wanted {
  readonly url: string;
  readonly raw: boolean;
  /** The encoding that the caller selects, if the page states a wrong one or none. */
  readonly encoding?: string;
  /** Set to read the whole body although it is large, because the server does not really support ranges. */
  readonly whole?: true;
  readonly fresh: boolean;
  /** Whether a part of the page is requested, as after a truncated answer. */
  readonly part: boolean;
  readonly web: WebSettings;
  /** Whether a page is the version of which the caller was shown a part; absent if that is unknown. */
  readonly isBegun?: (page: Page) => boolean;
}

export const hasFailed = ({ rendering }: Page): boolean => rendering.method === 'failed';

/** The page of a URL. Concurrent calls share one request. */
export async function pageOf(wanted: Wanted, call: Call): Promise<Page> {
  const { url, raw, fresh, part, web } = wanted;
  const { store } = call.session;
  const of = (address: string): ByteSource => placeOf(address, web, call);
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
    async ({ signal }): Promise<Computed<Page>> => {
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
    const direct: Page = { ...page, notes: page.notes.filter((note) => note !== redirectNote(url)) };
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
function placeOf(address: string, { allow, endpoints }: WebSettings, { access }: Call): ByteSource {
  return memoryBytes(
    '',
    Identity.of('web-url', { url: address, allow, endpoints: { ...endpoints }, cwd: access.cwd }),
  );
}

function modeOf({ raw, encoding, whole }: Pick<Wanted, 'raw' | 'encoding' | 'whole'>): Mode {
  return { raw, ...(encoding !== undefined && { encoding }), ...(whole && { whole }) };
}

function versionOf(
  address: string,
  wanted: Pick<Wanted, 'raw' | 'encoding' | 'whole' | 'web'>,
  call: Call,
): Version {
  const unknown = (): Version => ({ count: 0, kept: undefined, page: undefined });
  return call.session.store.getNow(
    versions,
    placeOf(address, wanted.web, call),
    modeOf(wanted),
    unknown,
    call,
  );
}

/** Shared by all modes of reading a file. Without validators, all versions of it are treated as one. */
export function rangeAnswersOf(
  { finalUrl, etag, lastModified }: Page,
  web: WebSettings,
  call: Call,
): RangeAnswers {
  const version = {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
  const none = (): RangeAnswers => ({ known: undefined });
  return call.session.store.getNow(rangeAnswers, placeOf(finalUrl, web, call), version, none, call);
}

/** Whether the cached page of `url` is an archive, a database or another file with parts. */
export async function isKeptFile(url: string, web: WebSettings, call: Call): Promise<boolean> {
  const { session, now } = call;
  const kept = versionOf(url, { raw: false, web }, call).page?.deref();
  const page =
    kept ??
    (await (session.disk && new PageOnDisk(session.disk, { url, raw: false, web }, now).find()))?.page;
  return page?.rendering.is === 'file';
}

/** Whether the shared cache has the version of which the caller has seen a part. */
async function elsewhere({ url, raw, web, isBegun }: Wanted, { session, now }: Call): Promise<boolean> {
  const found = await (session.disk && new PageOnDisk(session.disk, { url, raw, web }, now).find());
  return found?.current === true && isBegun?.(found.page) === true;
}

/** `known` is the page that this session has read. A page of an earlier process is used for parts and for revalidation. */
async function readOrFind(
  { url, raw, encoding, whole, fresh, part, web }: Wanted,
  known: Page | undefined,
  signal: AbortSignal,
  { access, session, now, waitedMs = 0 }: Call,
): Promise<Page> {
  const disk = encoding === undefined && !whole ? session.disk : undefined;
  const copy = disk && new PageOnDisk(disk, { url, raw, web }, now);
  const found = known ? undefined : await copy?.find();
  if (found?.current === true && part && !fresh) return found.page;
  const network = networkOf(web);
  const { endpoints } = web;
  const page = await readPage({
    url,
    raw,
    network,
    endpoints,
    access,
    signal,
    waitedMs,
    known: known ?? found?.page,
    ...(encoding !== undefined && { encoding }),
    ...(whole && { whole }),
  });
  if (!hasFailed(page)) await copy?.keep(page);
  else if (page.status < 500) copy?.forget();
  return page;
}
