/** Sequences of damaged documents and pages in one child, each followed by one whose answer is known. */

import { chunksOf, memoryBytes } from '../../../src/text/bytes.ts';
import { ChildPool } from '../../../src/process/child-pool.ts';
import { ChildFailure } from '../../../src/process/node-child.ts';
import { builtFile } from '../../../src/files/package-files.ts';
import { Queue } from '../../../src/queues/queue.ts';
import type { PipeFrame } from '../../../src/text/frames.ts';
import { binaryDocumentTargets } from './binary-document-targets.ts';
import { type FuzzTarget, must } from './fuzz-target.ts';
import { pageTargets } from './page-targets.ts';

/** The most damaged inputs before one that is known. */
const MOST_BEFORE = 4;

function sequenceTarget(
  name: string,
  path: string,
  heads: readonly unknown[],
  { seeds, words, most }: Pick<FuzzTarget, 'seeds' | 'words' | 'most'>,
): FuzzTarget {
  const pool = new ChildPool({
    entry: () => builtFile(path),
    queue: new Queue('sequences', 'sequences are converted', { limit: 1, waiting: 1 }),
    idleMs: 1_000,
    heapMb: 512,
    keepUpTo: 400 << 20,
  });
  const { signal } = new AbortController();
  const convert = async (head: unknown, bytes: Buffer): Promise<string> => {
    const body = chunksOf(memoryBytes(bytes), 0, bytes.length, 1 << 20, signal);
    const limits = { maxOutput: 8 << 20, maxMemory: 2 ** 30, maxMs: 20_000 };
    const reply: PipeFrame = await pool.run({ head, body, bytes: bytes.length, ...limits }, { signal });
    return `${JSON.stringify(reply.head)}\n${reply.body.toString('latin1')}`;
  };
  const known = new Map<number, string>();
  let before = 0;
  return {
    group: 'container',
    name,
    isSlow: true,
    brief: 16,
    seeds,
    words,
    most,
    async run(input, random) {
      if (known.size === 0)
        for (const [at, seed] of seeds.entries())
          known.set(at, await convert(heads[0], Buffer.from(seed as Uint8Array)));
      await convert(random.pick(heads), input).catch((error: unknown) => {
        // A damaged input may take all memory; its child is then another one.
        if (!(error instanceof ChildFailure)) throw error;
      });
      if ((before += 1) % MOST_BEFORE !== 0) return;
      const at = random.below(seeds.length);
      const answer = await convert(heads[0], Buffer.from(seeds[at] as Uint8Array));
      must(answer === known.get(at), 'a known input is converted as before');
    },
  };
}

const named = (targets: readonly FuzzTarget[], name: RegExp): FuzzTarget =>
  targets.find((target) => name.test(target.name)) as FuzzTarget;

const whole = { want: { kind: 'whole' }, most: 1 << 16 };
const tables = { want: { kind: 'tables' }, most: 1 << 16 };
const url = 'http://site.example/a';

export const realmTargets: readonly FuzzTarget[] = [
  sequenceTarget(
    'workbooks one after the other',
    'formats/document/convert-child.js',
    [whole, tables],
    named(binaryDocumentTargets, /^compound file$/),
  ),
  sequenceTarget(
    'pdf one after the other',
    'formats/document/convert-child.js',
    [whole],
    named(binaryDocumentTargets, /^pdf$/),
  ),
  sequenceTarget(
    'pages one after the other',
    'formats/web/page-child.js',
    [
      { kind: 'page', url },
      { kind: 'fragment', url },
      { kind: 'feed', url },
      { kind: 'json', url },
    ],
    named(pageTargets, /^page$/),
  ),
];
