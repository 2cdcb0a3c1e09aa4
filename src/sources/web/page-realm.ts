/** Converts one page, feed or JSON, in a realm of its own (`access/job-realm.ts`). */

import { reducedMessage } from '../mcp/reduce.ts';
import { jsonText } from './child/json-text.ts';
import { records } from './child/records/record-table.ts';
import type { How, Job, Reply } from './page-protocol.ts';

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
      const { extract } = await import('./child/extract.ts');
      const { markdown, ...found } = extract(content, url, job);
      return { ...found, text: markdown };
    }
    case 'fragment':
      return as('fragment', (await import('./child/extract.ts')).fragment(content, url, job.without));
    case 'feed':
      return as('feed', (await import('./child/feed.ts')).feedText(content, url));
    case 'entry':
      return as('feed', (await import('./child/feed.ts')).entryText(content, url));
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

export async function answer(head: string, body: Buffer): Promise<{ reply: string; body: Uint8Array }> {
  const found = await made(JSON.parse(head) as Job, body.toString('utf8'));
  if ('is' in found) return { reply: JSON.stringify(found satisfies Reply), body: new Uint8Array(0) };
  const { text, ...facts } = found;
  return { reply: JSON.stringify({ is: 'text', ...facts } satisfies Reply), body: Buffer.from(text) };
}
