/** The context of answers about code, and the notices for what an answer does not cover. */

import { basename, extname } from 'node:path';
import { memoryBytes } from '../../access/bytes.ts';
import { plural } from '../../render/units.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Notice } from '../../types/notice.ts';
import type { NoteResource, TextResource } from '../../types/resource.ts';
import { languageOf } from '../../views/languages.ts';
import type { CodeBelow } from './code-below.ts';

export interface Context {
  readonly code: CodeBelow;
  /** The directory as the caller typed it. */
  readonly typed: string;
  readonly call: Call;
  /** The form in which a path below the directory is shown. */
  shown(path: string): string;
}

/** Bytes of an answer that are reserved for its notices. */
export const NOTICE_ROOM = 1024;

/** Collects the lines of one answer within its limits, because text that is cut later could not be continued by a call. */
export class Lines {
  text = '';
  #bytes: number;
  #lines: number;

  constructor({ limits }: Call) {
    this.#bytes = Math.min(limits.bytes, limits.window) - NOTICE_ROOM;
    this.#lines = limits.lines;
  }

  /** Adds all of `lines` (each ends in a newline) if they fit, otherwise none. The first ones are always added. */
  add(...lines: readonly string[]): boolean {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    if (this.text !== '' && (bytes > this.#bytes || lines.length > this.#lines)) return false;
    this.#bytes -= bytes;
    this.#lines -= lines.length;
    this.text += lines.join('');
    return true;
  }
}

export function textOf(text: string, { typed }: Context, notes: readonly Notice[]): TextResource {
  return {
    is: 'text',
    kind: 'directory',
    bytes: memoryBytes(text),
    encoding: 'utf-8',
    selection: { mode: 'outline' },
    modes: ['outline'],
    target: typed,
    name: basename(typed),
    display: 'plain',
    editable: false,
    notes,
  };
}

/** A note that consists of `text` and the sentences of `notes`. */
export function note(text: string, notes: readonly Notice[]): NoteResource {
  const said = [text, ...notes.flatMap((one) => (one.kind === 'said' ? [one.text] : []))];
  return { is: 'note', kind: 'directory', note: { kind: 'said', text: said.join('. ') } };
}

export function said(text: string): Notice {
  return { kind: 'said', text };
}

/** The call for the next page. While files are not parsed, the notice before it names another call that goes on. */
export function continued(use: string, { code }: Context): Notice {
  const why = code.unknown.missing > 0 ? 'for the next page' : 'to continue';
  return { kind: 'said', text: `Use ${use} ${why}`, use };
}

export function beyond(from: number, all: number, use: string): string {
  return `${from + 1} is beyond the last of ${all}. Use ${use}`;
}

/** Notices for what the answer does not cover. */
export function gapsOf({ code, typed }: Context): Notice[] {
  return gapTexts(code, typed).map(said);
}

/** The notice for declared symbols, or a file, in a language of which it is not known what files use and import. */
export function usesUnknown(paths: readonly string[]): Notice[] {
  const extensions = paths.flatMap((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const language = languageOf(name, '');
    return language?.summary === true && language.uses === undefined ? [extname(name) || name] : [];
  });
  const kinds = [...new Set(extensions)].map(quote).join(', ');
  return kinds === ''
    ? []
    : [said(`What ${kinds} files use and import is not known. Use grep to search for the name`)];
}

export function gapTexts({ gaps, files, unknown }: CodeBelow, typed: string): string[] {
  const texts: string[] = [];
  if (unknown.missing > 0)
    texts.push(
      `${unknown.missing} of ${plural(files, 'code file')} were not parsed before the time limit, or changed meanwhile. Make the same call again to parse them: the answer and its order may change`,
    );
  const { slow, slowFile = '' } = unknown;
  if (slow > 0) {
    const first = quote(slowFile);
    const which = slow === 1 ? first : `${slow} files (${first} first)`;
    texts.push(`${which} took too long to parse: without symbols here`);
  }
  if (unknown.whole > 0)
    texts.push(
      `The symbols of ${plural(unknown.whole, 'code file')} are not known: larger than 1 MiB, minified, or not to be read or parsed. Use grep to search them too`,
    );
  if (unknown.parts > 0)
    texts.push(`Of ${plural(unknown.parts, 'code file')} only the first symbols and names are known`);
  if (gaps.timedOut || gaps.broken)
    texts.push(`Not all of ${oneLine(typed)} was looked at. Call again, or ask about a directory in it`);
  else if (gaps.tooMany)
    texts.push(`${oneLine(typed)} has more files than are looked at. Ask about a directory in it`);
  if (gaps.denied || gaps.failed) texts.push('Some directories could not be read');
  if (gaps.unnamed > 0) texts.push(`${plural(gaps.unnamed, 'file')} left out whose name is not UTF-8`);
  return texts;
}
