/** The code of a walk's worker threads: one walks and reads, a second one helps to read if there are many files. */

import { parentPort } from 'node:worker_threads';
import { isCode } from '../code/languages.ts';
import { forgetDevices, type HeldDirectory, skipFiles } from '../files/held-directory.ts';
import { Identity } from '../identity.ts';
import { LOADED } from '../process/worker-ending.ts';
import type { SearchGaps } from '../types/result.ts';
import { GapsSeen } from './gaps.ts';
import { BlockReader } from './read-block.ts';
import {
  type BlockPart,
  DescriptorShortage,
  HELPER,
  type HelpJob,
  type WalkBlock,
  WalkControl,
  WALKER,
  type WalkJob,
  type WalkMessage,
  type WalkRequest,
  type WantedPaths,
  type WantedTexts,
} from './walk-messages.ts';
import { DirectoryWalker } from './walker.ts';

/** The most files of a block, and the most directories that are kept open for it. */
const MAX_BLOCK_FILES = 256;
const MAX_BLOCK_DIRECTORIES = 24;

/** The most blocks that wait for the helper. */
const MAX_WAITING_BLOCKS = 2;

/** The first blocks, which the walking thread reads itself: a small tree is done before a helper has started. */
const ALONE = 2;

/** Paths per message. */
const MAX_MESSAGE_PATHS = 1024;

const port = parentPort;

function post(message: WalkMessage, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}

interface OpenPart extends Omit<BlockPart, 'names'> {
  readonly directory: HeldDirectory;
  readonly names: string[];
  readonly gaps?: SearchGaps;
}

/** Groups files into blocks, and has each read by the helper, or in this thread when the helper has enough to do. */
class Blocks {
  count = 0;
  readonly #job: WalkJob;
  readonly #control: WalkControl;
  readonly #walker: DirectoryWalker;
  readonly #reader: BlockReader;
  #parts: OpenPart[] = [];
  #files = 0;
  #directories = 0;
  /** Directories that must stay open for blocks of the helper, oldest first. */
  readonly #lent: HeldDirectory[][] = [];
  #returned = 0;

  constructor(job: WalkJob, control: WalkControl, walker: DirectoryWalker, reader: BlockReader) {
    this.#job = job;
    this.#control = control;
    this.#walker = walker;
    this.#reader = reader;
  }

  add(directory: HeldDirectory, front: string, name: string): void {
    let last = this.#parts.at(-1);
    if (last?.directory !== directory && this.#directories === MAX_BLOCK_DIRECTORIES) {
      this.finish();
      last = undefined;
    }
    const gaps = this.#walker.takeGaps();
    if (last?.directory === directory && !gaps) last.names.push(name);
    else {
      if (last?.directory !== directory) this.#directories += 1;
      const { self, dev, ino } = directory;
      this.#parts.push({
        directory: directory.share(),
        self,
        dev,
        ino,
        front,
        names: [name],
        ...(gaps && { gaps }),
      });
    }
    this.#files += 1;
    if (this.#files === MAX_BLOCK_FILES) this.finish();
  }

  finish(): void {
    this.#takeBack();
    if (this.#parts.length === 0) return;
    const parts = this.#parts.map(({ self, dev, ino, front, names, gaps }) => ({
      self,
      dev,
      ino,
      front,
      names: names.join('/'),
      ...(gaps && { gaps }),
    }));
    const block: WalkBlock = { no: this.count++, parts, until: this.#job.until };
    const directories = this.#parts.map(({ directory }) => directory);
    this.#parts = [];
    this.#files = 0;
    this.#directories = 0;
    if (block.no >= ALONE && this.#lent.length < MAX_WAITING_BLOCKS) {
      this.#lent.push(directories);
      post({ is: 'block', block });
    } else {
      this.#reader.read(block);
      for (const directory of directories) directory.release();
    }
  }

  /** Waits until the helper has read all its blocks. */
  close(): void {
    this.#control.waitUntil(() => this.#control.blocksRead === this.#returned + this.#lent.length);
    this.#takeBack();
  }

  #takeBack(): void {
    for (; this.#returned < this.#control.blocksRead; this.#returned += 1) {
      for (const directory of this.#lent.shift() ?? []) directory.release();
    }
  }
}

function walkTexts(job: WalkJob, wants: WantedTexts, walker: DirectoryWalker, control: WalkControl): number {
  reader = new BlockReader(control, WALKER, { ...wants, prefilters: job.prefilters }, post);
  const blocks = new Blocks(job, control, walker, reader);
  walker.walk({
    file(directory, front, name) {
      blocks.add(directory, front, name);
      return true;
    },
  });
  blocks.finish();
  blocks.close();
  return blocks.count;
}

function walkPaths(walker: DirectoryWalker, { most, times: timed = false }: WantedPaths): void {
  let left = most;
  let paths: string[] = [];
  let times: number[] = [];
  const send = (): void => {
    const found = { is: 'paths', paths: paths.join('\0') } as const;
    if (paths.length > 0) post(timed ? { ...found, times: Float64Array.from(times) } : found);
    paths = [];
    times = [];
  };
  walker.walk({
    file(directory, front, name) {
      paths.push(front + name);
      if (timed) times.push(directory.modified(name));
      if (paths.length === MAX_MESSAGE_PATHS) send();
      left -= 1;
      return left > 0;
    },
  });
  send();
}

function walkVersions(walker: DirectoryWalker, most: number): void {
  const send = (paths: string[], keys: string[]): void => {
    if (paths.length > 0) post({ is: 'versions', paths: paths.join('\0'), keys: keys.join('\n') });
  };
  let left = most;
  let paths: string[] = [];
  let keys: string[] = [];
  walker.walk({
    file(directory, front, name) {
      // One more than is wanted: exactly so many are all of them.
      if (left === 0) {
        walker.gaps.tooMany = true;
        return false;
      }
      left -= 1;
      const facts = isCode(name) ? directory.factsOf(name) : undefined;
      paths.push(front + name);
      keys.push(facts ? Identity.file(facts).key : '');
      if (paths.length === MAX_MESSAGE_PATHS) {
        send(paths, keys);
        [paths, keys] = [[], []];
      }
      return true;
    },
  });
  send(paths, keys);
}

function walk(job: WalkJob): void {
  const control = new WalkControl(job.control);
  skipFiles(job.kept);
  const walker = new DirectoryWalker(job, control, new GapsSeen());
  try {
    let blocks = 0;
    const { wants } = job;
    if (wants.is === 'texts') blocks = walkTexts(job, wants, walker, control);
    else if (wants.is === 'versions') walkVersions(walker, wants.most);
    else walkPaths(walker, wants);
    post({ is: 'end', blocks, gaps: walker.gaps.facts });
  } catch (error) {
    if (!(error instanceof DescriptorShortage)) throw error;
    post({ is: 'shortage' });
  } finally {
    walker.close();
  }
}

function help({ control: numbers, kept, ...how }: HelpJob): void {
  const control = new WalkControl(numbers);
  skipFiles(kept);
  const own = new BlockReader(control, HELPER, how, post);
  reader = own;
  readNext = (block) => {
    try {
      own.read(block);
    } catch (error) {
      if (!(error instanceof DescriptorShortage)) throw error;
      post({ is: 'shortage' });
    }
    control.noteBlockRead();
  };
}

function rest(): void {
  reader?.close();
  reader = undefined;
  readNext = undefined;
  forgetDevices();
  post({ is: 'resting' });
}

/** Keeps large files open until the call has ended. */
let reader: BlockReader | undefined;
let readNext: ((block: WalkBlock) => void) | undefined;

port?.on('message', (request: WalkRequest) => {
  switch (request.is) {
    case 'walk':
      return walk(request.job);
    case 'help':
      return help(request.job);
    case 'block':
      return readNext?.(request.block);
    case 'rest':
      return rest();
  }
});
port?.postMessage(LOADED);
