/** pi's `bash`: the end of a long output, and the file that holds all of it. */

import { fullOutput, type Wording, wording } from '../render/notices.ts';
import { runAnswer } from '../render/run-answer.ts';
import { decimalSize } from '../render/units.ts';
import type { Notice } from '../types/notice.ts';
import type { RunRequest } from '../types/request.ts';
import type { RunResult, RunStream } from '../types/result.ts';
import { runs, tool } from './dialect.ts';
import { piLimit, piSize } from './pi-words.ts';

interface BashInput {
  readonly command: string;
  readonly timeout?: number | undefined;
}

export const bash = tool<BashInput, RunRequest>({
  name: 'bash',
  title: 'Bash',
  effects: runs,
  about: ({ lines, bytes }) =>
    'Execute a bash command in the current working directory, e.g. npm test. Use read, grep and find to look at files. Returns stdout and stderr, interleaved. Output is ' +
    `truncated to the last ${lines} lines or ${decimalSize(bytes)}, whichever is hit first; then a notice in brackets at the ` +
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
  answer(run) {
    const answer = runAnswer(run, words, 'together');
    return {
      ...answer,
      details: { ...answer.details, ...run.streams.map((stream) => piFacts(stream, run))[0] },
    };
  },
});

const words: Wording = {
  ...wording,
  'time-out': ({ seconds }) => `Command timed out after ${seconds} seconds`,
  'output-cut': (notice) => `Showing ${span(notice)}. ${fullOutput(notice, decimalSize)}`,
  'output-binary': (notice) =>
    `The output is binary (${decimalSize(notice.bytes)}) and is not shown. ${fullOutput(notice, decimalSize)}`,
};

function span({ lines, totals, by, limits, partial }: Extract<Notice, { kind: 'output-cut' }>): string {
  if (partial) {
    return `last ${decimalSize(partial.shown)} of line ${partial.no} (line is ${piSize(partial.bytes, limits)})`;
  }
  const why = by === 'lines' ? '' : ` (${piLimit(by, limits)})`;
  return `lines ${lines[0]?.[0] ?? 0}-${lines.at(-1)?.[1] ?? 0} of ${totals.lines}${why}`;
}

function piFacts(
  { excerpt, bytes, lines, spill }: RunStream,
  { limits }: RunResult,
): Record<string, unknown> {
  const shown = excerpt.parts.flat();
  return {
    ...(excerpt.cutBy && {
      truncation: {
        truncated: true,
        truncatedBy: excerpt.cutBy === 'lines' || excerpt.cutBy === 'tokens' ? excerpt.cutBy : 'bytes',
        outputLines: shown.length,
        outputBytes: excerpt.span ? excerpt.span.end - excerpt.span.start : 0,
        totalLines: lines,
        totalBytes: bytes,
        lastLinePartial: shown.at(-1)?.cut !== undefined,
        firstLineExceedsLimit: false,
        maxLines: limits.lines,
        maxBytes: limits.bytes,
      },
    }),
    ...(spill && { fullOutputPath: spill.path }),
  };
}
