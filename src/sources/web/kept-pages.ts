/** The pages of a session: each is fetched once for a URL and a mode, until somebody asks for it again. */

import { memoryBytes } from '../../access/bytes.ts';
import { createNetwork, type Network } from '../../access/network/fetch.ts';
import { Identity } from '../../identity.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { WebSettings } from '../../types/settings.ts';
import type { Kind, Made } from '../../types/store.ts';
import { PageOnDisk } from './page-on-disk.ts';
import { type Page, readPage, redirectNote } from './pipeline.ts';
import { type RangeAnswers, rangeAnswers } from './range-answers.ts';
import { isOfSite } from './sites/site-table.ts';

/** One network for all calls of an instance: its connections are reused. */
const networks = new WeakMap<WebSettings, Network>();

export function networkOf(web: WebSettings): Network {
  let network = networks.get(web);
  if (!network) networks.set(web, (network = createNetwork(web)));
  return network;
}

/** Which version of a URL is current. */
interface Version {
  count: number;
  /** The last one that is kept. */
  kept: number | undefined;
  /** Held by the store's entry alone, which is weighed: after its eviction the page is asked for again. */
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
  /** The one that the caller names, for a page that says another or none. */
  readonly encoding?: string;
  /** Not by ranges, however large: its server has none, whatever it says. */
  readonly whole?: true;
  readonly fresh: boolean;
  /** A part of it is asked for, as after an answer that was cut. */
  readonly part: boolean;
  readonly web: WebSettings;
  /** Whether a page is the one of which the reader was shown a part; absent if that is not known. */
  readonly isBegun?: (page: Page) => boolean;
}

export const hasFailed = ({ rendering }: Page): boolean => rendering.method === 'failed';

/** Calls that ask for the same page at once share one request. */
export async function pageOf(wanted: Wanted, call: Call): Promise<Page> {
  const { url, raw, fresh, part, web } = wanted;
  const { store } = call.session;
  const of = (address: string): ByteSource => placeOf(address, web, call);
  const version = versionOf(url, wanted, call);
  let known = version.page?.deref();
  if (fresh || (known?.unsettled && !part)) version.count += 1;
  else if (known && wanted.isBegun?.(known) === false && (await elsewhere(wanted, call))) {
    // Another replica has the page that was begun.
    version.count += 1;
    known = undefined;
  }
  const { count } = version;
  // What has failed takes nothing away.
  const goBack = (): void => {
    if (version.count === count && version.kept !== undefined) version.count = version.kept;
  };
  let isNew = false;
  const reading = store.get(
    pages,
    of(url),
    { ...modeOf(wanted), count },
    async ({ signal }): Promise<Made<Page>> => {
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
  // A failure is asked for again, and without its validators: they are not those of the page that may come.
  if (hasFailed(page)) {
    goBack();
    return page;
  }
  version.kept = count;
  version.page = new WeakRef(page);
  // Of a known site the API is asked for it.
  if (isNew && page.finalUrl !== url && (raw || !isOfSite(page.finalUrl))) {
    const direct: Page = { ...page, notes: page.notes.filter((note) => note !== redirectNote(url)) };
    const final = versionOf(page.finalUrl, wanted, call);
    final.page = new WeakRef(direct);
    // It is newer than what was read there before.
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

/** What one list of addresses allows is not shown under another that shares the session. */
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

/** One for all modes in which a file is read. Without validators all its versions are taken for one. */
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

/** Whether what is at `url` was read before, and is an archive, a database or another file with parts. */
export async function isKeptFile(url: string, web: WebSettings, call: Call): Promise<boolean> {
  const { session, now } = call;
  const kept = versionOf(url, { raw: false, web }, call).page?.deref();
  const page =
    kept ??
    (await (session.disk && new PageOnDisk(session.disk, { url, raw: false, web }, now).find()))?.page;
  return page?.rendering.is === 'file';
}

/** Whether the page that was begun is in the cache, where another replica has put it. */
async function elsewhere({ url, raw, web, isBegun }: Wanted, { session, now }: Call): Promise<boolean> {
  const found = await (session.disk && new PageOnDisk(session.disk, { url, raw, web }, now).find());
  return found?.current === true && isBegun?.(found.page) === true;
}

/** `known` is what this session has read; of an earlier process a part is shown, and the whole is asked for again. */
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
