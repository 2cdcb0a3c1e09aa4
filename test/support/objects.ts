/**
 * A server on loopback that speaks the protocol of S3 and verifies the signature of every request with the signer of the
 * AWS SDK: ranges, ETags, conditional requests, lists with continuation tokens, errors in XML. Objects may have any size:
 * their bytes are generated when they are read.
 */

import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './commands.ts';

export interface StoredObject {
  readonly size: number;
  /** Bytes [start, end). */
  read(start: number, end: number): Uint8Array;
  readonly etag: string;
  readonly modified?: Date;
}

export type Content = string | Uint8Array | StoredObject;

export interface Heard {
  /** Decoded path and query. */
  readonly path: string;
  readonly range: string | undefined;
  /** 0 until the answer has been sent. */
  readonly status: number;
  readonly signed: boolean;
}

export interface ObjectServer {
  readonly url: string;
  /** Every request, in order. */
  readonly heard: Heard[];
  /** By bucket and key; a test may replace it at any time. */
  buckets: Record<string, Record<string, Content>>;
  /** If set, called for every request; the server answers only if it returns false. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export const KEYS = { accessKeyId: 'AKIAORIELTEST', secretAccessKey: 'secret/with+signs=' } as const;
const REGION = 'eu-test-1';

/** Starts a server and sets the AWS environment variables to its address and keys until the end of the test. */
export async function objectServer(buckets: ObjectServer['buckets'] = {}): Promise<ObjectServer> {
  const here = await startObjectServer(buckets);
  useObjects(here.url);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    here.close();
  });
  return here;
}

/** The environment variables that point an AWS client at the server. */
export const objectVariables = (url: string): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL_S3: url,
  AWS_ENDPOINT_URL: '',
  AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  AWS_SESSION_TOKEN: '',
  AWS_REGION: REGION,
  AWS_PROFILE: '',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
  AWS_CONFIG_FILE: '/nowhere/config',
});

export function useObjects(url: string): void {
  for (const [name, value] of Object.entries(objectVariables(url))) vi.stubEnv(name, value);
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
}

/** Starts a server that runs until `close`; it does not keep the process alive. */
export async function startObjectServer(
  buckets: ObjectServer['buckets'] = {},
): Promise<ObjectServer & { close(): void }> {
  const server = createServer((request, response) => {
    const signed = request.headers.authorization !== undefined;
    const { range } = request.headers;
    const path = decodeURIComponent(request.url ?? '');
    const heard = { path, range, status: 0, signed };
    here.heard.push(heard);
    response.on('close', () => void (heard.status = response.statusCode));
    if (here.instead?.(request, response)) return;
    void answer(request, response, here.buckets);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const here = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: [] as Heard[],
    buckets,
    instead: undefined as ObjectServer['instead'],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return here;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  buckets: ObjectServer['buckets'],
): Promise<void> {
  const refused = await verified(request);
  if (refused !== undefined) return sendError(response, 403, refused);
  const url = new URL(request.url ?? '', 'http://host');
  if (url.pathname === '/') return sendXml(response, 200, bucketsXml(buckets));
  const [, bucket = '', key = ''] = (/^\/([^/]+)\/?(.*)$/s.exec(url.pathname) ?? []).map(decodeURIComponent);
  const objects = buckets[bucket];
  if (!objects) return sendError(response, 404, 'NoSuchBucket');
  if (key === '') return sendXml(response, 200, listXml(bucket, objects, url.searchParams));
  const content = Object.hasOwn(objects, key) ? objects[key] : undefined;
  if (content === undefined) return sendError(response, 404, 'NoSuchKey');
  return sendObject(request, response, stored(content));
}

/** Compares the signature with that of the SDK's signer; the S3 error code if it is wrong. */
async function verified(request: IncomingMessage): Promise<string | undefined> {
  const authorization = request.headers.authorization ?? '';
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=[0-9a-f]{64}$/.exec(
      authorization,
    );
  if (!match) return 'AccessDenied';
  const [, id, , region = '', names = ''] = match;
  if (id !== KEYS.accessKeyId) return 'InvalidAccessKeyId';
  const date = String(request.headers['x-amz-date']);
  const signingDate = new Date(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  if (Math.abs(Date.now() - signingDate.getTime()) > 15 * 60_000) return 'RequestTimeTooSkewed';
  const url = new URL(request.url ?? '', 'http://host');
  const headers = Object.fromEntries(names.split(';').map((name) => [name, String(request.headers[name])]));
  const signer = new SignatureV4({
    credentials: KEYS,
    region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const expected = await signer.sign(
    {
      method: request.method ?? '',
      protocol: 'http:',
      hostname: 'host',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
    },
    { signingDate },
  );
  return expected.headers['authorization'] === authorization ? undefined : 'SignatureDoesNotMatch';
}

/** Node's SHA-256 (an HMAC if a secret is given) with the interface that the signer expects. */
class Sha256 {
  readonly #hash;

  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array);
  }

  update(data: unknown): void {
    this.#hash.update(data as string);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {}
}

function stored(content: Content): StoredObject {
  if (typeof content !== 'string' && 'read' in content) return content;
  const bytes = Buffer.from(content);
  return {
    size: bytes.length,
    read: (start, end) => bytes.subarray(start, end),
    etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
  };
}

function sendObject(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { size, read, etag, modified = new Date('2026-05-01T10:00:00Z') }: StoredObject,
): void {
  response.setHeader('etag', etag).setHeader('last-modified', modified.toUTCString());
  response.setHeader('accept-ranges', 'bytes').setHeader('content-type', 'binary/octet-stream');
  if (headers['if-match'] !== undefined && headers['if-match'] !== etag) {
    return sendError(response, 412, 'PreconditionFailed');
  }
  if (headers['if-none-match'] === etag) return void response.writeHead(304).end();
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (from === '' && to === '') {
    return void response.writeHead(200, { 'content-length': size }).end(read(0, size));
  }
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(Number(to) + 1, size);
  if (start >= size || end <= start) {
    response.setHeader('content-range', `bytes */${size}`);
    return sendError(response, 416, 'InvalidRange', `<ActualObjectSize>${size}</ActualObjectSize>`);
  }
  response
    .writeHead(206, {
      'content-range': `bytes ${start}-${end - 1}/${size}`,
      'content-length': end - start,
    })
    .end(read(start, end));
}

function sendXml(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}

function sendError(response: ServerResponse, status: number, code: string, more = ''): void {
  sendXml(response, status, `<Error><Code>${code}</Code><Message>${code} it is</Message>${more}</Error>`);
}

function bucketsXml(buckets: ObjectServer['buckets']): string {
  const list = Object.keys(buckets)
    .toSorted()
    .map(
      (name) => `<Bucket><Name>${name}</Name><CreationDate>2026-05-01T10:00:00.000Z</CreationDate></Bucket>`,
    );
  return `<ListAllMyBucketsResult><Buckets>${list.join('')}</Buckets></ListAllMyBucketsResult>`;
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The answer to ListObjectsV2. */
function listXml(bucket: string, objects: Record<string, Content>, query: URLSearchParams): string {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const most = Math.min(1000, Number(query.get('max-keys') ?? 1000));
  const shown = (text: string): string =>
    query.get('encoding-type') === 'url' ? encodeURIComponent(text).replaceAll('%2F', '/') : escaped(text);
  const entries: string[] = [];
  const groups = new Set<string>();
  let last = '';
  let more = false;
  for (const key of Object.keys(objects).toSorted(byBytes)) {
    if (!key.startsWith(prefix) || byBytes(key, after) <= 0) continue;
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const group = at === -1 ? undefined : key.slice(0, at + delimiter.length);
    if (group !== undefined && groups.has(group)) {
      last = key;
      continue;
    }
    if (entries.length === most) {
      more = true;
      break;
    }
    last = key;
    if (group !== undefined) {
      groups.add(group);
      entries.push(`<CommonPrefixes><Prefix>${shown(group)}</Prefix></CommonPrefixes>`);
      continue;
    }
    const { size, etag, modified = new Date('2026-05-01T10:00:00Z') } = stored(objects[key] as Content);
    entries.push(
      `<Contents><Key>${shown(key)}</Key><LastModified>${modified.toISOString()}</LastModified>` +
        `<ETag>${escaped(etag)}</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
    );
  }
  const token = more ? `<NextContinuationToken>${shown(last)}</NextContinuationToken>` : '';
  return (
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name>` +
    `<Prefix>${shown(prefix)}</Prefix><KeyCount>${entries.length}</KeyCount><MaxKeys>${most}</MaxKeys>` +
    (query.get('encoding-type') === 'url' ? '<EncodingType>url</EncodingType>' : '') +
    `<IsTruncated>${more}</IsTruncated>${token}${entries.join('')}</ListBucketResult>`
  );
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Bytes of each line of `numberedObject`, line feed included. */
export const LINE_BYTES = 64;

/** A text of `size` bytes in numbered lines of `LINE_BYTES` bytes, generated when it is read. */
export function numberedObject(size: number, etag = '"numbered"'): StoredObject {
  return {
    size,
    etag,
    read(start, end) {
      const first = Math.floor(start / LINE_BYTES);
      const lines = Math.ceil(end / LINE_BYTES) - first;
      const bytes = Buffer.alloc(lines * LINE_BYTES, PATTERN);
      for (let i = 0; i < lines; i += 1) number(bytes, i * LINE_BYTES + 'line '.length, first + i + 1);
      return bytes.subarray(start - first * LINE_BYTES, end - first * LINE_BYTES);
    },
  };
}

const PATTERN = `${'line '.padEnd(LINE_BYTES - 1, '.')}\n`;

/** Writes digits and a space: a tenth of the time of a string for each line, of which tests read millions. */
function number(bytes: Buffer, at: number, no: number): void {
  let end = at + 1;
  for (let rest = no; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  bytes[end] = 0x20;
  for (let rest = no; end > at; rest = Math.floor(rest / 10)) bytes[(end -= 1)] = 0x30 + (rest % 10);
}

/** Line `no` (1-based) of `numberedObject`. */
export function lineOf(no: number): string {
  return `${`line ${no} `.padEnd(LINE_BYTES - 1, '.')}\n`;
}
