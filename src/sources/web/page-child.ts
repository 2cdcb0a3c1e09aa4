/**
 * The child process that converts pages, feeds and JSON. They arrive in frames on standard input, one after the other; each
 * is answered with a frame on standard output. The process opens no file and no connection.
 */

import { answerJobs, type ChildAnswer } from '../../access/child-jobs.ts';
import { reducedMessage } from '../mcp/reduce.ts';
import { extract, fragment } from './child/extract.ts';
import { entryText, feedText } from './child/feed.ts';
import { jsonText } from './child/json-text.ts';
import { records } from './child/records/record-table.ts';
import type { How, Job, Reply } from './page-protocol.ts';

/** The most bytes of an input frame; no page that is sent is larger. */
const MOST_INPUT = 64 << 20;

type Nothing = Extract<Reply, { is: 'nothing' }>;

interface Made extends Omit<Extract<Reply, { is: 'text' }>, 'is'> {
  readonly text: string;
}

const NOTHING: Nothing = { is: 'nothing' };

async function made(job: Job, content: string): Promise<Made | Nothing> {
  const { url } = job;
  const as = (how: How, text: string | undefined): Made | Nothing =>
    text === undefined ? NOTHING : { how, text };
  switch (job.is) {
    case 'page': {
      const { markdown, ...found } = extract(content, url, job);
      return { ...found, text: markdown };
    }
    case 'fragment':
      return as('fragment', fragment(content, url, job.without));
    case 'feed':
      return as('feed', feedText(content, url));
    case 'entry':
      return as('feed', entryText(content, url));
    case 'json':
      return jsonText(content, url, job) ?? NOTHING;
    case 'mcp':
      return as('mcp', reducedMessage(content));
    case 'record': {
      const found = records[job.of](valueOf(content), job.ask, url);
      return found ? { how: 'record', ...found } : NOTHING;
    }
    case 'github': {
      // Imported on demand, because the schema library takes 40 ms to load.
      const { taken } = await import('../github/shapes.ts');
      const found = taken(job.shape, content);
      return found.is === 'value'
        ? { how: 'github', text: JSON.stringify(found.value) }
        : { is: 'nothing', why: found.is };
    }
  }
}

/** Undefined for invalid JSON. */
function valueOf(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

await answerJobs(MOST_INPUT, async (head, body): Promise<ChildAnswer> => {
  const found = await made(head as Job, body.toString('utf8'));
  if ('is' in found) return { reply: found satisfies Reply, body: new Uint8Array(0) };
  const { text, ...facts } = found;
  return { reply: { is: 'text', ...facts } satisfies Reply, body: Buffer.from(text) };
});
