/** `GET /api/v0/read-file`: the stored bytes of a file, as a stream, whole or a range of them. */

import { createHash } from 'node:crypto';
import { getMimeType } from 'hono/utils/mime';
import * as z from 'zod';
import { explained } from '../../engine/unexpected.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Access, OpenedFile } from '../../types/access.ts';
import { absolute } from './absolute.ts';
import { clientOf } from './client-of.ts';
import { Download } from './download.ts';
import { problemSchema } from './problem.ts';
import { countOf } from './reading.ts';
import { count as countParameter } from './request-input.ts';
import { type Route, route, type Served } from './route.ts';

const CHUNK_BYTES = 256 * 1024;

const query = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path of a file'),
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
    async handle(context, { query: { path, offset = 0, limit = 0 } }) {
      const { req } = context;
      const { signal } = req.raw;
      const open = (): Promise<OpenedFile> => openFile(offer.engine.access, path, signal);
      const download = new Download(open, { signal, caller: clientOf(context) });
      const count = countOf(metrics, 'read-file');
      const end = async (bytes: number, error?: string): Promise<void> => {
        count({ bytes, error });
        await download.end();
      };
      try {
        const file = await download.file();
        const etag = `"${createHash('sha1').update(file.bytes.identity.key).digest('base64url')}"`;
        const common = {
          etag,
          'accept-ranges': 'bytes',
          'last-modified': new Date(file.mtimeMs).toUTCString(),
          'content-type': getMimeType(path) ?? 'application/octet-stream',
          // A page among the files must not act in the name of this server.
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
        };
        const reply = (
          status: number,
          headers: Record<string, string>,
          body: ReadableStream | null,
        ): Response => new Response(body, { status, headers: { ...common, ...headers } });
        const ranges = req.header('if-range') === undefined || req.header('if-range') === etag;
        const asked =
          ranges && offset === 0 && limit === 0 ? rangeOf(req.header('range'), file.size) : undefined;
        if (req.header('if-none-match') === etag || asked === 'none') {
          await end(0);
          return asked === 'none'
            ? reply(416, { 'content-range': `bytes */${file.size}` }, null)
            : reply(304, {}, null);
        }
        const from = asked?.start ?? Math.min(offset, file.size);
        const to = asked?.end ?? Math.min(file.size, limit === 0 ? file.size : from + limit);
        const headers = {
          'content-length': String(to - from),
          ...(asked && { 'content-range': `bytes ${from}-${to - 1}/${file.size}` }),
        };
        if (req.method === 'HEAD') await end(0);
        const body = req.method === 'HEAD' ? null : stream(download, from, to, end);
        return reply(asked ? 206 : 200, headers, body);
      } catch (error) {
        await end(0, explained(error, signal).code);
        throw error;
      }
    },
  });

async function openFile(access: Access, path: string, signal: AbortSignal): Promise<OpenedFile> {
  const opened = await access.open(absolute(access, path), signal);
  if (opened.is === 'file') return opened;
  await opened.close();
  throw new OrielError('IS_DIRECTORY', `open ${quote(path)}: not a file`);
}

/** Half-open. `none`: no byte of it exists. Undefined for no range, several, or what is none: all is sent then. */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (from !== '' && to !== '' && Number(to) < start) return undefined;
  return start < end ? { start, end } : 'none';
}

/** Reads when the client has taken what was read before; ends whatever happens. */
function stream(
  download: Download,
  from: number,
  to: number,
  end: (bytes: number, error?: string) => Promise<void>,
): ReadableStream {
  let at = from;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const chunk = await download.read(at, Math.min(CHUNK_BYTES, to - at));
          at += chunk.length;
          if (chunk.length > 0) controller.enqueue(chunk);
          else if (at < to)
            // Fewer bytes than were promised: the client must notice.
            throw new OrielError('INCOMPLETE', 'The file became shorter while it was sent.');
          if (at < to) return;
          await end(at - from);
          controller.close();
        } catch (error) {
          await end(at - from, explained(error).code);
          controller.error(error);
        }
      },
      cancel: () => end(at - from, 'CANCELLED'),
    },
    { highWaterMark: 1 },
  );
}
