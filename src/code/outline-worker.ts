/**
 * The worker thread that parses texts and searches their structures: one question at a time; its owner terminates it at a
 * timeout. All work that grows with the number of symbols is done here instead of in the main event loop.
 */

import { parentPort } from 'node:worker_threads';
import { ownDeadline } from '../process/cpu-timeout.ts';
import { LOADED, uninterruptedLoad } from '../process/worker-ending.ts';
import { displays, isNumbered, showPart } from '../render/display.ts';
import { decode, HEAD_BYTES, storedEncoding } from '../text/encoding.ts';
import type { NoStructure } from '../types/answer.ts';
import type { SpokenWords } from '../types/request.ts';
import type { CodeSummary, SummaryPart } from '../types/result.ts';
import { findNamedSymbols, type FoundSymbols, outlineOf, type OutlineText } from './find-symbol.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { type CodeLanguage, isSketched, languages } from './languages.ts';
import { outline, outlineWithUses } from './outline.ts';
import { importTags, sketch, sketchedSymbols } from './sketch.ts';
import { type PackedStructure, packStructure, splitLines, unpackStructure } from './structure.ts';
import { summarize } from './summary/summarize.ts';
import { buffersOf, type FileTags, type PackedTags, packTags, writeTags } from './tags.ts';

export interface ParseQuestion {
  readonly kind: 'parse';
  readonly text: string;
  /** By its name in the table of languages. */
  readonly language: string;
  readonly grammar?: GrammarFiles | undefined;
  /** Timeout in milliseconds of CPU time, after the grammar is loaded. */
  readonly within: number;
}

export interface OutlineQuestion {
  readonly kind: 'outline';
  readonly structure: PackedStructure;
  /** Maximum bytes; all symbols when absent. */
  readonly within?: number | undefined;
  /** The name of a symbol: only the outline of this symbol. */
  readonly of?: string | undefined;
}

export interface FindQuestion {
  readonly kind: 'find';
  readonly structure: PackedStructure;
  readonly names: readonly string[];
}

export interface MapQuestion {
  readonly kind: 'map';
  readonly structure: PackedStructure;
  readonly text: string;
  /** By its name in the table of languages. */
  readonly language: string;
  readonly display: keyof typeof displays;
  readonly lines: number;
  readonly bytes: number;
  /** See `ReadRequest`. */
  readonly about?: readonly SpokenWords[] | undefined;
}

/** Several files in one message: the message costs as much as parsing a small file. */
export interface TagsQuestion {
  readonly kind: 'tags';
  /** The stored bytes of each file; absent for a file that has no tags. */
  readonly files: readonly { readonly bytes?: Uint8Array | undefined; readonly language: string }[];
  /** By language. */
  readonly grammars: Readonly<Record<string, GrammarFiles>>;
  /** Whether a file without a grammar is sketched. */
  readonly sketched: boolean;
  /** Memory of `files` that moves to the thread instead of being copied. */
  readonly moved: readonly ArrayBuffer[];
  /** Timeout in milliseconds of CPU time for each file. */
  readonly within: number;
}

export interface TagsFound {
  /** The tags of the first files: of all files, unless the owner stopped the thread. */
  readonly tags: PackedTags;
  /** Indexes of files that exceeded the timeout; they have no tags. */
  readonly late: readonly number[];
}

export type ParserQuestion = ParseQuestion | OutlineQuestion | FindQuestion | MapQuestion | TagsQuestion;

/** The answer to each kind of question. */
export interface AnswerTo {
  readonly parse: PackedStructure | NoStructure;
  /** `FoundSymbols` if the name does not select exactly one symbol. */
  readonly outline: OutlineText | FoundSymbols;
  readonly find: readonly FoundSymbols[];
  readonly map: CodeSummary | NoStructure;
  readonly tags: TagsFound;
}

/** After parsing a text with more characters, the thread ends to free the memory of the parser, which never shrinks. */
const HEAVY_TEXT = 1 << 20;

/** A thread that makes tags ends when its parser has more bytes of memory. It begins with 32 MiB. */
const MAX_PARSER_MEMORY_BYTES = 40 << 20;

async function answer(question: ParserQuestion, stop: Int32Array): Promise<AnswerTo[ParserQuestion['kind']]> {
  switch (question.kind) {
    case 'parse': {
      const { text, language, grammar, within } = question;
      const known = languages.find(({ name }) => name === language);
      if (!known) return 'language';
      await loaded(known, grammar);
      const found = await outline(text, known, {
        grammar,
        isLate: ownDeadline(within),
        scan: sketchedSymbols,
      });
      return typeof found === 'string' ? found : packStructure(found);
    }
    case 'tags':
      return tagsFound(question, stop);
    case 'outline':
      return outlineOf(unpackStructure(question.structure).symbols, question);
    case 'find':
      return findNamedSymbols(unpackStructure(question.structure).symbols, question.names);
    case 'map': {
      const { structure, text, language, display, ...limits } = question;
      const shownBy = displays[display];
      const show = (part: SummaryPart): string => showPart(part, shownBy);
      const known = languages.find(({ name }) => name === language);
      const of = { lineComments: known?.lineComments ?? [], isProse: known?.map === 'prose' };
      const all = { ...limits, ...of, numbered: isNumbered(shownBy), show };
      return summarize(splitLines(text), unpackStructure(structure), all);
    }
  }
}

/** Loads what parsing a language needs. */
function loaded(language: CodeLanguage, grammar: GrammarFiles | undefined): Promise<unknown> {
  return uninterruptedLoad(async () =>
    grammar ? (await import('./grammar/parse.ts')).ready(grammar) : language.scanner?.(),
  );
}

/** Stops when the owner sets `stop`, also within a file. */
async function tagsFound(
  { files, grammars, sketched, within }: TagsQuestion,
  stop: Int32Array,
): Promise<TagsFound> {
  const tags: (string | FileTags)[] = [];
  const late: number[] = [];
  const isStopped = (): boolean => Atomics.load(stop, 0) !== 0;
  for (const { bytes, language } of files) {
    const found = bytes
      ? await tagsIn(bytes, language, grammars[language], { sketched, within, isStopped })
      : '';
    if (isStopped()) break;
    if (found === 'time') late.push(tags.length);
    tags.push(found === 'time' ? '' : found);
  }
  return { tags: packTags(tags), late };
}

/** The tags of a file; `time` at the timeout; empty if it has none. */
async function tagsIn(
  bytes: Uint8Array,
  language: string,
  grammar: GrammarFiles | undefined,
  {
    sketched,
    within,
    isStopped,
  }: { readonly sketched: boolean; readonly within: number; isStopped(): boolean },
): Promise<string | FileTags> {
  const known = languages.find(({ name }) => name === language);
  if (!known) return '';
  const isSketch = sketched && isSketched(language);
  const isCode = known.map === 'code';
  if (isCode && !isSketch) await loaded(known, grammar);
  const encoding = storedEncoding(bytes.subarray(0, HEAD_BYTES));
  const { text } = decode(bytes.subarray(encoding.bom), encoding);
  if (!isCode) return importTags(text, language);
  if (isSketch) return sketch(text, language) ?? '';
  const isOver = ownDeadline(within);
  const isLate = (): boolean => isOver() || isStopped();
  const found = await outlineWithUses(text, known, { grammar, isLate, scan: sketchedSymbols });
  if (typeof found === 'string') return found === 'time' ? found : '';
  return writeTags(text, found);
}

/** Whether the thread must end to free its memory: that of a parser grows with the parsed text and never shrinks. */
async function isGrown(job: ParserQuestion): Promise<boolean> {
  if (job.kind === 'parse') return job.text.length > HEAVY_TEXT;
  return (
    job.kind === 'tags' &&
    !job.sketched &&
    (await import('./grammar/parse.ts')).parserBytes() > MAX_PARSER_MEMORY_BYTES
  );
}

const port = parentPort;
port?.on('message', ({ job, stop }: { job: ParserQuestion; stop: Int32Array }) => {
  void answer(job, stop)
    .then(async (reply) => {
      const moved = typeof reply === 'object' && 'tags' in reply ? buffersOf(reply.tags) : [];
      port.postMessage({ reply, retire: reply === 'time' || (await isGrown(job)) }, moved);
    })
    // After an exception (a stack overflow) the memory of the parser is undefined, so the thread exits; its owner notices.
    // oxlint-disable-next-line node/no-process-exit
    .catch(() => process.exit(1));
});
port?.postMessage(LOADED);
