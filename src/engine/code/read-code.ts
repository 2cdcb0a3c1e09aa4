/** Answers what is asked about code: `src:outline`, `src:#name`, `src:#name:refs`, `file.ts:refs`. */

import { basename, dirname, join } from 'node:path';
import { memoryBytes } from '../../access/bytes.ts';
import type { Declared, FoundName, UsedAt } from '../../codebase/questions.ts';
import { OrielError } from '../../errors.ts';
import { partOf, plural, span } from '../../render/units.ts';
import type { AskedOfCode } from '../../selector/code-question.ts';
import { didYouMean } from '../../text/near.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Notice } from '../../types/notice.ts';
import type { NoteResource, Resource, Subject, TextResource } from '../../types/resource.ts';
import { CodeBelow } from './code-below.ts';
import { excerptOf, lineTexts, NOTICE_ROOM } from './excerpts.ts';
import { callOf, shownIn } from './shown.ts';

/** Uses and importers in one answer, and places that are listed where a name is ambiguous. */
const MOST_USES = 100;
const MOST_CANDIDATES = 30;

/** Symbols of one name that are all shown, where they fit a map. */
const MOST_SHOWN = 5;

/** The lines of one symbol, to be read from its file as it was parsed: else by name. */
export interface Redirect {
  /** A range. */
  readonly target: string;
  /** Whether the bytes of this identity are those that were parsed. */
  isAsParsed(key: string): boolean;
  readonly byName: string;
}

/** The answer as a text or a note, or where to read it. */
export async function answerCode(
  subject: Subject,
  asked: AskedOfCode,
  call: Call,
): Promise<{ readonly resource: Resource } | Redirect> {
  const { directory, typed, file } = await directoryOf(subject, call);
  const code = await CodeBelow.look(directory, call);
  const context: Context = { code, typed, call, shown: shownIn(typed, call) };
  switch (asked.is) {
    case 'map':
      return { resource: await map(asked, context) };
    case 'definitions':
      return definitions(asked.names, context);
    case 'uses':
      return { resource: await uses(asked, file, context) };
    case 'importers':
      return { resource: await importers(asked, file ?? '', context) };
  }
}

interface Context {
  readonly code: CodeBelow;
  /** How the directory is called. */
  readonly typed: string;
  readonly call: Call;
  /** How a path below the directory is called. */
  shown(path: string): string;
}

/** A file is asked about within the working directory, or the root, that holds it. `file`: its path below that. */
async function directoryOf(
  { opened, path, typed }: Subject,
  call: Call,
): Promise<{ directory: OpenedDirectory; typed: string; file?: string }> {
  if (opened.is === 'directory') return { directory: opened, typed };
  const { cwd, roots } = call.access;
  const real = async (one: string): Promise<OpenedDirectory | undefined> => {
    const found = await call.access.open(one, call.signal).catch(() => undefined);
    if (!found) return undefined;
    call.onEnd(() => found.close());
    return found.is === 'directory' && path.startsWith(join(found.path, '/')) ? found : undefined;
  };
  for (const one of [cwd, ...roots, dirname(path)]) {
    const directory = await real(one);
    if (!directory) continue;
    return { directory, typed: call.access.display(one), file: path.slice(join(directory.path, '/').length) };
  }
  throw new OrielError('NOT_FOUND', `The directory of ${quote(typed)} does not exist any more.`, {
    next: '.',
  });
}

async function map(
  { bytes, from, query }: AskedOfCode & { readonly is: 'map' },
  { code, typed, call }: Context,
): Promise<TextResource> {
  const { settings, limits } = call;
  const most = Math.min(limits.bytes, limits.window) - NOTICE_ROOM;
  const least = Math.min(256, limits.bytes, limits.window);
  const budget = Math.max(least, Math.min(bytes ?? settings.mapBytes, most));
  const { map: found } = await code.ask({ is: 'map', bytes: budget, from, query });
  const { named, files, symbols, rest } = found;
  const end = from + named;
  const again = query === '' ? '' : `&q=${encodeURIComponent(query)}`;
  const ways = [
    ...(end < files && budget < most
      ? [`${typed}:outline?bytes=${grown(budget, most)}${again} for more`]
      : []),
    ...(end < files && rest ? [`${oneLine(join(typed, rest.directory))}:outline for one directory`] : []),
    ...(symbols > 0 ? [`${typed}:#NAME for a symbol`] : []),
  ];
  const shown = `${partOf(from, end, files, 'file')} of ${oneLine(typed)}`;
  const help = ways.length > 0 ? ` Use ${ways.join(', ')}` : '';
  const notes: Notice[] = [
    { kind: 'said', text: `${shown}, the most important first, with ${plural(symbols, 'symbol')}.${help}` },
    ...gapsOf(code, typed),
  ];
  const resource = textOf(found.text === '' ? '(no files)\n' : found.text, typed, notes);
  if (end >= files) return resource;
  const next = `${typed}:outline?from=${end + 1}${bytes === undefined ? '' : `&bytes=${bytes}`}${again}`;
  return { ...resource, more: continued(next) };
}

/** `"32K"`: four times as much, as far as an answer goes. */
function grown(bytes: number, most: number): string {
  return `${Math.max(1, Math.floor(Math.min(bytes * 4, most) / 1024))}K`;
}

async function definitions(
  names: readonly string[],
  context: Context,
): Promise<{ readonly resource: Resource } | Redirect> {
  const { code, typed, call } = context;
  const { found } = await code.ask({ is: 'definitions', names, most: MOST_CANDIDATES });
  const missing = names.filter((_, i) => found[i]?.all === 0);
  if (missing.length === names.length) throw notDeclared(names, found, context);
  const [only] = found;
  const [one] = only?.declared ?? [];
  if (names.length === 1 && only?.all === 1 && one) return redirect(one, context);
  const wanted = found.flatMap(({ declared, all }) => (all <= MOST_SHOWN ? declared : []));
  const excerpts = await excerptOf(wanted, { code, call, shown: context.shown });
  const isShown = names.length > 1 || excerpts.whole;
  const notes: Notice[] = [];
  names.forEach((name, i) => {
    const { declared = [], all = 0, near = [] } = found[i] ?? {};
    if (all === 0)
      notes.push({
        kind: 'said',
        text: `${quote(typed)} declares no '${quote(name)}'.${meant(near, context)}`.replace(/\.$/, ''),
      });
    if (all > 1) notes.push(ambiguous(name, declared, all, isShown && all <= MOST_SHOWN, context));
  });
  if (!isShown || wanted.length === 0) {
    const at = found.findIndex(({ all }) => all > 0);
    const listed = candidates(names[at] ?? '', found[at] as FoundName, context);
    // Of the other names of a list the notices have the calls.
    const others = names.length > 1 ? notes : [];
    return { resource: { ...listed, notes: [...others, ...(listed.notes ?? [])] } };
  }
  return { resource: textOf(excerpts.text, typed, [...excerpts.notes, ...notes, ...gapsOf(code, typed)]) };
}

function redirect({ path, qualified, from, to }: Declared, { code, shown }: Context): Redirect {
  return {
    target: `${shown(path)}:${from}..${to}`,
    isAsParsed: (key) => code.isAsParsed(path, key),
    byName: `${shown(path)}:#${qualified}`,
  };
}

/** All meanings of a name, a line each with its call. */
function candidates(name: string, { declared, all }: FoundName, context: Context): TextResource {
  const { typed, code } = context;
  const lines = declared.map(
    (one) => `${callOf(one, context.shown)}  ${span(one.from, one.to)}  ${one.signature}\n`,
  );
  const more = all > declared.length ? `, the first ${declared.length} are listed` : '';
  const text = `'${quote(name)}' is declared in ${plural(all, 'place')}${more}. Use one of these calls`;
  return textOf(lines.join(''), typed, [{ kind: 'said', text }, ...gapsOf(code, typed)]);
}

function ambiguous(
  name: string,
  declared: readonly Declared[],
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

function notDeclared(
  names: readonly string[],
  found: readonly FoundName[],
  { code, typed }: Context,
): OrielError {
  const near = found[0]?.near ?? [];
  const what = names.map((name) => `'${quote(name)}'`).join(' or ');
  const unsure = gapsOf(code, typed).flatMap((gap) => (gap.kind === 'said' ? [` ${gap.text}.`] : []));
  const next = near[0] === undefined ? `${typed}:outline` : `${typed}:#${near[0]}`;
  return new OrielError(
    'NOT_FOUND',
    `No code below ${quote(typed)} declares ${what}.${didYouMean(near.map(quote))}${unsure.join('')} Use ${quote(next)}.`,
    { next },
  );
}

function meant(near: readonly string[], { typed }: Context): string {
  return near.length === 0 ? '' : `${didYouMean(near.map(quote))} (${quote(`${typed}:#${near[0]}`)})`;
}

async function uses(
  { name, from }: AskedOfCode & { readonly is: 'uses' },
  of: string | undefined,
  context: Context,
): Promise<Resource> {
  const { code, typed, shown } = context;
  const question = { is: 'uses', name, from, most: MOST_USES, ...(of !== undefined && { of }) } as const;
  const found = await code.ask(question);
  if (found.name.all === 0) throw notDeclared([name], [found.name], context);
  const target = oneLine(of === undefined ? typed : shown(of));
  const declared = found.name.declared.map((one) => callOf(one, context.shown)).join(', ');
  const lines = await useLines(found.uses, context);
  if (found.uses.length === 0) {
    const text =
      found.all === 0
        ? `No use of '${quote(name)}' was found (declared: ${declared})`
        : beyond(from, found.all, `${target}:#${name}:refs`);
    return note(text, [...gapsOf(code, typed)]);
  }
  const end = from + found.uses.length;
  const counts = `${found.sure} by imports and scope, ${found.all - found.sure} by name alone`;
  const next = `${target}:#${name}:refs?from=${end + 1}`;
  const part = found.cut
    ? `Uses ${span(from + 1, end)} of at least ${found.all}`
    : partOf(from, end, found.all, 'use');
  const text = `${part} of '${quote(name)}': ${counts}. Declared: ${declared}`;
  const notes: Notice[] = [{ kind: 'said', text }, ...(found.cut ? [USES_CUT] : []), ...gapsOf(code, typed)];
  const resource = textOf(lines, typed, notes);
  return end < found.all ? { ...resource, more: continued(next) } : resource;
}

const USES_CUT: Notice = {
  kind: 'said',
  text: 'A file uses the name on more lines than are kept. Use grep for all of them',
};

/** A line for each use, with the text of it, below a line for each file; first those that are sure. */
async function useLines(found: readonly UsedAt[], context: Context): Promise<string> {
  const { call, code, shown } = context;
  const texts = await lineTexts(found, { code, call, shown });
  let [text, last, lastSure] = ['', '', true];
  found.forEach(({ path, line, within, sure }, i) => {
    if (lastSure && !sure) {
      text += `${text === '' ? '' : '\n'}By name alone:\n`;
      last = '';
    }
    if (path !== last) text += `${oneLine(shown(path))}\n`;
    [last, lastSure] = [path, sure];
    const around = within ? ` [in ${within.qualified} ${span(within.from, within.to)}]` : '';
    text += `  ${line}|${texts[i] ?? ''}${around}\n`;
  });
  return text;
}

async function importers(
  { from }: AskedOfCode & { readonly is: 'importers' },
  file: string,
  { code, typed, shown }: Context,
): Promise<Resource> {
  const target = oneLine(shown(file));
  const { paths, all } = await code.ask({ is: 'importers', path: file, from, most: MOST_USES });
  if (paths.length === 0) {
    const text =
      all === 0
        ? `No file below ${quote(typed)} imports ${quote(target)}`
        : beyond(from, all, `${target}:refs`);
    return note(text, gapsOf(code, typed));
  }
  const end = from + paths.length;
  const next = `${target}:refs?from=${end + 1}`;
  const part = partOf(from, end, all, 'file');
  const text = `${part} ${paths.length === 1 ? 'imports' : 'import'} ${target}`;
  const lines = paths.map((path) => `${oneLine(shown(path))}\n`).join('');
  const resource = textOf(lines, typed, [{ kind: 'said', text }, ...gapsOf(code, typed)]);
  return end < all ? { ...resource, more: continued(next) } : resource;
}

function continued(use: string): Notice {
  return { kind: 'said', text: `Use ${use} to continue`, use };
}

function beyond(from: number, all: number, use: string): string {
  return `${from + 1} is beyond the last of ${all}. Use ${use}`;
}

/** What the answer does not cover. */
function gapsOf({ gaps, missing, slow, files, unknown }: CodeBelow, typed: string): Notice[] {
  const said: string[] = [];
  if (missing > 0)
    said.push(
      `${missing} of ${plural(files, 'code file')} were not parsed for want of time. Call again to go on`,
    );
  if (slow > 0) said.push(`${plural(slow, 'file')} took too long to parse: without symbols here`);
  // Those that took too long have none either.
  const whole = unknown.whole - slow;
  if (whole > 0)
    said.push(
      `The symbols of ${plural(whole, 'code file')} are not known: larger than 1 MiB, or not to be read or parsed. Use grep to search them too`,
    );
  if (unknown.parts > 0)
    said.push(`Of ${plural(unknown.parts, 'code file')} only the first symbols and names are known`);
  if (gaps.timedOut || gaps.broken)
    said.push(`Not all of ${oneLine(typed)} was looked at. Call again, or ask about a directory in it`);
  else if (gaps.tooMany)
    said.push(`${oneLine(typed)} has more files than are looked at. Ask about a directory in it`);
  if (gaps.denied) said.push('Some directories could not be read');
  if (gaps.unnamed > 0) said.push(`${plural(gaps.unnamed, 'file')} left out whose name is not UTF-8`);
  return said.map((text) => ({ kind: 'said', text }));
}

function textOf(text: string, typed: string, notes: readonly Notice[]): TextResource {
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

/** A note is one sentence, or several. */
function note(text: string, notes: readonly Notice[]): NoteResource {
  const said = [text, ...notes.flatMap((one) => (one.kind === 'said' ? [one.text] : []))];
  return { is: 'note', kind: 'directory', note: { kind: 'said', text: said.join('. ') } };
}
