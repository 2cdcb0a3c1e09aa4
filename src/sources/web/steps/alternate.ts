/** Steps that read the page's own Markdown version: one that it links to, or `URL.md`. */

import { alternatesOf, sharesWords } from '../head-links.ts';
import { type Fetched, type Rendering, type Step, text } from '../page-step.ts';
import { withoutTrailingSlashes } from '../../../text/slashes.ts';

/** The least characters of a text that can replace a page. */
const LEAST = 60;

/** The most alternate links that are followed. */
const MOST_LINKED = 2;

export const alternateStep: Step = async (page, visit) => {
  const { origin } = new URL(page.url);
  const linked = alternatesOf(await page.text(), page.url).filter(
    ({ type, url }) =>
      /^text\/(?:x-)?markdown$/.test(type) && new URL(url).origin === origin && !isOfSite(new URL(url)),
  );
  for (const { url } of linked.slice(0, MOST_LINKED)) {
    const found = await visit.probe(url, { accept: 'text/markdown, text/plain' });
    const rendering = found && (await markdownOf(found, 'alternate-markdown', page));
    if (!found || !rendering) continue;
    visit.notes.push(`this is its Markdown, ${found.url}`);
    return rendering;
  }
  return undefined;
};

/** Whether the URL describes the whole site, and so is not a version of one page. */
function isOfSite({ pathname }: URL): boolean {
  return pathname === '/' || /\/llms(?:-[\w-]+)?\.(?:txt|md)$/i.test(pathname);
}

export const suffixStep: Step = async (page, visit) => {
  const url = new URL(page.url);
  const path = withoutTrailingSlashes(url.pathname);
  if (path === '' || /\.(?!html?$)[a-z]\w{0,4}$/i.test(path)) return undefined;
  url.pathname = `${path}.md`;
  const found = await visit.probe(url.href, { accept: 'text/markdown, text/plain' });
  // Rejects servers that redirect, or answer any URL with the same page.
  if (!found || !/\.mdx?$/i.test(new URL(found.url).pathname)) return undefined;
  return markdownOf(found, 'md-suffix', page);
};

async function markdownOf(found: Fetched, method: string, page: Fetched): Promise<Rendering | undefined> {
  if (!/^(?:text\/(?:x-)?markdown|text\/plain|application\/octet-stream|)$/.test(found.type))
    return undefined;
  const content = await found.text();
  const start = content.trimStart().slice(0, 400);
  if (
    content.trim().length < LEAST ||
    content.includes('\0') ||
    /^<(?:!doctype|html|\?xml|head|body)/i.test(start)
  ) {
    return undefined;
  }
  // An error page is detected by comparing words, because it may be in any language.
  if (!sharesWords(content, await page.text())) return undefined;
  return content.length < 1_000 && /\b(?:404|not found|does(?: not|n't) exist)\b/i.test(start)
    ? undefined
    : text(method, content, found);
}
