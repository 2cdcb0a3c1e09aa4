/** Opens `s3://`: the list of buckets, a prefix, or an object, which is read by ranges with the source of its kind. */

import { isOrielError, OrielError } from '../../errors.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Resource } from '../../types/resource.ts';
import type { S3Settings } from '../../types/settings.ts';
import { sources } from '../source-table.ts';
import { bucketsResource, listingResource, objectsBelow } from './prefix-listing.ts';
import { isAllowed, type ObjectPath, objectPaths, refuseOutside } from './object-path.ts';
import type { Ask } from './open-ranges.ts';
import { openRemote } from './open-remote.ts';
import { type S3Client, s3Client } from './s3-client.ts';
import { MISSING } from './s3-refusal.ts';

/** Throws OrielError: `UNSUPPORTED` if objects are off, and the errors of reading. */
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

/** Undefined if the object does not exist. */
async function openIfThere(way: ObjectPath, client: S3Client, call: Call): Promise<Resource | undefined> {
  try {
    return await openAt(way, client, call);
  } catch (error) {
    if (isOrielError(error) && error.code === 'NOT_FOUND' && error.cause === MISSING) return undefined;
    throw error;
  }
}

/** A key without an object may be a prefix of others, which are then listed; otherwise throws with similar names. */
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
  const missing = `${quote(`s3://${bucket}/${key}`)} does not exist.`;
  // Names outside the allowed prefixes are not shown.
  if (!isAllowed(settingsOf(call).buckets, `${bucket}/${beside.prefix}`)) {
    throw new OrielError('NOT_FOUND', `${missing} Use s3:// for what may be read.`, { next: 's3://' });
  }
  const names = (await objectsBelow(beside, client, call)).entries.map(({ name }) => name);
  const [near] = nearNames(key.slice(cut), names);
  const front = `s3://${bucket}/${beside.prefix}`;
  const next = near === undefined ? front : front + near;
  const hint = near === undefined ? '' : didYouMean([quote(next)]);
  throw new OrielError('NOT_FOUND', `${missing}${hint} Use ${quote(front)} for the list.`, { next });
}

function settingsOf({ settings: { s3, operator } }: Call): S3Settings {
  if (s3 !== false) return s3;
  throw new OrielError(
    'UNSUPPORTED',
    `s3:// is not read: objects are off here. The operator of oriel can allow them ${operator.objects}.`,
  );
}

function openAt({ bucket, key, rest }: ObjectPath, client: S3Client, call: Call): Promise<Resource> {
  const name = `s3://${bucket}/${key}`;
  const place = {
    name,
    facts: { endpoint: client.endpoint, bucket, key },
    isKnownElsewhere: true as const,
    send: (ask: Ask) => client.get({ ...ask, bucket, key, name }),
  };
  const file = key.slice(key.lastIndexOf('/') + 1);
  return openRemote({ place, rest, file, kind: 'internal', facts: { bucket, key } }, call);
}
