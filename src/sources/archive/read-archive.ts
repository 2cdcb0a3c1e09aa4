/** Answers a read of an archive: finds the named member or directory in its index, and shows it. */

import { basename, dirname } from 'node:path';
import { memoryBytes } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { everything, parseBehind } from '../../selector/selection.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Notice } from '../../types/notice.ts';
import type { Resource, Subject } from '../../types/resource.ts';
import { archiveLimits } from './archive-limits.ts';
import { budgetOf } from './budget.ts';
import { type Container, type FileSubject, isFile, type Member } from './container.ts';
import { type Contents, directoryOf, readContents } from './contents.ts';
import { unpackedName } from './formats.ts';
import { listDirectory, listingNotes } from './listing.ts';
import { endingIn, type Found, locate } from './locate.ts';
import { type Compressed, openContent } from './open-container.ts';
import { present, troubleNote } from './present.ts';
import { inPlace, spooled } from './unpacked.ts';

/** What a member takes in a kept index, about. */
const MEMBER_BYTES = 300;

/** What `subject.rest` names in the archive. Throws OrielError. */
export async function readArchive(subject: Subject, call: Call): Promise<Resource> {
  if (!isFile(subject)) throw new TypeError('an archive was claimed that is no file');
  const { opened, name, head, typed } = subject;
  const refused = refusal(typed, dirname(typed));
  const content = await orRefuse(refused, call, async () => {
    const budget = budgetOf(call);
    budget.enter();
    return openContent(opened, name, head, budget, call.signal);
  });
  if ('compressed' in content) return openCompressed(subject, content.compressed, call);
  const { container } = content;
  const contents = await orRefuse(refused, call, () =>
    call.session.cached(
      'archive',
      opened.bytes.version,
      () => readContents(container, call.signal),
      ({ members }) => MEMBER_BYTES * members.length,
    ),
  );
  const located = locate(contents, subject.rest);
  if (!located) throw notFound(contents, subject);
  const { found, tail } = located;
  switch (found.is) {
    case 'directory':
      return listing(contents, found.path, tail, subject);
    case 'link':
      return linkNote(contents, found, subject);
    case 'member':
      return openMember(container, contents, found, tail, subject, call);
  }
}

/** A single compressed file is read as its content: `notes.txt.gz:5-9` are lines of `notes.txt`. */
function openCompressed(subject: FileSubject, compressed: Compressed, call: Call): Promise<Resource> {
  const { typed, name, rest, opened } = subject;
  const stream = compressed.unpack(call.signal);
  const refused = refusal(typed, dirname(typed));
  const unpacked = spooled(stream, `${opened.bytes.version}/${compressed.codec}`, call, refused);
  const facts = { format: compressed.codec };
  return present(
    { outer: subject, target: typed, name: unpackedName(name), tail: rest, unpacked, facts, notes: [] },
    call,
  );
}

async function openMember(
  container: Container,
  contents: Contents,
  { at, path, via }: Extract<Found, { is: 'member' }>,
  tail: string,
  subject: FileSubject,
  call: Call,
): Promise<Resource> {
  const member = contents.members[at] as Member;
  const target = `${subject.typed}:${path}`;
  const refused = refusal(target, listingOf(subject.typed, directoryOf(path)));
  if (member.type !== 'file' && member.type !== 'hardlink') {
    throw refused(new OrielError('NOT_REGULAR', `it is a ${member.type} and has no content`));
  }
  const version = `${subject.opened.bytes.version}/${at}`;
  const unpacked = await orRefuse(refused, call, async () => {
    const there = await container.inPlace?.(member, call.signal);
    return there ? inPlace(there) : spooled(container.open(member, call.signal), version, call, refused);
  });
  const notes: Notice[] = [];
  if (via !== undefined) notes.push({ kind: 'said', text: `${quote(via)} is a link → ${quote(path)}` });
  if (member.trouble !== undefined) notes.push(troubleNote(target, member.trouble));
  const facts = {
    format: contents.format,
    member: path,
    ...(member.size === undefined ? {} : { size: member.size }),
  };
  return present({ outer: subject, target, name: basename(path), tail, unpacked, facts, notes }, call);
}

function listing(contents: Contents, directory: string, tail: string, subject: FileSubject): Resource {
  const target = listingOf(subject.typed, directory);
  const selection = tail === '' ? everything : parseBehind(target, tail);
  if (!selection) {
    throw new OrielError('BAD_SELECTOR', `${quote(`:${tail}`)} names nothing in ${quote(target)}.`, {
      next: target,
    });
  }
  const lines = listDirectory(contents, directory);
  return {
    is: 'text',
    kind: 'archive',
    bytes: memoryBytes(`${lines.join('\n')}\n`, `${subject.opened.bytes.version}/${directory}`),
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

/** A link whose target is not a member is described. */
function linkNote(
  contents: Contents,
  { at, path }: Extract<Found, { is: 'link' }>,
  subject: Subject,
): Resource {
  const { link = '', type } = contents.members[at] as Member;
  const kind = type === 'hardlink' ? 'hard link' : 'symlink';
  const text = `${quote(path)} is a ${kind} → ${quote(link)}, which is not in the archive; links are never followed out of it`;
  const use = listingOf(subject.typed, directoryOf(path));
  return {
    is: 'note',
    kind: 'archive',
    note: { kind: 'said', text, use },
    facts: { format: contents.format, member: path, link },
  };
}

function notFound(contents: Contents, { typed, rest }: Subject): OrielError {
  const ends = endingIn(contents, rest).map((path) => `${typed}:${path}`);
  const next = ends[0] ?? typed;
  const advice =
    ends.length === 0
      ? `Use ${quote(typed)} to list it.`
      : ends.length === 1
        ? `Use ${quote(next)}.`
        : `Several entries end in it: ${ends.map(quote).join(', ')}. Use one of them.`;
  const known = contents.damage ? ' among those that could be listed' : '';
  return new OrielError('NOT_FOUND', `${quote(typed)} has no entry ${quote(rest)}${known}. ${advice}`, {
    next,
  });
}

/** How a directory of an archive is typed. */
function listingOf(typed: string, directory: string): string {
  return directory === '' ? typed : `${typed}:${directory}`;
}

/** Errors of containers are clauses; this makes a sentence about `target` of one, with a call that works instead. */
function refusal(target: string, next: string): (error: OrielError) => OrielError {
  return (error) =>
    new OrielError(error.code, `${quote(target)} cannot be read: ${error.message}.`, { next, cause: error });
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
    throw isOrielError(error) ? refused(error) : error;
  }
}
