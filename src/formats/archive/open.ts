/** Reads an archive: finds the named member or directory in the index, and shows it. */

import { basename, dirname } from 'node:path';
import { constants } from 'node:zlib';
import { isOrielError, OrielError } from '../../errors.ts';
import { privateFile } from '../../files/deny-rules.ts';
import { isDiskFull } from '../../files/system-failure.ts';
import { inflateSync } from '../../process/worker-ending.ts';
import { everything, parseBehind } from '../../selector/selection.ts';
import { detachedFile, memoryBytes, readSourceHead } from '../../text/bytes.ts';
import { didYouMean } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { ByteSource } from '../../types/access.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, Resource, SourceSubject } from '../../types/call.ts';
import type { ComputedValue, DerivedKind } from '../../types/session.ts';
import {
  archiveIndex,
  type ArchiveIndex,
  type ContainerFormat,
  memberReader,
  openContainer,
  unpackFile,
} from './container.ts';
import { BLOCK_BYTES, formatOf, isGitStore, isNamedArchive, unpackedName } from './detect.ts';
import { archiveLimits, enterContainer, UnpackBudget } from './limits.ts';
import {
  type ArchiveContents,
  type ArchiveMember,
  type FileSubject,
  isFile,
  isOfTheBytes,
  parentDirectory,
} from './members.ts';
import { listArchiveDirectory, listingNotes, presentMember, troubleNote } from './render.ts';
import { endingIn, type FoundMember, locate, type MemberLocation, nearMembers } from './select.ts';
import { endsAsZip } from './zip.ts';
import { type CompressionCodec, inPlace, type UnpackedMember, unpackedStream } from './unpack.ts';

/** Opens the member or directory that `subject.rest` names. Throws OrielError. */
export async function readArchive(subject: SourceSubject, call: Call): Promise<Resource> {
  if (!isFile(subject)) throw new TypeError('claimed a subject that is not a file');
  const { typed } = subject;
  const refused = refusal(typed, dirname(typed));
  const index = await orRefuse(refused, call, async () => {
    enterContainer(subject);
    return archiveIndex(subject, call);
  });
  if (index.kind === 'compressed') return openCompressed(subject, index.codec, call);
  const { format, contents } = index;
  const located = locatedIn(contents, subject);
  if (!located) throw await notFound(contents, subject);
  const { found, tail } = located;
  switch (found.kind) {
    case 'directory':
      return listing(contents, found.path, tail, subject, call);
    case 'link':
      return linkNote(contents, found, subject);
    case 'member':
      return openMember(format, contents, found, tail, subject, call);
  }
}

/** As `locate`. The error for a path that cannot be a member suggests the listing. */
function locatedIn(contents: ArchiveContents, { typed, rest }: SourceSubject): MemberLocation | undefined {
  try {
    return locate(contents, rest);
  } catch (error) {
    if (!isOrielError(error) || error.next !== undefined) throw error;
    throw new OrielError(error.code, error.message, { next: typed, cause: error });
  }
}

/** A single compressed file is shown as its content: `notes.txt.gz:5-9` are lines of `notes.txt`. */
async function openCompressed(subject: FileSubject, codec: CompressionCodec, call: Call): Promise<Resource> {
  const { typed, name, rest } = subject;
  const refused = refusal(typed, dirname(typed));
  const unpacked = await unpackFile(subject.opened, codec, call, refused);
  const own = { target: typed, name: unpackedName(name), tail: rest, facts: { format: codec } };
  return presentMember({ outer: subject, ...own, unpacked, refused, notes: [] }, call);
}

async function openMember(
  format: ContainerFormat,
  contents: ArchiveContents,
  { at, path, via }: Extract<FoundMember, { kind: 'member' }>,
  tail: string,
  subject: FileSubject,
  call: Call,
): Promise<Resource> {
  const member = contents.members[at] as ArchiveMember;
  const target = `${subject.typed}:${path}`;
  const refused = refusal(target, listingOf(subject.typed, parentDirectory(path)));
  if (member.denied) throw privateFile(target, member.denied);
  if (member.type !== 'file' && member.type !== 'hardlink') {
    throw refused(new OrielError('NOT_REGULAR', `it is a ${member.type} and has no content`));
  }
  const unpacked = await unpackMember({ format, contents, at, path, subject, refused }, call);
  const notes: Notice[] = [];
  if (via !== undefined) notes.push({ kind: 'said', text: `${quote(via)} is a link → ${quote(path)}` });
  if (member.trouble !== undefined) notes.push(troubleNote(target, member.trouble));
  const facts = {
    format: contents.format,
    member: path,
    size: member.size,
  };
  const own = { target, name: basename(path), tail, facts };
  return presentMember({ outer: subject, ...own, unpacked, refused, notes }, call);
}

interface MemberOrder {
  readonly format: ContainerFormat;
  readonly contents: ArchiveContents;
  readonly at: number;
  readonly path: string;
  readonly subject: FileSubject;
  /** Converts a failure of its bytes to the error for the caller. */
  refused(error: OrielError): OrielError;
}

function unpackMember(
  { format, contents, at, path, subject, refused }: MemberOrder,
  call: Call,
): Promise<UnpackedMember> {
  const member = contents.members[at] as ArchiveMember;
  const { bytes, size } = subject.opened;
  return orRefuse(refused, call, async () => {
    const container = openContainer(format, { bytes, size, budget: new UnpackBudget() });
    const there = await container.inPlace?.(member, call.signal);
    if (there) return inPlace(there);
    return unpackedStream(
      {
        of: bytes,
        options: { format: contents.format, at, path },
        working: container.working(member),
        open: ({ source, signal, progress }) =>
          openContainer(format, { bytes: source, size, budget: new UnpackBudget(progress) }).open(
            member,
            signal,
          ),
        refused,
      },
      call,
    );
  });
}

// A file that is sent as it is stored: the bytes of private files may be among its own.

/** Files in which nothing is private, by their bytes and the rules; the oldest first. */
const openFiles = new Set<string>();
const MAX_OPEN_FILES = 1_000;

/** Of a store of git: whether it is no packed file but an object, if it is packed. */
function isObjectOrMore(head: Uint8Array): boolean {
  if (head[0] !== 0x78) return true;
  try {
    const unpacked = inflateSync(head.subarray(0, 64), { finishFlush: constants.Z_SYNC_FLUSH });
    return /^(?:blob|tree|commit|tag) \d+\0/.test(unpacked.toString('latin1', 0, 32));
  } catch {
    return false;
  }
}

/** As `refusePrivateMembers`, also for a zip behind other bytes, and for what git keeps. */
export async function refuseStoredMembers(
  subject: FileSubject,
  call: Call,
  isConverted = false,
): Promise<void> {
  const { name, head, opened, path, typed } = subject;
  const { bytes, size } = opened;
  const names = await call.access.privateNames?.();
  const key = `${bytes.identity.key} ${names?.data.key} ${path} ${name}`;
  if (!names || openFiles.has(key)) return;
  const store = isGitStore(head) && isObjectOrMore(head) && names.inside(path, '.git/index', false);
  if (store) throw privateFile(typed, store);
  const isArchive =
    isNamedArchive(name) || formatOf(head) !== undefined || (await endsAsZip(bytes, size, call.signal));
  const isCompared = !isArchive || (await refusePrivateMembers(subject, call, isConverted));
  if (!isCompared || !bytes.identity.recurs) return;
  const [oldest] = openFiles.add(key);
  if (oldest !== undefined && openFiles.size > MAX_OPEN_FILES) openFiles.delete(oldest);
}

/**
 * Throws `PRIVATE` if a member of the archive, or of an archive inside it, is private, or may be. An archive inside is recognised by
 * its first bytes; in formats without random access to members only by its name. False for a damaged document that `isConverted`:
 * its reader shows its own parts, not members.
 */
async function refusePrivateMembers(
  subject: FileSubject,
  call: Call,
  isConverted: boolean,
): Promise<boolean> {
  const { typed, head } = subject;
  try {
    enterContainer(subject);
    const index = await archiveIndex(subject, call);
    if (index.kind === 'container') await refuseMembers(subject, index, call);
    else {
      const unpacked = await unpackFile(subject.opened, index.codec, call);
      await refuseNested(subject, typed, unpackedName(subject.name), unpacked, call);
    }
    return true;
  } catch (error) {
    call.signal.throwIfAborted();
    if (!isOrielError(error) || !isOfTheBytes(error)) throw error;
    // Nobody reads the names of its members, or it only has the name of an archive.
    if (error.code === 'ENCRYPTED' || (error.code !== 'LIMIT' && formatOf(head) === undefined)) return true;
    if (isConverted) return false;
    const why = error.message.replace(/\.$/, '');
    const because = `not all of its members can be compared with the rules: ${why}`;
    throw privateFile(typed, { pattern: '', rule: '', from: '', lift: 'by unpacking it', because });
  }
}

async function refuseMembers(
  subject: FileSubject,
  index: Extract<ArchiveIndex, { kind: 'container' }>,
  call: Call,
): Promise<void> {
  const { format, contents } = index;
  for (const { name, denied } of contents.members)
    if (denied) throw privateFile(`${subject.typed}:${name}`, denied);
  if (contents.damage) throw contents.damage;
  const read = await memberReader(subject, index, call);
  for (const [at, member] of contents.members.entries()) {
    if (member.type !== 'file') continue;
    const head = await read?.(member, BLOCK_BYTES, call.signal).catch((error: unknown) => {
      if (!isOfTheBytes(error)) throw error;
    });
    const name = basename(member.name);
    if (!isNamedArchive(name) && (!head || formatOf(head) === undefined)) continue;
    const part = call.part();
    const order = { format, contents, at, path: member.name, subject, refused: (error: OrielError) => error };
    const unpacked = await unpackMember(order, part.call);
    await refuseNested(subject, `${subject.typed}:${member.name}`, name, unpacked, part.call);
    await part.end();
  }
}

async function refuseNested(
  outer: FileSubject,
  typed: string,
  name: string,
  unpacked: UnpackedMember,
  call: Call,
): Promise<void> {
  const head = await readSourceHead(unpacked.bytes, call.signal);
  const { bytes, size } = await unpacked.whole();
  const opened = detachedFile(outer.path, bytes, size);
  const depth = (outer.depth ?? 0) + 1;
  await refuseStoredMembers({ typed, rest: '', name, path: outer.path, opened, head, depth }, call);
}

/** `key`: of the rules for private files. */
type Listing = { directory: string; key: string | undefined };

const listings: DerivedKind<ByteSource, Listing> = {
  name: 'archive listing',
  weigh: ({ size = 0 }) => ({ memory: size }),
};

async function listing(
  contents: ArchiveContents,
  directory: string,
  tail: string,
  subject: FileSubject,
  call: Call,
): Promise<Resource> {
  const target = listingOf(subject.typed, directory);
  const selection = tail === '' ? everything : parseBehind(target, tail);
  if (!selection) {
    throw new OrielError('BAD_SELECTOR', `${quote(`:${tail}`)} names nothing in ${quote(target)}.`, {
      next: target,
    });
  }
  const { bytes } = subject.opened;
  const options = { directory, key: (await call.access.privateNames?.())?.data.key };
  const list = async (): Promise<ComputedValue<ByteSource>> => {
    const identity = bytes.identity.derive(listings, options);
    return { value: memoryBytes(await listArchiveDirectory(contents, directory), identity), keep: true };
  };
  return {
    kind: 'text',
    format: 'archive',
    bytes: await call.session.store.get(listings, bytes, options, list, call),
    encoding: 'utf-8',
    selection,
    target,
    name: subject.name,
    display: 'plain',
    pageLines: archiveLimits.listed,
    editable: false,
    facts: { format: contents.format, entries: contents.members.length },
    notes: listingNotes(contents, subject.typed),
  };
}

function linkNote(
  contents: ArchiveContents,
  { at, path }: Extract<FoundMember, { kind: 'link' }>,
  subject: SourceSubject,
): Resource {
  const { link = '', type } = contents.members[at] as ArchiveMember;
  const kind = type === 'hardlink' ? 'hard link' : 'symlink';
  const text = `${quote(path)} is a ${kind} → ${quote(link)}, which is not in the archive; links are never followed out of it`;
  const use = listingOf(subject.typed, parentDirectory(path));
  return {
    kind: 'note',
    format: 'archive',
    note: { kind: 'said', text, use },
    facts: { format: contents.format, member: path, link },
  };
}

async function notFound(contents: ArchiveContents, { typed, rest }: SourceSubject): Promise<OrielError> {
  const ends = (await endingIn(contents, rest)).map((path) => `${typed}:${path}`);
  // No similar names from an incomplete listing: the member that was meant may be missing from it.
  const near =
    ends.length > 0 || contents.damage
      ? []
      : (await nearMembers(contents, rest)).map((path) => `${typed}:${path}`);
  const next = ends[0] ?? near[0] ?? typed;
  const advice =
    ends.length === 0
      ? `${didYouMean(near.map(quote))} Use ${quote(typed)} to list it.`.trimStart()
      : ends.length === 1
        ? `Use ${quote(next)}.`
        : `Several entries end in it: ${ends.map(quote).join(', ')}. Use one of them.`;
  const known = contents.damage ? ' among those that could be listed' : '';
  return new OrielError('NOT_FOUND', `${quote(typed)} has no entry ${quote(rest)}${known}. ${advice}`, {
    next,
  });
}

function listingOf(typed: string, directory: string): string {
  return directory === '' ? typed : `${typed}:${directory}`;
}

/** Turns the message of a container's error, a clause or a sentence, into one about `target`, with `next` as the next call. */
function refusal(target: string, next: string): (error: OrielError) => OrielError {
  return (error) => {
    const why = error.message.replace(/\.$/, '');
    if (isDiskFull(error)) {
      const advice = 'Free space for temporary files, then make the same call again.';
      return new OrielError(error.code, `${quote(target)} cannot be read: ${why}. ${advice}`, {
        cause: error,
      });
    }
    return new OrielError(error.code, `${quote(target)} cannot be read: ${why}.`, { next, cause: error });
  };
}

async function orRefuse<T>(
  refused: (error: OrielError) => OrielError,
  call: Call,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    call.signal.throwIfAborted();
    throw isOrielError(error) && error.code !== 'PRIVATE' ? refused(error) : error;
  }
}
