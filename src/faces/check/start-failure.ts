/** The error for a command that is not an MCP server: with what it wrote to stderr, and with a file that it cannot find. */

import { existsSync, statSync } from 'node:fs';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

/** Bytes of stderr that are kept, and lines of them that are shown. */
const MOST_BYTES = 8_192;
const MOST_LINES = 8;

/** Keeps the end of what a process writes. */
export class StderrTail {
  #end: Buffer = Buffer.alloc(0);

  readonly add = (chunk: Buffer): void => {
    this.#end = Buffer.concat([this.#end, chunk]).subarray(-MOST_BYTES);
  };

  /** The last lines; neither empty ones, nor those of a stack. */
  get lines(): readonly string[] {
    const all = this.#end.toString('utf8').split(/\r?\n/);
    return all.filter((line) => line.trim() !== '' && !/^\s+at /.test(line)).slice(-MOST_LINES);
  }
}

export function startFailure(command: readonly string[], { lines }: StderrTail, cause: unknown): OrielError {
  const wrote = lines.map((line) => quote(line.trim())).join(' | ');
  const file = command.find(isFileHere);
  const message = [
    `${quote(command[0] ?? '')} is not an MCP server that could be started.`,
    ...(wrote === '' ? [] : [`It wrote: ${wrote}.`]),
    ...(file === undefined
      ? []
      : [
          `It runs in another directory than this one, which has a file ${quote(file)}: write ./${quote(file)}.`,
        ]),
    'Use oriel check -- COMMAND, with {} for the directory that it may read.',
  ];
  return new OrielError('BAD_INPUT', message.join(' '), { cause });
}

/** A word with a slash is made absolute; another one may be the name of a package or a subcommand. */
const isFileHere = (word: string): boolean =>
  !word.includes('/') && existsSync(word) && statSync(word).isFile();
