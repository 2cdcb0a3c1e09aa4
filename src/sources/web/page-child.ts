/**
 * Runs in a child process: converts one page, feed or JSON after another, which come in frames on standard input, and
 * answers each with a frame on standard output. It opens no file and no connection.
 */

import { answerJobs, type ChildAnswer } from '../../access/child-jobs.ts';
import { extract, fragment } from './child/extract.ts';
import { entryText, feedText } from './child/feed.ts';
import { jsonText } from './child/json.ts';
import { records } from './child/records/table.ts';
import type { How, Job, Reply } from './protocol.ts';

/** More bytes than any page that is sent. */
const MOST_INPUT = 64 << 20;

interface Made extends Omit<Extract<Reply, { is: 'text' }>, 'is'> {
  readonly text: string;
}

/** Undefined for what is not of this kind. */
function made(job: Job, content: string): Made | undefined {
  const { url } = job;
  const as = (how: How, text: string | undefined): Made | undefined =>
    text === undefined ? undefined : { how, text };
  switch (job.is) {
    case 'page': {
      const { how, markdown, title } = extract(content, url);
      return { how, text: markdown, ...(title !== undefined && { title }) };
    }
    case 'fragment':
      return as('fragment', fragment(content, url, job.without));
    case 'feed':
      return as('feed', feedText(content, url));
    case 'entry':
      return as('feed', entryText(content, url));
    case 'json':
      return jsonText(content, url, job.cut);
    case 'record': {
      const found = records[job.of](valueOf(content), job.ask, url);
      return found && { how: 'record', ...found };
    }
  }
}

/** Undefined for what is no JSON. */
function valueOf(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

await answerJobs(MOST_INPUT, (head, body): ChildAnswer => {
  const found = made(head as Job, body.toString('utf8'));
  if (!found) return { reply: { is: 'nothing' } satisfies Reply, body: new Uint8Array(0) };
  const { text, ...facts } = found;
  return { reply: { is: 'text', ...facts } satisfies Reply, body: Buffer.from(text) };
});
