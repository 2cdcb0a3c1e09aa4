/** Answers `src:outline`: the files of a directory with their symbols, the most important first. */

import { recentBelow } from '../../codebase/history/history.ts';
import { partOf, plural } from '../../render/units.ts';
import type { AskedOfCode } from '../../selector/code-question.ts';
import { oneLine } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import type { Resource } from '../../types/resource.ts';
import { beyond, type Context, continued, gapsOf, note, NOTICE_ROOM, textOf } from './context.ts';

export async function answerMap(
  { bytes, from, query }: AskedOfCode & { readonly is: 'map' },
  context: Context,
): Promise<Resource> {
  const { code, typed, call } = context;
  const { settings, limits } = call;
  const most = Math.min(limits.bytes, limits.window) - NOTICE_ROOM;
  const least = Math.min(256, limits.bytes, limits.window);
  const budget = Math.max(least, Math.min(bytes ?? settings.mapBytes, most));
  const recent = code.directory === undefined ? undefined : await recentBelow(code.directory, call);
  const { map: found } = await code.ask({
    is: 'map',
    bytes: budget,
    lines: limits.lines,
    from,
    query,
    ...(recent && { recent }),
  });
  const { named, files, symbols, rest } = found;
  const words = query === '' ? '' : encodeURIComponent(query);
  if (from > 0 && from >= files)
    return note(beyond(from, files, `${typed}:outline${words && `?q=${words}`}`), gapsOf(context));
  if (files === 0)
    return note(`${oneLine(typed)} has no files to outline. Use ${typed} to list it`, gapsOf(context));
  const end = from + named;
  const again = words && `&q=${words}`;
  const ways = [
    ...(end < files && budget < most
      ? [`${typed}:outline?bytes=${grown(budget, most)}${again} for more`]
      : []),
    ...(end < files && rest ? [`${oneLine(context.shown(rest.directory))}:outline for one directory`] : []),
    ...(symbols > 0 ? [`${typed}:#NAME for a symbol`] : []),
  ];
  const shown = `${partOf(from, end, files, 'file')} of ${oneLine(typed)}`;
  const help = ways.length > 0 ? ` Use ${ways.join(', ')}` : '';
  const notes: Notice[] = [
    { kind: 'said', text: `${shown}, the most important first, with ${plural(symbols, 'symbol')}.${help}` },
    ...gapsOf(context),
  ];
  const resource = textOf(found.text, context, notes);
  if (end >= files) return resource;
  const next = `${typed}:outline?from=${end + 1}${bytes === undefined ? '' : `&bytes=${bytes}`}${again}`;
  return { ...resource, more: continued(next) };
}

/** Four times `bytes`, at most `most`, as a size in a selector: `"32K"`. */
function grown(bytes: number, most: number): string {
  return `${Math.max(1, Math.floor(Math.min(bytes * 4, most) / 1024))}K`;
}
