/** zdx's `bash`: stdout and stderr unchanged, each within its own limit, and the files with the full outputs. */

import { OrielError } from '../errors.ts';
import { KIB } from '../limits.ts';
import { outputDisplays, showParts } from '../render/display.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits } from '../types/limits.ts';
import type { RunRequest } from '../types/request.ts';
import type { RunResult, RunStream } from '../types/result.ts';
import { runs, tool } from './dialect.ts';
import { failure, numeric, success } from './zdx-envelope.ts';

/** Maximum bytes of a stream. */
export const MAX_STREAM_BYTES = 50 * KIB;

interface BashInput {
  readonly command: string;
  readonly timeout?: number | undefined;
  readonly keep?: 'head' | 'ends' | undefined;
}

export const bash = tool<BashInput, RunRequest>({
  name: 'bash',
  title: 'Bash',
  example: { command: 'cargo test' },
  effects: runs,
  about: (limits) =>
    `Runs a command in bash, e.g. cargo test. Use read to look at files. Answers JSON: data.stdout and data.stderr, each cut after ${bytesOf(limits)} bytes; then ` +
    'stdout_truncated or stderr_truncated is true, the total is in stdout_total_bytes or stderr_total_bytes, and ' +
    'stdout_file or stderr_file is a file with all of it that read can page through. A command that fails or times out ' +
    'is ok too: see exit_code and timed_out.',
  input: (zod) =>
    zod.strictObject({
      command: zod.string().describe('What bash -c runs'),
      timeout: numeric(zod, zod.number())
        .optional()
        .describe('Seconds until the command is ended (default: 120 unless the host says otherwise)'),
      keep: zod
        .enum(['head', 'ends'])
        .optional()
        .describe(
          'What is shown of too long a stream: its head (the default), or head and tail (ends): then ' +
            'stdout_tail_byte or stderr_tail_byte is the byte of the stream at which the tail begins',
        ),
    }),
  limits: (_, limits) => ({
    ...limits,
    lines: Number.POSITIVE_INFINITY,
    bytes: bytesOf(limits),
    tokens: limits.tokens / 2,
    line: bytesOf(limits),
  }),
  request: ({ command, timeout, keep = 'head' }) => ({
    do: 'run',
    command,
    ...(timeout !== undefined && { timeout }),
    streams: 'split',
    keep,
    snap: 'char',
    display: 'stream',
  }),
  answer: runOf,
  failure,
});

/** The limit of each stream: both share the bytes of an answer. */
function bytesOf({ bytes }: Limits): number {
  return Math.min(MAX_STREAM_BYTES, Math.floor(bytes / 2));
}

function runOf(result: RunResult): Answer {
  if (result.cancelled) throw new OrielError('CANCELLED', 'The command was cancelled.');
  const [stdout, stderr] = result.streams as [RunStream, RunStream];
  const facts = {
    exit_code: result.exitCode ?? -1,
    timed_out: result.timedOut,
    stdout_truncated: stdout.truncated,
    stderr_truncated: stderr.truncated,
    stdout_total_bytes: stdout.bytes,
    stderr_total_bytes: stderr.bytes,
    ...cutFacts(stdout),
    ...cutFacts(stderr),
  };
  const { signal, background } = result;
  return success(
    { stdout: textOf(stdout), stderr: textOf(stderr), ...facts },
    { ...facts, ...(signal !== undefined && { signal }), background },
  );
}

function textOf({ excerpt }: RunStream): string {
  return showParts(excerpt.parts, outputDisplays.stream, '');
}

/** The fields about a truncated stream: the file with the full output. */
function cutFacts({ name, truncated, excerpt, spill, unkept }: RunStream): Record<string, unknown> {
  const [, tail] = excerpt.parts;
  return {
    ...(truncated && spill && { [`${name}_file`]: spill.path }),
    ...(truncated && unkept && { [`${name}_unkept`]: unkept }),
    ...(truncated && tail?.[0] && { [`${name}_tail_byte`]: tail[0].start }),
  };
}
