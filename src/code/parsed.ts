/** Parses texts in worker threads, caches their structures, and searches them. */

import { createHash } from 'node:crypto';
import { isOrielError } from '../errors.ts';
import { asset, builtFile, digestOfCode } from '../files/package-files.ts';
import { WorkerPool } from '../process/worker-threads.ts';
import { callerOf } from '../queues/caller.ts';
import { queues } from '../queues/queue-table.ts';
import { frameHandler, NOT_HERE, type OffloadCall, offloadWork } from '../state/work-values.ts';
import { memoryBytes, readAt } from '../text/bytes.ts';
import { decode } from '../text/encoding.ts';
import type { TextInput } from '../text/line-reader.ts';
import type { ByteSource } from '../types/access.ts';
import type { NoStructure } from '../types/answer.ts';
import type { Call, TextResource } from '../types/call.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../types/session.ts';
import { compiledWasm } from './grammar/compiled.ts';
import type { GrammarFiles, PackedGrammar } from './grammar/parse.ts';
import { type CodeLanguage, isSketched, languageOf, languages, MAX_PARSED_CHARACTERS } from './languages.ts';
import type { AnswerTo, ParserQuestion, TagsFound } from './outline-worker.ts';
import { type PackedStructure, type TextStructure, unpackStructure } from './structure.ts';

/**
 * Timeouts in milliseconds of CPU time: `soft` is for the parser once its grammar is loaded, after `hard` its thread is
 * terminated. Loading the grammar for the first text of a thread takes 0.1 s, and much longer on a busy machine.
 */
const soft = 1_300;
const hard = 4_000;

/**
 * CPU time is counted so that a map does not depend on the load of the machine. After this many milliseconds of wall-clock
 * time the thread is terminated in any case.
 */
const latest = 12_000;

/**
 * The soft timeout for the tags of one file. It is longer, because no call waits for a single file, and without tags the
 * file would be missing from all answers: 1 MiB takes a second, and ten times as long if the cores are busy.
 */
const softForTags = 15_000;

/**
 * Maximum milliseconds that a text waits for a thread; after that it has no outline. The queue is fair between callers, so
 * only many hostile callers can make another one wait this long. A short timeout would lose outlines under normal load.
 */
const MAX_PARSER_WAIT_MS = 10_000;

const parsers = new WorkerPool<ParserQuestion, AnswerTo[ParserQuestion['kind']]>({
  entry: builtFile('code/outline-worker.js'),
  queue: queues.outlines,
  idleMs: 30_000,
  heapMb: 512,
  youngMb: 16,
});

/**
 * The threads for the tags of many files. Their heap limit is low, because V8 lets a heap grow to half of its limit before
 * it collects garbage. A file that needs more is parsed alone, by a thread of `parsers`.
 */
const tagParsers = new WorkerPool<ParserQuestion, AnswerTo[ParserQuestion['kind']]>({
  entry: builtFile('code/outline-worker.js'),
  queue: queues.outlines,
  idleMs: 10_000,
  heapMb: 64,
  youngMb: 8,
  moves: (job) => (job.kind === 'tags' ? job.moved : []),
});

/**
 * Ends the idle threads that make tags, and drops their shared grammars. Each thread holds 50 MB, which would add to the
 * memory for ranking many files.
 */
export function endTagParsers(): Promise<void> {
  tagGrammars.clear();
  return tagParsers.close();
}

/** The factor by which waiting for a CPU extends the time of a batch of files. */
const MAX_WAITED = 3;

export interface WholeText {
  readonly text: string;
  readonly language: CodeLanguage | undefined;
  /** Stored bytes. */
  readonly bytes: number;
  /** Whether it has invalid sequences. */
  readonly invalid: boolean;
  /** The source of the text, and how it was decoded. */
  readonly of: ByteSource;
  readonly decoded: { readonly encoding: string; readonly bom: number; readonly name: string };
}

/**
 * The decoded text without its byte order mark, or undefined if it has more than `most` stored bytes. Throws
 * OrielError of the byte source, and the signal's reason.
 */
export async function wholeText(
  resource: TextResource,
  { encoding }: TextInput,
  signal: AbortSignal,
  most = MAX_PARSED_CHARACTERS * encoding.unit,
): Promise<WholeText | undefined> {
  const { name, bytes } = resource;
  if (bytes.size !== undefined && bytes.size > most) return undefined;
  const stored = await readAt(bytes, 0, most + 1, signal);
  if (stored.length > most) return undefined;
  const { text, invalid } = decode(stored.subarray(encoding.bom), encoding);
  return {
    text,
    // Listings and tables have no language.
    language: resource.display === 'plain' ? undefined : languageOf(resource.name, text),
    bytes: stored.length,
    invalid: invalid > 0,
    of: bytes,
    decoded: { encoding: encoding.name, bom: encoding.bom, name },
  };
}

/** Why a text has no structure. */
export interface UnparsedText {
  readonly none: NoStructure;
  /** The text was not parsed, because no thread was free or none could be started. */
  readonly isUnasked?: boolean | undefined;
}

export type ParsedText = PackedStructure | UnparsedText;

type StructureOptions = { encoding: string; bom: number; name: string; language: string };

const structures: DerivedKind<ParsedText, StructureOptions> = {
  name: 'structure',
  weigh: (parsed) => ({ memory: 'none' in parsed ? 0 : 2 * parsed.json.length }),
};

/** The structure of a text, or the reason why it has none. Throws the signal's reason. */
export async function parseStructure(
  { text, language, of, decoded }: WholeText,
  call: Call,
): Promise<ParsedText> {
  if (!language) return { none: 'language' };
  const make = async ({ signal }: ValueComputation): Promise<ComputedValue<ParsedText>> => {
    const work = { text, language: language.name, grammar: await grammarFiles(language) };
    const { session, deadline } = call;
    const found =
      (await parsedElsewhere(work, { session, deadline, signal })) ??
      (await parseText(work, signal, { soft, hard }));
    const value = typeof found === 'string' ? { none: found } : found;
    return { value, keep: lasts(value) };
  };
  const options = { ...decoded, language: language.name };
  return call.session.store.get(structures, of, options, make, call);
}

/** Parses in a thread of this process. `ms`: see `soft` and `hard`. Throws the signal's reason. */
export async function parseText(
  { text, language, grammar }: ParseWork,
  signal: AbortSignal,
  ms: { readonly soft: number; readonly hard: number },
): Promise<PackedStructure | NoStructure> {
  const question = { kind: 'parse', text, language, grammar, within: ms.soft } as const;
  const reply = await answerTo(question, signal, undefined, parsers, ms.hard);
  return typeof reply === 'object' && 'none' in reply ? reply.none : reply;
}

/** Whether a result may stay in the cache: not after a timeout or crash, which may not occur again. */
export function lasts(value: object): boolean {
  return !('none' in value && (value.none === 'time' || value.none === 'crash'));
}

/**
 * The answer of a thread, or the reason why there is none. `until` is a deadline on the clock of `performance.now()` which
 * includes the wait for a thread; `within` is the timeout of the thread's work. Throws the signal's reason.
 */
export async function answerTo<A extends ParserQuestion['kind']>(
  question: ParserQuestion & { readonly kind: A },
  signal: AbortSignal,
  until?: number,
  pool = parsers,
  within: number = until === undefined ? hard : Infinity,
): Promise<AnswerTo[A] | UnparsedText> {
  const waiting =
    until === undefined ? MAX_PARSER_WAIT_MS : Math.max(0, Math.ceil(until - performance.now()));
  const claim = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(waiting)]),
    caller: callerOf(signal),
  };
  let began = false;
  try {
    return (await pool.lend(claim, (ask) => {
      began = true;
      const now = performance.now();
      if (until === undefined) return ask(question, now + within, signal, now + Math.max(within, latest));
      // On a busy machine a thread waits for a CPU most of the time: that does not count at first.
      const extended = Math.min(until, now + MAX_WAITED * within);
      return ask(question, Math.min(until, now + within), signal, extended);
    })) as AnswerTo[A];
  } catch (error) {
    signal.throwIfAborted();
    const code = isOrielError(error) ? error.code : undefined;
    if (!began || code === 'BUSY') return { none: 'time', isUnasked: true };
    return { none: code === 'TIMEOUT' ? 'time' : 'crash' };
  }
}

export async function grammarFiles({
  grammar,
  queries = [],
}: CodeLanguage): Promise<PackedGrammar | undefined> {
  if (grammar === undefined) return undefined;
  const [wasm, query] = await Promise.all([asset(`grammars/${grammar}.wasm.br`), queriesOf(queries)]);
  return { name: grammar, wasm, query };
}

/** The compiled grammars are dropped this many milliseconds after their last use for tags. */
const HELD_MS = 30_000;

const tagGrammars = new Map<string, Promise<GrammarFiles | undefined>>();
let forget: NodeJS.Timeout | undefined;

/** The compiled grammar for many files, with the query for uses if the language has one. */
function tagGrammar(language: CodeLanguage): Promise<GrammarFiles | undefined> {
  clearTimeout(forget);
  forget = setTimeout(() => tagGrammars.clear(), HELD_MS).unref();
  const loading = tagGrammars.get(language.name) ?? compiledGrammar(language);
  tagGrammars.set(language.name, loading);
  loading.catch(() => tagGrammars.delete(language.name));
  return loading;
}

async function compiledGrammar(language: CodeLanguage): Promise<GrammarFiles | undefined> {
  const files = await grammarFiles(language);
  if (!files) return undefined;
  const { uses = [] } = language;
  const [wasm, used] = await Promise.all([
    compiledWasm(files.wasm),
    uses.length > 0 ? queriesOf(uses.map((name) => `uses/${name}`)) : undefined,
  ]);
  return { ...files, wasm, ...(used !== undefined && { uses: used }) };
}

async function queriesOf(names: readonly string[]): Promise<string> {
  const parts = await Promise.all(names.map((name) => asset(`grammars/${name}.scm`)));
  return parts.map((part) => Buffer.from(part).toString()).join('\n');
}

/** A code file to make tags of; without bytes it has none. */
export interface TaggedFile {
  readonly bytes?: Uint8Array | undefined;
  readonly language: CodeLanguage;
}

/**
 * The tags of code files, or the reason why there are none. Only of the first files if the deadline `until` (of
 * `performance.now()`) or the timeout `within` (milliseconds in the thread) is reached. `alone`: they may need much
 * memory. `sketched`: sketches are enough. `moved`: their memory, if nobody else needs it. `cpuMs`: the CPU time after which
 * a file is late, at most `softForTags`. Throws the signal's reason.
 */
export async function tagsOf(
  files: readonly TaggedFile[],
  until: number,
  signal: AbortSignal,
  {
    alone = false,
    sketched = false,
    moved = [],
    within,
    cpuMs = softForTags,
  }: {
    readonly alone?: boolean | undefined;
    readonly sketched?: boolean | undefined;
    readonly moved?: readonly ArrayBuffer[] | undefined;
    readonly within?: number | undefined;
    readonly cpuMs?: number | undefined;
  } = {},
): Promise<TagsFound | UnparsedText> {
  const grammars: Record<string, GrammarFiles> = {};
  for (const language of new Set(files.map((file) => file.language))) {
    const isScanned = language.map !== 'code' || (sketched && isSketched(language.name));
    const grammar = isScanned ? undefined : await tagGrammar(language);
    if (grammar) grammars[language.name] = grammar;
  }
  const question = {
    kind: 'tags',
    files: files.map(({ bytes, language: { name } }) => ({ bytes, language: name })),
    grammars,
    sketched,
    moved,
    within: Math.min(softForTags, cpuMs),
  } as const;
  return answerTo(question, signal, until, alone ? parsers : tagParsers, within);
}

// Lets remote workers parse large texts: the order of a replica, and the serialized result.

const OUTLINE_KIND = 'outline';

/** Minimum characters: a shorter text is parsed faster than it is sent. */
const MIN_REMOTE_TEXT_CHARACTERS: number = 256 << 10;

/** The order for a worker, beside the text. */
interface ParseHead {
  /** By its name in the table of languages. */
  readonly language: string;
  /** Digest of the grammar and its queries; absent if the language has a scanner. */
  readonly grammar?: string | undefined;
}

interface ParseWork {
  readonly text: string;
  readonly language: string;
  readonly grammar: PackedGrammar | undefined;
}

/** Undefined if no worker parsed it. Throws the reason of the signal. */
export async function parsedElsewhere(
  { text, language, grammar }: ParseWork,
  offload: OffloadCall,
): Promise<PackedStructure | NoStructure | undefined> {
  if (!offload.session.work || text.length < MIN_REMOTE_TEXT_CHARACTERS) return undefined;
  const head = parseHead(language, grammar);
  const source = memoryBytes(Buffer.from(text));
  const outcome = await offloadWork({ kind: OUTLINE_KIND, version: parserVersion(), head, source }, offload);
  if (outcome.kind === 'failed') return FAILURES.get(outcome.why);
  return outcome.kind === 'done' ? readParse(outcome.body) : undefined;
}

/** Failures that are about the text. After any other failure the text is parsed here. */
const FAILURES: ReadonlyMap<string, NoStructure> = new Map([
  ['slow', 'time'],
  ['crashed', 'crash'],
]);

function parseHead(language: string, grammar: PackedGrammar | undefined): ParseHead {
  return { language, grammar: grammar ? digestOf(grammar) : undefined };
}

const digests = new Map<string, string>();

function digestOf({ name, wasm, query }: PackedGrammar): string {
  let digest = digests.get(name);
  if (digest === undefined) {
    digest = createHash('sha256').update(wasm).update(query).digest('hex');
    digests.set(name, digest);
  }
  return digest;
}

/** A digest of the parser's code, because another version may find another structure. */
function parserVersion(): string {
  return digestOfCode('code/outline-worker.js', []);
}

/** Parses a serialized result; undefined if it is invalid. */
function readParse(bytes: Buffer): PackedStructure | NoStructure | undefined {
  const json = bytes.toString();
  try {
    const found = JSON.parse(json) as TextStructure | NoStructure;
    return typeof found === 'string' ? found : { count: found.symbols.length, json };
  } catch {
    return undefined;
  }
}

// The job of a remote worker that parses large texts for replicas.

/** Timeouts in milliseconds: after the first the parser gives up, after the second its thread is terminated. */
const SOFT_MS = 10_000;
const HARD_MS = 13_000;

export const outlineJob = frameHandler(OUTLINE_KIND, parserVersion, async (head, { body }, signal) => {
  const pieces: Uint8Array[] = [];
  // The memory of a piece may be reused, so it is copied.
  for await (const piece of body) pieces.push(Uint8Array.from(piece));
  const text = Buffer.concat(pieces).toString();
  const wanted = head as ParseHead;
  const language = languages.find(({ name }) => name === wanted.language);
  if (!language) return NOT_HERE;
  const grammar = await grammarFiles(language);
  // With another grammar the result would not be the one that the replica expects.
  if (parseHead(language.name, grammar).grammar !== wanted.grammar) return NOT_HERE;
  const found = await parseText({ text, language: language.name, grammar }, signal, {
    soft: SOFT_MS,
    hard: HARD_MS,
  });
  if (found === 'time') return { why: 'slow', isLasting: true };
  if (found === 'crash') return { why: 'crashed', isLasting: false };
  return { head: {}, body: Buffer.from(typeof found === 'string' ? JSON.stringify(found) : found.json) };
});

// The qualified names of the symbols of a text in memory, for the completion of a typed name.

/** Timeouts in milliseconds: for the parser, and including the start of its thread. */
const PARSING_MS = 5_000;
const MAX_SYMBOL_NAMES_MS = 9_000;

/** The names in the order of the text, without duplicates. `name`: the name of the file. */
export async function symbolNames(name: string, text: string, signal: AbortSignal): Promise<string[]> {
  const language = languageOf(name, text);
  if (!language) return [];
  const grammar = await grammarFiles(language);
  const question = {
    kind: 'parse' as const,
    text,
    language: language.name,
    grammar,
    within: PARSING_MS,
  };
  const reply = await answerTo(question, signal, performance.now() + MAX_SYMBOL_NAMES_MS);
  if (typeof reply === 'string' || 'none' in reply) return [];
  return [...new Set(unpackStructure(reply).symbols.map(({ qualified }) => qualified))];
}
