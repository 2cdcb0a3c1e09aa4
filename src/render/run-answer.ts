/** The answer of a command in the default wording: the output, the outcome, and notices about what was left out. */

import { writeSelector } from '../selector/selection.ts';
import type { Answer } from '../types/answer.ts';
import type { Notice } from '../types/notice.ts';
import type { RunResult, RunStream } from '../types/result.ts';
import { GAP, outputDisplays, showParts } from './display.ts';
import { detailOf, sentence, type Wording } from './notices.ts';
import { callsOf, withCalls } from './named-calls.ts';
import { shownLines } from './read-notices.ts';

/** How the output, the outcome and the notices are joined. */
export interface RunStyle {
  /** Brackets around each notice, or around all of them, joined by `. `. */
  readonly notices: 'each' | 'together';
  /** What is between them, after a newline. */
  readonly gap: '' | '\n';
  /** Whether the outcome is above the notices or below them. */
  readonly outcome: 'above' | 'below';
}

const plainStyle: RunStyle = { notices: 'each', gap: '', outcome: 'above' };

export function runAnswer(result: RunResult, words: Wording, style: RunStyle = plainStyle): Answer {
  const output = result.streams.map((stream) => shownOutput(stream, result)).join('');
  const ending = endingOf(result);
  const notices = [
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
  const joint = isEnded ? '' : (output.endsWith('\n') && style.gap === '' ? '' : '\n') + style.gap;
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
  const where = { ...(kept && { kept }), ...(stream.unkept && { unkept: stream.unkept.message }) };
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
      ...(streams.length > 1 && { stream: stream.name }),
      lines: shownLines(excerpt),
      totals: { lines, bytes },
      by: excerpt.cutBy,
      limits,
      ...(last?.cut &&
        oversized?.bytes !== undefined && {
          partial: { no: oversized.no ?? lines, shown: last.end - last.start, bytes: oversized.bytes },
        }),
      ...where,
      ...(kept && excerpt.next && { use: kept.url + writeSelector(excerpt.next) }),
    },
  ];
}

function facts(result: RunResult): Record<string, unknown> {
  const { exitCode, signal, timedOut, cancelled, background, streams, limits } = result;
  return {
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    timedOut,
    cancelled,
    ...((background.ended > 0 || background.left > 0) && { background }),
    ...Object.fromEntries(streams.map((stream) => [stream.name, streamFacts(stream)])),
    limits: { lines: limits.lines, bytes: limits.bytes },
  };
}

function streamFacts({ bytes, lines, binary, excerpt, spill, unkept }: RunStream): Record<string, unknown> {
  const { cutBy, next, span } = excerpt;
  return {
    totals: { bytes, lines },
    ...(binary && { binary }),
    ...(cutBy && {
      truncation: {
        by: cutBy,
        shown: { lines: shownLines(excerpt), ...(span && { bytes: [span.start, span.end] }) },
        ...(spill && next && { next: spill.url + writeSelector(next) }),
      },
    }),
    ...(spill && {
      artifact: spill.url,
      fullOutputPath: spill.path,
      ...(spill.capped && { capped: true }),
      ...(spill.unshared !== undefined && { unshared: spill.unshared }),
    }),
    ...(unkept && { unkept }),
  };
}
