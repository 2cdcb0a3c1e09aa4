/** What this process holds, without what only waits to be collected. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function bytesHeld(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
