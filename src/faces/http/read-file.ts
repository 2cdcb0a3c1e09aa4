/** `GET /api/v0/read-file`: the stored bytes of a file, as a stream, whole or a range of them. */

import { createHash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import * as z from 'zod';
import { explained } from '../../engine/unexpected.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Access, OpenedFile } from '../../types/access.ts';
import { absolute, RELATIVITIES, startOf } from './absolute.ts';
import type { Outlet } from '../outbox.ts';
import { Download } from './download.ts';
import type { Body, Reply } from './exchange.ts';
import { prefixOf, SIZE_HEADER } from './file-prefix.ts';
import { problemSchema } from './problem.ts';
import { countOf } from './reading.ts';
import { count as countParameter } from './request-input.ts';
import { type Route, route, type Served } from './route.ts';

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

const failure = { about: 'Why not', schema: problemSchema };

export const readFileRoute = ({ offer, metrics }: Served): Route =>
  route<z.infer<typeof query>>({
    method: 'get',
    path: '/api/v0/read-file',
    summary: 'The bytes of a file',
    query,
    replies: {
      200: { about: 'The bytes', type: 'application/octet-stream' },
      206: { about: 'The bytes that the Range header asked for', type: 'application/octet-stream' },
      304: { about: 'Not changed since the version named by If-None-Match' },
      403: failure,
      404: failure,
      416: failure,
      503: failure,
    },
    example: { query: { path: '/workspace/app.log', offset: 0, limit: 1024 } },
    async handle(exchange, { query: { path: given, relativity, offset = 0, limit = 0 } }) {
      const { signal, client } = exchange;
      const { access } = offer.engine(client);
      const path =
        relativity === undefined || isAbsolute(given) ? given : join(startOf(relativity, access.cwd), given);
      const open = (): Promise<OpenedFile> => openFile(access, path, signal);
      const download = new Download(open, { signal, caller: client });
      const count = countOf(metrics, 'read-file');
      const end = async (bytes: number, error?: string): Promise<void> => {
        count({ bytes, error });
        await download.end();
      };
      try {
        const file = await download.file();
        const { key, recurs } = file.bytes.identity;
        const tag = `"${createHash('sha1').update(key).digest('base64url')}"`;
        // A file that was just changed may change again without a new time, so its ETag is weak.
        const etag = recurs ? tag : `W/${tag}`;
        const { size, headers: ofPrefix } = await prefixOf(file, exchange.header(SIZE_HEADER), signal);
        const common = {
          etag,
          ...ofPrefix,
          'accept-ranges': 'bytes',
          'last-modified': new Date(file.mtimeMs).toUTCString(),
          'content-type': getMimeType(path) ?? 'application/octet-stream',
          // An HTML file must not run scripts with the origin of this server.
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
        };
        const reply = (status: number, headers: Record<string, string>, body?: Body): Reply => ({
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
        download.rest();
        if (exchange.method === 'HEAD') await end(0);
        return reply(asked ? 206 : 200, headers, (outlet) => stream(download, from, to, outlet, end));
      } catch (error) {
        await end(0, explained(error, signal).code);
        throw error;
      }
    },
  });

async function openFile(access: Access, path: string, signal: AbortSignal): Promise<OpenedFile> {
  const opened = await access.open(absolute(access, path), signal).catch((error: unknown) => {
    if (!isOrielError(error) || error.code !== 'NOT_FOUND') throw error;
    throw new OrielError(error.code, `open ${quote(path)}: file does not exist`, { cause: error });
  });
  if (opened.is === 'file') return opened;
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

/** Reads the next chunk when the client has received the previous one. Closes the download in any case. */
async function stream(
  download: Download,
  from: number,
  to: number,
  outlet: Outlet,
  end: (bytes: number, error?: string) => Promise<void>,
): Promise<void> {
  let at = from;
  try {
    while (at < to && !outlet.gone) {
      const chunk = await download.read(at, Math.min(CHUNK_BYTES, to - at));
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
