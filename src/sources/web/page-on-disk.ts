/** Caches pages on disk, so that a later process can continue a truncated page, and revalidate pages with the server. */

import { version } from '../../access/package-files.ts';
import { Identity } from '../../identity.ts';
import type { DiskCache } from '../../types/session.ts';
import type { WebSettings } from '../../types/settings.ts';
import { DiskCopy, type Written } from '../reply-cache-disk.ts';
import type { Rendering } from './page-step.ts';
import type { Page } from './pipeline.ts';

/** Milliseconds for which parts are served from the cached page. */
const PARTS_MS = 5 * 60_000;

/** Milliseconds after which a page is no longer revalidated but fetched again. */
const KNOWN_MS = 7 * 24 * 60 * 60_000;

/** The most bytes of a cached page. */
const MOST_BYTES = 16 << 20;

type Head = Omit<Page, 'rendering'> & { readonly rendering: Omit<Rendering, 'bytes'> };

const written: Written<Page> = {
  // 4: converted in a realm of its own, so that no other page has changed it.
  version: 4,
  parts({ rendering: { bytes, ...rendering }, ...page }) {
    return { head: { ...page, rendering } satisfies Head, body: bytes };
  },
  value(head, body) {
    const { rendering, ...page } = head as Head;
    return { ...page, rendering: { ...rendering, bytes: body } } as Page;
  },
};

export class PageOnDisk {
  readonly #copy: DiskCopy<Page>;
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
  async find(): Promise<{ readonly page: Page; readonly current: boolean } | undefined> {
    const now = this.#now();
    const found = await this.#copy.find(now);
    if (!found || now - found.at >= KNOWN_MS) return undefined;
    return { page: found.value, current: now - found.at < PARTS_MS };
  }

  /** Resolves when other replicas can find it. */
  async keep(page: Page): Promise<void> {
    if (page.transient === true || page.rendering.bytes.length > MOST_BYTES) return this.forget();
    await this.#copy.keep({ value: page, at: this.#now() });
  }

  forget(): void {
    void this.#copy.forget(this.#now());
  }
}
