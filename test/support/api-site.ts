/** Reads pages of a known site; one loopback server stands in for both the site and its API. */

import { onTestFinished } from 'vitest';
import { createAccess } from '../../src/files/local.ts';
import { createNetwork } from '../../src/network/fetch.ts';
import { type WebPage, readPage } from '../../src/formats/web/pipeline.ts';
import type { SiteEndpoints } from '../../src/types/settings.ts';
import { temporaryFolder } from './commands.ts';
import { type Page, site } from './web.ts';

export interface ApiSite {
  /** Base URL of the server, without a trailing slash. */
  readonly url: string;
  readonly asked: string[];
  /** Reads `http://HOST/path`, where HOST is made to resolve to the server. */
  read(host: string, path: string): Promise<WebPage & { readonly text: string }>;
}

/** `endpoints`: the API endpoints to point at the server. Every host name resolves to it; no other address is allowed. */
export async function apiSite(
  pages: Readonly<Record<string, Page>>,
  ...endpoints: readonly (keyof SiteEndpoints)[]
): Promise<ApiSite> {
  const { url, asked } = await site(pages);
  const network = createNetwork({
    allow: [`127.0.0.1:${new URL(url).port}`],
    resolve: () => Promise.resolve(['127.0.0.1']),
  });
  onTestFinished(() => network.close());
  const cwd = temporaryFolder();
  return {
    url,
    asked,
    async read(host, path) {
      const page = await readPage({
        url: `http://${host}:${new URL(url).port}${path}`,
        raw: false,
        network,
        endpoints: Object.fromEntries(endpoints.map((name) => [name, url])),
        access: createAccess({ cwd, roots: [cwd], allow: [] }),
        signal: new AbortController().signal,
      });
      return {
        ...page,
        text: page.rendering.kind === 'text' ? new TextDecoder().decode(page.rendering.bytes) : '',
      };
    },
  };
}

export const json = (value: unknown): Page => ({ type: 'application/json', body: JSON.stringify(value) });
