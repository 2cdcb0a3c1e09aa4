/** Converts a page, a feed or JSON in a child process, which is killed when it exceeds a limit. */

import { builtFile } from '../../files/package-files.ts';
import { ChildPool } from '../../process/child-pool.ts';
import { ChildFailure } from '../../process/node-child.ts';
import { queues } from '../../queues/queue-table.ts';
import { chunksOf, memoryBytes } from '../../text/bytes.ts';
import { CONVERT_MEMORY, CONVERT_MS, MAX_CONVERTED_PAGE_BYTES, SMALL_PAGE } from './limits.ts';
import type { FetchedPage, PageVisit } from './page-step.ts';
import type { PageJob, PageReply } from './protocol.ts';

const entry = (): URL => builtFile('formats/web/page-child.js');

const poolOf = (queue: typeof queues.pages, heapMb: number, memory: number) => ({
  memory,
  children: new ChildPool({ entry, queue, idleMs: 20_000, heapMb, keepUpTo: memory / 2 }),
});

const large = poolOf(queues.pages, 384, CONVERT_MEMORY);
const small = poolOf(queues.pagesSmall, 128, CONVERT_MEMORY / 2);

export interface ConvertedPage {
  readonly reply: PageReply;
  /** The text in UTF-8. */
  readonly body: Uint8Array;
}

export const convertedText = ({ body }: ConvertedPage): string => new TextDecoder().decode(body);

export function pageJob({ url, type }: FetchedPage): PageJob {
  return { kind: 'page', url, asXml: type === 'application/xhtml+xml' || undefined };
}

/** Converts for a page. If the child fails, the page is marked as unsettled, because the next read may succeed. */
export async function convertFor(
  visit: PageVisit,
  job: PageJob,
  content: string | Uint8Array,
): Promise<ConvertedPage | undefined> {
  const converted = await convert(job, content, visit.signal);
  if (!converted) visit.isSettled = false;
  return converted;
}

/** Undefined if the child exceeded a limit or crashed. Throws `BUSY`, and the reason of the signal. */
export async function convert(
  job: PageJob,
  content: string | Uint8Array,
  signal: AbortSignal,
): Promise<ConvertedPage | undefined> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { children, memory } = bytes.length <= SMALL_PAGE ? small : large;
  try {
    const { head, body } = await children.run(
      {
        head: job,
        body: chunksOf(memoryBytes(bytes), 0, bytes.length, 256 * 1024, signal),
        bytes: bytes.length,
        maxOutput: MAX_CONVERTED_PAGE_BYTES,
        maxMemory: memory,
        maxMs: CONVERT_MS,
      },
      { signal },
    );
    return { reply: head as PageReply, body };
  } catch (error) {
    if (error instanceof ChildFailure) return undefined;
    throw error;
  }
}
