/** All that the package @oriel/scale uses of this one for what replicas share. */

export { isOrielError, OrielError } from '../errors.ts';
export { installCommand, installedVersion, isOlder, version } from '../files/package-files.ts';
export { writeFailure } from '../files/system-failure.ts';
export { Queue } from '../queues/queue.ts';
export { beforeClose, inTime, MAX_WORK_INPUT_BYTES, putJson, readJson } from '../state/work-values.ts';
export { quote } from '../text/visible.ts';
export { lengthOf, readParts } from './disk-cache.ts';
export { LocalSnapshots, LruMap } from './snapshots.ts';
export { artifactNumber, artifactUrl, missingArtifact, missingUnlisted } from './spills.ts';
