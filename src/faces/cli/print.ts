/** Prints answers to a terminal or a pipe. */

import { styleText } from 'node:util';
import { safeJson } from '../../text/json.ts';
import { makeVisible, oneLine } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { ExitCode, Streams } from './command.ts';

/** Prints an answer and says how it went. A failure is one line on stderr; output it kept goes to stdout. */
export function printAnswer(answer: Answer, streams: Streams, asJson: boolean): ExitCode {
  const code = exitCodeOf(answer);
  if (asJson) {
    streams.out.write(`${safeJson(answer)}\n`);
    return code;
  }
  for (const block of answer.content) {
    if (block.type === 'image') {
      const bytes = Math.floor((block.data.length * 3) / 4);
      streams.err.write(`(an image of ${bytes} bytes, ${block.mimeType}; --json prints it)\n`);
    } else if (answer.isError && 'error' in answer.details) {
      if (keepsOutput(answer)) streams.out.write(forStream(block.text, answer, streams.out));
      else printError(block.text, streams);
    } else streams.out.write(forStream(block.text, answer, streams.out));
  }
  return code;
}

/** A failing command says how it failed below its output. */
function keepsOutput({ details }: Answer): boolean {
  return 'timedOut' in details;
}

export function printError(message: string, { err }: Streams): void {
  err.write(`oriel: ${oneLine(message)}\n`);
}

function exitCodeOf({ isError, details }: Answer): ExitCode {
  if (isError) return 2;
  return 'error' in details ? 1 : 0;
}

function forStream(text: string, answer: Answer, out: NodeJS.WriteStream): string {
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (!out.isTTY) return ended;
  // Verbatim text may hold escape sequences that repaint a terminal.
  const safe = makeVisible(ended).text;
  return usesColour(out) ? colourNotices(safe, answer) : safe;
}

function usesColour(out: NodeJS.WriteStream): boolean {
  return !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb' && out.hasColors();
}

/** The notices, known from the details and not guessed from their look, in a warning colour. */
function colourNotices(text: string, { details }: Answer): string {
  const notices = (details['notices'] as readonly { readonly text: string }[] | undefined) ?? [];
  const lines = new Set(notices.map((notice) => `[${notice.text}]`));
  return text
    .split('\n')
    .map((line) => (lines.has(line) ? styleText('yellow', line) : line))
    .join('\n');
}
