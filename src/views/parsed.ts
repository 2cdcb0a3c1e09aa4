/** The structure of a text resource, and what is found in it: asked of the parser's thread once, and kept. */

import { asset } from '../access/assets.ts';
import { readAt } from '../access/bytes.ts';
import { WorkerPool } from '../access/isolate-worker.ts';
import { builtFile } from '../access/package-files.ts';
import { isOrielError } from '../errors.ts';
import { callerOf } from '../queues/caller.ts';
import { queues } from '../queues/table.ts';
import { decode } from '../text/encoding.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { NoStructure } from '../types/notice.ts';
import type { TextResource } from '../types/resource.ts';
import type { Kind, Made, Making } from '../types/store.ts';
import type { TextInput } from '../window/input.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { type Language, languageOf } from './languages.ts';
import type { AnswerTo, Question } from './outline-worker.ts';
import { packedBytes, type PackedStructure } from './packed.ts';
import { longestText } from './unfit.ts';

/**
 * Milliseconds after which a parser that has its grammar is asked to give up, and after which its thread is ended. The
 * first text of a thread waits until the grammar is loaded: 0.1 s, and much more on a busy machine.
 */
const soft = 1_300;
const hard = 4_000;

/** The same for tags, of which the first ones wait for the grammar: nobody waits for one file of many. */
const hardForTags = 10_000;

/**
 * Milliseconds after which a text without a thread has no outline. Callers are served in turn, so it takes many that
 * send hostile texts to make another wait for so long; an outline that is missing because others were busy is worse.
 */
const MOST_WAIT_MS = 10_000;

const parsers = new WorkerPool<Question, AnswerTo[Question['ask']]>({
  entry: builtFile('views/outline-worker.js'),
  queue: queues.outlines,
  idleMs: 30_000,
  heapMb: 512,
});

export interface WholeText {
  readonly text: string;
  readonly language: Language | undefined;
  /** As stored. */
  readonly bytes: number;
  /** Whether some of it was not text. */
  readonly invalid: boolean;
  /** The bytes it was decoded from, and how. */
  readonly of: ByteSource;
  readonly decoded: { readonly encoding: string; readonly bom: number; readonly name: string };
}

/**
 * The decoded text without its byte order mark, or undefined where it has more than `most` stored bytes. Throws
 * OrielError of the byte source, and the signal's reason.
 */
export async function wholeText(
  resource: TextResource,
  { encoding }: TextInput,
  signal: AbortSignal,
  most = longestText * encoding.unit,
): Promise<WholeText | undefined> {
  const { name, bytes } = resource;
  if (bytes.size !== undefined && bytes.size > most) return undefined;
  const stored = await readAt(bytes, 0, most + 1, signal);
  if (stored.length > most) return undefined;
  const { text, invalid } = decode(stored.subarray(encoding.bom), encoding);
  return {
    text,
    language: languageFor(resource, text),
    bytes: stored.length,
    invalid: invalid > 0,
    of: bytes,
    decoded: { encoding: encoding.name, bom: encoding.bom, name },
  };
}

/** Listings and tables have no language. */
function languageFor({ name, display }: TextResource, text: string): Language | undefined {
  return display === 'plain' ? undefined : languageOf(name, text);
}

/** Why a text has no structure. */
export interface Unparsed {
  readonly none: NoStructure;
}

export type Parsed = PackedStructure | Unparsed;

type StructureOptions = { encoding: string; bom: number; name: string; language: string };

const structures: Kind<Parsed, StructureOptions> = {
  name: 'structure',
  weigh: (parsed) => ({ memory: 'none' in parsed ? 0 : packedBytes(parsed) }),
};

/** The structure of a text, or why it has none. Throws the signal's reason. */
export async function structureOf({ text, language, of, decoded }: WholeText, call: Call): Promise<Parsed> {
  if (!language) return { none: 'language' };
  const make = async ({ signal }: Making): Promise<Made<Parsed>> => {
    const grammar = await grammarFiles(language);
    const question = {
      ask: 'parse',
      text,
      language: language.name,
      ...(grammar && { grammar }),
      within: soft,
    };
    const reply = await answerTo(question as Question & { ask: 'parse' }, signal);
    const value = typeof reply === 'string' ? { none: reply } : reply;
    return { value, keep: lasts(value) };
  };
  const options = { ...decoded, language: language.name };
  return call.session.store.get(structures, of, options, make, call);
}

/** A parser that ran out of time or memory may have more of them next time. */
export function lasts(value: object): boolean {
  return !('none' in value && (value.none === 'time' || value.none === 'crash'));
}

/** What the thread answers, or why it did not. Throws the signal's reason. */
export async function answerTo<A extends Question['ask']>(
  question: Question & { readonly ask: A },
  signal: AbortSignal,
): Promise<AnswerTo[A] | Unparsed> {
  const claim = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_WAIT_MS)]),
    caller: callerOf(signal),
  };
  let began = false;
  try {
    return (await parsers.lend(claim, (ask) => {
      began = true;
      return ask(question, performance.now() + (question.ask === 'tags' ? hardForTags : hard), signal);
    })) as AnswerTo[A];
  } catch (error) {
    signal.throwIfAborted();
    const isLate = !began || (isOrielError(error) && error.code === 'TIMEOUT');
    return { none: isLate ? 'time' : 'crash' };
  }
}

/** `uses`: with the query of uses, where the language has one. */
async function grammarFiles(
  { grammar, queries = [], uses = [] }: Language,
  withUses = false,
): Promise<GrammarFiles | undefined> {
  if (grammar === undefined) return undefined;
  const joined = async (names: readonly string[]): Promise<string> => {
    const parts = await Promise.all(names.map((name) => asset(`grammars/${name}.scm`)));
    return parts.map((part) => Buffer.from(part).toString()).join('\n');
  };
  const [wasm, query, used] = await Promise.all([
    asset(`grammars/${grammar}.wasm.br`),
    joined(queries),
    withUses && uses.length > 0 ? joined(uses.map((name) => `uses/${name}`)) : undefined,
  ]);
  return { name: grammar, wasm, query, ...(used !== undefined && { uses: used }) };
}

const tagFiles = new Map<string, Promise<GrammarFiles | undefined>>();

/** The tags of a code file (see tags.ts), or why it has none. Throws the signal's reason. */
export async function tagsOf(
  bytes: Uint8Array,
  language: Language,
  signal: AbortSignal,
): Promise<{ readonly text: string } | Unparsed> {
  let files = tagFiles.get(language.name);
  if (!files) tagFiles.set(language.name, (files = grammarFiles(language, true)));
  const grammar = await files;
  const question = {
    ask: 'tags',
    bytes,
    language: language.name,
    ...(grammar && { grammar }),
    within: soft,
  } as const;
  const reply = await answerTo(question, signal);
  return typeof reply === 'string' ? { none: reply } : reply;
}
