/** `GET /api/v0/resolve-path`: where a path really leads, also one whose end does not exist yet. */

import { basename, dirname, join, resolve } from 'node:path';
import * as z from 'zod';
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

/** More links than this are a loop. Source: MAXSYMLINKS in linux/namei.h. */
const MOST_LINKS = 40;

/** What can be named but not opened: its directory can. */
const UNOPENED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['NOT_FOUND', 'NOT_REGULAR', 'DENIED']);

async function resolvePath(
  access: Access,
  path: string,
  signal: AbortSignal,
  links: number,
): Promise<string> {
  if (links === 0) throw new OrielError('LOOP', `${quote(path)} goes round in a loop of links.`);
  try {
    const opened = await access.open(path, signal);
    await opened.close();
    return opened.path;
  } catch (error) {
    const directory = dirname(path);
    if (!isOrielError(error) || !UNOPENED.has(error.code) || directory === path) throw error;
    const target = await linkTarget(access, directory, basename(path), signal);
    if (target !== undefined) return resolvePath(access, target, signal, links - 1);
    return join(await resolvePath(access, directory, signal, links), basename(path));
  }
}

/** Where the link `name` in `directory` points; undefined for what is no link. */
async function linkTarget(
  access: Access,
  directory: string,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const opened = await access.open(directory, signal).catch(() => undefined);
  try {
    if (opened?.is !== 'directory') return undefined;
    const target = await opened.linkTarget(name);
    return target === undefined ? undefined : resolve(opened.path, target);
  } finally {
    await opened?.close();
  }
}
