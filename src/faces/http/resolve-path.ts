/** `GET /api/v0/resolve-path`: the real path, also for a path whose end does not exist yet. */

import { join, resolve } from 'node:path';
import * as z from 'zod';
import { deepestDirectory } from '../../access/deepest-directory.ts';
import { type ErrorCode, isOrielError, OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Access } from '../../types/access.ts';
import { absolute } from './absolute.ts';
import { problemSchema } from './problem.ts';
import { reading } from './reading.ts';
import { type Route, route, type Served } from './route.ts';

const query = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path'),
});

const reply = z.object({ resolved_path: z.string() }).describe('The path without links');

const failure = { about: 'Why not', schema: problemSchema };

export const resolvePathRoute = ({ offer, metrics }: Served): Route =>
  route<z.infer<typeof query>>({
    method: 'get',
    path: '/api/v0/resolve-path',
    summary: 'Where a path leads',
    query,
    replies: { 200: { about: 'The real path', schema: reply }, 403: failure },
    example: { query: { path: '/workspace/link' }, reply: { resolved_path: '/workspace/app.log' } },
    handle: (exchange, { query: { path } }) =>
      reading(metrics, 'resolve-path', exchange, async (signal) => {
        const { access } = offer.engine();
        return { resolved_path: await resolvePath(access, absolute(access, path), signal, MOST_LINKS) };
      }),
  });

/** More links count as a loop. Source: MAXSYMLINKS in linux/namei.h. */
const MOST_LINKS = 40;

/** Errors after which the directory of the path is resolved instead. */
const UNOPENED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['NOT_FOUND', 'NOT_REGULAR', 'DENIED']);

async function resolvePath(
  access: Access,
  path: string,
  signal: AbortSignal,
  links: number,
): Promise<string> {
  if (links === 0) throw new OrielError('LOOP', `${quote(path)} leads into a loop of links.`);
  try {
    const opened = await access.open(path, signal);
    await opened.close();
    return opened.path;
  } catch (error) {
    if (!isOrielError(error) || !UNOPENED.has(error.code)) throw error;
    const deepest = await deepestDirectory(access, path, signal);
    if (!deepest) throw error;
    const { opened, names } = deepest;
    try {
      const [name = '', ...rest] = names;
      const target = await opened.linkTarget(name);
      if (target === undefined) return join(opened.path, ...names);
      return await resolvePath(access, resolve(opened.path, target, ...rest), signal, links - 1);
    } finally {
      await opened.close();
    }
  }
}
