/** Text that is meant to be read as it is: plain, Markdown, code, XML. */

import { isHtml, nameOf, type Step, text } from '../page-step.ts';

const TEXT =
  /^text\/|[/+](?:xml|yaml|toml|javascript|x-sh|sql|x-ndjson|json)$|^(?:application\/octet-stream)?$|^image\/svg/;

export const textStep: Step = async (page) => {
  if (!TEXT.test(page.type)) return undefined;
  const content = await page.text();
  if (isHtml(page, content)) return undefined;
  // It was asked for among other forms: a file that has that name would have come as that in any case.
  const negotiated = page.type === 'text/markdown' && !/\.(?:md|mdx|markdown)$/i.test(nameOf(page.url));
  return text(negotiated ? 'content-negotiation' : 'text', content, page);
};
