/**
 * Finds the symbols that enclose the matches of a page. Only the first code files are parsed, up to a number and a total
 * size, concurrently in worker threads and with a short timeout.
 */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { codeIsIdle } from '../code/codebase/codebase.ts';
import type { AroundLines } from '../code/codebase/tag-store.ts';
import { languageOf } from '../code/languages.ts';
import { enclosing, type EnclosingSymbol } from '../code/structure.ts';
import { parseStructure, type WholeText } from '../code/parsed.ts';
import { Identity } from '../identity.ts';
import { cpuWaitMeter, startOwnTimer } from '../process/cpu-timeout.ts';
import { callerOf, registerCaller } from '../queues/caller.ts';
import { memoryBytes, readAt } from '../text/bytes.ts';
import { decode } from '../text/encoding.ts';
import type { Call } from '../types/call.ts';
import type { MatchedFile } from '../types/result.ts';
import { step } from './code/code-below.ts';
import type { QuotableText } from './search-input.ts';

/** The most files of one answer, the most bytes of one file, and of all together. */
const MAX_ENCLOSING_FILES = 8;
const MAX_ENCLOSING_FILE_BYTES = 64 << 10;
const MAX_ENCLOSING_BYTES = 256 << 10;

/**
 * The timeout of parsing in ms, without waits for a CPU; symbols of files that take longer are left out. Usually it takes a
 * fraction of this, but the first parse of a process also starts a thread and compiles a grammar.
 */
const WITHIN_MS = 1_000;

export class EnclosingSymbols {
  readonly #call: Call;
  readonly #texts = new Map<MatchedFile, WholeText>();
  readonly #paths = new Map<MatchedFile, { readonly path: string; readonly content: Uint8Array }>();
  #room = MAX_ENCLOSING_BYTES;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Keeps the text of a file with matches, if it is one of those to be parsed. `path` is its real path. */
  async add(file: MatchedFile, { source, encoding }: QuotableText, path?: string): Promise<void> {
    const { size = Number.POSITIVE_INFINITY } = source;
    if (this.#texts.size === MAX_ENCLOSING_FILES || size > Math.min(MAX_ENCLOSING_FILE_BYTES, this.#room))
      return;
    const name = basename(file.path);
    if (name.includes('.') && languageOf(name, '')?.map !== 'code') return;
    const content = await readAt(source, 0, size, this.#call.signal);
    const { text, invalid } = decode(content.subarray(encoding.bom), encoding);
    const language = languageOf(name, text);
    if (language?.map !== 'code') return;
    this.#room -= content.length;
    if (path !== undefined) this.#paths.set(file, { path, content });
    this.#texts.set(file, {
      text,
      language,
      bytes: content.length,
      invalid: invalid > 0,
      of: memoryBytes(content, source.identity.recurs ? source.identity : identityOf(content)),
      decoded: { encoding: encoding.name, bom: encoding.bom, name },
    });
  }

  /** The files with the symbols that enclose their matching lines. */
  async addTo(files: readonly MatchedFile[]): Promise<readonly MatchedFile[]> {
    const found = new Map<MatchedFile, MatchedFile>();
    const parsing = Array.from(this.#texts, async ([file, text]) => {
      found.set(file, await this.#withSymbols(file, text));
    });
    await soon(Promise.all(parsing), WITHIN_MS);
    this.#call.signal.throwIfAborted();
    return files.map((file) => found.get(file) ?? file);
  }

  async #withSymbols(file: MatchedFile, text: WholeText): Promise<MatchedFile> {
    const symbols = await this.#around(file, text);
    if (!symbols) return file;
    const lines = file.lines.map((line, i) => {
      const symbol = line.rank === undefined ? undefined : symbols[i];
      return symbol ? { ...line, within: symbol } : line;
    });
    return { ...file, lines };
  }

  /** The symbols from the code index if it has the file, otherwise from parsing it. */
  async #around(
    file: MatchedFile,
    text: WholeText,
  ): Promise<readonly (EnclosingSymbol | undefined)[] | undefined> {
    const lines = file.lines.map(({ no }) => no);
    const stored = this.#paths.get(file);
    const known = stored && (await indexedSymbols({ ...stored, lines }, this.#call));
    if (known) return known;
    const structure = await structureFor(text, this.#call);
    return 'none' in structure ? undefined : enclosing(structure, lines);
  }
}

/**
 * Parsing continues after the call, up to the timeout of the parser. If it were cancelled, a slowly starting thread would
 * always be ended before its first answer.
 */
async function structureFor(text: WholeText, call: Call): ReturnType<typeof parseStructure> {
  const { signal } = new AbortController();
  registerCaller(callerOf(call.signal), signal);
  const used: (() => void | Promise<void>)[] = [];
  try {
    const progress = (): void => undefined;
    return await parseStructure(text, { ...call, signal, progress, onEnd: (release) => used.push(release) });
  } finally {
    for (const release of used.toReversed()) await release();
  }
}

/** Texts from a walk have no identity, so they are identified by their content. */
function identityOf(content: Uint8Array): Identity {
  return Identity.of('content', { sha256: createHash('sha256').update(content).digest('hex') });
}

// Looks up the symbols around lines of a file in the code index, without parsing.

/** The timeout in ms; after it the file is parsed instead. */
const INDEX_WITHIN_MS = 100;

/** `content` is the searched bytes, `lines` are 1-based numbers. Undefined if the index does not have this version. */
async function indexedSymbols(
  {
    path,
    content,
    lines,
  }: { readonly path: string; readonly content: Uint8Array; readonly lines: readonly number[] },
  { access, signal }: Call,
): Promise<AroundLines | undefined> {
  if (!codeIsIdle()) return undefined;
  const opened = await access.open(path, signal).catch(() => undefined);
  try {
    if (opened?.kind !== 'file' || opened.size !== content.length) return undefined;
    const { identity } = opened.bytes;
    // The file may have changed since it was searched.
    const stored = identity.recurs
      ? await readAt(opened.bytes, 0, opened.size, signal).catch(() => undefined)
      : undefined;
    if (!stored || !Buffer.from(stored).equals(content)) return undefined;
    const asked = step({ kind: 'around', files: [{ path, key: identity.key, lines }] }, signal);
    const [known] = (await soon(asked, INDEX_WITHIN_MS)) ?? [];
    return known;
  } finally {
    await opened?.close();
  }
}

/**
 * Undefined if it fails or takes more than `ms` milliseconds, for example because another call keeps the thread busy. On a
 * busy machine it may take longer.
 */
async function soon<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let stop: (() => void) | undefined;
  const late = new Promise<undefined>((resolve) => {
    stop = startOwnTimer(ms, cpuWaitMeter(process.pid), () => resolve(undefined));
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    stop?.();
  }
}
