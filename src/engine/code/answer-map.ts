/** Answers `src:outline`: the files of a directory with their symbols, the most important first. */

import { recentBelow } from '../../codebase/history/history.ts';
import type { MapText } from '../../codebase/map-text.ts';
import { partOf, plural } from '../../render/units.ts';
import type { AskedOfCode } from '../../selector/code-question.ts';
import { oneLine } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import type { Resource } from '../../types/resource.ts';
import { beyond, type Context, continued, gapsOf, note, NOTICE_ROOM, said, textOf } from './context.ts';

type AskedMap = AskedOfCode & { readonly is: 'map' };

/** The least bytes of a map with its notices, and of its lines alone. */
const LEAST = 256;
const LEAST_LINES = 64;

/** The counts of a large map: the room for its notices is reserved before the counts are known. */
const LARGE = { named: 9_999, files: 99_999, symbols: 9_999, rest: { directory: 'directory', files: 9_999 } };

type Counts = Omit<MapText, 'text'>;

export async function answerMap(asked: AskedMap, context: Context): Promise<Resource> {
  const { bytes, from, query } = asked;
  const { code, typed, call } = context;
  const { settings, limits } = call;
  const most = Math.min(limits.bytes, limits.window) - NOTICE_ROOM;
  const least = Math.min(LEAST, limits.bytes, limits.window);
  const budget = Math.max(least, Math.min(bytes ?? settings.mapBytes, most));
  const recent = code.directory === undefined ? undefined : await recentBelow(code.directory, call);
  const mapBeside = async (reserved: number): Promise<MapText> => {
    const { map } = await code.ask({
      is: 'map',
      bytes: Math.max(Math.min(LEAST_LINES, budget), budget - reserved),
      lines: limits.lines,
      from,
      query,
      ...(recent && { recent }),
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
  const resource = textOf(found.text, context, notes);
  return more ? { ...resource, more } : resource;
}

interface Notices {
  readonly notes: readonly Notice[];
  /** The call that continues, if files are left. */
  readonly more?: Notice;
}

function noticesOn(
  { named, files, symbols }: Counts,
  ways: readonly Way[],
  { bytes, from, query }: AskedMap,
  context: Context,
): Notices {
  const { typed } = context;
  const end = from + named;
  const shown = `${partOf(from, end, files, 'file')} of ${oneLine(typed)}`;
  const help = ways.length > 0 ? ` Use ${ways.map(({ call, why }) => `${call} ${why}`).join(', ')}` : '';
  const text = `${shown}, the most important first, with ${plural(symbols, 'symbol')}.${help}`;
  const notes = [{ ...said(text), calls: ways.map(({ call }) => call) }, ...gapsOf(context)];
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
  { typed, shown }: Context,
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
