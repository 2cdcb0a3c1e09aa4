/** The view `:outline`: the list of the symbols of a text, or of one symbol in it. */

import { memoryBytes } from '../access/bytes.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { Notice } from '../types/notice.ts';
import type { NoteResource, TextResource } from '../types/resource.ts';
import type { Selection } from '../types/selection.ts';
import type { Computation, Computed, Kind } from '../types/store.ts';
import type { FoundSymbols } from './find-symbol.ts';
import type { OutlineText } from './outline-text.ts';
import { answerTo, lasts, type Parsed, structureOf, type Unparsed, wholeText } from './parsed.ts';
import { noSymbol, noSymbols } from './symbol-view.ts';
import { textInput } from './text-input.ts';
import type { Viewed } from './viewed.ts';

async function parsedOf(resource: TextResource, call: Call): Promise<Parsed> {
  const whole = await wholeText(resource, await textInput(resource, call), call.signal);
  return whole ? structureOf(whole, call) : { none: 'size' };
}

/** The outline as a text of its own; a note if there is none. */
export async function outlineView(
  resource: TextResource,
  { window, symbol, typed }: Selection,
  call: Call,
): Promise<Viewed | NoteResource> {
  const outline = await outlineOf(resource, { of: symbol, within: undefined }, call);
  if ('none' in outline) {
    const { target, kind } = resource;
    if (symbol !== undefined) throw noSymbols(target, outline.none);
    return { is: 'note', kind, note: { kind: 'no-structure', what: 'outline', why: outline.none, target } };
  }
  if ('one' in outline) throw new TypeError('an outline of one symbol is a text');
  if ('near' in outline || 'candidates' in outline)
    return noSymbol(resource, symbol ?? '', outline, ':outline');
  const selection: Selection = {
    mode: 'outline',
    ...(window && { window }),
    ...(symbol !== undefined && { symbol }),
    ...(typed !== undefined && { typed }),
  };
  return { resource: outlineResource(resource, outline), selection };
}

/**
 * The outline in an answer of at most `bytes` bytes, for callers that cannot page; the first window of the text if it has
 * no outline.
 */
export async function outlineOfWhole(resource: TextResource, call: Call, bytes: number): Promise<Viewed> {
  const outline = await outlineOf(resource, { of: undefined, within: bytes }, call);
  if (!('bytes' in outline)) return { resource, selection: { window: { by: 'bytes', start: 0 } } };
  return { resource: outlineResource(resource, outline), selection: { mode: 'outline' } };
}

type Outline = Omit<OutlineText, 'text'> & { readonly bytes: ByteSource };

/** See `OutlineWanted`. */
type OutlineOptions = { name: string; encoding: string; within: number | undefined; of: string | undefined };

const outlines: Kind<Outline | FoundSymbols | Unparsed, OutlineOptions> = {
  name: 'outline',
  weigh: (outline) => ({ memory: 'bytes' in outline ? (outline.bytes.size ?? 0) : 0 }),
};

async function outlineOf(
  resource: TextResource,
  { of, within }: Pick<OutlineOptions, 'of' | 'within'>,
  call: Call,
): Promise<Outline | FoundSymbols | Unparsed> {
  const structure = await parsedOf(resource, call);
  if ('none' in structure) return structure;
  const make = async ({
    identity,
    signal,
  }: Computation): Promise<Computed<Outline | FoundSymbols | Unparsed>> => {
    const found = await answerTo(
      { ask: 'outline', structure, ...(of !== undefined && { of }), ...(within !== undefined && { within }) },
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
    ...(left > 0 && { left }),
    ...(leftFrom !== undefined && { leftFrom }),
    ...(example && { example }),
  };
  return { ...resource, bytes, encoding: 'utf-8', display: 'plain', editable: false, notes: [note] };
}
