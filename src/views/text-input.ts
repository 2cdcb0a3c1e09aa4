/** Prepares a text resource for windows: its encoding, its cached line index, and whether its lines are counted. */

import { headOf, readAt } from '../access/bytes.ts';
import { binarySize } from '../render/units.ts';
import { encodingNamed, utf8 } from '../text/encoding.ts';
import type { Call } from '../types/call.ts';
import type { Encoding } from '../types/encoding.ts';
import type { TextResource } from '../types/resource.ts';
import type { Kind } from '../types/store.ts';
import type { TextInput } from '../window/input.ts';
import { LineIndex } from '../window/line-index.ts';
import { recallLines } from './kept-lines.ts';
import { encodingOf } from './source-encoding.ts';

const COUNT_STREAMS_UP_TO = 4 << 20;
/** Bytes of a scan after which progress is reported: shorter scans take too little time. */
const REPORT_AFTER = 256 << 20;

const lineIndexes: Kind<LineIndex, { encoding: string; bom: number }> = {
  name: 'line index',
  weigh: ({ held }) => ({ memory: held }),
};

export async function textInput(resource: TextResource, call: Call): Promise<TextInput> {
  const { bytes } = resource;
  const encoding = await encodingFor(resource, call);
  // All legacy encodings share an index, because their newlines are the same bytes as in UTF-8.
  const options = { encoding: encoding.legacy ? utf8.name : encoding.name, bom: encoding.bom };
  const make = (): LineIndex => new LineIndex(encoding);
  const index = call.session.store.getNow(lineIndexes, bytes, options, make, call);
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

async function encodingFor({ bytes, encoding }: TextResource, call: Call): Promise<Encoding> {
  if (encoding === 'utf-8') return utf8;
  if (encoding === 'stored') return encodingOf(bytes, call);
  return encodingNamed(encoding.as, 'told', await headOf(bytes, call.signal)) ?? utf8;
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
