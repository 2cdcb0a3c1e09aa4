/**
 * Extracts the facts of a call from its request and result: what was read, which part of it, which limit cut it. This runs
 * while the caller waits; the event is made later (`event-of-call.ts`).
 */

import type { Excerpt, Window } from '../types/excerpt.ts';
import type { Complete } from '../types/mutable.ts';
import type { Request } from '../types/request.ts';
import type { Origin, Result, RunResult, SingleResult, SummaryResult, TextResult } from '../types/result.ts';
import type { ListFacts, ReadFacts, Span, TextNote } from '../types/telemetry.ts';
import { sourceName } from './safe-names.ts';
import { digest } from './text-digest.ts';
import { textVersion } from './text-version.ts';

/** Maximum ranges of a read; further ones are merged into the last one. */
const MOST_SPANS = 16;

const MOST_WINDOW = 80;

/** What was read; undefined for a list. After a failure there is no result, and only the requested path is known. */
export function readsOf(
  request: Request,
  result: Result | undefined,
  dialect: string,
): readonly ReadFacts[] | undefined {
  const reads = allReads(request, result, dialect);
  return reads.length > 0 ? reads : undefined;
}

function allReads(request: Request, result: Result | undefined, dialect: string): readonly ReadFacts[] {
  if (!result) return failed(request);
  switch (result.is) {
    case 'several':
      return result.parts.flatMap(({ result: part }) =>
        typeof part === 'object' && 'is' in part
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
      return request.do === 'lines' ? [{ source: sourceName(`${request.on}:${request.path}`) }] : [];
    case 'run':
      return keptOutputs(result);
    default:
      return [];
  }
}

/** The fields in which pi reports that the caller's limit cut a list; for other limits it has `truncatedBy`. */
const PI_LIMITS = ['matchLimitReached', 'resultLimitReached', 'entryLimitReached'];

/** Undefined if the answer is not a list. `details`: those of the answer, which say what fitted. */
export function listOf(
  request: Request,
  details: Readonly<Record<string, unknown>> | undefined,
): ListFacts | undefined {
  if (!('offset' in request)) return undefined;
  const { offset, limit: _, ...question } = request;
  const { by, truncatedBy, next } = Object(details?.['truncation']) as {
    by?: string;
    truncatedBy?: string;
    next?: { offset?: number };
  };
  const reached = PI_LIMITS.some((name) => details?.[name] !== undefined) ? 'limit' : undefined;
  const cutBy = by ?? truncatedBy ?? reached;
  return {
    query: digest(JSON.stringify(question)),
    from: offset,
    ...(typeof next?.offset === 'number' && { next: next.offset }),
    ...(cutBy !== undefined && { cutBy }),
  };
}

function failed(request: Request): readonly ReadFacts[] {
  if (request.do === 'read') return [{ source: sourceName(request.target) }];
  return request.do === 'lines' ? [{ source: sourceName(request.path) }] : [];
}

function singleRead(result: SingleResult, dialect: string): readonly ReadFacts[] {
  switch (result.is) {
    case 'text':
      return [readOfText(noteOfText(result, dialect))];
    case 'summary':
      return [mapRead(result)];
    case 'image':
    case 'note':
    case 'binary':
      return [origin(result)];
  }
}

/** Characters of the shown lines, without prefixes and notices. */
function shownOf(result: SingleResult): number {
  const lines =
    result.is === 'text' ? result.excerpt.parts.flat() : result.is === 'summary' ? result.summary.parts : [];
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function origin({ target, kind, identity }: Origin): ReadFacts {
  const { source, version } = textVersion(target, identity);
  return { source, what: kind, version };
}

/** All fields in a fixed order, for speed: this runs in every read, while its caller waits. */
export function noteOfText(result: TextResult, dialect: string): TextNote {
  const { excerpt, selection, target, kind, identity } = result;
  const { parts, totals } = excerpt;
  const only = parts.length === 1 ? parts[0] : undefined;
  const [first, last] = [only?.[0], only?.[only.length - 1]];
  return {
    of: textVersion(target, identity),
    kind,
    view: viewOf(result),
    window: selection.window,
    cutBy: excerpt.cutBy ?? (saysMore(result, dialect) ? 'window' : undefined),
    totals,
    first: first?.no,
    last: last?.no,
    from: first?.start,
    to: last?.end,
    spans: parts.length > 1 ? spansOf(excerpt) : undefined,
  };
}

/** All fields in a fixed order (one hidden class), for speed. */
export function readOfText(text: TextNote): Complete<Omit<ReadFacts, 'shown'>> {
  const { of, kind, view, window, cutBy, totals, first, last, from, to, spans } = text;
  return {
    source: of.source,
    what: kind,
    version: of.version,
    view,
    window: window && written(window),
    lines: spans ? spans.lines : spanOf(first, last),
    bytes: spans ? spans.bytes : spanOf(from, to),
    totalLines: totals.lines,
    totalBytes: totals.bytes,
    cutBy,
  };
}

function spanOf(from: number | undefined, to: number | undefined): readonly Span[] | undefined {
  return from === undefined || to === undefined ? undefined : [[from, to]];
}

function viewOf({ selection, notes }: TextResult): string | undefined {
  const { mode } = selection;
  if (mode !== undefined && mode !== 'raw') return mode;
  return notes.some(({ kind }) => kind === 'outline') ? 'outline' : undefined;
}

/** Whether the answer names a next page although no limit cut it: other dialects do that for all windows, zed for byte windows. */
function saysMore({ excerpt, selection }: TextResult, dialect: string): boolean {
  if (dialect === 'oriel' || (dialect === 'zed' && selection.window?.by !== 'bytes')) return false;
  const { span, totals } = excerpt;
  return span !== undefined && totals.bytes !== undefined && span.end < totals.bytes;
}

/** A map: its lines do not count as shown, because a reader usually needs more than signatures. */
function mapRead({ totals, ...result }: SummaryResult): ReadFacts {
  return { ...origin(result), view: 'map', totalLines: totals.lines, totalBytes: totals.bytes };
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
            ...(excerpt.cutBy && { cutBy: excerpt.cutBy }),
          },
        ]
      : [],
  );
}

function spansOf({ parts }: Excerpt): Pick<ReadFacts, 'lines' | 'bytes'> {
  const lines: Span[] = [];
  const bytes: Span[] = [];
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
function addSpan(spans: Span[], from: number, to: number): void {
  if (spans.length < MOST_SPANS) spans.push([from, to]);
  else spans[MOST_SPANS - 1] = [(spans[MOST_SPANS - 1] as Span)[0], to];
}

/** A window in the syntax of a selector, without the colon. */
function written(window: Window): string {
  switch (window.by) {
    case 'lines':
      return window.ranges
        .map(({ from, to }) => `${from}..${to ?? ''}`)
        .join(',')
        .slice(0, MOST_WINDOW);
    case 'bytes':
      return `@${window.start}${window.length === undefined ? '' : `+${window.length}`}`;
    case 'ends':
      return `${window.from}..`;
    case 'tail':
      return `-${window.lines}${window.before === undefined ? '' : `@${window.before}`}`;
  }
}
