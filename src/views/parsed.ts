/** Owns the structure of a text resource: asked of the parser's thread once for each version, and kept. */

import { asset } from '../access/assets.ts';
import { readAt } from '../access/bytes.ts';
import { WorkerPool } from '../access/isolate-worker.ts';
import { builtFile } from '../access/package-files.ts';
import { isOrielError } from '../errors.ts';
import { callerOf } from '../queues/caller.ts';
import { queues } from '../queues/table.ts';
import { decode } from '../text/encoding.ts';
import type { Call } from '../types/call.ts';
import type { NoStructure } from '../types/notice.ts';
import type { TextResource } from '../types/resource.ts';
import type { TextInput } from '../window/input.ts';
import type { GrammarFiles } from './grammar/parse.ts';
import { type Language, languageOf } from './languages.ts';
import type { OutlineAnswer, OutlineQuestion } from './outline-worker.ts';
import type { Structure } from './structure.ts';
import { longestText } from './unfit.ts';

/** Milliseconds after which a parser is asked to give up, and after which its thread is ended. */
const soft = 1_300;
const hard = 1_800;

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
  /** Changes when the text or its language may have. */
  readonly version: string;
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
  const version = `${bytes.version}:${encoding.name}:${name}`;
  return { text, language: languageFor(resource, text), bytes: stored.length, invalid: invalid > 0, version };
}

/** Listings and tables have no language. */
function languageFor({ name, display }: TextResource, text: string): Language | undefined {
  return display === 'plain' ? undefined : languageOf(name, text);
}

export type Parsed = Structure | { readonly none: NoStructure };

/** The structure of a text, or why it has none. Throws the signal's reason. */
export async function structureOf({ text, language, version }: WholeText, call: Call): Promise<Parsed> {
  if (!language) return { none: 'language' };
  return call.session.cached('structure', version, () => parse(text, language, call.signal));
}

async function parse(text: string, language: Language, signal: AbortSignal): Promise<Parsed> {
  const grammar = await grammarFiles(language);
  const question = { text, language: language.name, ...(grammar && { grammar }), within: soft };
  // Hostile texts must not hold up another for long: without a thread by then, it has no outline.
  const claim = { signal: AbortSignal.any([signal, AbortSignal.timeout(hard)]), caller: callerOf(signal) };
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
