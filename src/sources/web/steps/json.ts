/** The step for JSON, which is indented, and for JSON Feed. Larger JSON is formatted in the child process. */

import { layOut } from '../child/json-lines.ts';
import { convertFor } from '../convert-page.ts';
import { type Step, text } from '../page-step.ts';

/** The most characters that are formatted in this process, which takes 5 ms. */
const MOST_HERE = 32 << 10;
const DEPTH = 32;

const FEED = /"version"\s{0,20}:\s{0,20}"https?:\/\/jsonfeed\.org\/version\//;

export const jsonStep: Step = async (page, visit) => {
  // Many servers send JSON as HTML.
  if (!/[/+]json$|^(?:text\/html|application\/octet-stream)?$/.test(page.type)) return undefined;
  const content = await page.text();
  if (!/^\s*[[{]/.test(content)) return undefined;
  const feed = FEED.test(content.slice(0, 4_096));
  if (content.length <= MOST_HERE && !feed && !page.cut) {
    const laidOut = layOut(content, { depth: DEPTH, most: DEPTH * 4 * MOST_HERE, cut: false });
    return laidOut === undefined || laidOut === 'tooLong' ? undefined : text('json', laidOut, page);
  }
  const job = { is: 'json', url: page.url, cut: page.cut, feed } as const;
  const converted = await convertFor(visit, job, content);
  return converted?.reply.is === 'text' ? text(converted.reply.how, converted.body, page) : undefined;
};
