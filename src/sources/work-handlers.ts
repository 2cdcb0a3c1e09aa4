/** The kinds of work that an `oriel worker` does for replicas. A further one is a handler and a row here. */

import type { WorkHandler } from '../types/work.ts';
import { outlineJob } from '../views/outline-job.ts';
import { convertJob } from './document/convert-job.ts';
import { decodeJob } from './image/decode-job.ts';
import { linesJob, type Readable } from './objects/lines-job.ts';

/** Those that need nothing but what a job brings along. */
const ofBytes: readonly WorkHandler[] = [convertJob, decodeJob, outlineJob];

/** `readable`: where the worker itself may read. */
export function workHandlers(readable: Readable = { s3: false, web: false }): readonly WorkHandler[] {
  const readsObjects = readable.s3 !== false || readable.web !== false;
  return readsObjects ? [...ofBytes, linesJob(readable)] : ofBytes;
}
