/**
 * The maps of unchanged code, on disk: a new process answers with them before it has loaded any tags. A reply is stored
 * under the hash of its question and of the paths and identities of all files.
 */

import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { INDEX_VERSION } from '../../codebase/index-format.ts';
import type { CodeAnswer, SyncJob } from '../../codebase/codebase-worker.ts';
import type { CodeQuestion } from '../../codebase/questions.ts';
import type { LocalCache, Session } from '../../types/session.ts';

/** Incremented when a map is made in another way. */
const VERSION = `${INDEX_VERSION}, maps 3`;

/** Minimum code files: fewer are loaded as fast. */
const LEAST_FILES = 200;

/** Maximum keys of replies that this process knows to be in a cache. */
const MOST_KNOWN = 256;

const knownIn = new WeakMap<LocalCache, Set<string>>();

export class StoredReplies {
  readonly #cache: LocalCache | undefined;
  /** Of the files; undefined if they are too few. */
  readonly #digest: Buffer | undefined;

  constructor({ base, top, paths, keys }: SyncJob, { files }: Pick<Session, 'files'>, least = LEAST_FILES) {
    this.#cache = files;
    const isLarge = files && keys.split('\n', least).length === least;
    this.#digest = isLarge ? hashOf([VERSION, base, top, paths, keys]) : undefined;
  }

  async get(question: CodeQuestion): Promise<CodeAnswer | undefined> {
    const key = this.#keyOf(question);
    const bytes = key === undefined ? undefined : await this.#cache?.get(key);
    return bytes && (JSON.parse(bytes.toString()) as CodeAnswer);
  }

  /** Stores the reply in the background, unless some files were not parsed, or may change without a new identity. */
  put(question: CodeQuestion, answer: CodeAnswer): void {
    const { missing, slow, fresh } = answer.unknown;
    const key = this.#keyOf(question);
    if (!this.#cache || key === undefined || missing + slow + fresh > 0) return;
    const known = knownIn.get(this.#cache) ?? new Set<string>();
    knownIn.set(this.#cache, known);
    if (known.has(key)) return;
    for (const oldest of known) {
      if (known.size < MOST_KNOWN) break;
      known.delete(oldest);
    }
    known.add(key);
    void this.#cache.put(key, [Buffer.from(JSON.stringify(answer))]);
  }

  /** Undefined if replies to this question are not stored. */
  #keyOf(question: CodeQuestion): string | undefined {
    if (!this.#digest || question.is !== 'map') return undefined;
    return `code map ${hashOf([this.#digest, serialize(question)]).toString('hex')}`;
  }
}

/** Of the lengths and bytes of all parts. */
function hashOf(parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest();
}
