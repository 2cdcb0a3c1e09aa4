/** The thread in which texts are parsed: one question at a time, ended by its owner when it takes too long. */

import { parentPort } from 'node:worker_threads';
import { LOADED } from '../access/worker-loading.ts';
import type { NoStructure } from '../types/notice.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { languages } from './languages.ts';
import { outline } from './outline.ts';
import type { Structure } from './structure.ts';

export interface OutlineQuestion {
  readonly text: string;
  /** By its name in the table of languages. */
  readonly language: string;
  readonly grammar?: GrammarFiles;
  /** Milliseconds, from the arrival of the question. */
  readonly within: number;
}

export type OutlineAnswer = Structure | NoStructure;

/** Characters of a text after which the memory of the parser is worth giving back: it never shrinks. */
const heavy = 1 << 20;

async function answer({ text, language, grammar, within }: OutlineQuestion): Promise<OutlineAnswer> {
  const known = languages.find(({ name }) => name === language);
  return known ? outline(text, known, { grammar, until: performance.now() + within }) : 'language';
}

const port = parentPort;
port?.on('message', ({ job }: { job: OutlineQuestion }) => {
  void answer(job)
    .then((reply) => port.postMessage({ reply, retire: reply === 'time' || job.text.length > heavy }))
    // A parser that threw (a stack overflow) has undefined memory: the thread dies with it, and its owner sees that.
    // oxlint-disable-next-line node/no-process-exit
    .catch(() => process.exit(1));
});
port?.postMessage(LOADED);
