/** Bytes of heap and buffers that this process uses after garbage collection. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function bytesHeld(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
