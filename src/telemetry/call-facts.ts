/** Extracts the facts of a call from its request and result: what was read, which part of it, which limit cut it. */

import { createHash } from 'node:crypto';
import { oneLine } from '../text/visible.ts';
import type { Excerpt, Window } from '../types/excerpt.ts';
import type { EngineRequest } from '../types/request.ts';
import type { EngineResult, ReadOrigin, RunResult, SingleResult, TextResult } from '../types/result.ts';
import type { ListFacts, NumberSpan, ReadFacts } from '../types/telemetry.ts';

/** Maximum ranges of a read; further ones are merged into the last one. */
const MAX_READ_SPANS = 16;

const MAX_WINDOW_CHARACTERS = 80;

/** What was read; undefined for a list. After a failure there is no result, and only the requested path is known. */
export function readFacts(
  request: EngineRequest,
  result: EngineResult | undefined,
  dialect: string,
): readonly ReadFacts[] | undefined {
  const reads = allReads(request, result, dialect);
  return reads.length > 0 ? reads : undefined;
}

function allReads(
  request: EngineRequest,
  result: EngineResult | undefined,
  dialect: string,
): readonly ReadFacts[] {
  if (!result) return failed(request);
  switch (result.kind) {
    case 'several':
      return result.parts.flatMap(({ result: part }) =>
        typeof part === 'object' && 'kind' in part
          ? singleRead(part, dialect).map((read) => ({ ...read, shown: shownOf(part) }))
          : [],
      );
    case 'text':
    case 'summary':
    case 'image':
    case 'note':
    case 'binary':
      return singleRead(result, dialect);
    case 'too-large':
      return [origin(result)];
    case 'workspace':
      return request.kind === 'lines' ? [{ source: sourceName(`${request.on}:${request.path}`) }] : [];
    case 'run':
      return keptOutputs(result);
    default:
      return [];
  }
}

/** The fields in which pi reports that the caller's limit cut a list; for other limits it has `truncatedBy`. */
const PI_LIMITS = ['matchLimitReached', 'resultLimitReached', 'entryLimitReached'];

/** Undefined if the answer is not a list. `details`: those of the answer, which say what fitted. */
export function listFacts(
  request: EngineRequest,
  details: Readonly<Record<string, unknown>> | undefined,
): ListFacts | undefined {
  if (!('offset' in request)) return undefined;
  const { offset, limit: _, ...question } = request;
  const { by, truncatedBy, next } = Object(details?.['truncation']) as {
    by?: string | undefined;
    truncatedBy?: string | undefined;
    next?: { offset?: number | undefined } | undefined;
  };
  const reached = PI_LIMITS.some((name) => details?.[name] !== undefined) ? 'limit' : undefined;
  const cutBy = by ?? truncatedBy ?? reached;
  return {
    query: digest(JSON.stringify(question)),
    from: offset,
    next: typeof next?.offset === 'number' ? next.offset : undefined,
    cutBy,
  };
}

function failed(request: EngineRequest): readonly ReadFacts[] {
  if (request.kind === 'read') return [{ source: sourceName(request.target) }];
  return request.kind === 'lines' ? [{ source: sourceName(request.path) }] : [];
}

function singleRead(result: SingleResult, dialect: string): readonly ReadFacts[] {
  switch (result.kind) {
    case 'text':
      return [textRead(result, dialect)];
    case 'summary': {
      const { totals, ...map } = result;
      // Its lines do not count as shown, because a reader usually needs more than signatures.
      return [{ ...origin(map), view: 'map', totalLines: totals.lines, totalBytes: totals.bytes }];
    }
    case 'image':
    case 'note':
    case 'binary':
      return [origin(result)];
  }
}

/** Characters of the shown lines, without prefixes and notices. */
function shownOf(result: SingleResult): number {
  const lines =
    result.kind === 'text'
      ? result.excerpt.parts.flat()
      : result.kind === 'summary'
        ? result.summary.parts
        : [];
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function origin({ target, format, identity }: ReadOrigin): ReadFacts {
  return { source: sourceName(target), what: format, version: identity && digest(identity.key) };
}

function textRead(result: TextResult, dialect: string): ReadFacts {
  const { excerpt, selection } = result;
  const { source, what, version } = origin(result);
  return {
    source,
    what,
    version,
    view: viewOf(result),
    window: selection.window && written(selection.window),
    ...spansOf(excerpt),
    totalLines: excerpt.totals.lines,
    totalBytes: excerpt.totals.bytes,
    cutBy: excerpt.cutBy ?? (saysMore(result, dialect) ? 'window' : undefined),
  };
}

function viewOf({ selection, notes }: TextResult): string | undefined {
  const { mode } = selection;
  if (mode !== undefined && mode !== 'raw') return mode;
  return notes.some(({ kind }) => kind === 'outline') ? 'outline' : undefined;
}

/** Whether the answer names a next page although no limit cut it: other dialects do that for all windows, zed for byte windows. */
function saysMore({ excerpt, selection }: TextResult, dialect: string): boolean {
  if (dialect === 'oriel' || (dialect === 'zed' && selection.window?.kind !== 'bytes')) return false;
  const { span, totals } = excerpt;
  return span !== undefined && totals.bytes !== undefined && span.end < totals.bytes;
}

/** The kept outputs of a command, whose other parts may be read later. */
function keptOutputs({ streams }: RunResult): readonly ReadFacts[] {
  return streams.flatMap(({ spill, excerpt }) =>
    spill
      ? [
          {
            source: spill.url,
            what: 'internal',
            ...spansOf(excerpt),
            totalBytes: spill.bytes,
            cutBy: excerpt.cutBy,
          },
        ]
      : [],
  );
}

function spansOf({ parts }: Excerpt): Pick<ReadFacts, 'lines' | 'bytes'> {
  const lines: NumberSpan[] = [];
  const bytes: NumberSpan[] = [];
  let counted = true;
  for (const part of parts) {
    const first = part[0];
    const last = part[part.length - 1];
    if (!first || !last) continue;
    addSpan(bytes, first.start, last.end);
    if (first.no === undefined || last.no === undefined) counted = false;
    else addSpan(lines, first.no, last.no);
  }
  return {
    lines: counted && lines.length > 0 ? lines : undefined,
    bytes: bytes.length > 0 ? bytes : undefined,
  };
}

/** Adds a span; at the maximum it extends the last one. */
function addSpan(spans: NumberSpan[], from: number, to: number): void {
  if (spans.length < MAX_READ_SPANS) spans.push([from, to]);
  else spans[MAX_READ_SPANS - 1] = [(spans[MAX_READ_SPANS - 1] as NumberSpan)[0], to];
}

/** A window in the syntax of a selector, without the colon. */
function written(window: Window): string {
  switch (window.kind) {
    case 'lines':
      return window.ranges
        .map(({ from, to }) => `${from}..${to ?? ''}`)
        .join(',')
        .slice(0, MAX_WINDOW_CHARACTERS);
    case 'bytes':
      return `@${window.start}${window.length === undefined ? '' : `+${window.length}`}`;
    case 'ends':
      return `${window.from}..`;
    case 'tail':
      return `-${window.lines}${window.before === undefined ? '' : `@${window.before}`}`;
  }
}

// Sanitizes names from callers and files: one line, bounded, without hidden characters, without secrets.

export const MAX_PATH_CHARACTERS = 400;

const MAX_TASK_NAME_CHARACTERS = 200;

export const MAX_HOST_NAME_CHARACTERS = 100;

/** Printable ASCII, which needs no escaping. */
const PLAIN = /^[ -~]*$/;

/** A path; an overlong one is replaced by its head and a digest, so that different paths stay different. */
export function shortName(path: string, most: number = MAX_PATH_CHARACTERS): string {
  if (path.length <= most && PLAIN.test(path)) return path;
  const shown = oneLine(
    path.length > 2 * most ? path.slice(0, 2 * most).toWellFormed() : path.toWellFormed(),
  );
  if (shown.length <= most && path.length <= 2 * most) return shown;
  return `${shown.slice(0, most - 16).toWellFormed()}…${digest(path)}`;
}

/** The password in `a.pdf:password=…:p3`, up to the next colon. */
const PASSWORD = /(:password=)[^:]*/gi;

/** The credentials in `https://user:password@host`. */
const USER = /^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i;

/** Parameters of a URL that are credentials. */
const KEY =
  /([?&#;](?:[\w.-]*[_.-])?(?:access_?key|api_?key|auth|authorization|code|credentials?|jwt|key|pass|passwd|password|pwd|sas|secret|session|sig|signature|token)=)[^&#;]*/gi;

/** Queries of databases and sites: `q=` to the end of the path, `where=` to the next parameter. */
const QUERY = /([?&]q=)(.*)$|([?&]where=)(.*?)(?=&(?:limit|offset|order)=|$)/gis;

/** A path as it is recorded: without passwords and keys, and with a digest instead of a query. */
export function sourceName(path: string): string {
  if (!path.includes('=') && !path.includes('://')) return shortName(path);
  const open = path
    .replace(USER, '$1…@')
    .replace(PASSWORD, '$1…')
    .replace(QUERY, (_, q?: string, sql?: string, where?: string, conditions?: string) =>
      q === undefined ? `${where}…${digest(conditions ?? '')}` : `${q}…${digest(sql ?? '')}`,
    )
    .replace(KEY, '$1…');
  return shortName(open);
}

/** The sanitized name of a task that a caller gave; undefined if it gave none. */
export function taskName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = shortName(given.trim(), MAX_TASK_NAME_CHARACTERS);
  // A browser removes `.` and `..` from URLs, so such a task could not be requested.
  if (name === '.' || name === '..') return `task ${name}`;
  return name === '' ? undefined : name;
}

// A short, non-cryptographic digest that distinguishes texts without revealing them. It does not protect against guessing.

/** Equal for equal texts, the same in every process. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 11);
}
