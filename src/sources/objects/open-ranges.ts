/** Opens a remote resource for reading by ranges. The first request gives its size, its version and the first bytes needed. */

import { readAt } from '../../access/bytes.ts';
import type { WebResponse } from '../../access/network/fetch.ts';
import { OrielError } from '../../errors.ts';
import { type Facts, Identity } from '../../identity.ts';
import { withOthers } from '../../queues/caller.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Selection } from '../../types/selection.ts';
import type { Computation, Kind } from '../../types/store.ts';
import { isBinary } from '../type-of-bytes.ts';
import { firstRange } from './first-range.ts';
import { objectLimits } from './object-limits.ts';
import { bytesOf, type Part, partOf, rangeOf, type Wanted } from './part.ts';
import { RangeBytes } from './range-bytes.ts';
import { exactly, isSameVersion, type Version, versionOf } from './version.ts';

export interface Ask {
  readonly headers: Readonly<Record<string, string>>;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** A resource on a server that supports range requests. */
export interface Place {
  /** The form of the resource in paths. */
  readonly name: string;
  /** The facts that identify the resource (cache key). */
  readonly facts: Facts;
  /** Resolves to a response with status 200, 206, 412 or 416; throws OrielError for any other status. */
  send(ask: Ask): Promise<WebResponse>;
  /** Set if another machine with credentials of its own can find it by its facts. */
  readonly isKnownElsewhere?: true;
  /** Headers that restrict a growing file to the part that existed when it was opened. `size` is undefined before it is known. */
  readonly asItWas?: (size: number | undefined) => Readonly<Record<string, string>>;
}

export interface OpenedRanges {
  readonly bytes: RangeBytes;
  readonly size: number;
  readonly version: Version;
  /** The first bytes, at most 4,096. */
  readonly head: Uint8Array;
}

const heads: Kind<Uint8Array> = { name: 'object head', weigh: (bytes) => ({ memory: bytes.length }) };

/** Throws OrielError: the errors of `place`, and `CORRUPT` and `UNSUPPORTED` for replies that are not ranges. */
export async function openRanges(
  place: Place,
  selection: Selection | undefined,
  call: Call,
): Promise<OpenedRanges> {
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
    ...(place.isKnownElsewhere && version.name !== undefined && { elsewhere: { facts, version } }),
    requests: objectLimits.requests - requests,
    read: (start, end, signal) => laterPart(place, { start, end }, { size, version }, [call.signal, signal]),
  });
  if (part) bytes.hold(part);
  const makeHead = async ({
    source,
    signal,
  }: Computation): Promise<{ value: Uint8Array; keep: boolean }> => ({
    value: await readAt(source, 0, objectLimits.head, signal),
    keep: true,
  });
  const head = await call.session.store.get(heads, bytes, {}, makeHead, call);
  bytes.hold({ start: 0, bytes: head });
  // Only a text grows at its end; a binary such as a database may change anywhere.
  if (isBinary(head)) version = exactly(version);
  return { bytes, size, version, head: head.subarray(0, 4096) };
}

interface First {
  readonly size: number;
  readonly version: Version;
  readonly part?: Part;
  /** The number of requests. */
  readonly requests: number;
}

async function firstPart(place: Place, wanted: Wanted, call: Call): Promise<First> {
  const response = await send(place, wanted, { ...place.asItWas?.(undefined) }, [call.signal]);
  // The body of a 412 is an error, not the object.
  if (response.status === 412) throw unfit(place.name, 'it for a condition that was not sent');
  const stated = versionOf(response.headers);
  const version = place.asItWas ? stated : exactly(stated);
  const part = partOf(response, wanted, place.name);
  if ('bytes' in part) return { size: part.size, version, part, requests: 1 };
  // 416: an empty object has no ranges, or the range begins beyond the end.
  const isAtStart = 'last' in wanted || wanted.start === 0;
  if (isAtStart && part.size === 0) return { size: 0, version, requests: 1 };
  if (isAtStart) throw unfit(place.name, 'its first bytes');
  const again = await firstPart(place, { start: 0, end: objectLimits.first }, call);
  return { ...again, requests: again.requests + 1 };
}

/** A part of the version that was opened. Throws `BUSY` if the object has changed. */
export async function laterPart(
  place: Place,
  wanted: Wanted & { readonly start: number },
  { size, version }: { readonly size: number; readonly version: Version },
  signals: readonly (AbortSignal | undefined)[],
): Promise<Part> {
  // If it may have grown, no condition is sent; the version in the reply is compared.
  const condition = version.prefix === undefined ? version.condition : { ...place.asItWas?.(size) };
  const response = await send(place, wanted, condition, signals);
  if (response.status === 412) throw replaced(place.name);
  const part = partOf(response, wanted, place.name);
  if (!('bytes' in part) || part.size !== size || !isSameVersion(versionOf(response.headers), version)) {
    throw replaced(place.name);
  }
  return part;
}

function send(
  place: Place,
  wanted: Wanted,
  condition: Readonly<Record<string, string>>,
  signals: readonly (AbortSignal | undefined)[],
): Promise<WebResponse> {
  const [first, ...others] = signals.filter((signal) => signal !== undefined);
  return place.send({
    headers: { range: rangeOf(wanted), ...condition },
    mostBytes: bytesOf(wanted),
    signal: first ? withOthers(first, ...others) : new AbortController().signal,
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
