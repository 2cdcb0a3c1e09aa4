/** The code of a walk's worker thread. */

import { parentPort } from 'node:worker_threads';
import { isTagged } from '../code/languages.ts';
import { forgetDevices, type HeldDirectory, skipFiles } from '../files/held-directory.ts';
import { Identity } from '../identity.ts';
import { LOADED } from '../process/worker-ending.ts';
import { GapsSeen } from './gaps.ts';
import { TextReader } from './read-texts.ts';
import {
  DescriptorShortage,
  WalkControl,
  type WalkJob,
  type WalkMessage,
  type WalkRequest,
  type WantedPaths,
  type WantedTexts,
} from './walk-messages.ts';
import { DirectoryWalker } from './walker.ts';

/** The most files that are read together. */
const MAX_BATCH_FILES = 256;

/** Paths per message. */
const MAX_MESSAGE_PATHS = 1024;

const port = parentPort;

function post(message: WalkMessage, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}

/** Files of one directory that are read together. */
interface Batch {
  readonly directory: HeldDirectory;
  readonly front: string;
  readonly names: string[];
}

function walkTexts(job: WalkJob, wants: WantedTexts, walker: DirectoryWalker, control: WalkControl): void {
  const own = (reader = new TextReader(control, { ...wants, ...job }, post));
  let batch: Batch | undefined;
  /** Returns false after the deadline. */
  const read = ({ directory, front, names }: Batch): boolean => {
    batch = undefined;
    try {
      return own.read(directory, front, names);
    } finally {
      directory.release();
    }
  };
  walker.walk({
    file(directory, front, name) {
      if (wants.code && !own.mayTake(directory, front, name, wants.code.most)) return true;
      const gaps = walker.takeGaps();
      const isFull = batch?.directory !== directory || batch.names.length === MAX_BATCH_FILES;
      if (batch && (gaps || isFull) && !read(batch)) return false;
      if (gaps) own.leave(gaps);
      batch ??= { directory: directory.share(), front, names: [] };
      batch.names.push(name);
      return true;
    },
  });
  if (batch) read(batch);
  walker.gaps.add(own.finish());
}

function walkPaths(walker: DirectoryWalker, { most, times: isTimed, keys: isKeyed }: WantedPaths): void {
  let left = most;
  let found: { paths: string[]; times: number[]; keys: string[] } = { paths: [], times: [], keys: [] };
  const send = (): void => {
    if (found.paths.length === 0) return;
    const times = isTimed ? Float64Array.from(found.times) : undefined;
    const keys = isKeyed ? found.keys.join('\n') : undefined;
    post({ kind: 'paths', paths: found.paths.join('\0'), times, keys });
    found = { paths: [], times: [], keys: [] };
  };
  walker.walk({
    file(directory, front, name) {
      // One more than is wanted: exactly so many are all of them.
      if (left === 0) {
        walker.gaps.tooMany = true;
        return false;
      }
      left -= 1;
      found.paths.push(front + name);
      if (isTimed) found.times.push(directory.modified(name));
      const facts = isKeyed && isTagged(name) ? directory.factsOf(name) : undefined;
      if (isKeyed) found.keys.push(facts ? Identity.file(facts).key : '');
      if (found.paths.length === MAX_MESSAGE_PATHS) send();
      return isKeyed === true || left > 0;
    },
  });
  send();
}

function walk(job: WalkJob): void {
  const control = new WalkControl(job.control);
  skipFiles(job.kept, job.denied);
  const walker = new DirectoryWalker(job, control, new GapsSeen());
  try {
    const { wants } = job;
    if (wants.kind === 'texts') walkTexts(job, wants, walker, control);
    else walkPaths(walker, wants);
    post({ kind: 'end', gaps: walker.gaps.facts });
  } catch (error) {
    if (!(error instanceof DescriptorShortage)) throw error;
    post({ kind: 'shortage' });
  } finally {
    walker.close();
  }
}

function rest(): void {
  reader?.close();
  reader = undefined;
  forgetDevices();
  post({ kind: 'resting' });
}

/** Keeps large files open until the call has ended. */
let reader: TextReader | undefined;

port?.on('message', (request: WalkRequest) => {
  if (request.kind === 'walk') walk(request.job);
  else rest();
});
port?.postMessage(LOADED);
