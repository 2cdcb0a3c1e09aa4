/** The searchable texts inside a document, notebook, archive or database, as `read` shows them, with their calls. */

import { setImmediate } from 'node:timers/promises';
import { findEncoding } from '../code/text-input.ts';
import { isOrielError } from '../errors.ts';
import { isFault } from '../files/system-failure.ts';
import { archiveIndex, plainTar } from '../formats/archive/container.ts';
import { type ArchiveContents, type FileSubject, isFile } from '../formats/archive/members.ts';
import { isInTrouble } from '../formats/archive/render.ts';
import { type RowRangeStart, type RowTexts, rowTexts } from '../formats/sqlite/open.ts';
import { sourceFor } from '../formats/table.ts';
import { memoryBytes, readAt, readSourceHead } from '../text/bytes.ts';
import { utf8 } from '../text/encoding.ts';
import type { OpenedFile } from '../types/access.ts';
import type { Call, Resource, SourceKind, SourceSubject, TextResource } from '../types/call.ts';
import { isSearchLate, mayMatch, recordGap, type SearchRun, untilDeadline } from './search-run.ts';
import type { SearchSink } from './sinks.ts';
import type { ContainerText, TextSection } from './whole-text-input.ts';

type FoundTexts = AsyncGenerator<ContainerText, void>;

/** The search, and how many files its answer has so far. */
type GapSink = Pick<SearchSink, 'search' | 'shown'>;

const CONTAINERS: readonly SourceKind[] = ['document', 'notebook', 'archive', 'sqlite'];

/** Members that are searched before the event loop gets control again. */
const MEMBERS_AT_ONCE = 32;

/** The file as a subject if it is a container; otherwise undefined. `shown` is its typed form. */
export async function containerSubject(
  file: OpenedFile,
  name: string,
  shown: string,
  call: Call,
): Promise<FileSubject | undefined> {
  const head = await readSourceHead(file.bytes, call.signal);
  const subject: SourceSubject = { typed: shown, rest: '', name, path: file.path, opened: file, head };
  const { format } = sourceFor(subject, undefined);
  return CONTAINERS.includes(format) && isFile(subject) ? subject : undefined;
}

/**
 * Throws the errors of reading the container. A member that cannot be read is skipped, except after a failure of the
 * machine. At the deadline of the search an unfinished open is abandoned, so that the matches found so far are shown.
 */
export async function* textsInside(subject: FileSubject, sink: GapSink, call: Call): FoundTexts {
  const { search } = sink;
  const limited = untilDeadline(call, search);
  try {
    yield* allTexts(subject, sink, limited);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!limited.signal.aborted) throw error;
    search.gaps.timedOut = true;
  }
}

async function* allTexts(subject: FileSubject, sink: GapSink, call: Call): FoundTexts {
  const { search } = sink;
  const { format } = sourceFor(subject, undefined);
  if (format === 'sqlite') return yield* tableTexts(subject, search, call);
  if (format !== 'archive') return yield* ownTexts(subject, sink, call);
  const index = await archiveIndex(subject, call);
  if (index.kind === 'compressed') return yield* memberTexts({ ...subject, rest: '' }, sink, call);
  const tar = await plainTar(subject, index, call).catch((error: unknown) => {
    if (isOrielError(error) && error.code === 'LIMIT') return undefined;
    throw error;
  });
  if (index.contents.damage || tar?.trouble !== undefined) search.gaps.cut += 1;
  for (const [i, member] of membersOf(index.contents).entries()) {
    if (isSearchLate(search)) return;
    // Small and cached members are searched without any real wait, so control is given back explicitly.
    if (i % MEMBERS_AT_ONCE === 0) await setImmediate();
    yield* freedTexts({ ...(tar ?? subject), rest: member }, sink, call);
  }
}

/** Frees unpacked data of a member without a match, because there may be a hundred thousand members. */
async function* freedTexts(member: FileSubject, sink: GapSink, call: Call): FoundTexts {
  const before = sink.shown;
  const part = call.part();
  yield* memberTexts(member, sink, part.call);
  if (sink.shown === before) await part.end();
}

/** The selectors of the members; members without a usable name are selected by number. */
function membersOf({ sorted, odd }: ArchiveContents): string[] {
  const numbered = [...odd].filter(([, { why }]) => why !== 'outside').map(([at]) => `%~${at + 1}`);
  return [...sorted.filter((name) => !name.endsWith('/')), ...numbered];
}

async function* memberTexts(subject: FileSubject, sink: GapSink, call: Call): FoundTexts {
  const { search } = sink;
  try {
    const resource: Resource = await call.open(subject);
    const text = resource.kind === 'mixed' ? resource.text : resource;
    if (text.kind !== 'text') return search.gaps.pass('binary');
    if (text.format === 'document') yield* partsOf(text, subject, sink, call);
    // A listing means an archive or database inside this one; nested containers are not searched.
    else if (text.display === 'plain') search.gaps.leaveNested(text.target);
    else {
      const own = await whole(text, call);
      if (await mayMatch(text.bytes, own.encoding, search, call.signal)) yield own;
      // Damage is known only after unpacking.
      if (isInTrouble(text.notes)) search.gaps.cut += 1;
      yield* restOf(text, search, call);
    }
  } catch (error) {
    // This also covers errors of its later parts.
    recordGap(error, subject.rest === '' ? subject.typed : `${subject.typed}:${subject.rest}`, search, call);
  }
}

/** Whether the file is a single packed file whose content is binary. A content that cannot be read is not. */
export async function isPackedBinary(
  subject: FileSubject,
  { search }: GapSink,
  call: Call,
): Promise<boolean> {
  if (sourceFor(subject, undefined).format !== 'archive') return false;
  const limited = untilDeadline(call, search);
  try {
    if ((await archiveIndex(subject, limited)).kind !== 'compressed') return false;
    return (await limited.open({ ...subject, rest: '' })).kind === 'note';
  } catch {
    call.signal.throwIfAborted();
    return false;
  }
}

async function* ownTexts(subject: FileSubject, sink: GapSink, call: Call): FoundTexts {
  const resource = await call.open(subject);
  if (resource.kind !== 'text') return;
  if (resource.format === 'document') {
    yield* partsOf(resource, subject, sink, call);
  } else {
    yield await whole(resource, call);
    yield* restOf(resource, sink.search, call);
  }
}

/** All further parts of a document: later pages, and rows of large sheets. */
async function* partsOf(first: TextResource, subject: FileSubject, sink: GapSink, call: Call): FoundTexts {
  const { search } = sink;
  const front = subject.rest === '' ? '' : `${subject.rest}:`;
  const open = async (rest: string): Promise<TextResource | undefined> => {
    const resource = await call.open({ ...subject, rest: front + rest });
    return resource.kind === 'text' ? resource : undefined;
  };
  for (let text: TextResource | undefined = first; text;) {
    noteCut(text, search);
    const { scanned = [], pages, slides } = documentFacts(text);
    search.gaps.scanned += scanned.length;
    // Only texts of documents have page marks; elsewhere such a line is ordinary text.
    const part = (pages ?? slides) !== undefined ? await byPages(text, call.signal) : await whole(text, call);
    yield { ...part, isMarkdown: true };
    const next: string | undefined = nextPages(text);
    text = next === undefined || isSearchLate(search) ? undefined : await open(next);
  }
  yield* restOf(first, search, call);
  if (documentFacts(first).hasAttachments)
    yield* attachedTexts({ ...subject, rest: `${front}attachments` }, sink, call);
}

/** The files attached to a PDF, each read by its own source. `list` is the list of attachments as a subject. */
async function* attachedTexts(list: FileSubject, sink: GapSink, call: Call): FoundTexts {
  const { search } = sink;
  const found = await call.open(list).catch((error: unknown) => {
    recordGap(error, `${list.typed}:${list.rest}`, search, call);
  });
  if (found?.kind !== 'text') return;
  const lines = (await contentOf(found, call.signal)).toString('utf8');
  for (const [, name, size] of lines.matchAll(/^(.+)(?: \(private\)|( {2}\d+ bytes))$/gm)) {
    if (isSearchLate(search)) return;
    if (size === undefined) {
      search.gaps.pass('private');
      continue;
    }
    yield* freedTexts({ ...list, rest: `${list.rest}/${name}` }, sink, call);
  }
  if (/^\(\d+ more are attached\)$/m.test(lines)) search.gaps.cut += 1;
}

async function* restOf(text: TextResource, search: SearchRun, call: Call): FoundTexts {
  if (!text.rest || isSearchLate(search)) return;
  const rest = await text.rest().catch((error: unknown) => recordGap(error, text.target, search, call));
  if (rest?.isCut) search.gaps.cut += 1;
  if (!rest || rest.parts.length === 0) return;
  const isMarkdown = text.format === 'document' ? true : undefined;
  if (!isMarkdown && !(await mayMatch(rest.bytes, utf8, search, call.signal))) return;
  const sections = rest.parts.map(({ target, ...place }) => ({ path: target, ...place }));
  yield { source: rest.bytes, encoding: utf8, sections, isMarkdown };
}

/** Counts a truncated text: there is no call for its missing part. */
function noteCut({ more, part }: TextResource, search: SearchRun): void {
  if (part ? part.isCut : more?.kind === 'said' && more.use === undefined) search.gaps.cut += 1;
}

interface DocumentFacts {
  readonly pages?: number | undefined;
  readonly slides?: number | undefined;
  readonly scanned?: readonly number[] | undefined;
  readonly hasAttachments?: true | undefined;
}

function documentFacts({ facts }: TextResource): DocumentFacts {
  return Object(facts?.['document']) as DocumentFacts;
}

function nextPages({ part }: TextResource): string | undefined {
  return part && /:(p\d+-)$/.exec(part.next)?.[1];
}

async function whole({ bytes, encoding, target }: TextResource, call: Call): Promise<ContainerText> {
  return {
    source: bytes,
    encoding: encoding === 'stored' ? await findEncoding(bytes, call) : utf8,
    sections: [{ path: target, lines: 0, start: 0 }],
  };
}

/** Lines that are processed before the event loop runs again. */
const LINES_AT_ONCE = 50_000;

const MARK = /^--- (?:page|slide) (\d+) ---$/;

/** Divides a text into sections at the marks of pages or slides. */
async function byPages(resource: TextResource, signal: AbortSignal): Promise<ContainerText> {
  const { bytes, target } = resource;
  const content = await contentOf(resource, signal);
  const front = target.replace(/:p\d+-\d*$/, '');
  const sections: TextSection[] = [{ path: target, lines: 0, start: 0 }];
  let lines = 0;
  for (let start = 0; start < content.length; lines += 1) {
    // A text may have millions of lines, so the event loop gets control from time to time.
    if (lines % LINES_AT_ONCE === LINES_AT_ONCE - 1) await setImmediate();
    const newline = content.indexOf(10, start);
    const end = newline === -1 ? content.length : newline;
    const mark = end - start < 40 ? MARK.exec(content.toString('latin1', start, end)) : null;
    if (mark) sections.push({ path: `${front}:p${mark[1]}`, lines, start });
    start = end + 1;
  }
  return { source: bytes, encoding: utf8, sections };
}

// The rows of a database as texts to search: each row is a section with the call that reads it.

/** Tables per page of the list of tables. */
const TABLES = 500;

/**
 * Yields the rows of every table of the database until the deadline. Unreadable tables are recorded as gaps. Throws the
 * errors of reading the list of tables.
 */
async function* tableTexts(subject: FileSubject, search: SearchRun, call: Call): FoundTexts {
  for (let offset = 0, total = 1; offset < total && !isSearchLate(search);) {
    const rest = offset === 0 ? '' : `?limit=${TABLES}&offset=${offset}`;
    const list = await call.open({ ...subject, rest });
    if (list.kind !== 'text') return;
    total = (list.facts?.['tables'] as number | undefined) ?? 0;
    if (total === 0) return;
    const lines = (await contentOf(list, call.signal)).toString('utf8').trimEnd().split('\n');
    offset += lines.length;
    for (const line of lines) {
      // A shadow table contains the data of its virtual table, which is searched itself.
      if (/ \(shadow table\b[^()]*\)$/.test(line)) continue;
      const table = / \(/.test(line) ? line.slice(0, line.lastIndexOf(' (')) : line;
      try {
        yield* rowsOf(subject, table, search, call);
      } catch (error) {
        recordTableGap(error, `${subject.typed}:${table}`, search, call);
      }
    }
  }
}

/** Records a gap for a table that is listed but cannot be read, whatever the reason. */
function recordTableGap(error: unknown, name: string, search: SearchRun, { signal }: Call): void {
  signal.throwIfAborted();
  // At the deadline of the search the failure is expected.
  if (isSearchLate(search)) return;
  if (!isOrielError(error) || isFault(error)) throw error;
  search.gaps.leaveUnread(name);
}

/** The rows of `table` (in the form used in calls), each as the section that its call shows. */
async function* rowsOf(subject: FileSubject, table: string, search: SearchRun, call: Call): FoundTexts {
  const group = `${subject.typed}:${table}`;
  const containing = comparable(search);
  const first: RowRangeStart = { offset: 0, containing };
  for (let from: RowRangeStart | undefined = first; from && !isSearchLate(search);) {
    const rows: RowTexts = await rowTexts(subject.opened, table, from, call);
    if (rows.isPart) search.gaps.cut += 1;
    const source = memoryBytes(rows.texts.join(''));
    if (await mayMatch(source, utf8, search, call.signal))
      yield { source, encoding: utf8, sections: sectionsOf(rows, subject.typed, group) };
    from = rows.next;
  }
}

/** The text that a row can show besides its values and column names. */
const NO_VALUE = '<BLOB bytes> <TEXT bytes> NULL null Infinity -Infinity NaN true false';

/** A word that the values of every matching row must contain; undefined if no such word is certain. */
function comparable({ needle, scope, request }: SearchRun): string | undefined {
  // Multi-line matches and context lines also need rows that do not match.
  if (needle === undefined || request.multiline || scope.before + scope.after > 0) return undefined;
  const isWord = /^[\p{L}\p{N}_@.-]{3,}$/u.test(needle) && /[g-z]/i.test(needle.replace(/^[ux]/i, ''));
  return isWord && !NO_VALUE.includes(needle) ? needle : undefined;
}

function sectionsOf({ texts, call }: RowTexts, database: string, group: string): TextSection[] {
  let [lines, start] = [0, 0];
  return texts.map((text, i) => {
    const section = { path: `${database}:${call(i)}`, group, lines, start };
    start += Buffer.byteLength(text);
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
    return section;
  });
}

async function contentOf({ bytes }: TextResource, signal: AbortSignal): Promise<Buffer> {
  const read = await readAt(bytes, 0, bytes.size ?? 0, signal);
  return Buffer.from(read.buffer, read.byteOffset, read.length);
}
