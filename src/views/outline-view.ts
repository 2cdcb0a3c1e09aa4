/** `:outline` and `:#name` on any text: the list of its symbols, and the lines of one of them. */

import { memoryBytes } from '../access/bytes.ts';
import { OrielError } from '../errors.ts';
import { noStructure } from '../render/notices.ts';
import { quote } from '../text/visible.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { Kind } from '../types/store.ts';
import type { NoStructure, Notice } from '../types/notice.ts';
import type { NoteResource, TextResource } from '../types/resource.ts';
import type { Selection } from '../types/selection.ts';
import { findSymbol } from './find-symbol.ts';
import { outlineText, outlineWithin } from './outline-text.ts';
import { structureOf, wholeText } from './parsed.ts';
import type { OutlineSymbol } from './structure.ts';
import { textInput } from './text-input.ts';

/** Symbols of an ambiguous name that are listed, and bytes of their list: a notice has 1 KiB at most. */
const mostCandidates = 5;
const noticeRoom = 800;

export interface Viewed {
  readonly resource: TextResource;
  readonly selection: Selection;
}

/** The symbols, or why there are none. */
async function symbolsOf(
  resource: TextResource,
  call: Call,
): Promise<readonly OutlineSymbol[] | NoStructure> {
  const whole = await wholeText(resource, await textInput(resource, call), call.signal);
  if (!whole) return 'size';
  const structure = await structureOf(whole, call);
  return 'none' in structure ? structure.none : structure.symbols;
}

/** The outline as a text of its own; the text itself, and a word about it, where it has none. */
export async function outlineView(resource: TextResource, selection: Selection, call: Call): Promise<Viewed> {
  const symbols = await symbolsOf(resource, call);
  if (typeof symbols === 'string') {
    const { window } = selection;
    const note = { kind: 'no-structure', what: 'outline', why: symbols } as const;
    const shown = { ...resource, notes: [...(resource.notes ?? []), note] };
    return { resource: shown, selection: window ? { window } : {} };
  }
  return { resource: outlineResource(resource, symbols, undefined, call), selection };
}

/**
 * The outline in one answer of at most `bytes` bytes, for callers that cannot page through it; the first window of
 * the text where it has none.
 */
export async function outlineOfWhole(resource: TextResource, call: Call, bytes: number): Promise<Viewed> {
  const symbols = await symbolsOf(resource, call);
  if (typeof symbols === 'string') return { resource, selection: { window: { by: 'bytes', start: 0 } } };
  return {
    resource: outlineResource(resource, symbols, bytes, call),
    selection: { mode: 'outline' },
  };
}

interface Outline {
  readonly bytes: ByteSource;
  /** Symbols that it leaves out. */
  readonly left: number;
}

/** `within`: the most bytes it may have; undefined where all symbols are in it. */
type OutlineOptions = { name: string; encoding: string; within: number | undefined };

const outlines: Kind<Outline, OutlineOptions> = {
  name: 'outline',
  weigh: ({ bytes }) => ({ memory: bytes.size ?? 0 }),
};

function outlineResource(
  resource: TextResource,
  symbols: readonly OutlineSymbol[],
  within: number | undefined,
  call: Call,
): TextResource {
  const options = { name: resource.name, encoding: resource.encoding, within };
  const make = (): Outline => {
    const { text, left } =
      within === undefined ? { text: outlineText(symbols), left: 0 } : outlineWithin(symbols, within);
    return { bytes: memoryBytes(text, resource.bytes.identity.derive(outlines, options)), left };
  };
  const { bytes, left } = call.session.store.getNow(outlines, resource.bytes, options, make, call);
  const fits = ({ qualified }: OutlineSymbol): boolean =>
    Buffer.byteLength(qualified) + 2 * Buffer.byteLength(resource.target) < noticeRoom;
  const one = symbols.find((symbol) => symbol.to > symbol.from && fits(symbol)) ?? symbols.find(fits);
  const note: Notice = {
    kind: 'outline',
    target: resource.target,
    symbols: symbols.length,
    ...(left > 0 && { left }),
    ...(one && { example: { name: one.qualified, from: one.from, to: one.to } }),
  };
  return { ...resource, bytes, encoding: 'utf-8', display: 'plain', editable: false, notes: [note] };
}

/** The lines of the symbol that `selection.symbol` names, or a note with what it could be. */
export async function symbolView(
  resource: TextResource,
  name: string,
  call: Call,
): Promise<Viewed | NoteResource> {
  const { target, kind } = resource;
  const symbols = await symbolsOf(resource, call);
  if (typeof symbols === 'string') {
    const said = `${quote(target)} has no symbols: ${noStructure[symbols]}. Use ${quote(target)}.`;
    throw new OrielError('UNSUPPORTED', said, { next: target });
  }
  const found = findSymbol(symbols, name);
  if ('one' in found) {
    const { from, to } = found.one;
    const window = { by: 'lines', ranges: [{ from, to }], context: false } as const;
    return { resource, selection: { window, typed: `${from}..${to}` } };
  }
  if (found.candidates.length === 0) {
    const use = `${target}:outline`;
    throw new OrielError(
      'NOT_FOUND',
      `${quote(target)} has no symbol '${quote(name)}'. Use ${quote(use)} for all of them.`,
      { next: use },
    );
  }
  const candidates: { name: string; use: string }[] = [];
  let room = noticeRoom;
  for (const { qualified, from, to } of found.candidates.slice(0, mostCandidates)) {
    const use = `${target}:${from}..${to}`;
    room -= Buffer.byteLength(qualified) + Buffer.byteLength(use);
    if (room < 0 && candidates.length > 0) break;
    candidates.push({ name: qualified, use });
  }
  const more = found.candidates.length - candidates.length;
  return { is: 'note', kind, note: { kind: 'symbols', target, name, candidates, more } };
}
