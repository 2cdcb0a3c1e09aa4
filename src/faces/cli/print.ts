/** Prints answers to a terminal or a pipe. */

import { safeJson } from '../../text/json.ts';
import { makeVisible, oneLine } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import { colour, usesColour, paint } from './colour.ts';
import type { ExitCode, Streams } from './command.ts';
import { pasteable, pasteableNotices } from './pasteable.ts';
import type { Typed } from './typed.ts';

/**
 * Prints an answer and returns the exit code. An error is one line on stderr; the output of a failed command goes to stdout.
 * With `typed`, sentences are rewritten for the command line.
 */
export function printAnswer(answer: Answer, streams: Streams, asJson: boolean, typed?: Typed): ExitCode {
  const code = exitCodeOf(answer);
  if (asJson) {
    streams.out.write(`${safeJson(answer)}\n`);
    return code;
  }
  for (const block of answer.content) {
    if (block.type === 'image') {
      const bytes = Buffer.byteLength(block.data, 'base64');
      streams.err.write(`(an image of ${bytes} bytes, ${block.mimeType}; --json prints it)\n`);
    } else if (answer.isError && 'error' in answer.details) {
      if (keepsOutput(answer)) streams.out.write(forStream(block.text, answer, streams.out, typed));
      else printError(pasteable(block.text, answer.details, typed), streams);
    } else streams.out.write(forStream(block.text, answer, streams.out, typed));
  }
  return code;
}

/** Whether the answer is the output of a command, which says itself how the command failed. */
function keepsOutput({ details }: Answer): boolean {
  return 'timedOut' in details;
}

export function printError(message: string, { err }: Streams): void {
  const line = `oriel: ${oneLine(message)}`;
  err.write(`${usesColour(err) ? paint('red', line) : line}\n`);
}

function exitCodeOf({ isError, details }: Answer): ExitCode {
  if (isError) return isBeyondEnd(details) ? 1 : 2;
  return 'error' in details ? 1 : codeOfPage(details);
}

/** A missing page counts as nothing found (1); a page that the server refuses or fails to send is an error (2). */
function codeOfPage({ meta }: Answer['details']): ExitCode {
  const { method, status } = (meta ?? {}) as { readonly method?: unknown; readonly status?: unknown };
  if (method !== 'failed') return 0;
  return status === 404 || status === 410 ? 1 : 2;
}

/** A window past the end counts as nothing found. */
function isBeyondEnd({ error }: Answer['details']): boolean {
  return (error as { readonly code?: string } | undefined)?.code === 'OUT_OF_RANGE';
}

function forStream(text: string, answer: Answer, out: NodeJS.WriteStream, typed: Typed | undefined): string {
  const notices = pasteableNotices(answer, typed);
  const pasted = notices.reduce((shown, [line, printed]) => {
    const at = line === printed ? -1 : shown.lastIndexOf(line);
    return at < 0 ? shown : shown.slice(0, at) + printed + shown.slice(at + line.length);
  }, text);
  const ended = pasted === '' || pasted.endsWith('\n') ? pasted : `${pasted}\n`;
  // Raw text may contain escape sequences, which must not reach a terminal.
  const safe = out.isTTY ? makeVisible(ended).text : ended;
  return usesColour(out) ? colour(safe, new Set(notices.map(([, printed]) => printed)), typed) : safe;
}
