/** Answers `src:#name:refs` (where a symbol is used) and `file.ts:refs` (which files import a file). */

import type { UsedAt } from '../../codebase/questions.ts';
import { partOf, span } from '../../render/units.ts';
import type { AskedOfCode } from '../../selector/code-question.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import type { Resource } from '../../types/resource.ts';
import { notDeclared } from './answer-definitions.ts';
import {
  beyond,
  type Context,
  continued,
  gapsOf,
  Lines,
  note,
  said,
  textOf,
  usesUnknown,
} from './context.ts';
import { lineTexts } from './excerpts.ts';
import { callOf } from './shown-names.ts';

/** The most uses, or importers, in one answer. */
const MOST = 100;

/** The most bytes of the calls that name the declarations. */
const MOST_DECLARED = 500;

const USES_CUT = said('A file uses the name on more lines than are kept. Use grep for all of them');

/** `of` is the file whose symbol is meant; undefined for a directory. */
export async function answerUses(
  { name, from }: AskedOfCode & { readonly is: 'uses' },
  of: string | undefined,
  context: Context,
): Promise<Resource> {
  const { code, typed, shown } = context;
  const found = await code.ask({ is: 'uses', name, from, most: MOST, ...(of !== undefined && { of }) });
  if (found.name.all === 0) throw notDeclared([name], [found.name], context);
  const target = `${oneLine(of === undefined ? typed : shown(of))}:#${name}:refs`;
  const declared = callsOf(found.name.declared.map((one) => callOf(one, shown)));
  const gaps = [...usesUnknown(found.name.declared.map(({ path }) => path)), ...gapsOf(context)];
  if (found.uses.length === 0) {
    const text =
      found.all === 0
        ? `No use of '${quote(name)}' was found (declared: ${declared})`
        : beyond(from, found.all, target);
    return note(text, gaps);
  }
  const lines = await useLines(found.uses, context);
  const end = from + lines.shown;
  const counts = `${found.sure} by imports and scope, ${found.all - found.sure} by name alone`;
  const part = found.cut
    ? `Uses ${span(from + 1, end)} of at least ${found.all}`
    : partOf(from, end, found.all, 'use');
  const text = `${part} of '${quote(name)}': ${counts}. Declared: ${declared}`;
  const notes: Notice[] = [said(text), ...(found.cut ? [USES_CUT] : []), ...gaps];
  const resource = textOf(lines.text, context, notes);
  return end < found.all ? { ...resource, more: continued(`${target}?from=${end + 1}`, context) } : resource;
}

function callsOf(calls: readonly string[]): string {
  let shown = calls;
  while (shown.length > 1 && Buffer.byteLength(shown.join(', ')) > MOST_DECLARED) shown = shown.slice(0, -1);
  return `${shown.join(', ')}${shown.length < calls.length ? ', …' : ''}`;
}

/** The uses grouped by file, each with the text of its line; certain uses come first. */
async function useLines(
  found: readonly UsedAt[],
  context: Context,
): Promise<{ readonly text: string; readonly shown: number }> {
  const texts = await lineTexts(found, context);
  const lines = new Lines(context.call);
  let [last, lastSure] = ['', true];
  for (const [i, { path, line, within, sure }] of found.entries()) {
    const around = within ? ` [in ${within.qualified} ${span(within.from, within.to)}]` : '';
    const isTurn = lastSure && !sure;
    const added = lines.add(
      ...(isTurn ? [`${lines.text === '' ? '' : '\n'}By name alone:\n`] : []),
      ...(isTurn || path !== last ? [`${oneLine(context.shown(path))}\n`] : []),
      `  ${line}|${texts[i] ?? ''}${around}\n`,
    );
    if (!added) return { text: lines.text, shown: i };
    [last, lastSure] = [path, sure];
  }
  return { text: lines.text, shown: found.length };
}

/** `file` is the path below the directory. */
export async function answerImporters(
  { from }: AskedOfCode & { readonly is: 'importers' },
  file: string,
  context: Context,
): Promise<Resource> {
  const { code, typed, shown, call } = context;
  const target = oneLine(shown(file));
  const { paths, all } = await code.ask({ is: 'importers', path: file, from, most: MOST });
  const gaps = [...usesUnknown([file]), ...gapsOf(context)];
  if (paths.length === 0) {
    const text =
      all === 0
        ? `No file below ${quote(typed)} imports ${quote(target)}`
        : beyond(from, all, `${target}:refs`);
    return note(text, gaps);
  }
  const lines = new Lines(call);
  const fits = paths.findIndex((path) => !lines.add(`${oneLine(shown(path))}\n`));
  const count = fits === -1 ? paths.length : fits;
  const end = from + count;
  const text = `${partOf(from, end, all, 'file')} ${count === 1 ? 'imports' : 'import'} ${target}`;
  const resource = textOf(lines.text, context, [said(text), ...gaps]);
  return end < all ? { ...resource, more: continued(`${target}:refs?from=${end + 1}`, context) } : resource;
}
