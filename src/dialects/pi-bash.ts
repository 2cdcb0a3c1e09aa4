/** pi's `bash`: the end of a long output, and the file with the full output. */

import { fullOutput, type Wording, wording } from '../render/notices.ts';
import { runAnswer } from '../render/run-answer.ts';
import type { Notice } from '../types/notice.ts';
import type { RunRequest } from '../types/request.ts';
import type { RunResult, RunStream } from '../types/result.ts';
import { type DeclaredTool, runs, tool } from './dialect.ts';
import { limitOf, type PiStyle } from './pi-style.ts';

interface BashInput {
  readonly command: string;
  readonly timeout?: number | undefined;
}

export function bash(style: PiStyle): DeclaredTool {
  return tool<BashInput, RunRequest>({
    name: 'bash',
    title: 'Bash',
    example: { command: 'npm test' },
    effects: runs,
    about: ({ lines, bytes }) =>
      'Execute a bash command in the current working directory, e.g. npm test. Use read, grep and find to look at files. Returns stdout and stderr, interleaved. Output is ' +
      `truncated to the last ${lines} lines or ${style.size(bytes)}, whichever is hit first; then a notice in brackets at the ` +
      'end names a file with the full output, which read can page through.',
    input: (zod) =>
      zod.strictObject({
        command: zod.string().describe('Bash command to execute'),
        timeout: zod.number().optional().describe('Timeout in seconds (default: 120)'),
      }),
    request: ({ command, timeout }) => ({
      do: 'run',
      command,
      ...(timeout !== undefined && { timeout }),
      streams: 'merged',
      keep: 'tail',
      snap: 'line',
      display: 'terminal',
    }),
    // If the empty line after the final newline is counted, it takes one line of the limit.
    limits: (_, limits) => (style.countsLast ? { ...limits, lines: Math.max(1, limits.lines - 1) } : limits),
    answer(run) {
      const { gap } = style;
      const outcome = gap === '' ? 'above' : 'below';
      const answer = runAnswer(run, wordsOf(style, run), { notices: 'together', gap, outcome });
      const facts = run.streams.map((stream) => factsOf(stream, run, style))[0];
      return { ...answer, details: { ...answer.details, ...facts } };
    },
  });
}

/** 1 if the output ends with a newline and the empty line after it is counted, otherwise 0. */
function lastLine({ countsLast }: PiStyle, { excerpt }: RunStream): 0 | 1 {
  return countsLast && excerpt.parts.at(-1)?.at(-1)?.text.endsWith('\n') ? 1 : 0;
}

function wordsOf(style: PiStyle, { streams }: RunResult): Wording {
  const more = streams[0] ? lastLine(style, streams[0]) : 0;
  const { size } = style;
  return {
    ...wording,
    'time-out': ({ seconds }) => `Command timed out after ${seconds} seconds`,
    'output-cut': (notice) => `Showing ${spanOf(notice, more, style)}. ${fullOutput(notice, size)}`,
    'output-binary': (notice) =>
      `The output is binary (${size(notice.bytes)}) and is not shown. ${fullOutput(notice, size)}`,
  };
}

type OutputCut = Extract<Notice, { kind: 'output-cut' }>;

function spanOf({ lines, totals, by, limits, partial }: OutputCut, more: 0 | 1, style: PiStyle): string {
  if (partial) {
    const whole = style.overSize(partial.bytes, limits);
    return `last ${style.size(partial.shown)} of line ${partial.no} (line is ${whole})`;
  }
  const why = by === 'lines' ? '' : ` (${limitOf(style, by, limits)})`;
  const [first, last] = [lines[0]?.[0] ?? 0, (lines.at(-1)?.[1] ?? 0) + more];
  return `lines ${first}-${last} of ${totals.lines + more}${why}`;
}

function factsOf(stream: RunStream, { limits }: RunResult, style: PiStyle): Record<string, unknown> {
  const { excerpt, bytes, lines, spill } = stream;
  const shown = excerpt.parts.flat();
  const more = lastLine(style, stream);
  return {
    ...(excerpt.cutBy && {
      truncation: {
        truncated: true,
        truncatedBy: excerpt.cutBy === 'lines' || excerpt.cutBy === 'tokens' ? excerpt.cutBy : 'bytes',
        outputLines: shown.length + more,
        outputBytes: excerpt.span ? excerpt.span.end - excerpt.span.start : 0,
        totalLines: lines + more,
        totalBytes: bytes,
        lastLinePartial: shown.at(-1)?.cut !== undefined,
        firstLineExceedsLimit: false,
        maxLines: limits.lines + (style.countsLast ? 1 : 0),
        maxBytes: limits.bytes,
      },
    }),
    ...(spill && { fullOutputPath: spill.path }),
  };
}
