/** Shows the content of a member: a window of a text, a note for a binary, anything else through the source of its kind. */

import { headOf } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { detectEncoding } from '../../text/encoding.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Notice } from '../../types/notice.ts';
import type { Resource } from '../../types/resource.ts';
import { selectionOf } from '../file.ts';
import { identifyImage } from '../image/identify.ts';
import { typeOfBytes, UNKNOWN_BINARY } from '../type-of-bytes.ts';
import type { FileSubject } from './container.ts';
import { claimsArchive } from './formats.ts';
import type { Unpacked } from './unpacked.ts';

export interface Shown {
  /** The archive that contains it. */
  readonly outer: FileSubject;
  /** The path that names it: `a.zip:dir/x.ts`. */
  readonly target: string;
  /** Its own base name. */
  readonly name: string;
  /** The text after `target`, without the colon but with the question mark. */
  readonly tail: string;
  readonly unpacked: Unpacked;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Converts a failure of its bytes to the error for the caller. */
  refused(error: OrielError): OrielError;
  /** Notices that come before those of reading it. */
  readonly notes: readonly Notice[];
}

/** Names that other sources claim: notebooks, documents. Databases are detected by their first bytes, images separately. */
const ELSEWHERE = /\.(?:ipynb|pdf|docx?|pptx?|xlsx?|rtf|od[tsp]|epub)$/i;
const ELSEWHERE_HEAD = /^(?:SQLite format 3\0|%PDF-)/;

export async function present(shown: Shown, call: Call): Promise<Resource> {
  const { unpacked, name, tail, target } = shown;
  const head = await headOf(unpacked.bytes, call.signal);
  if (belongsElsewhere(shown, head)) {
    const handed = await handBack(shown, head, call);
    // `file` means that no other source claims it: such a member is shown as text or as a binary below.
    if (handed.kind !== 'file') return handed;
  }
  const selection = selectionOf({ typed: target, rest: tail });
  const verbatim = selection.mode === 'raw' || selection.window?.by === 'bytes';
  const type = verbatim ? undefined : await typeOfBytes(unpacked.bytes, detectEncoding(head), call.signal);
  if (type !== undefined) {
    const trouble = type === UNKNOWN_BINARY ? await troubleBehind(unpacked, call) : undefined;
    if (trouble === undefined) return binaryNote(shown, type);
    // The lines before the damage are shown, with the warning.
    if (!head.subarray(0, head.indexOf(0)).includes(NEWLINE))
      throw shown.refused(new OrielError('CORRUPT', `${trouble}, and its first bytes are no text`));
  }
  return {
    is: 'text',
    kind: 'archive',
    bytes: unpacked.bytes,
    encoding: 'stored',
    selection,
    target,
    name,
    display: 'lines',
    editable: false,
    ...(type !== undefined && { isDamaged: true }),
    facts: shown.facts,
    // A getter, evaluated after the window was read, because damage is found while unpacking.
    get notes() {
      const trouble = unpacked.trouble();
      return trouble === undefined ? shown.notes : [...shown.notes, troubleNote(target, trouble)];
    },
  };
}

const NEWLINE = 10;

/** The most bytes of a member without a known type that are unpacked to find damage. */
const MOST_PROVED = 16 << 20;

/**
 * What is wrong with a member that has NUL bytes. Most decoders hand bytes on before they reach the checksum, and one flipped
 * bit makes a NUL of a space, so a damaged text may look like a binary.
 */
async function troubleBehind({ bytes, trouble }: Unpacked, { signal }: Call): Promise<string | undefined> {
  if (bytes.streamed !== true) return undefined;
  await bytes.readInto(new Uint8Array(1), MOST_PROVED, signal).catch(() => signal.throwIfAborted());
  return trouble();
}

export function troubleNote(target: string, trouble: string): Notice {
  return { kind: 'said', text: `${WARNING}${quote(target)}: ${trouble}` };
}

const WARNING = 'Warning for ';

/** Whether the notes say that a member could not be read completely. */
export function isInTrouble(notes: readonly Notice[] = []): boolean {
  return notes.some((note) => note.kind === 'said' && note.text.startsWith(WARNING));
}

function belongsElsewhere({ outer, name, tail }: Shown, head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  if (ELSEWHERE.test(name) || ELSEWHERE_HEAD.test(start)) return true;
  if (identifyImage(head) !== undefined) return true;
  return claimsArchive({ ...outer, name, rest: tail, head });
}

/** Opens the member with the source of its kind. It is unpacked completely, because that source reads at any offset. */
async function handBack(
  { outer, target, name, tail, unpacked }: Shown,
  head: Uint8Array,
  call: Call,
): Promise<Resource> {
  const { bytes, size } = await unpacked.whole();
  const opened: OpenedFile = {
    is: 'file',
    path: outer.path,
    size,
    mtimeMs: outer.opened.mtimeMs,
    bytes,
    close: () => Promise.resolve(),
  };
  const depth = (outer.depth ?? 0) + 1;
  return call.open({ typed: target, rest: tail, name, path: outer.path, opened, depth, head });
}

function binaryNote({ target, unpacked, facts }: Shown, type: string): Resource {
  const size = unpacked.bytes.size ?? facts['size'];
  const about = typeof size === 'number' ? `${type}, ${binarySize(size)}` : type;
  const entry = typeof facts['member'] === 'string' ? facts['member'] : target;
  const text = `Cannot read binary archive entry '${quote(entry)}' (${about}). Unpack it in a shell to look at it: file, xxd`;
  return { is: 'note', kind: 'archive', note: { kind: 'said', text }, facts };
}
