/** Lets remote workers parse large texts: the order of a replica, and the serialized result. */

import { createHash } from 'node:crypto';
import { memoryBytes } from '../access/bytes.ts';
import { digestOfCode } from '../access/package-files.ts';
import { type OffloadCall, offloadWork } from '../session/offload-work.ts';
import { frame, wholeFrame } from '../text/frames.ts';
import type { NoStructure } from '../types/notice.ts';
import type { PackedGrammar } from './grammar/parse.ts';
import type { PackedStructure } from './packed.ts';

export const OUTLINE_KIND = 'outline';

/** Minimum characters: a shorter text is parsed faster than it is sent. */
const LEAST_TEXT: number = 256 << 10;

/** The order for a worker, beside the text. */
export interface ParseHead {
  /** By its name in the table of languages. */
  readonly language: string;
  /** Digest of the grammar and its queries; absent if the language has a scanner. */
  readonly grammar?: string;
}

export interface ParseWork {
  readonly text: string;
  readonly language: string;
  readonly grammar: PackedGrammar | undefined;
}

/** Undefined if no worker parsed it. Throws the reason of the signal. */
export async function parsedElsewhere(
  { text, language, grammar }: ParseWork,
  offload: OffloadCall,
): Promise<PackedStructure | NoStructure | undefined> {
  if (!offload.session.work || text.length < LEAST_TEXT) return undefined;
  const head = parseHead(language, grammar);
  const source = memoryBytes(Buffer.from(text));
  const outcome = await offloadWork({ kind: OUTLINE_KIND, version: parserVersion(), head, source }, offload);
  if (outcome.is === 'failed') return FAILURES.get(outcome.why);
  return outcome.is === 'done' ? read(outcome.result) : undefined;
}

/** Failures that are about the text. After any other failure the text is parsed here. */
const FAILURES: ReadonlyMap<string, NoStructure> = new Map([
  ['slow', 'time'],
  ['crashed', 'crash'],
]);

export function parseHead(language: string, grammar: PackedGrammar | undefined): ParseHead {
  return { language, ...(grammar && { grammar: digestOf(grammar) }) };
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

let digestOfParser: string | undefined;

/** A digest of the parser's code, because another version may find another structure. */
export function parserVersion(): string {
  return (digestOfParser ??= digestOfCode('views/outline-worker.js', ['web-tree-sitter']));
}

interface Head {
  readonly none?: NoStructure;
  readonly count: number;
  /** Lengths of the arrays of symbols and folds. */
  readonly symbols: number;
  readonly folds: number;
}

/** Serializes a result. */
export function write(found: PackedStructure | NoStructure): Buffer {
  if (typeof found === 'string')
    return Buffer.concat(frame({ none: found, count: 0, symbols: 0, folds: 0 }, Buffer.alloc(0)));
  const { count, symbols, folds, words } = found;
  const head: Head = { count, symbols: symbols.length, folds: folds.length };
  const numbers = [symbols, folds].map((of) => Buffer.from(of.buffer, of.byteOffset, of.byteLength));
  return Buffer.concat(frame(head, Buffer.concat([...numbers, Buffer.from(words)])));
}

/** Parses a serialized result; undefined if it is invalid. */
export function read(bytes: Buffer): PackedStructure | NoStructure | undefined {
  const { head, body } = wholeFrame(bytes) ?? {};
  if (!head || !body) return undefined;
  const { none, count, symbols, folds } = head as Head;
  if (none !== undefined) return none;
  const words = 4 * (symbols + folds);
  if (!(words <= body.length)) return undefined;
  // Copied, because an Int32Array must begin at a multiple of four bytes.
  const numbers = new Int32Array(Uint8Array.from(body.subarray(0, words)).buffer);
  return {
    count,
    symbols: numbers.slice(0, symbols),
    folds: numbers.slice(symbols),
    words: body.toString('utf8', words),
  };
}
