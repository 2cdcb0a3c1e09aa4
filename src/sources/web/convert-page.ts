/** Converts a page, a feed or JSON in a child process, which is killed when it exceeds a limit. */

import { chunksOf, memoryBytes } from '../../access/bytes.ts';
import { ChildFailure } from '../../access/isolate-child.ts';
import { ChildPool } from '../../access/isolate-pool.ts';
import { builtFile } from '../../access/package-files.ts';
import { queues } from '../../queues/queue-table.ts';
import type { Fetched, Visit } from './page-step.ts';
import type { Job, Reply } from './page-protocol.ts';
import { CONVERT_MEMORY, CONVERT_MS, MOST_CONVERTED, SMALL_PAGE } from './web-limits.ts';

const entry = (): URL => builtFile('sources/web/page-child.js');

const large = {
  memory: CONVERT_MEMORY,
  children: new ChildPool({
    entry,
    queue: queues.pages,
    idleMs: 20_000,
    heapMb: 384,
    keepUpTo: CONVERT_MEMORY / 2,
  }),
};

const small = {
  memory: CONVERT_MEMORY / 2,
  children: new ChildPool({
    entry,
    queue: queues.pagesSmall,
    idleMs: 20_000,
    heapMb: 128,
    keepUpTo: CONVERT_MEMORY / 4,
  }),
};

export interface Converted {
  readonly reply: Reply;
  /** The text in UTF-8. */
  readonly body: Uint8Array;
}

export const textOf = ({ body }: Converted): string => new TextDecoder().decode(body);

export function pageJob({ url, type }: Fetched): Job {
  return { is: 'page', url, ...(type === 'application/xhtml+xml' && { asXml: true }) };
}

/** Converts for a page. If the child fails, the page is marked as unsettled, because the next read may succeed. */
export async function convertFor(
  visit: Visit,
  job: Job,
  content: string | Uint8Array,
): Promise<Converted | undefined> {
  const converted = await convert(job, content, visit.signal);
  if (!converted) visit.unsettle();
  return converted;
}

/** Undefined if the child exceeded a limit or crashed. Throws `BUSY`, and the reason of the signal. */
export async function convert(
  job: Job,
  content: string | Uint8Array,
  signal: AbortSignal,
): Promise<Converted | undefined> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { children, memory } = bytes.length <= SMALL_PAGE ? small : large;
  try {
    const { head, body } = await children.run(
      {
        head: job,
        body: chunksOf(memoryBytes(bytes), 0, bytes.length, 256 * 1024, signal),
        bytes: bytes.length,
        maxOutput: MOST_CONVERTED,
        maxMemory: memory,
        maxMs: CONVERT_MS,
      },
      { signal },
    );
    return { reply: head as Reply, body };
  } catch (error) {
    if (error instanceof ChildFailure) return undefined;
    throw error;
  }
}
