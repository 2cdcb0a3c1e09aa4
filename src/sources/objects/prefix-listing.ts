/** Lists what is below a prefix as a directory, a page of it with one request; and the buckets. */

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
  /** Ends in a slash; empty for all of the bucket. */
  readonly prefix: string;
  /** The entry, by its name below the prefix, after which the page begins. */
  readonly after?: string | undefined;
}

interface Entry {
  /** Below the prefix; of a prefix with a slash at its end. */
  readonly name: string;
  readonly size?: number;
  /** Milliseconds since the epoch; NaN where the server tells none. */
  readonly modified?: number;
}

export interface ObjectList {
  readonly entries: readonly Entry[];
  /** More follow this entry. */
  readonly last?: string;
  /** The server says that there are more, and gives none. */
  readonly stuck: boolean;
}

/** After every key that begins with a prefix: no character comes after it. */
const LAST_CHARACTER = '\u{10ffff}';

/** One page, at most 1,000 entries, in the order of their bytes. Throws OrielError. */
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
  // A server may not know that encoding, and then says nothing of it.
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

/** By the bytes of UTF-8, as servers sort keys. */
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

/** As `encoding-type=url` has keys. */
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

/** A listing, as a directory has it. `rest`: a selector, without the colon. */
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

/** What `s3://` lists: the buckets that are allowed, otherwise those that the server names. */
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
