/** Opens a remote file with the source of its kind, and adds notices about its version. */

import { isOrielError, OrielError } from '../../errors.ts';
import { type Facts, Identity } from '../../identity.ts';
import type { WebResponse } from '../../network/fetch.ts';
import { callerOf, combineSignals } from '../../queues/caller.ts';
import { candidates, isSelector, parseSelection } from '../../selector/selection.ts';
import { detachedFile, readAt } from '../../text/bytes.ts';
import { quote } from '../../text/visible.ts';
import type { Call, Resource, SourceKind } from '../../types/call.ts';
import type { Limits, Selection } from '../../types/excerpt.ts';
import type { DerivedKind, ValueComputation } from '../../types/session.ts';
import { asImmutable } from '../resources/names.ts';
import { sources } from '../table.ts';
import { isBinary } from '../text/open.ts';
import { objectLimits } from './limits.ts';
import {
  exactly,
  isSameVersion,
  maxReplyBytes,
  type ObjectPart,
  parseRangeReply,
  RangeBytes,
  rangeOf,
  type RemoteVersion,
  versionOf,
  type WantedRange,
} from './range-bytes.ts';

interface RemoteFile {
  readonly place: RangeResource;
  /** The selector after its name, without the colon. */
  readonly rest: string;
  /** The base name, by which its kind is detected. */
  readonly file: string;
  readonly format: SourceKind;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * The ways to divide `typed` (`dir/a.zip:x.ts:5-9`) into a path and a selector, most likely first, because each attempt costs a
 * request: the name of an archive or database probably ends a path, otherwise a selector does.
 */
export function divideRemotePath(typed: string): { readonly path: string; readonly rest: string }[] {
  const ways = candidates(typed);
  const holds = (name: string): boolean => sources.some((source) => source.holds?.(name) ?? false);
  const isContained = ({ path, rest }: { path: string; rest: string }): boolean =>
    rest !== '' && !isSelector(rest) && holds(path.slice(path.lastIndexOf('/') + 1));
  const contained = ways.filter(isContained).toReversed();
  const selected = ways.filter(({ rest }) => rest !== '' && isSelector(rest));
  const literal = ways.filter(({ rest }) => rest === '');
  return [...contained, ...selected, ...literal].slice(0, objectLimits.ways);
}

/** Throws the errors of `place` and of the source that opens it. */
export async function openRemote(
  { place, rest, file, format, facts }: RemoteFile,
  call: Call,
): Promise<Resource> {
  const { name } = place;
  const { bytes, size, version, head } = await openRanges(place, selectionIn(rest), call);
  const resource = await call.open({
    typed: name,
    rest,
    name: file,
    path: name,
    opened: detachedFile(name, bytes, size),
    head,
  });
  const said = [
    ...((await isReplaced(place, version, rest, call))
      ? [`${name} was replaced since it was last read: lines and bytes may lie elsewhere`]
      : []),
    ...(version.name === undefined && version.prefix === undefined
      ? [`The server tells no version of ${name}: a change between two requests would not be noticed`]
      : []),
  ];
  const known = { ...facts, ...(version.etag !== undefined && { etag: version.etag }) };
  return asImmutable(resource, format, known, said);
}

/** Whether a part is requested and the caller was shown another version before. */
async function isReplaced(
  { facts }: RangeResource,
  { name }: RemoteVersion,
  rest: string,
  { session, signal }: Call,
): Promise<boolean> {
  if (name === undefined) return false;
  const [caller, place] = [callerOf(signal), Identity.of('object-place', facts).key];
  const { here = name, shared = name } = rest === '' ? {} : await session.seen.last(caller, place);
  await session.seen.saw(caller, place, name);
  return here !== name || shared !== name;
}

/** Undefined if it is not a generic selector, but a member of an archive, a table or the like. */
function selectionIn(rest: string): Selection | undefined {
  try {
    return parseSelection(rest);
  } catch (error) {
    // The source that opens the file reports the error.
    if (isOrielError(error)) return undefined;
    throw error;
  }
}

// Opens a remote resource for reading by ranges. The first request gives its size, its version and the first bytes needed.

export interface RangeRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

interface RangeResource {
  /** The form of the resource in paths. */
  readonly name: string;
  readonly facts: Facts;
  /** Resolves to a response with status 200, 206, 412 or 416; throws OrielError for any other status. */
  send(ask: RangeRequest): Promise<WebResponse>;
  /** Headers that restrict a growing file to the part that existed when it was opened. `size` is undefined before it is known. */
  readonly asItWas?: (size: number | undefined) => Readonly<Record<string, string>>;
}

const heads: DerivedKind<Uint8Array> = { name: 'object head', weigh: (bytes) => ({ memory: bytes.length }) };

/** `head`: at most 4,096 bytes. Throws the errors of `place`, and `CORRUPT` and `UNSUPPORTED` for replies that are no ranges. */
async function openRanges(place: RangeResource, selection: Selection | undefined, call: Call) {
  const { name, facts } = place;
  const first = await firstPart(place, firstRange(selection, call.limits), call);
  const { size, part, requests } = first;
  let { version } = first;
  const bytes = new RangeBytes({
    name,
    size,
    identity:
      version.name === undefined
        ? Identity.once('object')
        : Identity.of('object', { ...facts, size, version: version.name }),
    requests: objectLimits.requests - requests,
    read: (start, end, signal) => laterPart(place, { start, end }, { size, version }, [call.signal, signal]),
  });
  if (part) bytes.hold(part);
  const makeHead = async ({
    source,
    signal,
  }: ValueComputation): Promise<{ value: Uint8Array; keep: boolean }> => ({
    value: await readAt(source, 0, objectLimits.head, signal),
    keep: true,
  });
  const head = await call.session.store.get(heads, bytes, {}, makeHead, call);
  bytes.hold({ start: 0, bytes: head });
  // Only a text grows at its end; a binary such as a database may change anywhere.
  if (isBinary(head)) version = exactly(version);
  return { bytes, size, version, head: head.subarray(0, 4096) };
}

interface InitialReply {
  readonly size: number;
  readonly version: RemoteVersion;
  readonly part?: ObjectPart | undefined;
  readonly requests: number;
}

async function firstPart(place: RangeResource, wanted: WantedRange, call: Call): Promise<InitialReply> {
  const response = await send(place, wanted, { ...place.asItWas?.(undefined) }, [call.signal]);
  // The body of a 412 is an error, not the object.
  if (response.status === 412) throw unfit(place.name, 'it for a condition that was not sent');
  const stated = versionOf(response.headers);
  const version = place.asItWas ? stated : exactly(stated);
  const part = parseRangeReply(response, wanted, place.name);
  if ('bytes' in part) return { size: part.size, version, part, requests: 1 };
  // 416: an empty object has no ranges, or the range begins beyond the end.
  const isAtStart = 'last' in wanted || wanted.start === 0;
  if (isAtStart && part.size === 0) return { size: 0, version, requests: 1 };
  if (isAtStart) throw unfit(place.name, 'its first bytes');
  const again = await firstPart(place, { start: 0, end: objectLimits.first }, call);
  return { ...again, requests: again.requests + 1 };
}

/** A part of the version that was opened. Throws `BUSY` if the object has changed. */
async function laterPart(
  place: RangeResource,
  wanted: WantedRange & { readonly start: number },
  { size, version }: { readonly size: number; readonly version: RemoteVersion },
  signals: readonly (AbortSignal | undefined)[],
): Promise<ObjectPart> {
  // If it may have grown, no condition is sent; the version in the reply is compared.
  const condition = version.prefix === undefined ? version.condition : { ...place.asItWas?.(size) };
  const response = await send(place, wanted, condition, signals);
  if (response.status === 412) throw replaced(place.name);
  const part = parseRangeReply(response, wanted, place.name);
  if (!('bytes' in part) || part.size !== size || !isSameVersion(versionOf(response.headers), version)) {
    throw replaced(place.name);
  }
  return part;
}

function send(
  place: RangeResource,
  wanted: WantedRange,
  condition: Readonly<Record<string, string>>,
  signals: readonly (AbortSignal | undefined)[],
): Promise<WebResponse> {
  const [first, ...others] = signals.filter((signal) => signal !== undefined);
  return place.send({
    headers: { range: rangeOf(wanted), ...condition },
    mostBytes: maxReplyBytes(wanted),
    signal: first ? combineSignals(first, ...others) : new AbortController().signal,
  });
}

function replaced(name: string): OrielError {
  return new OrielError(
    'BUSY',
    `${quote(name)} was replaced while it was read, and nothing of two versions is shown together. Use the same call again.`,
    { next: name },
  );
}

function unfit(name: string, what: string): OrielError {
  return new OrielError('CORRUPT', `${quote(name)} is not read: the server refuses ${what}.`);
}

// Chooses the bytes of an object that are requested first: those that the window probably needs.

const BEGINNING: WantedRange = { start: 0, end: objectLimits.first };

/** `selection` is undefined for something else than a generic selector, such as a member of an archive or a table. */
function firstRange(selection: Selection | undefined, { window: usual, windowMax }: Limits): WantedRange {
  const window = selection?.window;
  if (window === undefined || selection?.mode === 'outline') return BEGINNING;
  switch (window.kind) {
    case 'bytes': {
      const length = Math.min(window.length ?? usual, windowMax);
      return around(window.start - objectLimits.around, window.start + length + objectLimits.around);
    }
    case 'tail': {
      const { before } = window;
      if (before === undefined) return { last: objectLimits.first };
      return around(before - objectLimits.first, before + 1);
    }
    case 'lines': {
      const { inside, ranges } = window;
      if (inside !== undefined) return around(inside - objectLimits.around, inside + objectLimits.first);
      return ranges[0]?.from === 1 ? BEGINNING : { start: 0, end: objectLimits.head };
    }
    default:
      return BEGINNING;
  }
}

/** The highest offset. No object is larger, and numbers up to here are exact. */
const FARTHEST = 2 ** 50;

/** Extends a range near the beginning to the first byte, because the first bytes are needed to detect the type. */
function around(start: number, end: number): WantedRange {
  const from = Math.min(Math.max(0, start), FARTHEST);
  const to = Math.min(Math.max(end, objectLimits.head), FARTHEST + objectLimits.head);
  return { start: from <= objectLimits.head ? 0 : from, end: to };
}
