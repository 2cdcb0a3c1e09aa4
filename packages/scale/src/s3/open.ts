/** Opens `s3://`: the list of buckets, a prefix, or an object, which is read by ranges with the source of its kind. */

import { setImmediate } from 'node:timers/promises';
import type { RangeRequest } from '../../../../src/formats/ranges/open.ts';
import type { Call, Resource, TextResource } from '../../../../src/types/call.ts';
import type { S3Settings } from '../../../../src/types/settings.ts';
import { oriel } from '../oriel.ts';
import { MISSING, type S3Client, s3Client } from './client.ts';
import { isAllowed, type ObjectPath, objectPaths, refuseOutside } from './select.ts';

/** Throws OrielError: the errors of reading. */
export async function openS3Path(typed: string, settings: S3Settings, call: Call): Promise<Resource> {
  if (typed === '' || typed.startsWith(':')) {
    const client = await s3Client(settings, call.signal);
    return bucketsResource(settings.buckets, client, typed.replace(/^:/, ''), call);
  }
  const ways = objectPaths(typed);
  for (const way of ways) refuseOutside(settings, way);
  const client = await s3Client(settings, call.signal);
  for (const way of ways) {
    const found = isPrefix(way) ? await openPrefix(way, client, call) : await openIfThere(way, client, call);
    if (found) return found;
  }
  return openMissing(ways[0] as ObjectPath, settings, client, call);
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
    if (oriel.isOrielError(error) && error.code === 'NOT_FOUND' && error.cause === MISSING) return undefined;
    throw error;
  }
}

/** A key without an object may be a prefix of others, which are then listed; otherwise throws with similar names. */
async function openMissing(
  { bucket, key, rest }: ObjectPath,
  { buckets }: S3Settings,
  client: S3Client,
  call: Call,
): Promise<Resource> {
  const below = { bucket, prefix: `${key}/` };
  const list = await objectsBelow(below, client, call);
  if (list.entries.length > 0) return listingResource(below, list, rest, call);
  const cut = key.lastIndexOf('/') + 1;
  const beside = { bucket, prefix: key.slice(0, cut) };
  const missing = `${oriel.quote(`s3://${bucket}/${key}`)} does not exist.`;
  // Names outside the allowed prefixes are not shown.
  if (!isAllowed(buckets, `${bucket}/${beside.prefix}`)) {
    throw new oriel.OrielError('NOT_FOUND', `${missing} Use s3:// for what may be read.`, { next: 's3://' });
  }
  const names = (await objectsBelow(beside, client, call)).entries.map(({ name }) => name);
  const [near] = oriel.nearNames(key.slice(cut), names);
  const front = `s3://${bucket}/${beside.prefix}`;
  const next = near === undefined ? front : front + near;
  const hint = near === undefined ? '' : oriel.didYouMean([oriel.quote(next)]);
  throw new oriel.OrielError('NOT_FOUND', `${missing}${hint} Use ${oriel.quote(front)} for the list.`, {
    next,
  });
}

function openAt({ bucket, key, rest }: ObjectPath, client: S3Client, call: Call): Promise<Resource> {
  const name = `s3://${bucket}/${key}`;
  const place = {
    name,
    facts: { endpoint: client.endpoint, bucket, key },
    send: (ask: RangeRequest) => client.get({ ...ask, bucket, key, name }),
  };
  const file = key.slice(key.lastIndexOf('/') + 1);
  return oriel.openRemote({ place, rest, file, format: 'internal', facts: { bucket, key } }, call);
}

// Lists the objects below a prefix like a directory, one page per request, and lists buckets.

interface ObjectPrefix {
  readonly bucket: string;
  /** Ends in a slash; empty for the whole bucket. */
  readonly prefix: string;
  /** The cursor: the name (below the prefix) of the entry after which the page begins. */
  readonly after?: string | undefined;
}

interface Entry {
  /** The name below the prefix; ends in a slash for a nested prefix. */
  readonly name: string;
  readonly size?: number | undefined;
  /** In milliseconds since the epoch; NaN if the server does not tell it. */
  readonly modified?: number | undefined;
}

interface ObjectList {
  readonly entries: readonly Entry[];
  /** The last entry, if more follow after it. */
  readonly last?: string | undefined;
  /** Whether the server says that there are more entries but does not give any. */
  readonly stuck: boolean;
}

/** The last character in the sort order, to skip all keys that begin with a prefix. */
const LAST_CHARACTER = '\u{10ffff}';

/** One page of at most 1,000 entries, in the order of their UTF-8 bytes. Throws OrielError. */
async function objectsBelow(
  { bucket, prefix, after }: ObjectPrefix,
  client: S3Client,
  call: Call,
): Promise<ObjectList> {
  const name = `s3://${bucket}/${prefix}`;
  const query = {
    'list-type': '2',
    delimiter: '/',
    'encoding-type': 'url',
    'max-keys': String(oriel.objectLimits.listed),
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
  const behind = all.slice(0, oriel.objectLimits.listed);
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
  const keyIn = (text = ''): string => (isEncoded ? oriel.decodeUri(text.replaceAll('+', ' ')) : text);
  if (is === 'CommonPrefixes') return { key: keyIn(fields['Prefix']) };
  const size = Number(fields['Size']);
  return {
    key: keyIn(fields['Key']),
    size: Number.isSafeInteger(size) ? size : undefined,
    modified: Date.parse(fields['LastModified'] ?? ''),
  };
}

interface S3ListRequest {
  readonly bucket?: string | undefined;
  readonly name: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
}

async function answered(
  client: S3Client,
  asked: S3ListRequest,
  root: string,
  wanted: readonly string[],
  { signal }: Call,
): Promise<XmlList> {
  const { body, cut } = await client.get({
    ...asked,
    headers: {},
    mostBytes: oriel.objectLimits.listingBytes,
    signal,
  });
  if (cut) {
    const most = oriel.binarySize(oriel.objectLimits.listingBytes);
    throw new oriel.OrielError(
      'LIMIT',
      `The list of ${oriel.quote(asked.name)} has more than ${most}, and is not read.`,
    );
  }
  const list = await listInXml(body, new Set(wanted), signal);
  if (list.root === root) return list;
  throw new oriel.OrielError('CORRUPT', `The server's answer for ${oriel.quote(asked.name)} is not a list.`);
}

/** A page of a listing as a resource. `rest` is a selector, without the colon. */
async function listingResource(
  where: ObjectPrefix,
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
    ...(await oriel.textListing(lines.length === 0 ? [none] : lines, target, rest)),
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
  const shown = oriel.oneLine(name);
  if (size === undefined) return shown;
  return `${shown}  ${oriel.binarySize(size)}${Number.isNaN(modified) ? '' : `  ${oriel.age(now - modified)}`}`;
}

/** The list of `s3://`: the allowed buckets, otherwise those that the server names. */
async function bucketsResource(
  allowed: readonly string[] | undefined,
  client: S3Client,
  rest: string,
  call: Call,
): Promise<TextResource> {
  if (allowed)
    return oriel.textListing(
      allowed.map((place) => `s3://${oriel.oneLine(place).replace(/\/*$/, '/')}`),
      's3://',
      rest,
    );
  const list = await answered(client, { name: 's3://' }, 'ListAllMyBucketsResult', ['Bucket'], call);
  const names = list.entries.map(({ fields }) => `s3://${oriel.oneLine(fields['Name'] ?? '')}/`).toSorted();
  return oriel.textListing(names.length === 0 ? ['(no buckets)'] : names, 's3://', rest);
}

// Parses the XML lists of S3: the entries of one reply with their fields.

interface XmlList {
  /** The name of the outermost element. */
  readonly root: string;
  /** The texts of its child elements. */
  readonly fields: Readonly<Record<string, string>>;
  /** The elements with the wanted names, with the texts of their child elements. */
  readonly entries: readonly { readonly is: string; readonly fields: Readonly<Record<string, string>> }[];
}

/** Bytes that are parsed before the event loop gets control again. */
const LIST_PIECE_BYTES = 64 << 10;

/** Limits on nesting and entries. A real list has four levels and 1,000 entries; the parser gets slower with each level. */
const MAX_LIST_DEPTH = 16;
const MAX_LIST_ENTRIES = 2_000;

/** The most bytes of one field. */
const MAX_LIST_FIELD_BYTES = 16 << 10;

/** For a text that is not XML, an empty list with an empty root. */
export async function listInXml(
  xml: Uint8Array,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<XmlList> {
  const open: string[] = [];
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const entries: { is: string; fields: Record<string, string> }[] = [];
  let root = '';
  let entry: { is: string; fields: Record<string, string>; depth: number } | undefined;
  let text = '';
  const parser = new oriel.Parser(
    {
      onopentag(name) {
        if (open.length >= MAX_LIST_DEPTH || entries.length > MAX_LIST_ENTRIES) {
          throw new oriel.OrielError(
            'CORRUPT',
            'The answer of the server is not a list: it has too many levels or entries.',
          );
        }
        open.push(name);
        text = '';
        root ||= name;
        if (!entry && wanted.has(name)) {
          entry = { is: name, fields: Object.create(null) as Record<string, string>, depth: open.length };
        }
      },
      ontext(part) {
        if (text.length < MAX_LIST_FIELD_BYTES) text += part;
      },
      onclosetag(name) {
        if (entry && open.length === entry.depth) {
          entries.push({ is: entry.is, fields: entry.fields });
          entry = undefined;
        } else if (entry && open.length === entry.depth + 1) entry.fields[name] = text;
        else if (!entry && open.length === 2) fields[name] = text;
        open.pop();
        text = '';
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder();
  for (let at = 0; at < xml.length; at += LIST_PIECE_BYTES) {
    signal.throwIfAborted();
    parser.write(decoder.decode(xml.subarray(at, at + LIST_PIECE_BYTES), { stream: true }));
    await setImmediate();
  }
  parser.end();
  return { root, fields, entries };
}
