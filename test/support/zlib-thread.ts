/** A thread that does nothing but create zlib handles. */

import { deflateRawSync as deflated } from 'node:zlib';
import { parentPort } from 'node:worker_threads';
import { inflateRawSync, LOADED } from '../../src/process/worker-ending.ts';

const packed = deflated(Buffer.from('text'));
parentPort?.postMessage(LOADED);
for (;;) inflateRawSync(packed);
