/** Opens what `s3://` names: an object, read by ranges as the kind of thing that it is. */

import { isOrielError, OrielError } from '../../errors.ts';
import { parseSelection } from '../../selector/selection.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, TextResource } from '../../types/resource.ts';
import type { S3Settings } from '../../types/settings.ts';
import type { Selection } from '../../types/selection.ts';
import { sources } from '../table.ts';
import { bucketsResource, listingResource, objectsBelow } from './listing.ts';
import { objectLimits } from './object-limits.ts';
import { type ObjectPath, objectPaths, refuseOutside } from './object-path.ts';
import { type Ask, openRanges } from './open-ranges.ts';
import { type S3Client, s3Client } from './s3-client.ts';
import { MISSING } from './s3-refusal.ts';

/** Throws OrielError: `UNSUPPORTED` where objects are off, and what reading throws. */
export async function openObject(typed: string, call: Call): Promise<Resource> {
  const settings = settingsOf(call);
  if (typed === '' || typed.startsWith(':')) {
    const client = await s3Client(settings, call.signal);
    return bucketsResource(settings.buckets, client, typed.replace(/^:/, ''), call);
  }
  const holds = (name: string): boolean => sources.some((source) => source.holds?.(name) ?? false);
  const ways = objectPaths(typed, holds);
  for (const way of ways) refuseOutside(settings, way);
  const client = await s3Client(settings, call.signal);
  for (const way of ways) {
    const found = isPrefix(way) ? await openPrefix(way, client, call) : await openIfThere(way, client, call);
    if (found) return found;
  }
  return openMissing(ways[0] as ObjectPath, client, call);
}

const isPrefix = ({ key }: ObjectPath): boolean => key === '' || key.endsWith('/');

async function openPrefix(
  { bucket, key, rest, after }: ObjectPath,
  client: S3Client,
  call: Call,
): Promise<Resource> {
  const where = { bucket, prefix: key, after };
  return listingResource(where, await objectsBelow(where, client, call), rest, call);
}

/** Undefined where there is no such object. */
async function openIfThere(way: ObjectPath, client: S3Client, call: Call): Promise<Resource | undefined> {
  try {
    return await openAt(way, client, call);
  } catch (error) {
    if (isOrielError(error) && error.code === 'NOT_FOUND' && error.cause === MISSING) return undefined;
    throw error;
  }
}

/** What has no object may be a prefix of some; else what is called alike is named. */
async function openMissing(
  { bucket, key, rest }: ObjectPath,
  client: S3Client,
  call: Call,
): Promise<Resource> {
  const below = { bucket, prefix: `${key}/` };
  const list = await objectsBelow(below, client, call);
  if (list.entries.length > 0) return listingResource(below, list, rest, call);
  const cut = key.lastIndexOf('/') + 1;
  const beside = { bucket, prefix: key.slice(0, cut) };
  const names = (await objectsBelow(beside, client, call)).entries.map(({ name }) => name);
  const [near] = nearNames(key.slice(cut), names);
  const front = `s3://${bucket}/${beside.prefix}`;
  const next = near === undefined ? front : front + near;
  const hint = near === undefined ? '' : didYouMean([quote(next)]);
  throw new OrielError(
    'NOT_FOUND',
    `${quote(`s3://${bucket}/${key}`)} does not exist.${hint} Use ${quote(front)} for the list.`,
    { next },
  );
}

function settingsOf({ settings: { s3 } }: Call): S3Settings {
  if (s3 !== false) return s3;
  throw new OrielError(
    'UNSUPPORTED',
    's3:// is not read: objects are off here. Whoever runs oriel opens them: with --s3 in a server, without --offline on the command line.',
  );
}

async function openAt(path: ObjectPath, client: S3Client, call: Call): Promise<Resource> {
  const { bucket, key, rest } = path;
  const name = `s3://${bucket}/${key}`;
  const place = {
    name,
    facts: { endpoint: client.endpoint, bucket, key },
    send: (ask: Ask) => client.get({ ...ask, bucket, key, name }),
  };
  const { bytes, size, version, head, replaced } = await openRanges(place, selectionIn(rest), call);
  const resource = await call.open({
    typed: name,
    rest,
    name: key.slice(key.lastIndexOf('/') + 1),
    path: name,
    opened: { is: 'file', path: name, size, mtimeMs: 0, bytes, close: () => Promise.resolve() },
    head,
  });
  const facts = { bucket, key, ...(version.etag !== undefined && { etag: version.etag }) };
  return ofObject(resource, facts, [
    ...(replaced && rest !== ''
      ? [`${name} was replaced since it was last read: lines and bytes may lie elsewhere`]
      : []),
    ...(version.name === undefined
      ? [`The server tells no version of ${name}: a change between two requests would not be noticed`]
      : []),
  ]);
}

/** Undefined for what is no selector: a member of an archive, a table. */
function selectionIn(rest: string): Selection | undefined {
  try {
    return parseSelection(rest);
  } catch (error) {
    // Whoever opens the object says what is wrong with it.
    if (isOrielError(error)) return undefined;
    throw error;
  }
}

/** Nothing that an edit could address; lines are counted only where that reads nothing besides. */
function ofObject(
  resource: Resource,
  facts: Readonly<Record<string, unknown>>,
  said: readonly string[],
): Resource {
  const notes = said.map((text) => ({ kind: 'said', text }) as const);
  const told = (text: TextResource): TextResource => ({
    ...text,
    kind: 'internal',
    editable: false,
    ...(text.bytes.remote && { countUpTo: objectLimits.counted }),
    facts: { ...text.facts, ...facts },
    notes: [...(text.notes ?? []), ...notes],
  });
  if (resource.is === 'mixed') return { ...resource, kind: 'internal', text: told(resource.text) };
  if (resource.is === 'text') return told(resource);
  return { ...resource, kind: 'internal', facts: { ...resource.facts, ...facts } };
}
