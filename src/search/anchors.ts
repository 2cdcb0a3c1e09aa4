/** Adds anchors for edits to the matches of a file, if the file has not changed since it was searched. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { findEncoding } from '../code/text-input.ts';
import { isOrielError } from '../errors.ts';
import { anchorHeader, isHashline } from '../render/display.ts';
import { readAt } from '../text/bytes.ts';
import { decode } from '../text/encoding.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { TextEncoding } from '../types/excerpt.ts';
import type { MatchedFile } from '../types/result.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../types/session.ts';
import type { QuotableText } from './search-input.ts';

/** The most bytes of one file, and of all files that are read again for one answer. */
const MAX_ANCHORED_FILE_BYTES = 1 << 20;
const MAX_ANCHORED_BYTES = 32 << 20;

interface Searched {
  /** The absolute real path. */
  readonly path: string;
  readonly digest: string;
}

export class MatchAnchors {
  readonly #call: Call;
  readonly #searched = new Map<MatchedFile, Searched>();
  #room = MAX_ANCHORED_BYTES;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Records the digest of the searched content of the file at `path`, if it is small enough. */
  async add(file: MatchedFile, path: string, { source, encoding }: QuotableText): Promise<void> {
    const { size = Number.POSITIVE_INFINITY } = source;
    if (size > Math.min(MAX_ANCHORED_FILE_BYTES, this.#room)) return;
    this.#room -= size;
    const content = await readAt(source, 0, size, this.#call.signal);
    this.#searched.set(file, { path, digest: digestOf(textOf(content, encoding)) });
  }

  /** The file with its anchor, if it has one. */
  async addTo(file: MatchedFile, shown: MatchedFile): Promise<MatchedFile> {
    const searched = this.#searched.get(file);
    const tag = searched && (await this.#tagOf(searched, file));
    const { display } = this.#call.settings;
    if (tag === undefined || !isHashline(display)) return shown;
    return { ...shown, anchor: anchorHeader(display, file.path, tag) };
  }

  async #tagOf({ path, digest }: Searched, { lines }: MatchedFile): Promise<string | undefined> {
    try {
      const opened = await this.#call.access.open(path, this.#call.signal);
      try {
        if (opened.kind !== 'file' || opened.size > MAX_ANCHORED_FILE_BYTES) return undefined;
        const content = await readAt(opened.bytes, 0, MAX_ANCHORED_FILE_BYTES + 1, this.#call.signal);
        const encoding = await findEncoding(opened.bytes, this.#call);
        const text = textOf(content, encoding);
        if (digestOf(text) !== digest) return undefined;
        if (this.#call.settings.display === 'hashline@18' && encoding.name !== 'utf-8') return undefined;
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
function textOf(content: Uint8Array, encoding: TextEncoding): string {
  const { text } = decode(content.subarray(encoding.bom), encoding);
  return text.endsWith('\n') ? text : `${text}\n`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

// Records shown lines of a file version in the snapshots, so that an edit can name a line by tag and number.

/** Files of up to this many bytes are identified by a digest of their content, larger ones by their version. */
const HASH_UP_TO = 1 << 20;

/**
 * Returns the tag of this version of the file at `path`, and records `lines` (1-based number, stored text) as shown; undefined if
 * the display has no tag for it.
 */
export async function takeSnapshot(
  bytes: ByteSource,
  path: string,
  lines: Iterable<readonly [number, string]>,
  call: Call,
): Promise<string | undefined> {
  const { snapshots } = call.session;
  let tag;
  if (call.settings.display === 'hashline@18') tag = await textTagOf(bytes, call);
  else {
    const { size = Number.POSITIVE_INFINITY } = bytes;
    const hashed = size <= HASH_UP_TO ? await readAt(bytes, 0, size, call.signal) : bytes.identity.key;
    tag = snapshots.tag(path, createHash('sha256').update(hashed).digest('hex'));
  }
  if (tag !== undefined) snapshots.see(path, tag, lines);
  return tag;
}

const textTags: DerivedKind<string | undefined> = { name: 'text tag', weigh: () => ({ memory: 64 }) };

/** The tag of a text of known size for the edit tool of oh-my-pi; undefined if its bytes are not UTF-8. */
export function textTagOf(bytes: ByteSource, call: Call): Promise<string | undefined> {
  const make = async ({ source, signal }: ValueComputation): Promise<ComputedValue<string | undefined>> => {
    const content = await readAt(source, 0, source.size ?? 0, signal);
    return { value: isUtf8(content) ? textTag(content) : undefined, keep: true };
  };
  return call.session.store.get(textTags, bytes, {}, make, call);
}

// The tag by which the edit tool of oh-my-pi recognises a version of a text: xxHash32, as its specification defines it.

const [P1, P2, P3, P4, P5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const;

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09];

/**
 * Four hexadecimal digits of a UTF-8 file: the low 16 bits of the hash of its text without byte order mark, with `\n` for each
 * `\r\n` or `\r`, and without the blanks at the ends of lines. Another text may have the same tag.
 */
export function textTag(content: Uint8Array): string {
  const text = new TextEncoder().encode(new TextDecoder().decode(content));
  let [end, kept] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    let byte = text[at] as number;
    if (byte === CR) {
      if (text[at + 1] === LF) continue;
      byte = LF;
    }
    if (byte === LF) end = kept;
    text[end] = byte;
    end += 1;
    if (byte !== SPACE && byte !== TAB) kept = end;
  }
  const hash = xxHash32(text.subarray(0, kept)) & 0xffff;
  return hash.toString(16).padStart(4, '0').toUpperCase();
}

/** With seed 0; an unsigned number of 32 bits. */
function xxHash32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.byteLength;
  let at = 0;
  let hash: number = P5;
  if (end >= 16) {
    const lanes = [P1 + P2, P2, 0, -P1];
    for (; at + 16 <= end; at += 16)
      for (let lane = 0; lane < 4; lane += 1) {
        const word = view.getUint32(at + 4 * lane, true);
        lanes[lane] = Math.imul(rotate((lanes[lane] as number) + Math.imul(word, P2), 13), P1);
      }
    hash = lanes.reduce((sum, lane, i) => sum + rotate(lane, [1, 7, 12, 18][i] as number), 0);
  }
  hash = (hash + end) | 0;
  for (; at + 4 <= end; at += 4)
    hash = Math.imul(rotate(hash + Math.imul(view.getUint32(at, true), P3), 17), P4);
  for (; at < end; at += 1) hash = Math.imul(rotate(hash + Math.imul(bytes[at] as number, P5), 11), P1);
  hash = Math.imul(hash ^ (hash >>> 15), P2);
  hash = Math.imul(hash ^ (hash >>> 13), P3);
  return (hash ^ (hash >>> 16)) >>> 0;
}
