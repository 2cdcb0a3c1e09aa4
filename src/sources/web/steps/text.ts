/** The step for text that needs no conversion: plain text, Markdown, code, XML. */

import { isHtml, nameOf, type Step, text } from '../page-step.ts';

const TEXT =
  /^text\/|[/+](?:xml|yaml|toml|javascript|x-sh|sql|x-ndjson|json)$|^(?:application\/octet-stream)?$|^image\/svg/;

export const textStep: Step = async (page) => {
  if (!TEXT.test(page.type)) return undefined;
  const content = await page.text();
  if (isHtml(page, content)) return undefined;
  // Markdown by content negotiation, unless the file itself is named as Markdown.
  const negotiated = page.type === 'text/markdown' && !/\.(?:md|mdx|markdown)$/i.test(nameOf(page.url));
  return text(negotiated ? 'content-negotiation' : 'text', content, page);
};
