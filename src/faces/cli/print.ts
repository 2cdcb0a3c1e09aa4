/** Prints answers to a terminal or a pipe. */

import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { styleText } from 'node:util';
import { NO_FILES, NO_MATCHES } from '../../render/list-notices.ts';
import { makeVisible, oneLine, safeJson } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { Progress } from '../../types/session.ts';
import type { CliStreams, ExitCode } from './options.ts';
import { pasteableError, pasteableNotices, type TypedCommand } from './quote-calls.ts';

/**
 * Prints an answer and returns the exit code. An error is one line on stderr; the output of a failed command goes to stdout.
 * With `typed`, sentences are rewritten for the command line.
 */
export function printAnswer(
  answer: Answer,
  streams: CliStreams,
  asJson: boolean,
  typed?: TypedCommand,
): ExitCode {
  const code = exitCodeOf(answer);
  if (asJson) {
    streams.out.write(`${safeJson(answer)}\n`);
    return code;
  }
  for (const block of answer.content) {
    if (block.type === 'image') {
      const bytes = Buffer.byteLength(block.data, 'base64');
      streams.err.write(`(an image of ${bytes} bytes, ${block.mimeType}; --json prints it)\n`);
    } else if (answer.isError && answer.details.error !== undefined) {
      // The output of a command says itself how the command failed.
      if ('timedOut' in answer.details) streams.out.write(forStream(block.text, answer, streams.out, typed));
      else printError(pasteableError(block.text, answer.details, typed), streams);
    } else streams.out.write(forStream(block.text, answer, streams.out, typed));
  }
  return code;
}

export function printError(message: string, { err }: CliStreams): void {
  const line = `oriel: ${oneLine(message)}`;
  err.write(`${usesColour(err) ? paint('red', line) : line}\n`);
}

function exitCodeOf({ isError, details }: Answer): ExitCode {
  const { code } = Object(details.error) as { readonly code?: string | undefined };
  // A window past the end counts as nothing found.
  if (isError) return code === 'OUT_OF_RANGE' ? 1 : 2;
  if (details.error !== undefined) return 1;
  const { method, status } = (details.meta ?? {}) as { readonly method?: unknown; readonly status?: unknown };
  if (method !== 'failed') return 0;
  // A missing page counts as nothing found; a page that the server refuses or fails to send is an error.
  return status === 404 || status === 410 ? 1 : 2;
}

function forStream(
  text: string,
  answer: Answer,
  out: NodeJS.WriteStream,
  typed: TypedCommand | undefined,
): string {
  const notices = answer.details.notices?.length ? pasteableNotices(answer, typed) : [];
  const pasted = notices.reduce((shown, [line, printed]) => {
    const at = line === printed ? -1 : shown.lastIndexOf(line);
    return at < 0 ? shown : shown.slice(0, at) + printed + shown.slice(at + line.length);
  }, text);
  const ended = pasted === '' || pasted.endsWith('\n') ? pasted : `${pasted}\n`;
  // Raw text may contain escape sequences, which must not reach a terminal.
  const safe = out.isTTY ? makeVisible(ended).text : ended;
  return usesColour(out) ? colour(safe, new Set(notices.map(([, printed]) => printed)), typed) : safe;
}

// Colours answers on a terminal: notices, line numbers and paths.

type Style = Parameters<typeof styleText>[0];

/** NO_COLOR and FORCE_COLOR as in other tools; NO_COLOR has priority. */
function usesColour(out: NodeJS.WriteStream): boolean {
  const { NO_COLOR: no, ...env } = process.env;
  const { FORCE_COLOR: force, TERM: terminal } = env;
  if (no) return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  // Without an empty NO_COLOR, which Node.js takes for a set one.
  return out.isTTY && terminal !== 'dumb' && out.hasColors(env);
}

/** `styleText` without its own check of the environment. */
function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** `notices`: whole lines of `text`. With `typed`, the paths of its command are coloured too. */
function colour(text: string, notices: ReadonlySet<string>, typed?: TypedCommand): string {
  const line = typed && listsPaths(typed) ? colourPath : colourLine;
  return text
    .split('\n')
    .map((one) => (notices.has(one) ? paint('yellow', one) : line(one)))
    .join('\n');
}

/** Whether a line is a path, or with `--count` a path and a number. */
function listsPaths({ name, values }: TypedCommand): boolean {
  if (name === 'grep') return values['files'] === true || values['count'] === true;
  return name === 'ls' || (name === 'find' && values['symbol'] === undefined);
}

const NOTHING: ReadonlySet<string> = new Set([NO_FILES, NO_MATCHES, '(empty directory)', '']);

function colourPath(line: string): string {
  if (NOTHING.has(line)) return line;
  const [, path = line, count] = /^(.+): (\d+)$/.exec(line) ?? [];
  return paint('magenta', path) + (count === undefined ? '' : `: ${paint('green', count)}`);
}

/** `12|text` of a file, `path:12: text` and `path-12- text` of a search. */
function colourLine(line: string): string {
  const numbered = /^( *\d+)(\|)/.exec(line);
  if (numbered) return `${paint('green', numbered[1] as string)}|${line.slice(numbered[0].length)}`;
  const match = /^(.{1,4096}?)([:-])(\d+)\2 /.exec(line);
  if (!match) return line;
  const [all, path, mark, no] = match as unknown as [string, string, string, string];
  return `${paint('magenta', path)}${mark}${paint('green', no)}${mark} ${line.slice(all.length)}`;
}

// Shows the output of a command on a terminal while it runs, and below it only how the command ended.

interface LiveOutput {
  /** Shows a chunk, whose memory may be reused afterwards. Wait for a returned promise before the next chunk: backpressure. */
  write(this: void, chunk: Uint8Array): Promise<void> | undefined;
  hasBegun(): boolean;
  /** Shows how the command ended, if it failed, and where a long output is kept. */
  end(answer: Answer): void;
}

export function liveOutput(out: NodeJS.WriteStream): LiveOutput {
  const decoder = new StringDecoder('utf8');
  let last = '';
  return {
    write(chunk) {
      const text = decoder.write(Buffer.from(chunk));
      if (text === '') return undefined;
      last = text;
      // Escape sequences could repaint the terminal.
      return out.write(makeVisible(text).text) ? undefined : drained(out);
    },
    hasBegun: () => last !== '',
    end({ details }) {
      const error = details['error'] as { readonly message?: string | undefined } | undefined;
      const { artifact } = (details['output'] ?? {}) as { readonly artifact?: string | undefined };
      const said = [
        ...(error?.message === undefined ? [] : [error.message]),
        ...(artifact === undefined ? [] : [`[The whole output is kept: oriel read ${artifact}]`]),
      ];
      if (!last.endsWith('\n')) out.write('\n');
      for (const line of said) out.write(`${usesColour(out) ? paint('yellow', line) : line}\n`);
    },
  };
}

async function drained(out: NodeJS.WriteStream): Promise<void> {
  await once(out, 'drain');
}

// Shows the progress of a long call on one line of a terminal.

const EVERY_MS = 100;
const SILENT_MS = 500;

interface ProgressLine {
  show(progress: Progress): void;
  clear(): void;
}

/** Shows nothing: without a terminal, and for calls whose output is shown live. */
export const silent: ProgressLine = { show: () => undefined, clear: () => undefined };

/** Writes nothing if stderr is not a terminal. Shows the elapsed seconds until the call reports progress. */
export function progressOn(err: NodeJS.WriteStream): ProgressLine {
  if (!err.isTTY) return silent;
  const began = performance.now();
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  const write = (message: string): void => {
    last = performance.now();
    shown = true;
    err.write(`\r\x1b[K${oneLine(message).slice(0, Math.max(20, err.columns - 1))}`);
  };
  const clock = setInterval(
    () => write(`working for ${Math.ceil((performance.now() - began) / 1_000)} s`),
    SILENT_MS,
  );
  clock.unref();
  return {
    show({ message }) {
      clearInterval(clock);
      if (performance.now() - last >= EVERY_MS) write(message);
    },
    clear() {
      clearInterval(clock);
      if (shown) err.write('\r\x1b[K');
      shown = false;
    },
  };
}
