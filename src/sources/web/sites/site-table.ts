/** The table of sites whose pages are read through their APIs; each is a file beside this one. */

import { type Rendering, type Site, text, type Fetched, type Visit } from '../page-step.ts';
import { arxiv } from './arxiv.ts';
import { github } from './github.ts';
import { mdn } from './mdn.ts';
import { npm } from './npm.ts';
import { pypi } from './pypi.ts';
import { rfc } from './rfc.ts';
import { stackexchange } from './stackexchange.ts';
import { wikipedia } from './wikipedia.ts';

const sites: readonly Site[] = [github, npm, pypi, wikipedia, stackexchange, arxiv, mdn, rfc];

/** Whether a page is read through the API of its site. */
export function isOfSite(url: string): boolean {
  const { hostname } = new URL(url);
  return sites.some((site) => site.hosts.test(hostname) && site.page(new URL(url)) !== undefined);
}

/** Reads a page through the API of its site; undefined if that fails, then it is read as HTML. */
export async function siteStep(
  visit: Visit,
): Promise<{ readonly page: Fetched; readonly rendering: Rendering } | undefined> {
  const url = new URL(visit.url);
  for (const site of sites) {
    const read = site.hosts.test(url.hostname) ? site.page(url) : undefined;
    if (!read) continue;
    const found = await read(visit);
    if (!found) {
      visit.unsettle();
      visit.notes.push(`${site.name}: its API has not answered, this is the page itself`);
      return undefined;
    }
    if ('rendering' in found) return found;
    const content = found.text.endsWith('\n') ? found.text : `${found.text}\n`;
    return {
      page: found.page,
      rendering: text(site.name, content, found.page.cut ? found.page : (found.also ?? found.page)),
    };
  }
  return undefined;
}
