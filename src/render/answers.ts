/** The answers of reads and of commands in the default wording. */

import { pathToFileURL } from 'node:url';
import { OrielError } from '../errors.ts';
import { writeSelector } from '../selector/selection.ts';
import { encodeText } from '../text/encoding.ts';
import { oneLine, percentEncode } from '../text/visible.ts';
import type { Answer, Block, Notice, Truncation } from '../types/answer.ts';
import type { Excerpt, Limits } from '../types/excerpt.ts';
import type {
  BinaryResult,
  PartResult,
  ReadResult,
  RunResult,
  RunStream,
  SeveralResult,
  SingleResult,
  TextResult,
} from '../types/result.ts';
import { displays, GAP, isNumbered, outputDisplays, showParts } from './display.ts';
import {
  callsOf,
  detailOf,
  errorAnswer,
  type NoticeWording,
  say,
  sentence,
  withCall,
  withCalls,
  withNotices,
} from './notices.ts';
import { beyondNotice, readNotices, shownLines, summaryAnswer } from './read-notices.ts';

// The answer of a read: the text with its notices, and the same facts in `details`.

export function readAnswer(result: ReadResult, words: NoticeWording): Answer {
  if (result.kind === 'several') return severalAnswer(result, words);
  const prefix = result.suffix ? `${say({ kind: 'suffix', ...result.suffix }, words)}\n` : '';
  switch (result.kind) {
    case 'text':
      return textOf(result, prefix, words);
    case 'summary':
      return summaryAnswer(result, prefix, originFacts(result), words);
    case 'binary':
      return noteOf(result, binaryNotices(result), prefix, words);
    case 'note':
      return noteOf(result, [result.resource.note], prefix, words);
    case 'image': {
      const { text, image, notes = [] } = result.resource;
      const blocks: Block[] = [{ type: 'text', text: prefix + withNotices(text, notes, words) }];
      if (image) blocks.push(imageBlock(image));
      const notices = notes.map((notice) => detailOf(notice, words));
      return { content: blocks, details: { ...originFacts(result), notices }, isError: false };
    }
  }
}

/** Each path as a header with its content below it. The notices of a part are below it and name calls for its path. */
function severalAnswer(result: SeveralResult, words: NoticeWording): Answer {
  const answers = result.parts.map((part) => partAnswer(part, words));
  const texts = answers.map(({ content }, at) => {
    const shown = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return `${partHeader(result.parts[at]?.typed ?? '')}${shown}`;
  });
  const text = texts
    .map((part, at) => (at < texts.length - 1 && !part.endsWith('\n') ? `${part}\n` : part))
    .join('');
  const images = answers.flatMap(({ content }) => content.filter(({ type }) => type === 'image'));
  const cut = answers.flatMap(({ details }) => (details.truncation as ReadTruncation | undefined) ?? []);
  const [first, ...others] = cut.flatMap((one) => [one.next, ...(one.others ?? [])]);
  return {
    content: [{ type: 'text', text }, ...images],
    details: {
      ...originFacts(result),
      parts: answers.map(({ details }) => details),
      notices: answers.flatMap(({ details }) => details.notices ?? []),
      ...(first !== undefined && {
        truncation: { ...cut[0], next: first, ...(others.length > 0 && { others }) },
      }),
    },
    isError: false,
  };
}

/** The header line of a part. */
export function partHeader(typed: string): string {
  return `==> ${oneLine(typed)} <==\n`;
}

function partAnswer({ typed, result }: PartResult, words: NoticeWording): Omit<Answer, 'isError'> {
  if (result instanceof OrielError) return errorAnswer(withCall(result));
  if (!('full' in result)) return readAnswer(result, words);
  const notice: Notice = {
    kind: 'said',
    text: `not shown: the answer is full. Use ${oneLine(typed)} to read it`,
  };
  const details = {
    source: typed,
    notices: [detailOf(notice, words)],
    truncation: { by: result.full, next: typed },
  };
  return { content: [{ type: 'text', text: say(notice, words) }], details };
}

function textOf(result: TextResult, prefix: string, words: NoticeWording): Answer {
  const { excerpt, display, snapshot, selection, above } = result;
  const notices = readNotices(result);
  const gap = isNumbered(display) || display === displays.plain ? GAP : '';
  const body = showParts(excerpt.parts, display, gap);
  const header = above ?? (snapshot && body !== '' ? `${snapshot.header}\n` : '');
  const images = (result.images ?? []).map(imageBlock);
  // A read of an empty text without a window is complete, not past the end.
  const pastEnd = excerpt.pastEnd === true && selection.window !== undefined;
  const details = textFacts(result);
  const truncation = truncationOf(result);
  if (truncation) details['truncation'] = truncation;
  if (snapshot) details['snapshot'] = snapshot.tag;
  if (notices.length > 0) details['notices'] = notices.map((notice) => detailOf(notice, words));
  if (pastEnd) details['error'] = pastEndError(notices, words);
  const said = notices.length > 0 ? withNotices(body, notices, words) : body;
  return {
    content: [{ type: 'text', text: prefix + header + said }, ...images],
    details,
    isError: false,
  };
}

/** `details.truncation` of a read. */
interface ReadTruncation extends Truncation {
  readonly next: string;
}

/** Which limit cut the answer, and the calls that the text names for the rest. */
function truncationOf(result: TextResult): ReadTruncation | undefined {
  const { excerpt, target, selection, leftOut = [] } = result;
  const page = result.more && beyondNotice(result);
  const beyond = page?.kind === 'said' ? page.use : undefined;
  const cut = excerpt.next
    ? { by: excerpt.cutBy, next: target + writeSelector(excerpt.next, selection.mode) }
    : beyond !== undefined && ({ by: 'page', next: beyond } as const);
  const [first, ...others] = cut ? [cut.next, ...leftOut] : leftOut;
  if (first === undefined) return undefined;
  const lines = shownLines(excerpt);
  const { span } = excerpt;
  const shown = {
    lines: lines.length > 0 ? lines : undefined,
    bytes: span ? ([span.start, span.end] as const) : undefined,
  };
  const by = cut ? cut.by : 'entries';
  return { by: by || undefined, next: first, others: others.length > 0 ? others : undefined, shown };
}

/** `details.error` of a window past the end. The answer is not an error, but hosts may want to handle it. */
function pastEndError(notices: readonly Notice[], words: NoticeWording): Record<string, unknown> {
  const notice = notices.at(-1);
  const next = notice?.kind === 'past-end' ? (notice.continued ?? notice.use[0]) : undefined;
  const message = notice ? sentence(notice, words) : '';
  return { code: 'OUT_OF_RANGE', message, next };
}

function noteOf(
  result: Exclude<SingleResult, TextResult>,
  notices: readonly Notice[],
  prefix: string,
  words: NoticeWording,
): Answer {
  const details = { ...originFacts(result), notices: notices.map((notice) => detailOf(notice, words)) };
  const text = notices.map((notice) => say(notice, words)).join('\n');
  return { content: [{ type: 'text', text: prefix + text }], details, isError: false };
}

/** Media types of documents that are zip files: their parts can be read as members of an archive. */
const ZIPPED = /openxmlformats|opendocument|epub\+zip/;

function binaryNotices({ target, type, bytes, isNearlyText, changed }: BinaryResult): readonly Notice[] {
  const use = ZIPPED.test(type) ? `${target}:/` : isNearlyText ? `${target}:raw` : undefined;
  return [
    { kind: 'binary', target, type, bytes, use, isNearlyText: isNearlyText || undefined },
    ...(changed ? [{ kind: 'changed', target } as const] : []),
  ];
}

function imageBlock({ mimeType, data }: { mimeType: string; data: Uint8Array }): Block {
  return { type: 'image', mimeType, data: Buffer.from(data).toString('base64') };
}

/** The facts about what was read. */
function originFacts(result: ReadResult): Record<string, unknown> {
  const { target, resolvedPath, format, suffix, facts } = result;
  // Assigned one by one, here and below, because spreading is slower and this runs in every read.
  const written: Record<string, unknown> = {
    source: target,
    resolvedPath: writtenPath(resolvedPath),
    kind: format,
  };
  if (suffix) written['suffixResolution'] = suffix;
  if (Object.keys(facts).length > 0) written['meta'] = facts;
  return written;
}

/** The facts about a text: what was read, the window, and the totals. */
export function textFacts(result: TextResult): Record<string, unknown> {
  const { selection, excerpt, encoding } = result;
  const facts = originFacts(result);
  facts['window'] = selection.window;
  facts['mode'] = selection.mode;
  facts['totals'] = excerpt.totals;
  if (encoding.name !== 'utf-8') facts['encoding'] = encoding.name;
  if (encoding.known === 'guessed') facts['encodingGuessed'] = true;
  if (encoding.bom > 0) facts['byteOrderMark'] = true;
  if (excerpt.invalid > 0) facts['invalid'] = excerpt.invalid;
  facts['limits'] = jsonLimits(result.limits);
  return facts;
}

/** Omits infinite limits, because JSON has no infinity. */
function jsonLimits(limits: Limits): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(limits).filter(([, limit]) => limit !== undefined && limit !== Number.POSITIVE_INFINITY),
  );
}

// The answer of a command in the default wording: the output, the outcome, and notices about what was left out.

/** How the output, the outcome and the notices are joined. */
export interface RunStyle {
  /** Brackets around each notice, or around all of them, joined by `. `. */
  readonly notices: 'each' | 'together';
  /** What is between them, after a newline. */
  readonly gap: '' | '\n';
  /** Whether the final newline of the output is that newline also where there is a `gap`. */
  readonly sharesEnd?: boolean | undefined;
  /** Whether the outcome is above the notices or below them. */
  readonly outcome: 'above' | 'below';
}

const plainStyle: RunStyle = { notices: 'each', gap: '', outcome: 'above' };

export function runAnswer(result: RunResult, words: NoticeWording, style: RunStyle = plainStyle): Answer {
  const output = result.streams.map((stream) => shownOutput(stream, result)).join('');
  const ending = endingOf(result);
  const { capped, timeout } = result;
  const notices: Notice[] = [
    ...(capped === undefined ? [] : [{ kind: 'timeout-capped' as const, asked: capped, seconds: timeout }]),
    ...backgroundOf(result),
    ...result.streams.flatMap((stream) => outputNotices(stream, result)),
  ];
  const each = notices.map((notice) => detailOf(notice, words));
  const said = style.notices === 'each' || each.length < 2 ? each : [together(each)];
  const silent = output === '' && !ending && notices.length === 0;
  const outcome = ending && sentence(ending, words);
  const brackets = said.map(({ text }) => `[${text}]`);
  const ended = outcome === undefined ? [] : [outcome];
  const below = [
    ...(silent ? [words['no-output']({ kind: 'no-output' })] : []),
    ...(style.outcome === 'above' ? [...ended, ...brackets] : [...brackets, ...ended]),
  ];
  const isEnded = output === '' || below.length === 0;
  const joint = isEnded
    ? ''
    : (output.endsWith('\n') && (style.gap === '' || style.sharesEnd) ? '' : '\n') + style.gap;
  const text = output + joint + below.join(`\n${style.gap}`);
  return {
    content: [{ type: 'text', text }],
    details: {
      ...facts(result),
      ...(said.length > 0 && { notices: said }),
      ...(ending && outcome !== undefined && { error: { code: CODES[ending.kind], message: outcome } }),
    },
    isError: ending !== undefined,
  };
}

function together(each: readonly { readonly text: string }[]): { kind: string; text: string } {
  return withCalls({ kind: 'output', text: each.map(({ text }) => text).join('. ') }, each.flatMap(callsOf));
}

function shownOutput(stream: RunStream, { display }: RunResult): string {
  return stream.binary ? '' : showParts(stream.excerpt.parts, outputDisplays[display], GAP);
}

type Ending = Extract<Notice, { kind: 'exit' | 'signal' | 'time-out' | 'cancelled' }>;

const CODES = { exit: 'EXIT', signal: 'EXIT', 'time-out': 'TIMEOUT', cancelled: 'CANCELLED' } as const;

/** How the command ended; undefined for a success. */
function endingOf({ cancelled, timedOut, timeout, signal, exitCode = 0 }: RunResult): Ending | undefined {
  if (cancelled) return { kind: 'cancelled' };
  if (timedOut) return { kind: 'time-out', seconds: timeout };
  if (signal !== undefined) return { kind: 'signal', signal };
  return exitCode === 0 ? undefined : { kind: 'exit', code: exitCode };
}

/** Without a notice if a timeout or a cancellation ended all background processes, because that is expected. */
function backgroundOf({ background: { ended, left }, timedOut, cancelled }: RunResult): Notice[] {
  if (left === 0 && (ended === 0 || timedOut || cancelled)) return [];
  return [{ kind: 'background', ended, left }];
}

function outputNotices(stream: RunStream, { streams, limits }: RunResult): Notice[] {
  const { excerpt, bytes, lines, binary, spill: kept } = stream;
  const where = { kept, unkept: stream.unkept?.message };
  if (binary) return [{ kind: 'output-binary', bytes, ...where }];
  const invalid: Notice[] =
    excerpt.invalid > 0 ? [{ kind: 'invalid', count: excerpt.invalid, encoding: 'UTF-8' }] : [];
  if (!excerpt.cutBy) return invalid;
  const last = excerpt.parts.at(-1)?.at(-1);
  const { oversized } = excerpt;
  return [
    ...invalid,
    {
      kind: 'output-cut',
      stream: streams.length > 1 ? stream.name : undefined,
      lines: shownLines(excerpt),
      totals: { lines, bytes },
      by: excerpt.cutBy,
      limits,
      partial:
        last?.cut && oversized?.bytes !== undefined
          ? { no: oversized.no ?? lines, shown: last.end - last.start, bytes: oversized.bytes }
          : undefined,
      ...where,
      use: kept && excerpt.next ? kept.url + writeSelector(excerpt.next) : undefined,
    },
  ];
}

function facts(result: RunResult): Record<string, unknown> {
  const { exitCode, signal, timedOut, cancelled, background, streams, limits } = result;
  return {
    exitCode,
    signal,
    timedOut,
    cancelled,
    background: background.ended > 0 || background.left > 0 ? background : undefined,
    ...Object.fromEntries(streams.map((stream) => [stream.name, streamFacts(stream)])),
    limits: { lines: limits.lines, bytes: limits.bytes, unit: limits.unit },
  };
}

/** The runs of equal lines that are shown once: the first and the last line of each. */
function foldedIn({ parts }: Excerpt): readonly (readonly [number, number])[] | undefined {
  const runs = parts
    .flat()
    .flatMap(({ no = 1, folded }) => (folded ? [[no, no + folded.count - 1] as const] : []));
  return runs.length > 0 ? runs : undefined;
}

function streamFacts({ bytes, lines, binary, excerpt, spill, unkept }: RunStream): Record<string, unknown> {
  const { cutBy, next, span } = excerpt;
  return {
    totals: { bytes, lines },
    binary: binary || undefined,
    ...(cutBy && {
      truncation: {
        by: cutBy,
        shown: { lines: shownLines(excerpt), bytes: span ? [span.start, span.end] : undefined },
        next: spill && next ? spill.url + writeSelector(next) : undefined,
      },
    }),
    folded: foldedIn(excerpt),
    ...(spill && {
      artifact: spill.url,
      fullOutputPath: spill.path,
      capped: spill.capped || undefined,
      unshared: spill.unshared,
    }),
    unkept,
  };
}

/** The URL of an absolute path, which names it whatever characters and bytes it has. */
export function fileUrl(path: string): string {
  if (path.isWellFormed()) return pathToFileURL(path).href;
  return `file://${path.replace(/[^\w/.:=-]/gu, (character) => percentEncode(encodeText(character)))}`;
}

/** An absolute path for JSON, in which not all programs take what is not UTF-8. */
export function writtenPath(path: string): string {
  return path.isWellFormed() ? path : fileUrl(path);
}
