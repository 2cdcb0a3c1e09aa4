/** Completes the part of a word after a colon: symbols of a file, members of an archive, tables of a database. */

import { symbolNames } from '../../code/parsed.ts';
import type { Answer } from '../../types/answer.ts';
import { withTool } from './dialect-tool.ts';
import type { CliStreams } from './options.ts';

/** Maximum number of completions, milliseconds, and limits of the reads. */
const MAX_COMPLETIONS = 200;
const MAX_COMPLETION_MS = 10_000;
const LIMITS = 'lines=20000,bytes=1M';

/** Complete words that begin with `word`, in the order of the file; none for a word without a colon, or at the timeout. */
export async function completeWord(word: string, streams: CliStreams): Promise<readonly string[]> {
  const [, file] = /^(.+):#[^:,]*$/.exec(word) ?? [];
  const [, front] = /^([^:]+:(?:.*[/:])?)[^/:]*$/.exec(word) ?? [];
  const late = {
    ...streams,
    signal: AbortSignal.any([streams.signal, AbortSignal.timeout(MAX_COMPLETION_MS)]),
  };
  const words = file ? await symbolsOf(file, late) : front ? await membersOf(front, late) : [];
  return words.filter((one) => one.startsWith(word)).slice(0, MAX_COMPLETIONS);
}

async function symbolsOf(file: string, streams: CliStreams): Promise<string[]> {
  const answer = await read(`${file}:raw`, streams);
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf(':')) + 1);
  const names = answer ? await symbolNames(name, textOf(answer), streams.signal) : [];
  return names.filter((one) => /^[\w$.]+$/.test(one)).map((one) => `${file}:#${one}`);
}

/** Members of an archive or of a directory in it, tables of a database. `front` ends with a colon or a slash. */
async function membersOf(front: string, streams: CliStreams): Promise<string[]> {
  const answer = await read(front.replace(/:$/, ''), streams);
  const { kind, meta = {} } = (answer?.details ?? {}) as {
    kind?: string | undefined;
    meta?: Record<string, unknown>;
  };
  const isList =
    (kind === 'archive' && 'entries' in meta && !('member' in meta)) ||
    (kind === 'sqlite' && 'tables' in meta);
  if (!answer || !isList) return [];
  const lines = textOf(answer).split('\n');
  const names = lines.filter((line) => line !== '' && !/^(?:\[|… )/.test(line));
  return names.map((line) => front + line.replace(/ \([^()]*\)$/, ''));
}

/** Undefined if it cannot be read. */
async function read(path: string, streams: CliStreams): Promise<Answer | undefined> {
  const values = { limits: LIMITS, offline: true };
  const answer = await withTool('read', values, streams, (ask) => ask({ path }));
  return answer.isError ? undefined : answer;
}

function textOf({ content }: Answer): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
