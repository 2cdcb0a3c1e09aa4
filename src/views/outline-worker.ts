/**
 * The thread in which texts are parsed and their structures are searched: one question at a time, ended by its owner
 * when it takes too long. Whatever grows with the number of symbols happens here and not in the event loop.
 */

import { parentPort } from 'node:worker_threads';
import { LOADED } from '../access/worker-loading.ts';
import { decode, storedEncoding } from '../text/encoding.ts';
import { displays, showPart } from '../render/display.ts';
import type { NoStructure } from '../types/notice.ts';
import type { Summary, SummaryPart } from '../types/summary.ts';
import { type FoundSymbols, findSymbols } from './find-symbol.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { languages } from './languages.ts';
import { linesOf } from './lines.ts';
import { type OutlineText, outlineOf } from './outline-text.ts';
import { outline, outlineWithUses } from './outline.ts';
import { pack, type PackedStructure, unpack } from './packed.ts';
import { writeTags } from './tags.ts';
import { summarize } from './summary/summarize.ts';

export interface ParseQuestion {
  readonly ask: 'parse';
  readonly text: string;
  /** By its name in the table of languages. */
  readonly language: string;
  readonly grammar?: GrammarFiles;
  /** Milliseconds, from the arrival of the question. */
  readonly within: number;
}

export interface OutlineQuestion {
  readonly ask: 'outline';
  readonly structure: PackedStructure;
  /** The most bytes it may have; all symbols when absent. */
  readonly within?: number;
  /** The symbol whose own outline is wanted. */
  readonly of?: string;
}

export interface FindQuestion {
  readonly ask: 'find';
  readonly structure: PackedStructure;
  readonly names: readonly string[];
}

export interface MapQuestion {
  readonly ask: 'map';
  readonly structure: PackedStructure;
  readonly text: string;
  readonly display: keyof typeof displays;
  readonly target: string;
  readonly lines: number;
  readonly bytes: number;
}

export interface TagsQuestion {
  readonly ask: 'tags';
  /** As stored. */
  readonly bytes: Uint8Array;
  readonly language: string;
  readonly grammar?: GrammarFiles;
  readonly within: number;
}

export type Question = ParseQuestion | OutlineQuestion | FindQuestion | MapQuestion | TagsQuestion;

/** By the word in `ask`. */
export interface AnswerTo {
  readonly parse: PackedStructure | NoStructure;
  /** A name that is not one symbol's is answered with what it could be. */
  readonly outline: OutlineText | FoundSymbols;
  readonly find: readonly FoundSymbols[];
  readonly map: Summary | NoStructure;
  /** As `writeTags` writes them. */
  readonly tags: { readonly text: string } | NoStructure;
}

/** Characters of a text after which the memory of the parser is worth giving back: it never shrinks. */
const heavy = 1 << 20;

async function answer(question: Question): Promise<AnswerTo[Question['ask']]> {
  switch (question.ask) {
    case 'parse': {
      const { text, language, grammar, within } = question;
      const known = languages.find(({ name }) => name === language);
      if (!known) return 'language';
      if (grammar) await (await import('./grammar/parse.ts')).ready(grammar);
      const found = await outline(text, known, { grammar, until: performance.now() + within });
      return typeof found === 'string' ? found : pack(found);
    }
    case 'tags': {
      const { bytes, language, grammar, within } = question;
      const known = languages.find(({ name }) => name === language);
      if (!known) return 'language';
      if (grammar) await (await import('./grammar/parse.ts')).ready(grammar);
      const encoding = storedEncoding(bytes.subarray(0, HEAD));
      const { text } = decode(bytes.subarray(encoding.bom), encoding);
      const found = await outlineWithUses(text, known, { grammar, until: performance.now() + within });
      return typeof found === 'string' ? found : { text: writeTags(text, found) };
    }
    case 'outline':
      return outlineOf(unpack(question.structure).symbols, question);
    case 'find':
      return findSymbols(unpack(question.structure).symbols, question.names);
    case 'map': {
      const { structure, text, display, ...limits } = question;
      const show = (part: SummaryPart): string => showPart(part, displays[display]);
      return summarize(linesOf(text), unpack(structure), { ...limits, show });
    }
  }
}

/** Of what is parsed for it: characters or bytes. */
function sizeOf(job: Question): number {
  if (job.ask === 'parse') return job.text.length;
  return job.ask === 'tags' ? job.bytes.length : 0;
}

/** Bytes that have a mark or a declaration. */
const HEAD = 4096;

const port = parentPort;
port?.on('message', ({ job }: { job: Question }) => {
  void answer(job)
    .then((reply) => {
      return port.postMessage({ reply, retire: reply === 'time' || sizeOf(job) > heavy });
    })
    // A parser that threw (a stack overflow) has undefined memory: the thread dies with it, and its owner sees that.
    // oxlint-disable-next-line node/no-process-exit
    .catch(() => process.exit(1));
});
port?.postMessage(LOADED);
