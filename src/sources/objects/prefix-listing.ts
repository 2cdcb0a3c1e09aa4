/** Lists the objects below a prefix like a directory, one page per request, and lists buckets. */

import { OrielError } from '../../errors.ts';
import { age, binarySize } from '../../render/units.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { TextResource } from '../../types/resource.ts';
import { textListing } from '../text-listing.ts';
import { objectLimits } from './object-limits.ts';
import type { S3Client } from './s3-client.ts';
import { listInXml, type XmlList } from './xml.ts';

export interface Prefix {
  readonly bucket: string;
  /** Ends in a slash; empty for the whole bucket. */
  readonly prefix: string;
  /** The cursor: the name (below the prefix) of the entry after which the page begins. */
  readonly after?: string | undefined;
}

interface Entry {
  /** The name below the prefix; ends in a slash for a nested prefix. */
  readonly name: string;
  readonly size?: number;
  /** In milliseconds since the epoch; NaN if the server does not tell it. */
  readonly modified?: number;
}

export interface ObjectList {
  readonly entries: readonly Entry[];
  /** The last entry, if more follow after it. */
  readonly last?: string;
  /** Whether the server says that there are more entries but does not give any. */
  readonly stuck: boolean;
}

/** The last character in the sort order, to skip all keys that begin with a prefix. */
const LAST_CHARACTER = '\u{10ffff}';

/** One page of at most 1,000 entries, in the order of their UTF-8 bytes. Throws OrielError. */
export async function objectsBelow(
  { bucket, prefix, after }: Prefix,
  client: S3Client,
  call: Call,
): Promise<ObjectList> {
  const name = `s3://${bucket}/${prefix}`;
  const query = {
    'list-type': '2',
    delimiter: '/',
    'encoding-type': 'url',
    'max-keys': String(objectLimits.listed),
    ...(prefix !== '' && { prefix }),
    ...(after !== undefined && {
      'start-after': prefix + after + (after.endsWith('/') ? LAST_CHARACTER : ''),
    }),
  };
  const list = await answered(
    client,
    { bucket, name, query },
    'ListBucketResult',
    ['Contents', 'CommonPrefixes'],
    call,
  );
  // A server that does not support this encoding ignores the parameter.
  const isEncoded = list.fields['EncodingType'] === 'url';
  const found = list.entries
    .map(({ is, fields }) => entryOf(is, fields, isEncoded))
    .filter((entry) => entry.key.startsWith(prefix));
  const named = found.map(({ key, ...entry }): Entry => ({ ...entry, name: key.slice(prefix.length) }));
  const all = named
    .filter((entry) => entry.name !== '' && (after === undefined || compare(entry.name, after) > 0))
    .toSorted((a, b) => compare(a.name, b.name));
  const behind = all.slice(0, objectLimits.listed);
  const more = list.fields['IsTruncated'] === 'true' || behind.length < all.length;
  const last = more ? behind.at(-1)?.name : undefined;
  return { entries: behind, stuck: more && last === undefined, ...(last !== undefined && { last }) };
}

/** Compares by UTF-8 bytes, as servers sort keys. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function entryOf(
  is: string,
  fields: Readonly<Record<string, string>>,
  isEncoded: boolean,
): Omit<Entry, 'name'> & { readonly key: string } {
  const keyIn = (text = ''): string => (isEncoded ? decoded(text) : text);
  if (is === 'CommonPrefixes') return { key: keyIn(fields['Prefix']) };
  const size = Number(fields['Size']);
  return {
    key: keyIn(fields['Key']),
    ...(Number.isSafeInteger(size) && { size }),
    modified: Date.parse(fields['LastModified'] ?? ''),
  };
}

/** Decodes a key of a listing with `encoding-type=url`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

interface Asked {
  readonly bucket?: string;
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
}

async function answered(
  client: S3Client,
  asked: Asked,
  root: string,
  wanted: readonly string[],
  { signal }: Call,
): Promise<XmlList> {
  const { body, cut } = await client.get({
    ...asked,
    headers: {},
    mostBytes: objectLimits.listingBytes,
    signal,
  });
  if (cut) {
    const most = binarySize(objectLimits.listingBytes);
    throw new OrielError('LIMIT', `The list of ${quote(asked.name)} has more than ${most}, and is not read.`);
  }
  const list = await listInXml(body, new Set(wanted), signal);
  if (list.root === root) return list;
  throw new OrielError('CORRUPT', `The server's answer for ${quote(asked.name)} is not a list.`);
}

/** A page of a listing as a resource. `rest` is a selector, without the colon. */
export async function listingResource(
  where: Prefix,
  list: ObjectList,
  rest: string,
  call: Call,
): Promise<TextResource> {
  const { bucket, prefix, after } = where;
  const name = `s3://${bucket}/${prefix}`;
  const target = after === undefined ? name : pageOf(name, after);
  const lines = list.entries.map((entry) => describe(entry, call.now()));
  const none = after === undefined ? '(no objects)' : '(no further objects)';
  const notes = list.stuck ? ['The server says that there are more, and gives none'] : [];
  const use = list.last === undefined ? undefined : pageOf(name, list.last);
  return {
    ...(await textListing(lines.length === 0 ? [none] : lines, target, rest)),
    facts: { bucket, prefix, entries: list.entries.length },
    notes: notes.map((text) => ({ kind: 'said', text })),
    ...(use !== undefined && {
      more: {
        kind: 'said',
        text: `Showing ${list.entries.length} entries, and more follow. Use ${use} to continue`,
        use,
      },
    }),
  };
}

const pageOf = (name: string, after: string): string => `${name}?after=${encodeURIComponent(after)}`;

function describe({ name, size, modified = Number.NaN }: Entry, now: number): string {
  const shown = oneLine(name);
  if (size === undefined) return shown;
  return `${shown}  ${binarySize(size)}${Number.isNaN(modified) ? '' : `  ${age(now - modified)}`}`;
}

/** The list of `s3://`: the allowed buckets, otherwise those that the server names. */
export async function bucketsResource(
  allowed: readonly string[] | undefined,
  client: S3Client,
  rest: string,
  call: Call,
): Promise<TextResource> {
  if (allowed)
    return textListing(
      allowed.map((place) => `s3://${oneLine(place).replace(/\/*$/, '/')}`),
      's3://',
      rest,
    );
  const list = await answered(client, { name: 's3://' }, 'ListAllMyBucketsResult', ['Bucket'], call);
  const names = list.entries.map(({ fields }) => `s3://${oneLine(fields['Name'] ?? '')}/`).toSorted();
  return textListing(names.length === 0 ? ['(no buckets)'] : names, 's3://', rest);
}
