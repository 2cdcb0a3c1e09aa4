/** Prepares a text resource for windows: its encoding, its cached line index, and whether its lines are counted. */

import { binarySize } from '../render/display.ts';
import { readAt, readSourceHead } from '../text/bytes.ts';
import {
  declaredAtEnd,
  encodingNamed,
  END_BYTES,
  guessEncoding,
  isUndeclared,
  storedEncoding,
  utf8,
} from '../text/encoding.ts';
import { type EncodingGuess, GUESSED_BY, guessOf, isUtf8Start } from '../text/legacy-encoding.ts';
import { LineIndex } from '../text/line-index.ts';
import type { TextInput } from '../text/line-reader.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call, TextResource } from '../types/call.ts';
import type { Selection, TextEncoding } from '../types/excerpt.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../types/session.ts';

const COUNT_STREAMS_UP_TO = 4 << 20;
/** Of a stored text of at most so many bytes no index is kept: its lines are counted as fast as one is found. */
const COUNTED_AGAIN_UP_TO = 32 << 10;
/** Bytes of a scan after which progress is reported: shorter scans take too little time. */
const REPORT_AFTER = 256 << 20;

const lineIndexes: DerivedKind<LineIndex, { encoding: string; bom: number }> = {
  name: 'line index',
  weigh: ({ held }) => ({ memory: held }),
};

export async function textInput(resource: TextResource, call: Call): Promise<TextInput> {
  const { bytes } = resource;
  const encoding = await encodingFor(resource, call);
  // All legacy encodings share an index, because their newlines are the same bytes as in UTF-8.
  const options = { encoding: encoding.legacy ? utf8.name : encoding.name, bom: encoding.bom };
  const isIndexed = bytes.remote || bytes.size === undefined || bytes.size > COUNTED_AGAIN_UP_TO;
  const index = isIndexed
    ? call.session.store.getNow(lineIndexes, bytes, options, () => new LineIndex(encoding), call)
    : new LineIndex(encoding);
  if (bytes.remote) await recallLines(index, bytes, options, call);
  return {
    source: bytes,
    encoding,
    index,
    counted: bytes.streamed ? await isCountedStream(resource, call) : isCounted(resource, call),
    signal: call.signal,
    onScan: (scanned) => {
      if (scanned < REPORT_AFTER) return;
      const of = bytes.size === undefined ? '' : ` of ${binarySize(bytes.size)}`;
      call.progress({
        message: `counting lines: ${binarySize(scanned)}${of}`,
        done: scanned,
        ...(bytes.size !== undefined && { total: bytes.size }),
      });
    },
  };
}

async function encodingFor({ bytes, encoding }: TextResource, call: Call): Promise<TextEncoding> {
  if (encoding === 'utf-8') return utf8;
  if (encoding === 'stored') return findEncoding(bytes, call);
  return encodingNamed(encoding.as, 'told', await readSourceHead(bytes, call.signal)) ?? utf8;
}

/** Whether the text ends with a newline; false if its size is unknown. */
export async function endsWithNewline({ source, encoding, signal }: TextInput): Promise<boolean> {
  const { unit, scanner } = encoding;
  if (source.size === undefined || source.size < unit) return false;
  return scanner.count(await readAt(source, source.size - unit, unit, signal)) > 0;
}

/** Depends only on the kind and size of the text, never on the state of caches. */
function isCounted({ bytes, countUpTo }: TextResource, { limits }: Call): boolean {
  const most = Math.min(limits.countBytes, countUpTo ?? Number.POSITIVE_INFINITY);
  return (bytes.size ?? Number.POSITIVE_INFINITY) <= most;
}

async function isCountedStream({ bytes, countUpTo }: TextResource, call: Call): Promise<boolean> {
  const most = countUpTo ?? COUNT_STREAMS_UP_TO;
  await bytes.readInto(new Uint8Array(1), most, call.signal);
  return bytes.size !== undefined && bytes.size <= most;
}

// Finds the encoding of a byte source. A guess is cached for each version.

const guesses: DerivedKind<EncodingGuess> = { name: 'encoding', weigh: () => ({ memory: 0 }) };

/** The result depends only on the bytes, not on the part that is read. */
export async function findEncoding(bytes: ByteSource, call: Call): Promise<TextEncoding> {
  const start = readSourceHead(bytes, call.signal);
  const head = start instanceof Promise ? await start : start;
  const stored = storedEncoding(head);
  if (!isUndeclared(stored)) return stored;
  const begins = isUtf8Start(head);
  if (begins && bytes.size !== undefined && bytes.size <= head.length) return stored;
  // The end is not read if the text begins as UTF-8, nor if that would read a stream ahead or take a request to a server.
  if (!begins && bytes.size !== undefined && !bytes.streamed && !bytes.remote) {
    const tail = await readAt(bytes, Math.max(0, bytes.size - END_BYTES), END_BYTES, call.signal);
    const declared = declaredAtEnd(tail, head);
    if (declared) return declared;
  }
  return guessEncoding(stored, await (bytes.streamed ? guessIn(head) : guessFor(bytes, call)), head);
}

async function guessFor(bytes: ByteSource, call: Call): Promise<EncodingGuess> {
  const make = async ({ source, signal }: ValueComputation): Promise<ComputedValue<EncodingGuess>> => ({
    value: await guessIn(await readAt(source, 0, GUESSED_BY, signal)),
    keep: true,
  });
  return call.session.store.get(guesses, bytes, {}, make, call);
}

/** Loads the library only for texts that are not UTF-8. */
async function guessIn(start: Uint8Array): Promise<EncodingGuess> {
  if (isUtf8Start(start)) return {};
  const { analyse } = await import('chardet');
  return guessOf(start, analyse);
}

// Caches the line indexes of remote texts on disk. Counting lines reads the whole text; with the cache, the next process
// or another replica does not have to do it again.

/** The cached index is replaced only if at least this many more bytes were counted. */
const WORTH_KEEPING = 4 << 20;

/** Incremented when the layout changes. */
const VERSION = 1;

interface Known {
  readonly found: Promise<void>;
  /** Bytes counted in the cached index. */
  kept: number;
}

const known = new WeakMap<LineIndex, Known>();

/** Restores `index` from the cache, and caches it again at the end of the call. */
async function recallLines(
  index: LineIndex,
  bytes: ByteSource,
  options: { encoding: string; bom: number },
  call: Call,
): Promise<void> {
  const { session, onEnd } = call;
  const { disk } = session;
  if (!disk || !bytes.remote || !bytes.identity.recurs || bytes.size === undefined) return;
  const { size } = bytes;
  const key = JSON.stringify(['lines', VERSION, bytes.identity.key, options]);
  const find = async (): Promise<void> => {
    const saved = await disk.get(key);
    if (saved && index.restore(saved, size)) here.kept = index.scanned;
  };
  let here = known.get(index) as Known;
  if (!here) {
    here = { found: Promise.resolve().then(find), kept: 0 };
    known.set(index, here);
  }
  await here.found;
  onEnd(() => {
    const { scanned } = index;
    const isDone = scanned === size && here.kept < size && scanned > WORTH_KEEPING / 4;
    if (scanned - here.kept < WORTH_KEEPING && !isDone) return;
    here.kept = scanned;
    disk.put(key, [index.save()]);
  });
}

// The result of a view: another text, or another selection of the same text.

export interface TextView {
  readonly resource: TextResource;
  readonly selection: Selection;
}
