/** Owns `GET /api/v0/read-file`: the stored bytes of a file, as a stream, whole or a range of them. */

import { createHash } from 'node:crypto';
import { getMimeType } from 'hono/utils/mime';
import * as z from 'zod';
import { readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import { absolute } from './absolute.ts';
import { problemSchema } from './problem.ts';
import { count } from './request-input.ts';
import { type Route, route, type Served } from './route.ts';

const CHUNK_BYTES = 256 * 1024;

const query = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path of a file'),
  offset: count('First byte, 0-based').optional(),
  limit: count('Bytes; to the end when absent or 0').optional(),
});

const failure = { about: 'Why not', schema: problemSchema };

export const readFileRoute = ({ offer }: Served): Route =>
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
    },
    async handle({ req }, { query: { path, offset = 0, limit = 0 } }) {
      const file = await openFile(offer.engine.access, path, req.raw.signal);
      const etag = `"${createHash('sha1').update(file.bytes.version).digest('base64url')}"`;
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
        await file.close();
        return asked === 'none'
          ? reply(416, { 'content-range': `bytes */${file.size}` }, null)
          : reply(304, {}, null);
      }
      const start = asked?.start ?? Math.min(offset, file.size);
      const end = asked?.end ?? Math.min(file.size, limit === 0 ? file.size : start + limit);
      const headers = {
        'content-length': String(end - start),
        ...(asked && { 'content-range': `bytes ${start}-${end - 1}/${file.size}` }),
      };
      if (req.method !== 'HEAD') return reply(asked ? 206 : 200, headers, stream(file, start, end));
      await file.close();
      return reply(asked ? 206 : 200, headers, null);
    },
  });

async function openFile(
  access: Served['offer']['engine']['access'],
  path: string,
  signal: AbortSignal,
): Promise<OpenedFile> {
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

/** Reads when the client has taken what was read before; closes the file whatever happens. */
function stream(file: OpenedFile, start: number, end: number): ReadableStream {
  let at = start;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const chunk = await readAt(file.bytes, at, Math.min(CHUNK_BYTES, end - at));
          at += chunk.length;
          if (chunk.length > 0) controller.enqueue(chunk);
          if (at < end && chunk.length > 0) return;
          await file.close();
          // Fewer bytes than were promised: the client must notice.
          if (at < end)
            controller.error(new OrielError('INCOMPLETE', 'The file became shorter while it was sent.'));
          else controller.close();
        } catch (error) {
          await file.close();
          controller.error(error);
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 1 },
  );
}
