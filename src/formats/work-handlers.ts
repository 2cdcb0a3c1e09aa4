/** The table of jobs that an `oriel worker` does for replicas. To add one, write a handler and a row here. */

import { outlineJob } from '../code/parsed.ts';
import type { WorkHandler } from '../types/state.ts';
import { convertJob } from './document/convert.ts';
import { decodeJob } from './image/decode.ts';
import { linesJob, type WorkerReadSettings } from './s3/lines-job.ts';

/** Handlers that need only the bytes of the job. */
const ofBytes: readonly WorkHandler[] = [convertJob, decodeJob, outlineJob];

/** `readable` says where the worker itself may read. */
export function workHandlers(
  readable: WorkerReadSettings = { s3: false, web: false },
): readonly WorkHandler[] {
  const readsObjects = readable.s3 !== false || readable.web !== false;
  return readsObjects ? [...ofBytes, linesJob(readable)] : ofBytes;
}
