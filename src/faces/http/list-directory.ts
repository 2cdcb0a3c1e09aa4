/** The routes over files besides downloads: directories, real paths, numbered lines, and what is private. */

import { join, resolve, sep } from 'node:path';
import * as z from 'zod';
import { callTool } from '../../call/call-tool.ts';
import { rulesInForce, whyPrivate } from '../../call/private-report.ts';
import { fileLinesLimits, readFileLines } from '../../dialects/coder.ts';
import { type ErrorCode, isOrielError, OrielError } from '../../errors.ts';
import { deepestDirectory } from '../../files/deepest-directory.ts';
import { type ListedEntries, MAX_DIRECTORY_ENTRIES, withEntries } from '../../files/local.ts';
import { isTypedAbsolute } from '../../files/paths.ts';
import { QueueFull } from '../../queues/queue.ts';
import { sortInTurns } from '../../queues/turns.ts';
import { writtenPath } from '../../render/answers.ts';
import { baseLimits } from '../../text/limits.ts';
import { quote, safeJson, showBytes } from '../../text/visible.ts';
import type { FileAccess, FileSystemEntry } from '../../types/access.ts';
import type { FileLines } from '../../types/settings.ts';
import { withAbsoluteCall } from '../hosts.ts';
import { declaredFailure, jsonReply, problemSchema } from './problem.ts';
import { absolute, countOf, reading, RELATIVITIES, startOf } from './read-file.ts';
import { countInQuery, type HttpRoute, route, type RouteContext } from './route.ts';
import { taskOf } from './tasks.ts';

// `POST /api/v0/list-directory`: the entries of one directory, directories first.

const MAX_LISTING_ENTRIES = 10_000;
const SHOWN = 1_000;

/** Maximum bytes of the entries of a page, each with its whole path. */
const MAX_LISTING_BYTES = 1 << 20;

const listingQuery = z.strictObject({
  path: z.string().optional().describe('Absolute path of a directory, instead of the one in the body'),
});

const listingBody = z.strictObject({
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
  limit: z.int().min(1).max(MAX_LISTING_ENTRIES).default(SHOWN).describe(`Entries; ${SHOWN} when absent`),
});

const listingReply = z
  .object({
    absolute_path: z.array(z.string()).describe('The names on the way from the root of the file system'),
    absolute_path_string: z.string(),
    contents: z.array(
      z.object({
        name: z.string(),
        absolute_path_string: z.string(),
        is_dir: z.boolean().describe('A link to a directory is none'),
        type: z.enum(['file', 'directory', 'link', 'fifo', 'socket', 'device', 'unknown']),
        private: z.literal(true).optional().describe('Only its name is shown'),
      }),
    ),
    total: z.int().describe('Entries of the directory, or those that were looked at where it is cut'),
    more: z.boolean().describe('Entries follow'),
    next: z
      .int()
      .optional()
      .describe(
        `The offset of the next page, where there is one: a page has at most ${MAX_LISTING_BYTES} bytes`,
      ),
    cut: z
      .literal(true)
      .optional()
      .describe(
        `There are more than ${MAX_DIRECTORY_ENTRIES} such entries: so many of them are listed. A longer prefix shows others`,
      ),
  })
  .describe('Directories first, then by name');

type Body = z.infer<typeof listingBody>;
type Reply = z.infer<typeof listingReply>;

export const listDirectoryRoute = ({ offer, metrics }: RouteContext): HttpRoute =>
  route<z.infer<typeof listingQuery>, Body>({
    method: 'post',
    path: '/api/v0/list-directory',
    summary: 'The entries of a directory',
    query: listingQuery,
    body: listingBody,
    replies: {
      200: { about: 'The entries', schema: listingReply },
      403: declaredFailure,
      404: declaredFailure,
    },
    handle: (exchange, input) =>
      reading(metrics, 'list-directory', exchange, (signal) => list(offer.engine().access, input, signal)),
  });

async function list(
  access: FileAccess,
  input: { query: z.infer<typeof listingQuery>; body: Body },
  signal: AbortSignal,
): Promise<Reply> {
  const path = pathOf(input.query.path, input.body, access.cwd);
  const opened = await access.open(absolute(access, path), signal);
  try {
    if (opened.kind !== 'directory') {
      throw new OrielError('BAD_INPUT', `path ${JSON.stringify(quote(path))} is not a directory`);
    }
    const { path: at } = opened;
    const answer = (listed: ListedEntries): Promise<Reply> => answerOf(listed, at, input.body);
    return await withEntries(opened, signal, answer, input.body.prefix);
  } finally {
    await opened.close();
  }
}

async function answerOf(
  { entries, more }: ListedEntries,
  path: string,
  { offset, limit }: Body,
): Promise<Reply> {
  const sorted = await sortInTurns(entries, (entry) => entry, byKindAndName);
  const contents = pageOf(sorted.slice(offset, offset + limit), path);
  const next = offset + contents.length;
  return {
    absolute_path: path.split(sep).filter(Boolean).map(showBytes),
    absolute_path_string: writtenPath(path),
    contents,
    total: sorted.length,
    more: sorted.length > next,
    next: sorted.length > next ? next : undefined,
    cut: more || undefined,
  };
}

/** As many entries as fit into a page, at least one. */
function pageOf(entries: readonly FileSystemEntry[], directory: string): Reply['contents'] {
  const page: Reply['contents'] = [];
  let room = MAX_LISTING_BYTES;
  for (const { name, type, isPrivate } of entries) {
    const entry = {
      name: showBytes(name),
      absolute_path_string: writtenPath(join(directory, name)),
      is_dir: type === 'directory',
      type,
      private: isPrivate,
    };
    room -= Buffer.byteLength(safeJson(entry));
    if (room < 0 && page.length > 0) break;
    page.push(entry);
  }
  return page;
}

function pathOf(given: string | undefined, { path, relativity }: Body, cwd: string): string {
  if (given !== undefined) return given;
  if (typeof path === 'string' && isTypedAbsolute(path)) return path;
  return join(startOf(relativity, cwd), ...(typeof path === 'string' ? [path] : (path ?? [])));
}

function byKindAndName(a: FileSystemEntry, b: FileSystemEntry): number {
  const kind = Number(b.type === 'directory') - Number(a.type === 'directory');
  return kind || (a.name < b.name ? -1 : Number(a.name > b.name));
}

// `GET /api/v0/resolve-path`: the real path, also for a path whose end does not exist yet.

const resolveQuery = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path'),
});

const resolveReply = z.object({ resolved_path: z.string() }).describe('The path without links');

export const resolvePathRoute = ({ offer, metrics }: RouteContext): HttpRoute =>
  route<z.infer<typeof resolveQuery>>({
    method: 'get',
    path: '/api/v0/resolve-path',
    summary: 'Where a path leads',
    query: resolveQuery,
    replies: { 200: { about: 'The real path', schema: resolveReply }, 403: declaredFailure },
    handle: (exchange, { query: { path } }) =>
      reading(metrics, 'resolve-path', exchange, async (signal) => {
        const { access } = offer.engine();
        const resolved = await resolvePath(access, absolute(access, path), signal, MAX_LINKS);
        return { resolved_path: writtenPath(resolved) };
      }),
  });

/** More links count as a loop. Source: MAXSYMLINKS in linux/namei.h. */
const MAX_LINKS = 40;

/** Errors after which the directory of the path is resolved instead. */
const UNOPENED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['NOT_FOUND', 'NOT_REGULAR', 'DENIED']);

async function resolvePath(
  access: FileAccess,
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

// `GET /api/v0/read-file-lines`: a numbered window over a text file. It is refused if it does not fit. Errors of the file
// system are in the response, not HTTP errors.

/** A request may raise a limit up to this factor. */
const MAX_LIMIT_FACTOR = 8;

const tuned = (about: string, base: number) =>
  countInQuery(`${about}; ${base} when absent or 0`, base * MAX_LIMIT_FACTOR);

const { fileSize, lineBytes, responseLines, responseBytes } = fileLinesLimits;

const linesQuery = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path of a text file'),
  offset: countInQuery('First line, 1-based; 1 when absent or 0').optional(),
  limit: countInQuery(`Lines; max_response_lines when absent or 0`).optional(),
  max_file_size: tuned('Bytes of a file that is read without offset and limit', fileSize).optional(),
  max_line_bytes: tuned('Bytes shown of one line', lineBytes).optional(),
  max_response_lines: tuned('Lines of the answer', responseLines).optional(),
  max_response_bytes: tuned('Bytes of the answer, numbers and joiners included', responseBytes).optional(),
});

const linesReply = z
  .object({
    success: z.boolean(),
    file_size: z.int().describe('Bytes as stored'),
    total_lines: z.int(),
    lines_read: z.int(),
    content: z.string().describe('Lines as "number, tab, text", joined by line feeds'),
    error: z.string().describe('Empty on success'),
    escaped_characters: z.int().optional().describe('Hidden characters shown as escapes'),
    invalid_sequences: z.int().optional().describe('Invalid sequences shown as U+FFFD'),
    byte_order_mark: z.literal(true).optional().describe('A byte order mark was taken off'),
    encoding: z.string().optional().describe('How the text is stored, where that is not UTF-8'),
    encoding_guessed: z.literal(true).optional().describe('The text does not say so: it is a guess'),
  })
  .describe('A window over a file, or why there is none');

type Query = z.infer<typeof linesQuery>;

export const readFileLinesRoute = ({ offer, metrics }: RouteContext): HttpRoute =>
  route<Query>({
    method: 'get',
    path: '/api/v0/read-file-lines',
    summary: 'Lines of a text file, numbered',
    query: linesQuery,
    replies: {
      200: { about: 'The lines, or what the file system says', schema: linesReply },
      503: { about: 'Too many calls wait', schema: problemSchema },
    },
    async handle(exchange, { query: asked }) {
      const { signal, client } = exchange;
      const reader = readFileLines(asked, {
        fileSize: asked.max_file_size || fileSize,
        lineBytes: asked.max_line_bytes || lineBytes,
        responseLines: asked.max_response_lines || responseLines,
        responseBytes: asked.max_response_bytes || responseBytes,
      });
      const ended = countOf(metrics, reader.name);
      let error: OrielError | undefined;
      const failure = (failed: OrielError): FileLines => reader.failure((error = failed));
      const options = { limits: baseLimits, dialect: 'coder', signal, caller: client, ...taskOf(exchange) };
      const lines = await callTool(offer.engine(client), { ...reader, failure }, undefined, options);
      ended({ bytes: Buffer.byteLength(lines.content), error: error?.code });
      // Not an error of the file system.
      if (error instanceof QueueFull) throw error;
      return jsonReply({ ...lines, error: withAbsoluteCall(lines.error, offer.engine(client).access.cwd) });
    },
  });

// `GET /api/v0/private`: the rules for private files, only for the operator, because a client could aim at what they name.

const privateQuery = z.strictObject({
  path: z.string().min(1).optional().describe('Path of a file, about which the rules are asked'),
});

const privateReply = z
  .object({
    rules: z
      .array(
        z.object({
          rule: z.string().describe('As it was written'),
          from: z.string().describe('A rule file, --deny, or the default list'),
          line: z.int().optional().describe('In the rule file, 1-based'),
        }),
      )
      .describe('All that are in force'),
    decision: z
      .object({
        private: z.boolean(),
        message: z.string().describe('One sentence, with the rule that decides'),
      })
      .optional()
      .describe('Where a path was given'),
  })
  .describe('The rules for private files');

export const privateRoute = ({ offer, metrics, isOperator }: RouteContext): HttpRoute =>
  route<z.infer<typeof privateQuery>>({
    method: 'get',
    path: '/api/v0/private',
    summary: 'The rules for private files, for the operator',
    query: privateQuery,
    replies: {
      200: { about: 'The rules', schema: privateReply },
      403: { about: 'It is not the token of the operator', schema: problemSchema },
    },
    handle: (exchange, { query: { path } }) =>
      reading(metrics, 'private', exchange, async (signal): Promise<z.infer<typeof privateReply>> => {
        if (!isOperator(exchange)) throw new OrielError('DENIED', NOT_THE_OPERATOR);
        const { access } = offer.engine();
        const rules = await rulesInForce(access);
        if (path === undefined) return { rules };
        const why = await whyPrivate(access, access.absolute(path), signal);
        return {
          rules,
          decision: { private: why !== undefined, message: why ?? `${quote(path)} is not private.` },
        };
      }),
  });

const NOT_THE_OPERATOR =
  'The rules for private files are shown to the operator, who sends the token of --operator-token-file FILE, or of the link that oriel serve printed.';
