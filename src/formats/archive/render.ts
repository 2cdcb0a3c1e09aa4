/** Shows the content of a member: a window of a text, a note for a binary, anything else through the source of its kind. */

import { OrielError } from '../../errors.ts';
import { sortInTurns } from '../../queues/turns.ts';
import { binarySize, plural } from '../../render/display.ts';
import { detachedFile, readAt, readSourceHead } from '../../text/bytes.ts';
import { detectEncoding } from '../../text/encoding.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { ByteSource } from '../../types/access.ts';
import type { Call, Resource } from '../../types/call.ts';
import { dataPlace, dataQuery, isParquet } from '../data/detect.ts';
import { identifyImage } from '../image/detect.ts';
import { isBinary, selectionOf, typeOfBytes, UNKNOWN_BINARY } from '../text/open.ts';
import { claimsArchive, ZIP_START } from './detect.ts';
import {
  type ArchiveContents,
  type ArchiveMember,
  childrenOf,
  type FileSubject,
  type MemberOddity,
  type MemberType,
  nextIndexTurn,
  pathParts,
} from './members.ts';
import type { UnpackedMember } from './unpack.ts';

interface ShownMember {
  readonly outer: FileSubject;
  /** The path that names it: `a.zip:dir/x.ts`. */
  readonly target: string;
  readonly name: string;
  /** The text after `target`, without the colon but with the question mark. */
  readonly tail: string;
  readonly unpacked: UnpackedMember;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Converts a failure of its bytes to the error for the caller. */
  refused(error: OrielError): OrielError;
  /** Notices that come before those of reading it. */
  readonly notes: readonly Notice[];
}

/** Names that other sources claim: notebooks, documents. Databases are detected by their first bytes, images separately. */
const ELSEWHERE = /\.(?:ipynb|pdf|docx?|pptx?|xlsx?|rtf|od[tsp]|epub)$/i;
const ELSEWHERE_HEAD = /^(?:SQLite format 3\0|%PDF-)/;

export async function presentMember(shown: ShownMember, call: Call): Promise<Resource> {
  const { unpacked, name, tail, target } = shown;
  const head = await readSourceHead(unpacked.bytes, call.signal);
  if (belongsElsewhere(shown, head)) {
    const handed = await handBack(shown, head, call);
    // `file` means that no other source claims it: such a member is shown as text or as a binary below.
    if (handed.format !== 'file') return handed;
  }
  const selection = selectionOf({ typed: target, rest: tail });
  const verbatim = selection.mode === 'raw' || selection.window?.kind === 'bytes';
  const type = verbatim ? undefined : await typeOfBytes(unpacked.bytes, detectEncoding(head), call.signal);
  if (type !== undefined) {
    const trouble = type === UNKNOWN_BINARY ? await troubleBehind(unpacked, call) : undefined;
    if (trouble === undefined) return binaryNote(shown, type);
    // The lines before the damage are shown, with the warning.
    if (!head.subarray(0, head.indexOf(0)).includes(NEWLINE))
      throw shown.refused(new OrielError('CORRUPT', `${trouble}, and its first bytes are no text`));
  }
  return {
    kind: 'text',
    format: 'archive',
    bytes: call.access.privateNames ? await comparedBytes(shown, head, call) : unpacked.bytes,
    encoding: 'stored',
    selection,
    target,
    name,
    display: 'lines',
    editable: false,
    isDamaged: type === undefined ? undefined : true,
    facts: shown.facts,
    // A getter, evaluated after the window was read, because damage is found while unpacking.
    get notes() {
      const trouble = unpacked.trouble();
      return trouble === undefined ? shown.notes : [...shown.notes, troubleNote(target, trouble)];
    },
  };
}

/**
 * The bytes of a member that is compared with the rules for private files to its end. A long text is not unpacked for its start: it
 * is compared when the beginning of a zip is at or before what is read.
 */
async function comparedBytes(shown: ShownMember, head: Uint8Array, call: Call): Promise<ByteSource> {
  const { bytes } = shown.unpacked;
  const size = bytes.size ?? Number(shown.facts['size'] ?? Number.POSITIVE_INFINITY);
  if (bytes.streamed !== true || isBinary(head) || size <= MAX_PROVED_BYTES) {
    await handBack(shown, head, call);
    return bytes;
  }
  let seen = 0;
  const look = async (end: number): Promise<void> => {
    // Two reads may look at the same time.
    for (let at = seen; at < end; seen = Math.max(seen, at)) {
      const part = Buffer.from(await readAt(bytes, at, LOOK_BYTES, call.signal));
      if (part.includes(ZIP_START)) {
        await handBack(shown, head, call);
        at = Number.POSITIVE_INFINITY;
      } else if (part.length < LOOK_BYTES) return;
      else at += LOOK_BYTES - ZIP_START.length;
    }
  };
  return {
    get size() {
      return bytes.size;
    },
    identity: bytes.identity,
    streamed: true,
    readInto: async (target, offset, signal) => {
      await look(offset + target.length);
      return bytes.readInto(target, offset, signal);
    },
  };
}

const LOOK_BYTES = 1 << 20;

const NEWLINE = 10;

/** The most bytes of a member without a known type that are unpacked to find damage. */
const MAX_PROVED_BYTES = 16 << 20;

/**
 * What is wrong with a member that has NUL bytes. Most decoders hand bytes on before they reach the checksum, and one flipped
 * bit makes a NUL of a space, so a damaged text may look like a binary.
 */
async function troubleBehind(
  { bytes, trouble }: UnpackedMember,
  { signal }: Call,
): Promise<string | undefined> {
  if (bytes.streamed !== true) return undefined;
  await bytes.readInto(new Uint8Array(1), MAX_PROVED_BYTES, signal).catch(() => signal.throwIfAborted());
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

function belongsElsewhere({ outer, name, tail }: ShownMember, head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  if (ELSEWHERE.test(name) || ELSEWHERE_HEAD.test(start)) return true;
  if (identifyImage(head) !== undefined || isParquet(head)) return true;
  if (dataQuery(name, tail) || dataPlace(name, tail)) return true;
  return claimsArchive({ ...outer, name, rest: tail, head });
}

/** Opens the member with the source of its kind. It is unpacked completely, because that source reads at any offset. */
async function handBack(
  { outer, target, name, tail, unpacked }: ShownMember,
  head: Uint8Array,
  call: Call,
): Promise<Resource> {
  const { bytes, size } = await unpacked.whole();
  const opened = detachedFile(outer.path, bytes, size);
  const depth = (outer.depth ?? 0) + 1;
  return call.open({ typed: target, rest: tail, name, path: outer.path, opened, depth, head });
}

function binaryNote({ target, unpacked, facts }: ShownMember, type: string): Resource {
  const size = unpacked.bytes.size ?? facts['size'];
  const about = typeof size === 'number' ? `${type}, ${binarySize(size)}` : type;
  const entry = typeof facts['member'] === 'string' ? facts['member'] : target;
  const text = `Cannot read binary archive entry '${quote(entry)}' (${about}). Unpack it in a shell to look at it: file, xxd`;
  return { kind: 'note', format: 'archive', note: { kind: 'said', text }, facts };
}

// The listing of one directory of an archive: its immediate children, sorted, one per line.

interface ListingEntry {
  readonly name: string;
  readonly text: string;
}

/** Entries that are described before the event loop gets control again. */
const AT_ONCE = 2_048;

const KINDS: Partial<Record<MemberType, string>> = {
  hardlink: 'hard link',
  fifo: 'fifo',
  device: 'device',
  other: 'special',
};

const ODDITIES: Record<MemberOddity, (number: string) => string> = {
  outside: () => 'refused: leads out of the archive',
  nameless: (number) => `read as ${number}`,
  long: (number) => `too long or too deep, read as ${number}`,
  shadowed: (number) => `another of this name, read as ${number}`,
};

/** The lines of `directory` (`""` for the root, otherwise ending in `/`); a single line says so if it is empty. */
export async function listArchiveDirectory(contents: ArchiveContents, directory: string): Promise<Buffer> {
  const entries: ListingEntry[] = [];
  const add = async (entry: ListingEntry): Promise<void> => {
    if (entries.push(entry) % AT_ONCE === 0) await nextIndexTurn();
  };
  for (const { name, at } of childrenOf(contents, directory)) {
    await add({ name, text: at === undefined ? name : describe(name, contents.members[at], []) });
  }
  for (const [at, { why, directory: listedIn }] of contents.odd) {
    if (listedIn !== directory) continue;
    const member = contents.members[at];
    const name =
      why === 'nameless'
        ? '(no name)'
        : quote(why === 'shadowed' ? lastPart(member?.name) : (member?.name ?? ''));
    await add({ name, text: describe(name, member, [ODDITIES[why](`%~${at + 1}`)]) });
  }
  const byName = (a: ListingEntry, b: ListingEntry): number =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
  const sorted = await sortInTurns(entries, (entry) => entry, byName, nextIndexTurn);
  if (sorted.length === 0) return Buffer.from(directory === '' ? '(empty archive)\n' : '(empty directory)\n');
  const parts: Buffer[] = [];
  for (let at = 0; at < sorted.length; at += AT_ONCE) {
    if (at > 0) await nextIndexTurn();
    const lines = sorted.slice(at, at + AT_ONCE).map(({ text }) => `${text}\n`);
    parts.push(Buffer.from(lines.join('')));
  }
  return Buffer.concat(parts);
}

function lastPart(name = ''): string {
  return pathParts(name)?.at(-1) ?? name;
}

/** `x.ts (1.2 KiB)`, `sl -> /etc/passwd`, `pipe (fifo)`, `key.pem (12 B, encrypted)`. */
function describe(name: string, member: ArchiveMember | undefined, more: readonly string[]): string {
  const link = member?.link === undefined ? '' : ` -> ${member.link}`;
  const facts = [
    member?.size && link === '' ? binarySize(member.size) : undefined,
    member && KINDS[member.type],
    member?.denied && 'private',
    member?.encrypted ? 'encrypted' : undefined,
    member?.trouble,
    ...more,
  ].filter((fact) => fact !== undefined && fact !== '');
  return `${name}${link}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

export function listingNotes(contents: ArchiveContents, typed: string): Notice[] {
  const notes: Notice[] = [];
  const earlier = [...contents.odd].filter(([, { why }]) => why === 'shadowed');
  const [first] = earlier[0] ?? [];
  if (first !== undefined) {
    const use = `${typed}:%~${first + 1}`;
    notes.push({
      kind: 'said',
      text: `${plural(earlier.length, 'name')} stored more than once: the last copy has the name. Use ${use} for the first of the others`,
      use,
    });
  }
  const guess = contents.members.find((member) => member.guess !== undefined)?.guess;
  if (guess !== undefined)
    notes.push({
      kind: 'said',
      text: `Its names are read as ${guess}, which is a guess: the zip does not say`,
    });
  if (contents.damage)
    notes.push({ kind: 'said', text: `The listing is not complete: ${contents.damage.message}` });
  return notes;
}
