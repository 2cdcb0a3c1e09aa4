/** A text resource made ready for windows: its encoding, its line index from the session, whether it is counted. */

import { isUtf8 } from 'node:buffer';
import { headOf, readAt } from '../access/bytes.ts';
import { binarySize } from '../render/units.ts';
import { encodingNamed, storedEncoding, utf8 } from '../text/encoding.ts';
import { encodingAtEnd } from '../text/legacy.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { Encoding } from '../types/encoding.ts';
import type { TextResource } from '../types/resource.ts';
import type { Kind } from '../types/store.ts';
import type { TextInput } from '../window/input.ts';
import { LineIndex } from '../window/line-index.ts';

const COUNT_STREAMS_UP_TO = 4 << 20;
/** Scans shorter than this are over before anyone wonders. */
const REPORT_AFTER = 256 << 20;

const lineIndexes: Kind<LineIndex, { encoding: string; bom: number }> = {
  name: 'line index',
  weigh: ({ held }) => ({ memory: held }),
};

export async function textInput(resource: TextResource, call: Call): Promise<TextInput> {
  const { bytes } = resource;
  const encoding = await encodingFor(resource, call.signal);
  const options = { encoding: encoding.name, bom: encoding.bom };
  const make = (): LineIndex => new LineIndex(encoding);
  const index = call.session.store.getNow(lineIndexes, bytes, options, make, call);
  return {
    source: bytes,
    encoding,
    index,
    counted: await isCounted(resource, call),
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

async function encodingFor({ bytes, encoding }: TextResource, signal: AbortSignal): Promise<Encoding> {
  if (encoding === 'utf-8') return utf8;
  const head = await headOf(bytes, signal);
  if (encoding !== 'stored') return encodingNamed(encoding.as, 'told', head) ?? utf8;
  const stored = storedEncoding(head);
  return isPlain(stored) && !isUtf8Start(head) ? ((await atEnd(bytes, head, signal)) ?? stored) : stored;
}

/** Neither a mark nor a declaration says what it is. */
function isPlain({ name, bom, known }: Encoding): boolean {
  return name === 'utf-8' && bom === 0 && known === undefined;
}

/** The last character may be cut. */
function isUtf8Start(head: Uint8Array): boolean {
  return [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(0, head.length - cut))));
}

/** Bytes in which the last lines of a text are looked for. */
const END_BYTES = 1024;

/** Asked of texts alone that do not begin as UTF-8: all others are spared the way to their end. */
async function atEnd(
  bytes: ByteSource,
  head: Uint8Array,
  signal: AbortSignal,
): Promise<Encoding | undefined> {
  if (bytes.size === undefined || bytes.streamed) return undefined;
  const tail = await readAt(bytes, Math.max(0, bytes.size - END_BYTES), END_BYTES, signal);
  const declared = encodingAtEnd(tail);
  const named = declared === undefined ? undefined : encodingNamed(declared, 'declared', head);
  return named?.legacy ? named : undefined;
}

/** False for a text whose size is not known. */
export async function endsWithNewline({ source, encoding, signal }: TextInput): Promise<boolean> {
  const { unit, scanner } = encoding;
  if (source.size === undefined || source.size < unit) return false;
  return scanner.count(await readAt(source, source.size - unit, unit, signal)) > 0;
}

/** By kind and size alone, never by what happens to be known already. */
async function isCounted(
  { bytes, countUpTo = COUNT_STREAMS_UP_TO }: TextResource,
  call: Call,
): Promise<boolean> {
  if (!bytes.streamed) return (bytes.size ?? Number.POSITIVE_INFINITY) <= call.limits.countBytes;
  await bytes.readInto(new Uint8Array(1), countUpTo, call.signal);
  return bytes.size !== undefined && bytes.size <= countUpTo;
}
