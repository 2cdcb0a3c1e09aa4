/** The context of answers about code, and the notices for what an answer does not cover. */

import { basename, extname } from 'node:path';
import type { DeclaredSymbol, UsedAt } from '../../code/codebase/questions.ts';
import { languageOf } from '../../code/languages.ts';
import { splitLines } from '../../code/structure.ts';
import { findEncoding } from '../../code/text-input.ts';
import { plural, span } from '../../render/display.ts';
import { memoryBytes } from '../../text/bytes.ts';
import { decode } from '../../text/encoding.ts';
import { makeVisible, oneLine, quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, NoteResource, TextResource } from '../../types/call.ts';
import type { CodeBelow } from './code-below.ts';

export interface CodeContext {
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
export class AnswerLines {
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

/** `next` reads the next page. */
export function codeText(
  text: string,
  context: CodeContext,
  notes: readonly Notice[],
  next?: string,
): TextResource {
  const { typed } = context;
  return {
    kind: 'text',
    format: 'directory',
    bytes: memoryBytes(text),
    encoding: 'utf-8',
    selection: { mode: 'outline' },
    modes: ['outline'],
    target: typed,
    name: basename(typed),
    display: 'plain',
    editable: false,
    notes,
    ...(next !== undefined && { more: continued(next, context) }),
  };
}

/** A note that consists of `text` and the sentences of `notes`. */
export function note(text: string, notes: readonly Notice[]): NoteResource {
  const said = [text, ...notes.flatMap((one) => (one.kind === 'said' ? [one.text] : []))];
  return { kind: 'note', format: 'directory', note: { kind: 'said', text: said.join('. ') } };
}

export function saidNotice(text: string): Notice {
  return { kind: 'said', text };
}

/** The call for the next page. While files are not parsed, the notice before it names another call that goes on. */
export function continued(use: string, { code }: CodeContext): Notice {
  const why = code.unknown.missing > 0 ? 'for the next page' : 'to continue';
  return { kind: 'said', text: `Use ${use} ${why}`, use };
}

export function beyond(from: number, all: number, use: string): string {
  return `${from + 1} is beyond the last of ${all}. Use ${use}`;
}

/** Notices for what the answer does not cover. */
export function gapsOf({ code, typed }: CodeContext): Notice[] {
  return gapTexts(code, typed).map(saidNotice);
}

/** The notice for declared symbols, or a file, in a language of which it is not known what files use and import. */
export function usesUnknown(paths: readonly string[]): Notice[] {
  const extensions = paths.flatMap((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const language = languageOf(name, '');
    return language?.map === 'code' && language.uses === undefined ? [extname(name) || name] : [];
  });
  const kinds = [...new Set(extensions)].map(quote).join(', ');
  return kinds === ''
    ? []
    : [saidNotice(`What ${kinds} files use and import is not known. Use grep to search for the name`)];
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
  return texts;
}

// Shows the lines of symbols in several files as one text, within the budget of one answer.

interface SymbolExcerpts {
  readonly text: string;
  readonly notes: readonly Notice[];
  /** Whether nothing was left out and the text is not longer than a map. */
  readonly whole: boolean;
}

/** The most characters of a line that is shown for a use. */
const MAX_USE_LINE_CHARACTERS = 160;

/** The lines of each symbol below a header such as `path [L12-40]`; symbols that do not fit are named with their call. */
export async function excerptOf(
  symbols: readonly DeclaredSymbol[],
  context: CodeContext,
): Promise<SymbolExcerpts> {
  const { call, shown } = context;
  const { limits, settings } = call;
  const files = new FileLines(context);
  let room = Math.min(limits.bytes, limits.window) - NOTICE_ROOM;
  let rows = limits.lines;
  let [text, cut] = ['', false];
  for (const [i, { path, from, to }] of symbols.entries()) {
    const lines = await files.linesOf(path);
    const file = oneLine(shown(path));
    const head = `${i === 0 ? '' : '\n'}${file} [L${span(from, to)}]\n`;
    // Each symbol gets an equal share of the remaining budget. Of its lines, four are for header, blank line and notice.
    const most = Math.floor(room / (symbols.length - i));
    const end = Math.min(to, lines.length, from + Math.floor(rows / (symbols.length - i)) - 4);
    let part = head;
    let no = from;
    for (; no <= end; no += 1) {
      const line = `${no}|${makeVisible(lines[no - 1] ?? '').text}\n`;
      if (Buffer.byteLength(part) + Buffer.byteLength(line) + 80 > most) break;
      part += line;
    }
    rows -= no - from + 3;
    if (no <= Math.min(to, lines.length)) {
      cut = true;
      part += `… Use ${file}:${no}..${to} for the rest\n`;
    }
    room -= Buffer.byteLength(part);
    text += part;
  }
  const notes: Notice[] =
    files.changed > 0 ? [{ kind: 'said', text: 'A file changed while it was read. Call again' }] : [];
  return { text, notes, whole: !cut && Buffer.byteLength(text) <= settings.mapBytes };
}

/** The clipped text of each line; undefined for lines that can no longer be read. */
export async function lineTexts(
  uses: readonly UsedAt[],
  context: CodeContext,
): Promise<(string | undefined)[]> {
  const files = new FileLines(context);
  const texts: (string | undefined)[] = [];
  for (const { path, line } of uses) {
    const found = (await files.linesOf(path))[line - 1]?.trim();
    texts.push(found === undefined ? undefined : makeVisible(clip(found)).text);
  }
  return texts;
}

function clip(line: string): string {
  return line.length <= MAX_USE_LINE_CHARACTERS ? line : `${line.slice(0, MAX_USE_LINE_CHARACTERS - 1)}…`;
}

/** Reads the lines of files and caches those of the last file, because lines of one file are requested together. */
export class FileLines {
  /** How many of them changed since they were indexed. */
  changed = 0;
  readonly #context: CodeContext;
  #path: string | undefined;
  #lines: readonly string[] = [];

  constructor(context: CodeContext) {
    this.#context = context;
  }

  /** Empty for a file that is gone. */
  async linesOf(path: string): Promise<readonly string[]> {
    if (path === this.#path) return this.#lines;
    const { code, call } = this.#context;
    this.#path = path;
    this.#lines = [];
    const file = await code.open(path, call.signal);
    if (!file) return this.#lines;
    try {
      if (!code.isAsParsed(path, file.key)) this.changed += 1;
      const bytes = await file.read(call.signal);
      if (!bytes) return this.#lines;
      const encoding = await findEncoding(memoryBytes(bytes), call);
      this.#lines = splitLines(decode(bytes.subarray(encoding.bom), encoding).text);
    } finally {
      await file.close();
    }
    return this.#lines;
  }
}
