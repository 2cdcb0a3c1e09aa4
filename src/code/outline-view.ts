/** The view `:outline`: the list of the symbols of a text, or of one symbol in it. */

import { OrielError } from '../errors.ts';
import { noStructure } from '../render/notices.ts';
import { parseItem } from '../selector/parse-window.ts';
import { FORMS, notASelector, parseSelection, withNext } from '../selector/selection.ts';
import { memoryBytes } from '../text/bytes.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { ByteSource } from '../types/access.ts';
import type { NoStructure, Notice } from '../types/answer.ts';
import type { Call, NoteResource, TextResource } from '../types/call.ts';
import type { Range, Selection } from '../types/excerpt.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../types/session.ts';
import type { FoundSymbols, OutlineText, SymbolPlace } from './find-symbol.ts';
import { answerTo, lasts, type ParsedText, parseStructure, type UnparsedText, wholeText } from './parsed.ts';
import { textInput, type TextView } from './text-input.ts';

async function parsedOf(resource: TextResource, call: Call): Promise<ParsedText> {
  const whole = await wholeText(resource, await textInput(resource, call), call.signal);
  return whole ? parseStructure(whole, call) : { none: 'size' };
}

/** The outline as a text of its own; a note if there is none. */
export async function outlineView(
  resource: TextResource,
  { window, symbol, typed }: Selection,
  call: Call,
): Promise<TextView | NoteResource> {
  const outline = await outlineOf(resource, { of: symbol, within: undefined }, call);
  if ('none' in outline) {
    const { target, format } = resource;
    if (symbol !== undefined) throw noSymbols(target, outline.none);
    return {
      kind: 'note',
      format,
      note: { kind: 'no-structure', what: 'outline', why: outline.none, target },
    };
  }
  if ('one' in outline) throw new TypeError('an outline of one symbol is a text');
  if ('near' in outline || 'candidates' in outline)
    return noSymbol(resource, symbol ?? '', outline, ':outline');
  const selection: Selection = {
    mode: 'outline',
    window,
    symbol,
    typed,
  };
  return { resource: outlineResource(resource, outline), selection };
}

/**
 * The outline in an answer of at most `bytes` bytes, for callers that cannot page; the first window of the text if it has
 * no outline.
 */
export async function outlineOfWhole(resource: TextResource, call: Call, bytes: number): Promise<TextView> {
  const outline = await outlineOf(resource, { of: undefined, within: bytes }, call);
  if (!('bytes' in outline)) return { resource, selection: { window: { kind: 'bytes', start: 0 } } };
  return { resource: outlineResource(resource, outline), selection: { mode: 'outline' } };
}

type Outline = Omit<OutlineText, 'text'> & { readonly bytes: ByteSource };

/** See `OutlineWanted`. */
type OutlineOptions = { name: string; encoding: string; within: number | undefined; of: string | undefined };

const outlines: DerivedKind<Outline | FoundSymbols | UnparsedText, OutlineOptions> = {
  name: 'outline',
  weigh: (outline) => ({ memory: 'bytes' in outline ? (outline.bytes.size ?? 0) : 0 }),
};

async function outlineOf(
  resource: TextResource,
  { of, within }: Pick<OutlineOptions, 'of' | 'within'>,
  call: Call,
): Promise<Outline | FoundSymbols | UnparsedText> {
  const structure = await parsedOf(resource, call);
  if ('none' in structure) return structure;
  const make = async ({
    identity,
    signal,
  }: ValueComputation): Promise<ComputedValue<Outline | FoundSymbols | UnparsedText>> => {
    const found = await answerTo(
      {
        kind: 'outline',
        structure,
        ...(of !== undefined && { of }),
        within,
      },
      signal,
    );
    if (!('text' in found)) return { value: found, keep: lasts(found) };
    const { text, ...facts } = found;
    return { value: { ...facts, bytes: memoryBytes(text, identity) }, keep: true };
  };
  const { name, encoding: stored } = resource;
  const encoding = typeof stored === 'string' ? stored : stored.as;
  return call.session.store.get(outlines, resource.bytes, { name, encoding, within, of }, make, call);
}

function outlineResource(
  resource: TextResource,
  { bytes, symbols, left, leftFrom, example }: Outline,
): TextResource {
  const note: Notice = {
    kind: 'outline',
    target: resource.target,
    symbols,
    left: left > 0 ? left : undefined,
    leftFrom,
    example,
  };
  return { ...resource, bytes, encoding: 'utf-8', display: 'plain', editable: false, notes: [note] };
}

// The view `:#name`, also with lists of names and ranges: the lines of these symbols, within one budget.

/** Maximum candidates in a notice, and maximum bytes of their list: a notice has at most 1 KiB. */
const MAX_NAMED_CANDIDATES = 5;
const MAX_CANDIDATES_BYTES = 800;

/** Maximum items of a list. */
const MAX_SYMBOL_ITEMS = 100;

type Item = { readonly name: string } | { readonly ranges: readonly Range[] };

/** An item, with the symbols that its name matches. */
type Found =
  | { readonly name: string; readonly symbols: FoundSymbols }
  | { readonly ranges: readonly Range[] };

/**
 * The lines of the symbols that `selection.symbol` names, or a note with the candidates. For an ambiguous name all matches
 * are shown if they fit the budget of a map. For a list, notices below the text name the items that were not found.
 */
export async function symbolView(
  resource: TextResource,
  selection: Selection,
  call: Call,
): Promise<TextView | NoteResource> {
  const { mode } = selection;
  const { target } = resource;
  const { text, found } = await findItems(resource, selection, call);
  const room = new Room(text, call);
  const shown = found.map((one) => shownOf(resource, one, room));
  const ranges = shown.flatMap((one) => one.ranges);
  const [only] = found;
  if (ranges.length === 0 && found.length === 1 && only && 'name' in only) {
    const selector = mistypedSelector(target, selection);
    if (selector && selector.next !== target) throw selector;
    return noSymbol(resource, only.name, only.symbols, mode ? `:${mode}` : '');
  }
  const notes = shown.flatMap(({ notice }) => (notice ? [notice] : []));
  if (ranges.length === 0) throw noneOf(target, notes);
  return {
    resource: { ...resource, notes: [...(resource.notes ?? []), ...capped(notes)] },
    selection: selectionOf(ranges, mode),
  };
}

/** A name with commas is first searched as one name. Throws OrielError if the text has no structure. */
async function findItems(
  resource: TextResource,
  selection: Selection,
  call: Call,
): Promise<{ readonly text: string; readonly found: readonly Found[] }> {
  const { target } = resource;
  const whole = await wholeText(resource, await textInput(resource, call), call.signal);
  const structure = whole ? await parseStructure(whole, call) : ({ none: 'size' } as const);
  const refusal = (why: NoStructure): OrielError =>
    (why === 'empty' && mistypedSelector(target, selection)) || noSymbols(target, why);
  if (!whole || 'none' in structure) throw refusal('none' in structure ? structure.none : 'size');
  const { symbol = '', mode } = selection;
  const list = withNext(
    (next) => `${target}${next}${mode ? `:${mode}` : ''}`,
    () => itemsOf(selection, whole.text),
  );
  const names = [symbol, ...list.flatMap((item) => ('name' in item ? [item.name] : []))];
  const answers = await answerTo({ kind: 'find', structure, names }, call.signal);
  if ('none' in answers) throw refusal(answers.none);
  const [asOne = { near: [] }, ...others] = answers;
  if (list.length === 1 || !('near' in asOne))
    return { text: whole.text, found: [{ name: symbol, symbols: asOne }] };
  const next = others.values();
  const found = list.map((item) =>
    'ranges' in item ? item : { name: item.name, symbols: next.next().value ?? { near: [] } },
  );
  return { text: whole.text, found };
}

/** The lines to show of an item, and the notices about it. */
function shownOf(
  resource: TextResource,
  found: Found,
  room: Room,
): { readonly ranges: readonly Range[]; readonly notice?: Notice | undefined } {
  if ('ranges' in found) return { ranges: found.ranges };
  const { name, symbols } = found;
  if ('one' in symbols) return { ranges: [symbols.one] };
  if (!('candidates' in symbols)) {
    const text = missing(resource, name, symbols.near).replace(/\.$/, '');
    return { ranges: [], notice: { kind: 'said', text, use: wayOn(resource, name, '') } };
  }
  const { candidates, all } = symbols;
  const fits = candidates.length === all && room.takes(candidates);
  return { ranges: fits ? candidates : [], notice: candidatesNotice(resource.target, name, symbols, fits) };
}

function noneOf(target: string, notes: readonly Notice[]): OrielError {
  const text = notes.map((note) => (note.kind === 'said' ? `${note.text}.` : '')).join(' ');
  return new OrielError('NOT_FOUND', text || `${quote(target)} has none of these symbols.`, {
    next: `${target}:outline`,
  });
}

/** The selection of these ranges, sorted and merged as for a typed selector. */
function selectionOf(ranges: readonly Range[], mode: Selection['mode']): Selection {
  const typed = (parts: readonly Range[]): string =>
    parts.map(({ from, to }) => `${from}..${to ?? ''}`).join(',');
  const merged = parseSelection(typed(ranges))?.window;
  const lines = merged?.kind === 'lines' ? typed(merged.ranges) : '';
  return {
    window: merged,
    mode: mode || undefined,
    typed: mode ? `${lines}:${mode}` : lines,
  };
}

/** `#a,#Class.b,120..140,-3` → two names, a range, and the last three lines. */
function itemsOf({ symbol = '', typed = '', mode }: Selection, text: string): Item[] {
  const chunks = symbol.split(',').map((chunk) => chunk.trim());
  const list = mode ? typed.slice(0, -mode.length - 1) : typed;
  if (chunks.length > MAX_SYMBOL_ITEMS) {
    throw new OrielError(
      'BAD_SELECTOR',
      `A list holds at most ${MAX_SYMBOL_ITEMS} symbols and ranges. Use fewer.`,
    );
  }
  return chunks.map((chunk): Item => {
    const { from, to, bare, inside } = parseItem(chunk, list) ?? {};
    if (from !== undefined && inside === undefined)
      return { ranges: [{ from, ...(bare ? { to: from } : to !== undefined && { to }) }] };
    const tail = /^-([1-9]\d*)$/.exec(chunk)?.[1];
    if (tail !== undefined) {
      const last = startsOf(text.endsWith('\n') ? text.slice(0, -1) : text).length;
      return { ranges: [{ from: Math.max(1, last - Number(tail) + 1), to: last }] };
    }
    return { name: chunk.startsWith('#') ? chunk.slice(1) : chunk };
  });
}

/** The budget for all matches of an ambiguous name. */
class Room {
  readonly #text: string;
  #starts: readonly number[] | undefined;
  #bytes: number;
  #lines: number;

  constructor(text: string, { settings, limits }: Call) {
    this.#text = text;
    this.#bytes = Math.min(settings.mapBytes, limits.bytes);
    this.#lines = limits.lines;
  }

  takes(places: readonly SymbolPlace[]): boolean {
    const starts = (this.#starts ??= startsOf(this.#text));
    let bytes = 0;
    let lines = 0;
    for (const { from, to } of places) {
      const part = this.#text.slice(starts[from - 1], starts[to]);
      bytes += Buffer.byteLength(part) + 8 * (to - from + 2);
      lines += to - from + 1;
      if (bytes > this.#bytes || lines > this.#lines) return false;
    }
    this.#bytes -= bytes;
    this.#lines -= lines;
    return true;
  }
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The error for a symbol in a text that has no structure. */
export function noSymbols(target: string, why: NoStructure): OrielError {
  const because = why === 'empty' ? '' : `: ${noStructure[why]}`;
  const said = `${quote(target)} has no symbols${because}. Use ${quote(target)}.`;
  return new OrielError('UNSUPPORTED', said, { next: target });
}

/** The error for a word after a path that was taken for a symbol, because it is no selector. */
function mistypedSelector(target: string, { typed = '#' }: Selection): OrielError | undefined {
  return typed.includes('#') ? undefined : notASelector(target, typed, `one of ${FORMS}`);
}

/** The note about an ambiguous name. Throws `NOT_FOUND` if no symbol has the name. */
export function noSymbol(
  resource: TextResource,
  name: string,
  found: FoundSymbols,
  mode: string,
): NoteResource {
  const { target, format, part } = resource;
  if ('candidates' in found)
    return { kind: 'note', format, note: candidatesNotice(target, name, found, false, mode) };
  const near = 'near' in found ? found.near : [];
  const [first] = near;
  throw new OrielError('NOT_FOUND', missing(resource, name, near, mode), {
    next: part || !first ? wayOn(resource, name, mode) : callOf(target, first) + mode,
  });
}

/** The call that searches the name in the next part of a document, or lists all symbols. */
function wayOn({ target, part }: TextResource, name: string, mode: string): string {
  return part ? `${part.next}:#${name}${mode}` : `${target}:outline`;
}

function missing(resource: TextResource, name: string, near: readonly SymbolPlace[], mode = ''): string {
  const { target, part } = resource;
  const calls = near.map(
    (place) => `${quote(oneLine(place.qualified))} (${quote(callOf(target, place) + mode)})`,
  );
  let shown = calls;
  while (shown.length > 1 && Buffer.byteLength(shown.join(', ')) > MAX_CANDIDATES_BYTES / 2)
    shown = shown.slice(0, -1);
  const meant = shown.length > 0 ? ` Did you mean ${shown.join(', ')}?` : '';
  const where = part ? ` in ${part.name}` : '';
  const what = part ? 'to look in the next ones' : 'for all of them';
  const use = quote(wayOn(resource, name, mode));
  return `${quote(target)} has no symbol '${quote(name)}'${where}.${meant} Use ${use} ${what}.`;
}

function callOf(target: string, { name, from, to }: SymbolPlace): string {
  return name === undefined ? `${target}:${from}..${to}` : `${target}:#${name}`;
}

function candidatesNotice(
  target: string,
  name: string,
  { candidates: all, all: count }: Extract<FoundSymbols, { candidates: unknown }>,
  shown: boolean,
  mode = '',
): Notice {
  const candidates: { name: string; use: string }[] = [];
  let room = MAX_CANDIDATES_BYTES;
  for (const place of all.slice(0, MAX_NAMED_CANDIDATES)) {
    const use = callOf(target, place) + (place.name === undefined && mode === ':outline' ? '' : mode);
    room -= Buffer.byteLength(place.qualified) + Buffer.byteLength(use);
    if (room < 0 && candidates.length > 0) break;
    candidates.push({ name: place.qualified, use });
  }
  return {
    kind: 'symbols',
    target,
    name,
    candidates,
    more: count - candidates.length,
    shown: shown || undefined,
  };
}

/** The first notes of a list, and the number of the others. */
function capped(notes: readonly Notice[]): Notice[] {
  const most = 3;
  if (notes.length <= most) return [...notes];
  const left = notes.length - most;
  return [...notes.slice(0, most), { kind: 'said', text: `${left} more names are ambiguous or not found` }];
}
