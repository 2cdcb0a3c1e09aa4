/** `GET /api/v0/read-file`: the stored bytes of a file, as a stream, whole or a range of them. */

import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { extname, join, sep } from 'node:path';
import * as z from 'zod';
import { refuseStoredBytes } from '../../call/private-report.ts';
import { explained } from '../../call/unexpected.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { isTypedAbsolute } from '../../files/paths.ts';
import { queues } from '../../queues/queue-table.ts';
import type { QueueSlot } from '../../queues/queue.ts';
import { readAt } from '../../text/bytes.ts';
import { quote, safeJson } from '../../text/visible.ts';
import type { ByteSource, FileAccess, OpenedFile } from '../../types/access.ts';
import type { PeerOutlet } from '../outbox.ts';
import type { HttpExchange, HttpReply, ReplyBody } from './exchange.ts';
import type { ServerMetrics } from './metrics.ts';
import { declaredFailure, jsonTextReply } from './problem.ts';
import { countInQuery as countParameter, type HttpRoute, route, type RouteContext } from './route.ts';

// Resolves the paths of routes: absolute paths, or relative to a base directory that the request names.

/** The path to open. Throws `BAD_PATH`. */
export function absolute(access: FileAccess, path: string): string {
  if (!isTypedAbsolute(path)) {
    throw new OrielError('BAD_PATH', `file path must be absolute: ${JSON.stringify(quote(path))}`);
  }
  // In tools `/` is the working directory; in routes it is the root of the file system.
  return path === '/' ? path : access.absolute(path);
}

export const RELATIVITIES = ['root', 'home', 'cwd'] as const;

export function startOf(relativity: (typeof RELATIVITIES)[number], cwd: string): string {
  return { root: sep, home: homedir(), cwd }[relativity];
}

const CHUNK_BYTES = 256 * 1024;

const query = z.strictObject({
  path: z
    .string('is required')
    .min(1, 'is required')
    .describe('Path of a file, absolute where there is no relativity'),
  relativity: z.enum(RELATIVITIES).optional().describe('What a path that is not absolute begins at'),
  offset: countParameter('First byte, 0-based').optional(),
  limit: countParameter('Bytes; to the end when absent or 0').optional(),
});

export const readFileRoute = ({ offer, metrics }: RouteContext): HttpRoute =>
  route<z.infer<typeof query>>({
    method: 'get',
    path: '/api/v0/read-file',
    summary: 'The bytes of a file',
    query,
    replies: {
      200: { about: 'The bytes', type: 'application/octet-stream' },
      206: { about: 'The bytes that the Range header asked for', type: 'application/octet-stream' },
      304: { about: 'Not changed since the version named by If-None-Match' },
      403: declaredFailure,
      404: declaredFailure,
      416: declaredFailure,
      503: declaredFailure,
    },
    async handle(exchange, { query: { path: given, relativity, offset = 0, limit = 0 } }) {
      const { signal, client } = exchange;
      const engine = offer.engine(client);
      const { access } = engine;
      const path =
        relativity === undefined || isTypedAbsolute(given)
          ? given
          : join(startOf(relativity, access.cwd), given);
      const claim = { signal, caller: client };
      const count = countOf(metrics, 'read-file');
      // Held until the client has received all bytes; the outlet ends one that does not read.
      let slot: QueueSlot | undefined;
      let file: OpenedFile | undefined;
      const end = async (bytes: number, error?: string): Promise<void> => {
        count({ bytes, error });
        slot?.release();
        await file?.close();
      };
      try {
        slot = await queues.downloads.acquire(claim);
        const opened = (file = await queues.calls.run(() => openFile(access, path, signal), claim));
        await refuseStoredBytes(engine, opened, claim);
        const { key, recurs } = opened.bytes.identity;
        const tag = `"${createHash('sha1').update(key).digest('base64url')}"`;
        // A file that was just changed may change again without a new time, so its ETag is weak.
        const etag = recurs ? tag : `W/${tag}`;
        const { size, headers: ofPrefix } = await prefixOf(opened, exchange.header(SIZE_HEADER), signal);
        const common = {
          etag,
          ...ofPrefix,
          'accept-ranges': 'bytes',
          'last-modified': new Date(opened.mtimeMs).toUTCString(),
          'content-type': CONTENT_TYPES[extname(path).slice(1).toLowerCase()] ?? 'application/octet-stream',
          // An HTML file must not run scripts with the origin of this server.
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
        };
        const reply = (status: number, headers: Record<string, string>, body?: ReplyBody): HttpReply => ({
          status,
          headers: { ...common, ...headers },
          ...(body !== undefined && { body }),
        });
        const ifRange = exchange.header('if-range');
        // A weak ETag never matches in If-Range. Source: RFC 9110, 13.1.5.
        const ranges = ifRange === undefined || (recurs && ifRange === etag);
        const asked =
          ranges && offset === 0 && limit === 0 ? rangeOf(exchange.header('range'), size) : undefined;
        if (exchange.header('if-none-match') === etag || asked === 'none') {
          await end(0);
          return asked === 'none' ? reply(416, { 'content-range': `bytes */${size}` }) : reply(304, {});
        }
        const from = asked?.start ?? Math.min(offset, size);
        const to = asked?.end ?? Math.min(size, limit === 0 ? size : from + limit);
        const headers = {
          'content-length': String(to - from),
          ...(asked && { 'content-range': `bytes ${from}-${to - 1}/${size}` }),
        };
        if (exchange.method === 'HEAD') await end(0);
        return reply(asked ? 206 : 200, headers, (outlet) => stream(opened.bytes, from, to, outlet, end));
      } catch (error) {
        await end(0, explained(error, signal).code);
        throw error;
      }
    },
  });

/** Content types by extension; a browser shows these, and stores all others. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  mjs: 'text/javascript; charset=utf-8',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webp: 'image/webp',
  xml: 'application/xml; charset=utf-8',
  zip: 'application/zip',
};

async function openFile(access: FileAccess, path: string, signal: AbortSignal): Promise<OpenedFile> {
  const opened = await access.open(absolute(access, path), signal).catch((error: unknown) => {
    if (!isOrielError(error) || error.code !== 'NOT_FOUND') throw error;
    throw new OrielError(error.code, `open ${quote(path)}: file does not exist`, { cause: error });
  });
  if (opened.kind === 'file') return opened;
  await opened.close();
  throw new OrielError('IS_DIRECTORY', `open ${quote(path)}: not a file`);
}

/** Half-open. `none`: the range is past the end. Undefined for no range, several or an invalid one: then all is sent. */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (from !== '' && to !== '' && Number(to) < start) return undefined;
  return start < end ? { start, end } : 'none';
}

/** Reads the next chunk when the client has received the previous one. Calls `end` in any case. */
async function stream(
  bytes: ByteSource,
  from: number,
  to: number,
  outlet: PeerOutlet,
  end: (bytes: number, error?: string) => Promise<void>,
): Promise<void> {
  let at = from;
  try {
    while (at < to && !outlet.gone) {
      const chunk = await readAt(bytes, at, Math.min(CHUNK_BYTES, to - at));
      // The response is shorter than its content-length, so the client must notice an error.
      if (chunk.length === 0)
        throw new OrielError('INCOMPLETE', 'The file became shorter while it was sent.');
      at += chunk.length;
      outlet.write(chunk);
      await outlet.taken();
    }
    await end(at - from, outlet.gone ? 'CANCELLED' : undefined);
  } catch (error) {
    await end(at - from, explained(error).code);
    throw error;
  }
}

// Runs file routes like calls of tools: in the same queue and with the same metrics.

/** Replies with the result of `work` as JSON. Throws the errors of `work`. */
export async function reading(
  metrics: ServerMetrics,
  name: string,
  { signal, client }: HttpExchange,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<HttpReply> {
  const count = countOf(metrics, name);
  try {
    const value = await queues.calls.run(() => work(signal), { signal, caller: client });
    const text = safeJson(value);
    count({ bytes: Buffer.byteLength(text) });
    return jsonTextReply(text);
  } catch (error) {
    count({ bytes: 0, error: explained(error, signal).code });
    throw error;
  }
}

/** Starts timing a call. The returned function counts it, once. */
export function countOf(
  metrics: ServerMetrics,
  name: string,
): (ended: Parameters<ServerMetrics['call']>[1]) => void {
  const start = performance.now();
  let counted = false;
  return (ended) => {
    if (!counted) metrics.call(name, ended, (performance.now() - start) / 1000);
    counted = true;
  };
}

// Consistent reads of a growing file, such as a log, by several requests: they send the size from the first response, and
// get parts of this prefix as long as bytes were only appended.

/** The request header: `*` in the first request, then the size from its response. */
const SIZE_HEADER = 'oriel-size';

/** The response header with a digest of the prefix: if it is equal in two responses, bytes were only appended between them. */
const PREFIX_HEADER = 'oriel-prefix';

/** Bytes at the end of the prefix that are compared; they differ in a rewritten file. */
const COMPARED = 4096;

interface FilePrefix {
  /** The size of the file for this request. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** `asked`: the header of the request. A file that still has that size is compared by its ETag instead. */
async function prefixOf(
  { bytes, size: now }: OpenedFile,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<FilePrefix> {
  const had = asked === '*' ? now : /^\d{1,15}$/.test(asked ?? '') ? Number(asked) : undefined;
  const { inode } = bytes.identity;
  const isOther = had === undefined || inode === undefined || had > now || (had === now && asked !== '*');
  if (isOther) return { size: now, headers: {} };
  const end = await readAt(bytes, Math.max(0, had - COMPARED), Math.min(had, COMPARED), signal);
  const prefix = createHash('sha1')
    .update(JSON.stringify([inode, had]))
    .update(end)
    .digest('base64url');
  return { size: had, headers: { [PREFIX_HEADER]: prefix } };
}
