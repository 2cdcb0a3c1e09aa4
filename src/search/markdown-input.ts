/**
 * Searches a document that was converted to Markdown. A line matches if what is shown of it does, or its text: escapes and
 * emphasis are no part of what a document says (`\_\_init\_\_`, `Inter**national**`).
 */

import { chunksOf, readAt } from '../text/bytes.ts';
import { utf8 } from '../text/encoding.ts';
import { LineIndex } from '../text/line-index.ts';
import { plainMarkdown } from '../text/plain-markdown.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import { addresses, type MatchAddress, type PlacedAddress } from './match-page.ts';
import { addressFlags, type SearchInput } from './search-input.ts';
import type { SearchRun } from './search-run.ts';
import {
  type ContainerText,
  containerTextInput,
  linesThatMatch,
  MAX_WHOLE_TEXT_BYTES,
  placedIn,
  sectionAt,
  wholeTextInput,
} from './whole-text-input.ts';

/** Texts of up to this many bytes are converted first, to see whether a second search can find more. */
const MAX_COMPARED_BYTES = 1 << 20;

/** Bytes that are converted at once, and addresses that are given at once. */
const PIECE_BYTES = 64 << 10;
const MAX_BATCH_ADDRESSES = 256;

export function containerInput(text: ContainerText, search: SearchRun, call: Call): SearchInput {
  if (text.isMarkdown) return markdownInput(text, search, call);
  return search.request.multiline
    ? wholeTextInput(text.source, text.encoding, text.sections, search)
    : containerTextInput(text, search, call);
}

function markdownInput(text: ContainerText, search: SearchRun, call: Call): SearchInput {
  const { source, sections } = text;
  // The search in the Markdown. Its lines are numbered from the start of the text.
  const whole = { ...text, sections: sections.slice(0, 1), isMarkdown: undefined };
  const inMarkdown = containerInput(whole, search, call);
  return {
    gaps: inMarkdown.gaps,
    async *addresses() {
      const shown = new AddressQueue(inMarkdown.addresses());
      const plain = (await mayDiffer(source, search)) ? new AddressQueue(inText(source, search)) : undefined;
      const index = new LineIndex(utf8);
      let batch: PlacedAddress[] = [];
      try {
        for (;;) {
          const one = await shown.first();
          const other = await plain?.first();
          const no = Math.min(one?.no ?? Infinity, other?.no ?? Infinity);
          if (no === Infinity) break;
          const [isShown, isPlain] = [one?.no === no, other?.no === no];
          const offset = isShown ? one?.offset : await index.startOf(no, source);
          const match = (isShown && one?.match === true) || (isPlain && other?.match === true);
          const at = isShown ? one?.at : undefined;
          if (isShown) shown.drop();
          if (isPlain) plain?.drop();
          if (offset !== undefined)
            batch.push(placedIn(sectionAt(sections, offset), { no, offset, match, at }));
          if (batch.length < MAX_BATCH_ADDRESSES) continue;
          yield batch;
          batch = [];
        }
        yield batch;
      } finally {
        await shown.close();
        await plain?.close();
      }
    },
    quotable: (file) => ({ source, encoding: utf8, isMarkdown: true, file }),
  };
}

/** Whether the text may have matches that its Markdown does not have. */
async function mayDiffer(source: ByteSource, { needle = '' }: SearchRun): Promise<boolean> {
  if ((source.size ?? Infinity) > MAX_COMPARED_BYTES) return true;
  const markdown = Buffer.from(await readAt(source, 0, source.size ?? 0)).toString('utf8');
  const text = plainMarkdown(markdown);
  return text !== markdown && text.includes(needle);
}

/** The addresses in the text. Their offsets are those of the text. */
async function* inText(source: ByteSource, search: SearchRun): AsyncGenerator<MatchAddress[], void> {
  const bytes = plainBytes(source);
  if (search.request.multiline) {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of bytes) {
      pieces.push(piece);
      size += piece.length;
      // The search in the Markdown has counted it as too large.
      if (size > MAX_WHOLE_TEXT_BYTES) return;
    }
    return yield* linesThatMatch(Buffer.concat(pieces), search);
  }
  const run = search.run([...addressFlags(search), '--encoding=none'], { kind: 'bytes', bytes });
  try {
    yield* addresses(run);
  } catch (error) {
    // The other search meets the same error, and records it.
    if (error !== run.inputFailure) throw error;
  }
  if (!run.outcome?.outOfMemory) search.judge(run.outcome);
}

/** The text of a Markdown source, in pieces of whole lines. */
async function* plainBytes(source: ByteSource): AsyncGenerator<Buffer, void> {
  let line: Buffer[] = [];
  for await (const chunk of chunksOf(source, 0, source.size ?? Infinity, PIECE_BYTES)) {
    const piece = Buffer.from(chunk);
    const end = piece.lastIndexOf(10) + 1;
    if (end > 0) {
      yield plainOf([...line, piece.subarray(0, end)]);
      line = [];
    }
    line.push(piece.subarray(end));
  }
  yield plainOf(line);
}

const plainOf = (pieces: readonly Buffer[]): Buffer =>
  Buffer.from(plainMarkdown(Buffer.concat(pieces).toString('utf8')));

/** Addresses one by one. */
class AddressQueue {
  readonly #batches: AsyncGenerator<readonly MatchAddress[], void>;
  #batch: readonly MatchAddress[] = [];
  #at = 0;

  constructor(batches: AsyncGenerator<readonly MatchAddress[], void>) {
    this.#batches = batches;
  }

  /** The first one; undefined at the end. */
  async first(): Promise<MatchAddress | undefined> {
    while (this.#at >= this.#batch.length) {
      const next = await this.#batches.next();
      if (next.done) return undefined;
      [this.#batch, this.#at] = [next.value, 0];
    }
    return this.#batch[this.#at];
  }

  drop(): void {
    this.#at += 1;
  }

  async close(): Promise<void> {
    await this.#batches.return();
  }
}
