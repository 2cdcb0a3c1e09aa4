/** `POST /api/v0/list-directory`: the entries of one directory, directories first. */

import { isAbsolute, join, sep } from 'node:path';
import * as z from 'zod';
import { type Listed, MOST_ENTRIES, withEntries } from '../../access/large-directory.ts';
import { sortInTurns } from '../../text/sort-in-turns.ts';
import { OrielError } from '../../errors.ts';
import { safeJson } from '../../text/json.ts';
import { quote } from '../../text/visible.ts';
import type { Access, Entry } from '../../types/access.ts';
import { absolute, RELATIVITIES, startOf } from './absolute.ts';
import { problemSchema } from './problem.ts';
import { reading } from './reading.ts';
import { type Route, route, type Served } from './route.ts';

const MOST_SHOWN = 10_000;
const SHOWN = 1_000;

/** Maximum bytes of the entries of a page, each with its whole path. */
const MOST_BYTES = 1 << 20;

const query = z.strictObject({
  path: z.string().optional().describe('Absolute path of a directory, instead of the one in the body'),
});

const body = z.strictObject({
  path: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .describe('A path, or its names one by one'),
  relativity: z
    .enum(RELATIVITIES)
    .default('cwd')
    .describe('What a path that is not absolute begins at; cwd when absent'),
  prefix: z.string().default('').describe('Only entries whose names begin with it; all when absent'),
  offset: z.int().min(0).default(0).describe('Entries to leave out first'),
  limit: z.int().min(1).max(MOST_SHOWN).default(SHOWN).describe(`Entries; ${SHOWN} when absent`),
});

const reply = z
  .object({
    absolute_path: z.array(z.string()).describe('The names on the way from the root of the file system'),
    absolute_path_string: z.string(),
    contents: z.array(
      z.object({
        name: z.string(),
        absolute_path_string: z.string(),
        is_dir: z.boolean().describe('A link to a directory is none'),
        type: z.enum(['file', 'directory', 'link', 'fifo', 'socket', 'device', 'unknown']),
      }),
    ),
    total: z.int().describe('Entries of the directory, or those that were looked at where it is cut'),
    more: z.boolean().describe('Entries follow'),
    next: z
      .int()
      .optional()
      .describe(`The offset of the next page, where there is one: a page has at most ${MOST_BYTES} bytes`),
    cut: z
      .literal(true)
      .optional()
      .describe(
        `There are more than ${MOST_ENTRIES} such entries: so many of them are listed. A longer prefix shows others`,
      ),
  })
  .describe('Directories first, then by name');

type Body = z.infer<typeof body>;
type Reply = z.infer<typeof reply>;

const failure = { about: 'Why not', schema: problemSchema };

export const listDirectoryRoute = ({ offer, metrics }: Served): Route =>
  route<z.infer<typeof query>, Body>({
    method: 'post',
    path: '/api/v0/list-directory',
    summary: 'The entries of a directory',
    query,
    body,
    replies: { 200: { about: 'The entries', schema: reply }, 403: failure, 404: failure },
    example: {
      body: { path: '/workspace', limit: 1 },
      reply: {
        absolute_path: ['workspace'],
        absolute_path_string: '/workspace',
        contents: [{ name: 'src', absolute_path_string: '/workspace/src', is_dir: true, type: 'directory' }],
        total: 12,
        more: true,
        next: 1,
      },
    },
    handle: (exchange, input) =>
      reading(metrics, 'list-directory', exchange, (signal) => list(offer.engine().access, input, signal)),
  });

async function list(
  access: Access,
  input: { query: z.infer<typeof query>; body: Body },
  signal: AbortSignal,
): Promise<Reply> {
  const path = pathOf(input.query.path, input.body, access.cwd);
  const opened = await access.open(absolute(access, path), signal);
  try {
    if (opened.is !== 'directory') {
      throw new OrielError('BAD_INPUT', `path ${JSON.stringify(quote(path))} is not a directory`);
    }
    const { path: at } = opened;
    const answer = (listed: Listed): Promise<Reply> => answerOf(listed, at, input.body);
    return await withEntries(opened, signal, answer, input.body.prefix);
  } finally {
    await opened.close();
  }
}

async function answerOf({ entries, more }: Listed, path: string, { offset, limit }: Body): Promise<Reply> {
  const sorted = await sortInTurns(entries, (entry) => entry, byKindAndName);
  const contents = pageOf(sorted.slice(offset, offset + limit), path);
  const next = offset + contents.length;
  return {
    absolute_path: path.split(sep).filter(Boolean),
    absolute_path_string: path,
    contents,
    total: sorted.length,
    more: sorted.length > next,
    ...(sorted.length > next && { next }),
    ...(more && { cut: true }),
  };
}

/** As many entries as fit into a page, at least one. */
function pageOf(entries: readonly Entry[], directory: string): Reply['contents'] {
  const page: Reply['contents'] = [];
  let room = MOST_BYTES;
  for (const { name, type } of entries) {
    const entry = {
      name,
      absolute_path_string: join(directory, name),
      is_dir: type === 'directory',
      type,
    };
    room -= Buffer.byteLength(safeJson(entry));
    if (room < 0 && page.length > 0) break;
    page.push(entry);
  }
  return page;
}

function pathOf(given: string | undefined, { path, relativity }: Body, cwd: string): string {
  if (given !== undefined) return given;
  if (typeof path === 'string' && isAbsolute(path)) return path;
  return join(startOf(relativity, cwd), ...(typeof path === 'string' ? [path] : (path ?? [])));
}

function byKindAndName(a: Entry, b: Entry): number {
  const kind = Number(b.type === 'directory') - Number(a.type === 'directory');
  return kind || (a.name < b.name ? -1 : Number(a.name > b.name));
}
