/** The table of jobs that an `oriel worker` does for replicas. To add one, write a handler and a row here. */

import { outlineJob } from '../code/parsed.ts';
import type { WorkHandler } from '../types/state.ts';
import { convertJob } from './document/convert.ts';
import { decodeJob } from './image/decode.ts';

export const workHandlers: readonly WorkHandler[] = [convertJob, decodeJob, outlineJob];
