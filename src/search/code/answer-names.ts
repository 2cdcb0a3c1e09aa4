/** Answers `src:#name:refs` (where a symbol is used) and `file.ts:refs` (which files import a file), `file.ts:imports`. */

import { join } from 'node:path';
import type { DeclaredSymbol, FoundName, UsedAt } from '../../code/codebase/questions.ts';
import { OrielError } from '../../errors.ts';
import { pageRange, plural, span } from '../../render/display.ts';
import type { CodeSelector } from '../../selector/selection.ts';
import { nameablePath } from '../../target/nameable-path.ts';
import { startPath } from '../../target/open-target.ts';
import { didYouMean } from '../../text/near.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, Resource, TextResource } from '../../types/call.ts';
import {
  AnswerLines,
  beyond,
  type CodeContext,
  codeText,
  excerptOf,
  gapsOf,
  gapTexts,
  lineTexts,
  note,
  saidNotice,
  usesUnknown,
} from './context.ts';

/** The most uses, or importers, in one answer. */
const MAX_LISTED_USES = 100;

/** The most bytes of the calls that name the declarations. */
const MAX_DECLARED_BYTES = 500;

const USES_CUT = saidNotice('A file uses the name on more lines than are kept. Use grep for all of them');

/** `of` is the file whose symbol is meant; undefined for a directory. */
export async function answerUses(
  { name, from }: CodeSelector & { readonly kind: 'uses' },
  of: string | undefined,
  context: CodeContext,
): Promise<Resource> {
  const { code, typed, shown } = context;
  const found = await code.ask({
    kind: 'uses',
    name,
    from,
    most: MAX_LISTED_USES,
    of,
  });
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
    : pageRange(from, end, found.all, 'use');
  const text = `${part} of '${quote(name)}': ${counts}. Declared: ${declared}`;
  const notes: Notice[] = [saidNotice(text), ...(found.cut ? [USES_CUT] : []), ...gaps];
  return codeText(lines.text, context, notes, end < found.all ? `${target}?from=${end + 1}` : undefined);
}

function callsOf(calls: readonly string[]): string {
  let shown = calls;
  while (shown.length > 1 && Buffer.byteLength(shown.join(', ')) > MAX_DECLARED_BYTES)
    shown = shown.slice(0, -1);
  return `${shown.join(', ')}${shown.length < calls.length ? ', …' : ''}`;
}

/** The uses grouped by file, each with the text of its line; certain uses come first. */
async function useLines(
  found: readonly UsedAt[],
  context: CodeContext,
): Promise<{ readonly text: string; readonly shown: number }> {
  const texts = await lineTexts(found, context);
  const lines = new AnswerLines(context.call);
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
  { from }: CodeSelector & { readonly kind: 'importers' },
  file: string,
  context: CodeContext,
): Promise<Resource> {
  const { code, typed, shown, call } = context;
  const target = oneLine(shown(file));
  const { paths, all } = await code.ask({ kind: 'importers', path: file, from, most: MAX_LISTED_USES });
  const gaps = [...usesUnknown([file]), ...gapsOf(context)];
  if (paths.length === 0) {
    const text =
      all === 0
        ? `No file below ${quote(typed)} imports ${quote(target)}`
        : beyond(from, all, `${target}:refs`);
    return note(text, gaps);
  }
  const lines = new AnswerLines(call);
  const fits = paths.findIndex((path) => !lines.add(`${oneLine(shown(path))}\n`));
  const count = fits === -1 ? paths.length : fits;
  const end = from + count;
  const text = `${pageRange(from, end, all, 'file')} ${count === 1 ? 'imports' : 'import'} ${target}`;
  const next = end < all ? `${target}:refs?from=${end + 1}` : undefined;
  return codeText(lines.text, context, [saidNotice(text), ...gaps], next);
}

/** Lines that are listed of a used name. */
const MAX_LISTED_LINES = 5;

/** `file` is the path below the directory. */
export async function answerImports(
  { from }: CodeSelector & { readonly kind: 'imports' },
  file: string,
  context: CodeContext,
): Promise<Resource> {
  const { code, shown, call } = context;
  const target = oneLine(shown(file));
  const { files, all, outside } = await code.ask({
    kind: 'imports',
    path: file,
    from,
    most: MAX_LISTED_USES,
  });
  const gaps = [...usesUnknown([file]), ...gapsOf(context)];
  if (files.length === 0 && (from > 0 || outside.length === 0)) {
    const none = `${target} imports nothing that was found`;
    return note(all === 0 ? none : beyond(from, all, `${target}:imports`), gaps);
  }
  const lines = new AnswerLines(call);
  if (from === 0 && outside.length > 0) lines.add(`From elsewhere: ${outside.map(oneLine).join(', ')}\n`);
  const fits = files.findIndex(({ path, used }) => {
    const names = used.map(({ qualified, lines: at }) => {
      const more = at.length > MAX_LISTED_LINES ? `, … (${at.length} lines)` : '';
      return `  ${oneLine(qualified)} ${at.slice(0, MAX_LISTED_LINES).join(', ')}${more}\n`;
    });
    return !lines.add(`${oneLine(shown(path))}\n`, ...names);
  });
  const count = fits === -1 ? files.length : fits;
  const end = from + count;
  const [first] = files;
  const name = first?.used[0]?.qualified;
  const use = first && `${nameablePath(shown(first.path), call)}${name === undefined ? '' : `:#${name}`}`;
  const text = `${target} imports ${pageRange(from, end, all, 'file').toLowerCase()} of this tree${outside.length > 0 ? ` and ${plural(outside.length, 'module')} from elsewhere` : ''}${use === undefined ? '' : `. Use ${oneLine(use)} to read what it uses`}`;
  const next = end < all ? `${target}:imports?from=${end + 1}` : undefined;
  return codeText(lines.text, context, [{ kind: 'said', text, use }, ...gaps], next);
}

// Answers `src:#Session.close`: the definition of a symbol anywhere below a directory, or all candidates of the name.

/** Candidates that are listed if a name is ambiguous. */
const MAX_LISTED_DEFINITIONS = 30;

/** Up to this many symbols of one name are shown in full, if they fit into a map. */
const MAX_SHOWN_DEFINITIONS = 5;

/** The lines of one symbol, to be read from its file. If the file has changed since it was parsed, `byName` is read. */
export interface SymbolRedirect {
  /** The path with the range of lines. */
  readonly target: string;
  /** Whether the file with this identity key is the one that was parsed. */
  isAsParsed(key: string): boolean;
  readonly byName: string;
}

export async function answerDefinitions(
  { names, from }: CodeSelector & { readonly kind: 'definitions' },
  context: CodeContext,
): Promise<{ readonly resource: Resource } | SymbolRedirect> {
  const { found } = await context.code.ask({
    kind: 'definitions',
    names,
    from,
    most: MAX_LISTED_DEFINITIONS,
  });
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
  context: CodeContext,
): Promise<TextResource> {
  const wanted = found.flatMap(({ declared, all }) => (all <= MAX_SHOWN_DEFINITIONS ? declared : []));
  const excerpts = await excerptOf(wanted, context);
  const isShown = names.length > 1 || excerpts.whole;
  const notes = names.flatMap((name, i) =>
    notesOn(name, found[i] as FoundName, isShown && (found[i]?.all ?? 0) <= MAX_SHOWN_DEFINITIONS, context),
  );
  if (isShown && wanted.length > 0)
    return codeText(excerpts.text, context, [...excerpts.notes, ...notes, ...gapsOf(context)]);
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
  context: CodeContext,
): Notice[] {
  if (all > 1) return [ambiguous(name, declared, all, isShown, context)];
  if (all === 1) return [];
  const { typed } = context;
  const meant = near.length === 0 ? '' : `${didYouMean(near.map(quote))} (${quote(`${typed}:#${near[0]}`)})`;
  return [saidNotice(`${quote(typed)} declares no '${quote(name)}'.${meant}`.replace(/\.$/, ''))];
}

function redirect(
  { path, qualified, from, to }: DeclaredSymbol,
  { code, shown }: CodeContext,
): SymbolRedirect {
  return {
    target: `${shown(path)}:${from}..${to}`,
    isAsParsed: (key) => code.isAsParsed(path, key),
    byName: `${shown(path)}:#${qualified}`,
  };
}

/** A further page of candidates, from index `from` (0-based) on; a note if there are no more. */
function furtherPage(name: string, found: FoundName, from: number, context: CodeContext): Resource {
  if (found.declared.length > 0) return candidates(name, found, from, context);
  return note(beyond(from, found.all, `${context.typed}:#${name}`), gapsOf(context));
}

/** The candidates of a name from index `from` (0-based) on, one line each with its call. */
function candidates(
  name: string,
  { declared, all }: FoundName,
  from: number,
  context: CodeContext,
): TextResource {
  const lines = new AnswerLines(context.call);
  const listed = declared.filter((one) =>
    lines.add(`${callOf(one, context.shown)}  ${span(one.from, one.to)}  ${one.signature}\n`),
  ).length;
  const end = from + listed;
  const part = listed < all ? `, ${span(from + 1, end)} of them listed` : '';
  const text = `'${quote(name)}' is declared in ${plural(all, 'place')}${part}. Use one of these calls`;
  const next = end < all ? `${context.typed}:#${name}?from=${end + 1}` : undefined;
  return codeText(lines.text, context, [saidNotice(text), ...gapsOf(context)], next);
}

function ambiguous(
  name: string,
  declared: readonly DeclaredSymbol[],
  all: number,
  isShown: boolean,
  context: CodeContext,
): Notice {
  return {
    kind: 'symbols',
    target: context.typed,
    name,
    candidates: declared.slice(0, 5).map((one) => ({ name: one.qualified, use: callOf(one, context.shown) })),
    more: all - Math.min(5, declared.length),
    shown: isShown || undefined,
  };
}

function notDeclared(
  names: readonly string[],
  found: readonly FoundName[],
  { code, typed }: CodeContext,
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

// The names of files and symbols below a directory in answers.

/** Returns a function from a path below the directory `typed` to its shown form, which can be typed again. */
export function namesShownIn(typed: string, call: Call): (path: string) => string {
  const base = startPath(typed, call);
  return (path) => nameablePath(join(base, path), call);
}

/** Whether a symbol can be read by its name alone. */
function isNamed({ qualified, unique }: DeclaredSymbol): boolean {
  return unique && /^[\w$.]{1,100}$/.test(qualified);
}

/** The path that reads a symbol: by its name if that is unique, otherwise by its lines. */
export function callOf(declared: DeclaredSymbol, shown: (path: string) => string): string {
  const { path, qualified, from, to } = declared;
  const file = shown(path);
  return isNamed(declared) ? `${file}:#${qualified}` : `${file}:${from}..${to}`;
}
