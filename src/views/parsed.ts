/** The structure of a text resource: asked of the parser's thread once for the same text, and kept. */

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
import type { Kind, Made, Making, Weight } from '../types/store.ts';
import type { TextInput } from '../window/input.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { type Language, languageOf } from './languages.ts';
import type { OutlineAnswer, OutlineQuestion } from './outline-worker.ts';
import type { Structure } from './structure.ts';
import { longestText } from './unfit.ts';

/** Milliseconds after which a parser is asked to give up, and after which its thread is ended. */
const soft = 1_300;
const hard = 1_800;

/**
 * Milliseconds after which a text without a thread has no outline. Callers are served in turn, so it takes many that
 * send hostile texts to make another wait for so long; an outline that is missing because others were busy is worse.
 */
const MOST_WAIT_MS = 10_000;

const parsers = new WorkerPool<OutlineQuestion, OutlineAnswer>({
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

export type Parsed = Structure | { readonly none: NoStructure };

type StructureOptions = { encoding: string; bom: number; name: string; language: string };

const structures: Kind<Parsed, StructureOptions> = { name: 'structure', weigh: weightOf };

/**
 * Bytes of a symbol and of a fold, as they arrive from the parser's thread: an object, its numbers, the headers of its
 * strings. Measured: heap after parsing 3.8 MB of JSON, for each symbol.
 */
const SYMBOL_BYTES = 220;
const FOLD_BYTES = 60;

function weightOf(parsed: Parsed): Weight {
  if ('none' in parsed) return { memory: 0 };
  let memory = SYMBOL_BYTES * parsed.symbols.length + FOLD_BYTES * parsed.folds.length;
  for (const { name, qualified, signature } of parsed.symbols) {
    memory += name.length + qualified.length + signature.length;
  }
  return { memory };
}

/** The structure of a text, or why it has none. Throws the signal's reason. */
export async function structureOf({ text, language, of, decoded }: WholeText, call: Call): Promise<Parsed> {
  if (!language) return { none: 'language' };
  const make = async ({ signal }: Making): Promise<Made<Parsed>> => {
    const value = await parse(text, language, signal);
    // A parser that ran out of time or memory may have more of them next time.
    return { value, keep: !('none' in value && (value.none === 'time' || value.none === 'crash')) };
  };
  const options = { ...decoded, language: language.name };
  return call.session.store.get(structures, of, options, make, call);
}

async function parse(text: string, language: Language, signal: AbortSignal): Promise<Parsed> {
  const grammar = await grammarFiles(language);
  const question = { text, language: language.name, ...(grammar && { grammar }), within: soft };
  const claim = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_WAIT_MS)]),
    caller: callerOf(signal),
  };
  let began = false;
  try {
    const answer = await parsers.lend(claim, (ask) => {
      began = true;
      return ask(question, performance.now() + hard, signal);
    });
    return typeof answer === 'string' ? { none: answer } : answer;
  } catch (error) {
    signal.throwIfAborted();
    const isLate = !began || (isOrielError(error) && error.code === 'TIMEOUT');
    return { none: isLate ? 'time' : 'crash' };
  }
}

async function grammarFiles({ grammar, queries = [] }: Language): Promise<GrammarFiles | undefined> {
  if (grammar === undefined) return undefined;
  const [wasm, ...parts] = await Promise.all([
    asset(`grammars/${grammar}.wasm.br`),
    ...queries.map((query) => asset(`grammars/${query}.scm`)),
  ]);
  return { name: grammar, wasm, query: parts.map((part) => Buffer.from(part).toString()).join('\n') };
}
