/** Adds anchors for edits to the matches of a file, if the file has not changed since it was searched. */

import { createHash } from 'node:crypto';
import { readAt } from '../../access/bytes.ts';
import { isOrielError } from '../../errors.ts';
import { decode } from '../../text/encoding.ts';
import type { Call } from '../../types/call.ts';
import type { Encoding } from '../../types/encoding.ts';
import type { MatchedFile } from '../../types/result.ts';
import { encodingOf } from '../../views/source-encoding.ts';
import { takeSnapshot } from '../snapshot.ts';
import type { Quotable } from './search-input.ts';

/** The most bytes of one file, and of all files that are read again for one answer. */
const MOST_BYTES = 1 << 20;
const MOST_TOTAL = 32 << 20;

interface Searched {
  /** The absolute real path. */
  readonly path: string;
  readonly digest: string;
}

export class Anchors {
  readonly #call: Call;
  readonly #searched = new Map<MatchedFile, Searched>();
  #room = MOST_TOTAL;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Records the digest of the searched content of the file at `path`, if it is small enough. */
  async add(file: MatchedFile, path: string, { source, encoding }: Quotable): Promise<void> {
    const { size = Number.POSITIVE_INFINITY } = source;
    if (size > Math.min(MOST_BYTES, this.#room)) return;
    this.#room -= size;
    const content = await readAt(source, 0, size, this.#call.signal);
    this.#searched.set(file, { path, digest: digestOf(textOf(content, encoding)) });
  }

  /** The file with its anchor, if it has one. */
  async addTo(file: MatchedFile, shown: MatchedFile): Promise<MatchedFile> {
    const searched = this.#searched.get(file);
    const tag = searched && (await this.#tagOf(searched, file));
    return tag === undefined ? shown : { ...shown, anchor: `¶${file.path}#${tag}` };
  }

  async #tagOf({ path, digest }: Searched, { lines }: MatchedFile): Promise<string | undefined> {
    try {
      const opened = await this.#call.access.open(path, this.#call.signal);
      try {
        if (opened.is !== 'file' || opened.size > MOST_BYTES) return undefined;
        const content = await readAt(opened.bytes, 0, MOST_BYTES + 1, this.#call.signal);
        const text = textOf(content, await encodingOf(opened.bytes, this.#call));
        if (digestOf(text) !== digest) return undefined;
        const all = text.split(/(?<=\n)/);
        const whole = lines.filter(({ clipped }) => clipped === undefined);
        const seen = whole.map(({ no }) => [no, all[no - 1] ?? ''] as const);
        return await takeSnapshot(opened.bytes, opened.path, seen, this.#call);
      } finally {
        await opened.close();
      }
    } catch (error) {
      this.#call.signal.throwIfAborted();
      if (isOrielError(error)) return undefined;
      throw error;
    }
  }
}

/** The text as the walk provides it: without byte order mark, with a final newline. */
function textOf(content: Uint8Array, encoding: Encoding): string {
  const { text } = decode(content.subarray(encoding.bom), encoding);
  return text.endsWith('\n') ? text : `${text}\n`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
