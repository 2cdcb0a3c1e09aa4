/** Pages in the cache on disk: a later process reads on where an earlier one was cut, and asks whether a page still holds. */

import { version } from '../../access/package-files.ts';
import { Identity } from '../../identity.ts';
import type { DiskCache } from '../../types/session.ts';
import type { WebSettings } from '../../types/settings.ts';
import { DiskCopy, type Written } from '../remembered-on-disk.ts';
import type { Rendering } from './page-step.ts';
import type { Page } from './pipeline.ts';

/** Milliseconds for which parts of a page are those of the page that was read. */
const PARTS_MS = 5 * 60_000;

/** Milliseconds after which a server is not asked whether a page still holds: it is read again. */
const KNOWN_MS = 7 * 24 * 60 * 60_000;

/** Bytes of a page that is cached. */
const MOST_BYTES = 16 << 20;

type Head = Omit<Page, 'rendering'> & { readonly rendering: Omit<Rendering, 'bytes'> };

const written: Written<Page> = {
  version: 3,
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

  /** What one list of addresses allows is not found under another; nor is what another version has converted. */
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

  /** `current`: young enough that parts of it are shown as it is. */
  async find(): Promise<{ readonly page: Page; readonly current: boolean } | undefined> {
    const now = this.#now();
    const found = await this.#copy.find(now);
    if (!found || now - found.at >= KNOWN_MS) return undefined;
    return { page: found.value, current: now - found.at < PARTS_MS };
  }

  /** Resolves when other replicas find it. */
  async keep(page: Page): Promise<void> {
    if (page.transient === true || page.rendering.bytes.length > MOST_BYTES) return this.forget();
    await this.#copy.keep({ value: page, at: this.#now() });
  }

  forget(): void {
    void this.#copy.forget(this.#now());
  }
}
