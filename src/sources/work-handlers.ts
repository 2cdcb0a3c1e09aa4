/** The table of jobs that an `oriel worker` does for replicas. To add one, write a handler and a row here. */

import type { WorkHandler } from '../types/work.ts';
import { outlineJob } from '../views/outline-job.ts';
import { convertJob } from './document/convert-job.ts';
import { decodeJob } from './image/decode-job.ts';
import { linesJob, type Readable } from './objects/lines-job.ts';

/** Handlers that need only the bytes of the job. */
const ofBytes: readonly WorkHandler[] = [convertJob, decodeJob, outlineJob];

/** `readable` says where the worker itself may read. */
export function workHandlers(readable: Readable = { s3: false, web: false }): readonly WorkHandler[] {
  const readsObjects = readable.s3 !== false || readable.web !== false;
  return readsObjects ? [...ofBytes, linesJob(readable)] : ofBytes;
}
