/** Answers questions about code: `src:outline`, `src:#name`, `src:#name:refs`, `file.ts:refs`, `file.ts:imports`. */

import { dirname, join } from 'node:path';
import type { MapText } from '../../code/codebase/map.ts';
import { recentBelow } from '../../code/history/history.ts';
import { OrielError } from '../../errors.ts';
import { pageRange, plural } from '../../render/display.ts';
import type { CodeSelector } from '../../selector/selection.ts';
import { nameablePath } from '../../target/nameable-path.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, Resource, SourceSubject } from '../../types/call.ts';
import {
  answerDefinitions,
  answerImporters,
  answerImports,
  answerUses,
  namesShownIn,
  type SymbolRedirect,
} from './answer-names.ts';
import { CodeBelow } from './code-below.ts';
import { type CodeFiles, filesBelow } from './code-files.ts';
import {
  beyond,
  type CodeContext,
  codeText,
  continued,
  gapsOf,
  note,
  NOTICE_ROOM,
  saidNotice,
} from './context.ts';

/** The files that a question is about. */
export interface QuestionedPlace {
  readonly files: CodeFiles;
  /** The directory or archive as the caller typed it. */
  readonly typed: string;
  /** The path in `files` of the one file that the question is about; absent for questions about all. */
  readonly file?: string | undefined;
  /** The form in which a path of `files` is shown. */
  shown(path: string): string;
}

export type CodeReadResult = { readonly resource: Resource } | SymbolRedirect;

/** The answer as a resource, or a redirect to the lines that answer the question. */
export async function answerCode(
  subject: SourceSubject,
  asked: CodeSelector,
  call: Call,
): Promise<CodeReadResult> {
  const { directory, typed, file } = await directoryOf(subject, call);
  const files = await filesBelow(directory, call);
  const shown = namesShownIn(typed, call);
  return answerAt({ files, typed, shown, file }, asked, call);
}

export async function answerAt(
  { files, typed, shown, file }: QuestionedPlace,
  asked: CodeSelector,
  call: Call,
): Promise<CodeReadResult> {
  const context: CodeContext = { code: await CodeBelow.look(files, call), typed, call, shown };
  switch (asked.kind) {
    case 'map':
      return { resource: await answerMap(asked, context) };
    case 'definitions':
      return answerDefinitions(asked, context);
    case 'uses':
      return { resource: await answerUses(asked, file, context) };
    case 'importers':
      return { resource: await answerImporters(asked, file ?? '', context) };
    case 'imports':
      return { resource: await answerImports(asked, file ?? '', context) };
  }
}

/** For a file, the directory is the working directory or the root that contains it; `file` is the path below that. */
async function directoryOf(
  { opened, path, typed }: SourceSubject,
  call: Call,
): Promise<{ directory: OpenedDirectory; typed: string; file?: string | undefined }> {
  if (opened.kind === 'directory') return { directory: opened, typed };
  const { cwd, roots } = call.access;
  const real = async (one: string): Promise<OpenedDirectory | undefined> => {
    const found = await call.access.open(one, call.signal).catch(() => undefined);
    if (!found) return undefined;
    call.onEnd(() => found.close());
    return found.kind === 'directory' && path.startsWith(join(found.path, '/')) ? found : undefined;
  };
  for (const one of [cwd, ...roots, dirname(path)]) {
    const directory = await real(one);
    if (!directory) continue;
    return { directory, typed: nameablePath(one, call), file: path.slice(join(directory.path, '/').length) };
  }
  throw new OrielError('NOT_FOUND', `The directory of ${quote(typed)} does not exist any more.`, {
    next: '.',
  });
}

// Answers `src:outline`: the files of a directory with their symbols, the most important first.

type AskedMap = CodeSelector & { readonly kind: 'map' };

/** The least bytes of a map with its notices, and of its lines alone. */
const MIN_CODE_MAP_BYTES = 256;
const MIN_CODE_MAP_LINES_BYTES = 64;

/** The counts of a large map: the room for its notices is reserved before the counts are known. */
const LARGE = { named: 9_999, files: 99_999, symbols: 9_999, rest: { directory: 'directory', files: 9_999 } };

type Counts = Omit<MapText, 'text'>;

async function answerMap(asked: AskedMap, context: CodeContext): Promise<Resource> {
  const { bytes, from, query } = asked;
  const { code, typed, call } = context;
  const { settings, limits } = call;
  const most = Math.min(limits.bytes, limits.window) - NOTICE_ROOM;
  const least = Math.min(MIN_CODE_MAP_BYTES, limits.bytes, limits.window);
  const budget = Math.max(least, Math.min(bytes ?? settings.mapBytes, most));
  const recent = code.directory === undefined ? undefined : await recentBelow(code.directory, call);
  const mapBeside = async (reserved: number): Promise<MapText> => {
    const { map } = await code.ask({
      kind: 'map',
      bytes: Math.max(Math.min(MIN_CODE_MAP_LINES_BYTES, budget), budget - reserved),
      lines: limits.lines,
      from,
      query,
      recent,
    });
    return map;
  };
  const sizes = { budget, most };
  const needed = bytesOf(noticesOn(LARGE, [], asked, context));
  const wanted = bytesOf(noticesOn(LARGE, waysOf(LARGE, sizes, asked, context), asked, context));
  // In a small map the calls for more are left out in favor of lines.
  const reserved = Math.min(wanted, Math.max(needed, Math.floor(budget / 2)));
  let found = await mapBeside(reserved);
  const { files } = found;
  if (from > 0 && from >= files)
    return note(beyond(from, files, `${typed}:outline${asWords(query, '?')}`), gapsOf(context));
  if (files === 0)
    return note(`${oneLine(typed)} has no files to outline. Use ${typed} to list it`, gapsOf(context));
  const sizeWith = (ways: readonly Way[]): number =>
    Buffer.byteLength(found.text) + bytesOf(noticesOn(found, ways, asked, context));
  // Files whose symbols are not known are counted only with the answer: its notices may need more than was reserved.
  if (sizeWith([]) > budget)
    found = await mapBeside(Math.max(reserved, bytesOf(noticesOn(LARGE, [], asked, context))));
  const ways: Way[] = [];
  for (const way of waysOf(found, sizes, asked, context))
    if (sizeWith([...ways, way]) <= budget) ways.push(way);
  const { notes, more } = noticesOn(found, ways, asked, context);
  const resource = codeText(found.text, context, notes);
  return more ? { ...resource, more } : resource;
}

interface Notices {
  readonly notes: readonly Notice[];
  /** The call that continues, if files are left. */
  readonly more?: Notice | undefined;
}

function noticesOn(
  { named, files, symbols }: Counts,
  ways: readonly Way[],
  { bytes, from, query }: AskedMap,
  context: CodeContext,
): Notices {
  const { typed } = context;
  const end = from + named;
  const shown = `${pageRange(from, end, files, 'file')} of ${oneLine(typed)}`;
  const help = ways.length > 0 ? ` Use ${ways.map(({ call, why }) => `${call} ${why}`).join(', ')}` : '';
  const text = `${shown}, the most important first, with ${plural(symbols, 'symbol')}.${help}`;
  const notes = [{ ...saidNotice(text), calls: ways.map(({ call }) => call) }, ...gapsOf(context)];
  if (end >= files) return { notes };
  const size = bytes === undefined ? '' : `&bytes=${bytes}`;
  return { notes, more: continued(`${typed}:outline?from=${end + 1}${size}${asWords(query, '&')}`, context) };
}

/** A call, and what it is for: `src:outline` `for one directory`. */
interface Way {
  readonly call: string;
  readonly why: string;
}

/** Calls that show more than this map, the most useful first. */
function waysOf(
  { named, files, symbols, rest }: Counts,
  { budget, most }: { readonly budget: number; readonly most: number },
  { from, query }: AskedMap,
  { typed, shown }: CodeContext,
): Way[] {
  const isCut = from + named < files;
  return [
    ...(isCut && budget < most
      ? [{ call: `${typed}:outline?bytes=${grown(budget, most)}${asWords(query, '&')}`, why: 'for more' }]
      : []),
    ...(isCut && rest
      ? [{ call: `${oneLine(shown(rest.directory))}:outline`, why: 'for one directory' }]
      : []),
    ...(symbols > 0 ? [{ call: `${typed}:#NAME`, why: 'for a symbol' }] : []),
  ];
}

/** Bytes for the brackets and the full stop of a notice, and for the quotes that a shell needs around its calls. */
const FRAME = 10;

function bytesOf({ notes, more }: Notices): number {
  const all = more ? [...notes, more] : notes;
  return all.reduce((sum, one) => sum + (one.kind === 'said' ? Buffer.byteLength(one.text) : 0) + FRAME, 0);
}

function asWords(query: string, mark: '?' | '&'): string {
  return query === '' ? '' : `${mark}q=${encodeURIComponent(query)}`;
}

/** Four times `bytes`, at most `most`, as a size in a selector: `"32K"`. */
function grown(bytes: number, most: number): string {
  return `${Math.max(1, Math.floor(Math.min(bytes * 4, most) / 1024))}K`;
}
