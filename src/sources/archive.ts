/**
 * Owns archives: listings of their directories, and their members as whatever they hold. Nothing is unpacked to
 * a place where it could be found, links are shown and never followed to the disk, and everything that an archive
 * declares is counted before it is believed.
 *
 * "a.zip" → its root · "a.zip:dir/" → a directory · "a.zip:dir/x.ts:5-9" → lines of a member ·
 * "a.zip:b.tar.gz:c.txt" → a member of a member · "a.zip:%~3" → the third member, whatever its name
 */

import { basename, dirname } from 'node:path';
import { memoryBytes } from '../access/bytes.ts';
import type { Call } from '../engine/call.ts';
import { isOrielError, OrielError } from '../errors.ts';
import type { Notice } from '../render/notices.ts';
import { everything, parseSelection } from '../selector/selection.ts';
import { quote } from '../text/visible.ts';
import { budgetOf } from './archive/budget.ts';
import type { Container, Member } from './archive/container.ts';
import type { Contents } from './archive/contents.ts';
import { directoryOf, readContents } from './archive/contents.ts';
import { claimsArchive, unpackedName } from './archive/formats.ts';
import { archiveLimits } from './archive/limits.ts';
import { listDirectory, listingNotes } from './archive/listing.ts';
import type { Found } from './archive/locate.ts';
import { endingIn, locate } from './archive/locate.ts';
import type { Compressed } from './archive/open.ts';
import { openContent } from './archive/open.ts';
import { present, troubleNote } from './archive/present.ts';
import { Shelf } from './archive/shelf.ts';
import { inPlace, spooled } from './archive/unpacked.ts';
import type { Resource, Source, Subject } from './source.ts';

export const archiveSource: Source = {
  kind: 'archive',
  claims: claimsArchive,
  async open(subject, call) {
    const { opened, name, head, typed } = subject;
    if (opened.is !== 'file') throw new TypeError('an archive was claimed that is no file');
    const refused = refusal(typed, dirname(typed));
    const content = await orRefuse(refused, call, async () => {
      const budget = budgetOf(call);
      budget.enter();
      return openContent(opened, name, head, budget, call.signal);
    });
    if ('compressed' in content) return openCompressed(subject, content.compressed, call);
    const { container } = content;
    const contents = await orRefuse(refused, call, async () => {
      const shelf = await call.session.cached('archive', 'shelf', () => Promise.resolve(new Shelf()));
      const make = (): Promise<Contents> => readContents(container, call.signal);
      return shelf.get(opened.bytes.version, make, call.signal);
    });
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
  },
};

/** A single compressed file is read as what it holds: `notes.txt.gz:5-9` are lines of `notes.txt`. */
function openCompressed(subject: Subject, compressed: Compressed, call: Call): Promise<Resource> {
  const { typed, name, rest, opened } = subject;
  const version = opened.is === 'file' ? opened.bytes.version : '';
  const stream = compressed.unpack(call.signal);
  const refused = refusal(typed, dirname(typed));
  const unpacked = spooled(stream, `${version}/${compressed.codec}`, call, refused);
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
  subject: Subject,
  call: Call,
): Promise<Resource> {
  const member = contents.members[at] as Member;
  const target = `${subject.typed}:${path}`;
  const refused = refusal(target, listingOf(subject.typed, directoryOf(path)));
  if (member.type !== 'file' && member.type !== 'hardlink') {
    throw refused(new OrielError('NOT_REGULAR', `it is a ${member.type} and has no content`));
  }
  const version = `${subject.opened.is === 'file' ? subject.opened.bytes.version : ''}/${at}`;
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

function listing(contents: Contents, directory: string, tail: string, subject: Subject): Resource {
  const selection = tail === '' ? everything : parseSelection(tail);
  const target = listingOf(subject.typed, directory);
  if (!selection) {
    throw new OrielError('BAD_SELECTOR', `${quote(`:${tail}`)} names nothing in ${quote(target)}.`, target);
  }
  const lines = listDirectory(contents, directory);
  const version = subject.opened.is === 'file' ? subject.opened.bytes.version : '';
  return {
    is: 'text',
    kind: 'archive',
    bytes: memoryBytes(`${lines.join('\n')}\n`, `${version}/${directory}`),
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

/** A link that leads to no member is shown as what it is. */
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
  return new OrielError('NOT_FOUND', `${quote(typed)} has no entry ${quote(rest)}${known}. ${advice}`, next);
}

/** How a directory of an archive is typed. */
function listingOf(typed: string, directory: string): string {
  return directory === '' ? typed : `${typed}:${directory}`;
}

/** Containers fail with half a sentence; this makes it one about `target`, with a call to make instead. */
function refusal(target: string, next: string): (error: OrielError) => OrielError {
  return (error) => new OrielError(error.code, `${quote(target)} cannot be read: ${error.message}.`, next);
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
