/** Converts one page, feed or JSON, in a realm of its own (`process/job-realm.ts`). */

import { reducedMessage } from '../mcp/reduce.ts';
import { recordReaders } from './child/records.ts';
import type { PageJob, PageMethod, PageReply } from './protocol.ts';

type Nothing = Extract<PageReply, { kind: 'nothing' }>;

interface Made extends Omit<Extract<PageReply, { kind: 'text' }>, 'kind'> {
  readonly text: string;
}

const NOTHING: Nothing = { kind: 'nothing' };

async function made(job: PageJob, content: string): Promise<Made | Nothing> {
  const { url } = job;
  const as = (how: PageMethod, text: string | undefined): Made | Nothing =>
    text === undefined ? NOTHING : { how, text };
  switch (job.kind) {
    case 'page': {
      const { extractPage: extract } = await import('./child/extract.ts');
      const { markdown, ...found } = extract(content, url, job);
      return { ...found, text: markdown };
    }
    case 'fragment':
      return as('fragment', (await import('./child/extract.ts')).fragment(content, url, job.without));
    case 'feed':
      return as('feed', (await import('./child/feeds.ts')).feedText(content, url));
    case 'entry':
      return as('feed', (await import('./child/feeds.ts')).entryText(content, url));
    case 'json':
      return (await import('./child/json-text.ts')).formatJsonText(content, url, job) ?? NOTHING;
    case 'mcp':
      return as('mcp', reducedMessage(content));
    case 'record': {
      const found = recordReaders[job.of](valueOf(content), job.ask, url);
      return found ? { how: 'record', ...found } : NOTHING;
    }
    case 'github': {
      // Imported on demand, because the schema library takes 40 ms to load.
      const { parseShape: taken } = await import('../github/shapes.ts');
      const found = taken(job.shape, content);
      return found.kind === 'value'
        ? { how: 'github', text: JSON.stringify(found.value) }
        : { kind: 'nothing', why: found.kind };
    }
  }
}

function valueOf(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

export async function answer(head: string, body: Buffer): Promise<{ reply: string; body: Uint8Array }> {
  const found = await made(JSON.parse(head) as PageJob, body.toString('utf8'));
  if ('kind' in found) return { reply: JSON.stringify(found satisfies PageReply), body: new Uint8Array(0) };
  const { text, ...facts } = found;
  return { reply: JSON.stringify({ kind: 'text', ...facts } satisfies PageReply), body: Buffer.from(text) };
}
