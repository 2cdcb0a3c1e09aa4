/** The inputs of `grep`, `find` and `ls` in all dialects, and their default limits. */

import type { SchemaKit } from '../call/dialect.ts';
import { type GlobInPath, OrielError } from '../errors.ts';
import { globAtPath } from '../files/glob-text.ts';
import { errorAnswer } from '../render/notices.ts';
import { oneLine, quote, safeJson } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { FindRequest, ListRequest, SearchRequest } from '../types/request.ts';

export const MATCHES = 100;
/** Maximum characters of a matching line. */
export const LINE_CHARACTERS = 500;
export const RESULTS = 1000;
export const ENTRIES = 500;

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly literal?: boolean | undefined;
  readonly context?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** The fields that all searches share. */
export function searched({
  pattern,
  path,
  glob,
  ignoreCase = false,
  literal = false,
  offset = 0,
}: GrepInput): Pick<SearchRequest, 'pattern' | 'path' | 'glob' | 'ignoreCase' | 'literal' | 'offset'> {
  return {
    pattern,
    path,
    glob,
    ignoreCase,
    literal,
    offset,
  };
}

/** `keep`: whether the head of a long line is shown, or the part around the match. */
export function searchRequest(input: GrepInput, keep: SearchRequest['clip']['keep']): SearchRequest {
  const { context = 0, limit = MATCHES } = input;
  return {
    kind: 'search',
    ...searched(input),
    before: context,
    after: context,
    limit,
    clip: { characters: LINE_CHARACTERS, keep },
  };
}

export interface FindInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export function findRequest({ pattern, path, limit = RESULTS, offset = 0 }: FindInput): FindRequest {
  return { kind: 'find', pattern, path, limit, offset };
}

export interface LsInput {
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export function listRequest({ path, limit = ENTRIES, offset = 0 }: LsInput): ListRequest {
  return { kind: 'list', path, limit, offset };
}

export function countField(zod: SchemaKit, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return zod.int().min(least).max(most).optional();
}

// The errors of `grep`, `find` and `ls`, with the complete next call.

const MAX_ERROR_CALL_BYTES = 800;

type ListTool = 'grep' | 'find' | 'ls';
type ListInput = GrepInput | Partial<FindInput> | LsInput;

/**
 * The answer to an error of a tool with several fields: `next` becomes the complete input of a call, in which the fields that
 * the error suggests, or the path or glob, are replaced. `reads`: whether the `read` of the dialect opens whatever one path
 * names.
 */
export function listFailure(
  tool: ListTool,
  error: OrielError,
  input: ListInput | undefined,
  { reads = true } = {},
): Answer {
  if (!input) return errorAnswer(error);
  if (error.glob) return errorAnswer(withGlobMoved(error, error.glob, tool, input));
  // The suggestion is to read the same path, which is a call of another tool.
  if (error.next === input.path || error.next === `${input.path}:raw`)
    return errorAnswer(reads ? error : withoutAdvice(error));
  const glob = 'glob' in input && input.glob !== undefined ? 'glob' : 'pattern';
  return errorAnswer(withWholeCall(error, input, error.code === 'BAD_INPUT' ? glob : 'path'));
}

function withoutAdvice(error: OrielError): OrielError {
  return error.why === error.message ? error : new OrielError(error.code, error.why, { cause: error });
}

/** The error for a glob in the path, with the call that has it in the field for globs. */
function withGlobMoved(
  { code, why, cause }: OrielError,
  { at: path, glob }: GlobInPath,
  tool: ListTool,
  input: ListInput,
): OrielError {
  const moved = (words: string, fields?: Readonly<Record<string, string>>): OrielError => {
    const next = fields && safeJson(fields);
    return withWholeCall(new OrielError(code, `${why}${words}`, { next, cause }), input, 'path');
  };
  if (tool === 'ls') {
    // The directory has the entries that `*` matches.
    return glob === '*'
      ? moved(`: a directory is listed as a whole. Use ${oneLine(path)}.`, { path })
      : moved(`: ls takes no glob. Use find ${findCall({ at: path, glob })}.`);
  }
  const use = `Use path=${oneLine(path)}`;
  if (tool === 'find') return moved(`; the path of find is one directory. ${use}.`, { path });
  const words = '; a glob is a field of its own';
  if ('glob' in input && input.glob) return moved(`${words}, and the call has one. ${use}.`, { path });
  const both = globAtPath(glob);
  return both.length > MAX_ERROR_CALL_BYTES / 2
    ? moved(`${words}. ${use}.`, { path })
    : moved(`${words}. ${use} with the glob ${oneLine(both)}.`, { path, glob: both });
}

/** The error of `read` for a glob, with the call of `find` that lists the files which match it. */
export function withFindCall(error: OrielError): OrielError {
  const { code, why, next, glob } = error;
  if (!glob) return error;
  const listing = next === undefined ? '' : `, or ${quote(next)}`;
  const message = `${why} Use find ${findCall(glob)} for the files that match${listing}.`;
  return new OrielError(code, message, { next, cause: error });
}

/** The input of `find` for the files that match a glob below a directory. */
function findCall({ at, glob }: GlobInPath): string {
  if (at === '.') return safeJson({ pattern: glob });
  // A pattern without a slash would match at every depth. The path is searched also if it is ignored or a link.
  return safeJson({ pattern: glob.includes('/') ? glob : `/${glob}`, path: at });
}

/** The error with a complete call as `next`: `input` with the fields in `next` replaced, or with `next` as `field`. */
export function withWholeCall(error: OrielError, input: object, field: string): OrielError {
  const { code, message, next } = error;
  if (next === undefined) return error;
  const call = safeJson({ ...input, ...(fieldsIn(next) ?? { [field]: next }) });
  const fits = Buffer.byteLength(call) <= MAX_ERROR_CALL_BYTES;
  return new OrielError(code, message, { next: fits ? call : undefined, cause: error });
}

function fieldsIn(next: string): Record<string, unknown> | undefined {
  if (!next.startsWith('{"')) return undefined;
  try {
    return JSON.parse(next) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
