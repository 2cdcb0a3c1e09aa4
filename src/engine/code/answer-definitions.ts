/** Answers `src:#Session.close`: the definition of a symbol anywhere below a directory, or all candidates of the name. */

import type { DeclaredSymbol, FoundName } from '../../codebase/questions.ts';
import { OrielError } from '../../errors.ts';
import { plural, span } from '../../render/units.ts';
import { didYouMean } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import type { Resource, TextResource } from '../../types/resource.ts';
import { beyond, type Context, continued, gapsOf, gapTexts, Lines, note, said, textOf } from './context.ts';
import type { AskedOfCode } from '../../selector/code-question.ts';
import { excerptOf } from './excerpts.ts';
import { callOf } from './shown-names.ts';

/** Candidates that are listed if a name is ambiguous. */
const MOST_CANDIDATES = 30;

/** Up to this many symbols of one name are shown in full, if they fit into a map. */
const MOST_SHOWN = 5;

/** The lines of one symbol, to be read from its file. If the file has changed since it was parsed, `byName` is read. */
export interface Redirect {
  /** The path with the range of lines. */
  readonly target: string;
  /** Whether the file with this identity key is the one that was parsed. */
  isAsParsed(key: string): boolean;
  readonly byName: string;
}

export async function answerDefinitions(
  { names, from }: AskedOfCode & { readonly is: 'definitions' },
  context: Context,
): Promise<{ readonly resource: Resource } | Redirect> {
  const { found } = await context.code.ask({ is: 'definitions', names, from, most: MOST_CANDIDATES });
  if (found.every(({ all }) => all === 0)) throw notDeclared(names, found, context);
  const [only] = found;
  if (from > 0 && only) return { resource: furtherPage(names[0] ?? '', only, from, context) };
  const [one] = only?.declared ?? [];
  if (names.length === 1 && only?.all === 1 && one) return redirect(one, context);
  return { resource: await several(names, found, context) };
}

/** The lines of all matching symbols if these are few, otherwise a list of calls. */
async function several(
  names: readonly string[],
  found: readonly FoundName[],
  context: Context,
): Promise<TextResource> {
  const wanted = found.flatMap(({ declared, all }) => (all <= MOST_SHOWN ? declared : []));
  const excerpts = await excerptOf(wanted, context);
  const isShown = names.length > 1 || excerpts.whole;
  const notes = names.flatMap((name, i) =>
    notesOn(name, found[i] as FoundName, isShown && (found[i]?.all ?? 0) <= MOST_SHOWN, context),
  );
  if (isShown && wanted.length > 0)
    return textOf(excerpts.text, context, [...excerpts.notes, ...notes, ...gapsOf(context)]);
  const at = found.findIndex(({ all }) => all > 0);
  const listed = candidates(names[at] ?? '', found[at] as FoundName, 0, context);
  if (names.length === 1) return listed;
  // The calls for the other names are in the notices.
  return { ...listed, notes: [...notes, ...(listed.notes ?? [])] };
}

function notesOn(
  name: string,
  { declared, all, near }: FoundName,
  isShown: boolean,
  context: Context,
): Notice[] {
  if (all > 1) return [ambiguous(name, declared, all, isShown, context)];
  if (all === 1) return [];
  const { typed } = context;
  const meant = near.length === 0 ? '' : `${didYouMean(near.map(quote))} (${quote(`${typed}:#${near[0]}`)})`;
  return [said(`${quote(typed)} declares no '${quote(name)}'.${meant}`.replace(/\.$/, ''))];
}

function redirect({ path, qualified, from, to }: DeclaredSymbol, { code, shown }: Context): Redirect {
  return {
    target: `${shown(path)}:${from}..${to}`,
    isAsParsed: (key) => code.isAsParsed(path, key),
    byName: `${shown(path)}:#${qualified}`,
  };
}

/** A further page of candidates, from index `from` (0-based) on; a note if there are no more. */
function furtherPage(name: string, found: FoundName, from: number, context: Context): Resource {
  if (found.declared.length > 0) return candidates(name, found, from, context);
  return note(beyond(from, found.all, `${context.typed}:#${name}`), gapsOf(context));
}

/** The candidates of a name from index `from` (0-based) on, one line each with its call. */
function candidates(
  name: string,
  { declared, all }: FoundName,
  from: number,
  context: Context,
): TextResource {
  const lines = new Lines(context.call);
  const listed = declared.filter((one) =>
    lines.add(`${callOf(one, context.shown)}  ${span(one.from, one.to)}  ${one.signature}\n`),
  ).length;
  const end = from + listed;
  const part = listed < all ? `, ${span(from + 1, end)} of them listed` : '';
  const text = `'${quote(name)}' is declared in ${plural(all, 'place')}${part}. Use one of these calls`;
  const resource = textOf(lines.text, context, [said(text), ...gapsOf(context)]);
  if (end >= all) return resource;
  return { ...resource, more: continued(`${context.typed}:#${name}?from=${end + 1}`, context) };
}

function ambiguous(
  name: string,
  declared: readonly DeclaredSymbol[],
  all: number,
  isShown: boolean,
  context: Context,
): Notice {
  return {
    kind: 'symbols',
    target: context.typed,
    name,
    candidates: declared.slice(0, 5).map((one) => ({ name: one.qualified, use: callOf(one, context.shown) })),
    more: all - Math.min(5, declared.length),
    ...(isShown && { shown: true }),
  };
}

export function notDeclared(
  names: readonly string[],
  found: readonly FoundName[],
  { code, typed }: Context,
): OrielError {
  const near = found[0]?.near ?? [];
  const what = names.map((name) => `'${quote(name)}'`).join(' or ');
  const unsure = gapTexts(code, typed).map((text) => ` ${text}.`);
  const next = near[0] === undefined ? `${typed}:outline` : `${typed}:#${near[0]}`;
  return new OrielError(
    'NOT_FOUND',
    `No code below ${quote(typed)} declares ${what}.${didYouMean(near.map(quote))}${unsure.join('')} Use ${quote(next)}.`,
    { next },
  );
}
