/** Selects the view for a mode: the text that `:conflicts` or `:outline` shows instead of the stored lines. */

import { OrielError } from '../errors.ts';
import { span } from '../render/display.ts';
import { joinChunks } from '../text/bytes.ts';
import { decode } from '../text/encoding.ts';
import { LineReader, type TextInput } from '../text/line-reader.ts';
import { Spool, SpoolReader } from '../text/spool.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { Notice } from '../types/answer.ts';
import type { Call, NoteResource, TextResource } from '../types/call.ts';
import type { Selection, SelectionMode } from '../types/excerpt.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../types/session.ts';
import { textInput, type TextView } from './text-input.ts';

type View = (resource: TextResource, selection: Selection, call: Call) => Promise<TextView | NoteResource>;

const VIEWS: Partial<Record<SelectionMode, () => Promise<View>>> = {
  conflicts: async () => async (resource, selection, call) => {
    const shown = await conflictsView(resource, call);
    return shown.kind === 'note' ? shown : { resource: shown, selection };
  },
  outline: async () => (await import('./outline-view.ts')).outlineView,
};

/**
 * Applies the mode or symbol of the selection, which is not one that the text itself has. Returns the resulting text, and
 * the rest of the selection. Throws `BAD_SELECTOR` for a mode that the text does not support.
 */
export async function view(
  resource: TextResource,
  selection: Selection,
  call: Call,
): Promise<TextView | NoteResource> {
  const { mode, symbol } = selection;
  if (symbol !== undefined && mode !== 'outline') {
    return (await import('./outline-view.ts')).symbolView(resource, selection, call);
  }
  const load = mode && VIEWS[mode];
  if (!load) {
    throw new OrielError(
      'BAD_SELECTOR',
      `${quote(resource.target)} has no :${mode}. Use ${quote(resource.target)}, or a range of its lines.`,
      { next: resource.target },
    );
  }
  return (await load())(resource, selection, call);
}

// The view `:conflicts`: unresolved merge conflicts with both sides, and with the common ancestor if the conflict style is
// `diff3` or `zdiff3`.

/** Lines are 1-based; a side is half-open: [from, to). */
interface Side {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface Conflict {
  /** The marker lines, inclusive. */
  readonly first: number;
  readonly last: number;
  readonly ours: Side;
  readonly base?: Side | undefined;
  readonly theirs: Side;
}

const VIEW_CAP = 256 << 20;
const VIEW_MEMORY = 4 << 20;
/** A longer line is not a marker. */
const MARKER_BYTES = 1024;

async function conflictsView(resource: TextResource, call: Call): Promise<TextResource | NoteResource> {
  const input = await textInput(resource, call);
  const options = { encoding: input.encoding.name, bom: input.encoding.bom };
  const count = async ({ source, signal }: ValueComputation): Promise<ComputedValue<Counted>> => ({
    value: await countConflicts({ ...input, source, signal }),
    keep: true,
  });
  const { store } = call.session;
  const { conflicts, unclosed } = await store.get(conflictCounts, resource.bytes, options, count, call);
  const open = unclosed === undefined ? [] : [unclosedNotice(resource.target, unclosed)];
  if (conflicts === 0) {
    const none: Notice = { kind: 'said', text: `${quote(resource.target)} has no conflicts` };
    return { kind: 'note', format: resource.format, note: open[0] ?? none };
  }
  const write = ({ source, identity, signal }: ValueComputation): Promise<ComputedValue<Spool>> => {
    const spool = new Spool(joinChunks(show(conflicts, { ...input, source, signal })), {
      identity,
      memory: VIEW_MEMORY,
      cap: VIEW_CAP,
      overflow: () => call.session.scratch(),
    });
    return Promise.resolve({ value: spool, keep: true });
  };
  const spool = await store.get(conflictTexts, resource.bytes, options, write, call);
  const bytes = new SpoolReader(spool);
  const notes = [...(resource.notes ?? []), ...open];
  return { ...resource, bytes, encoding: 'utf-8', display: 'plain', editable: false, notes };
}

function unclosedNotice(target: string, at: number): Notice {
  const use = `${target}:${at}..`;
  const text = `A conflict begins at line ${at} and has no end (>>>>>>>). Use ${oneLine(use)} to see it`;
  return { kind: 'said', text, use };
}

type EncodingOptions = { encoding: string; bom: number };

const conflictCounts: DerivedKind<Counted, EncodingOptions> = {
  name: 'count of conflicts',
  weigh: () => ({ memory: 100 }),
};

const conflictTexts: DerivedKind<Spool, EncodingOptions> = {
  name: 'text of conflicts',
  weigh: ({ held }) => held,
  dispose: (spool) => spool.close(),
  lasts: (spool) => !spool.failed,
};

interface Counted {
  readonly conflicts: number;
  /** The line of the first opening marker without a closing one. */
  readonly unclosed?: number | undefined;
}

/** Counts the conflicts before they are shown, because each is shown with its number and the total. */
async function countConflicts(input: TextInput): Promise<Counted> {
  const found = findConflicts(input);
  let conflicts = 0;
  let step = await found.next();
  for (; !step.done; step = await found.next()) conflicts += 1;
  return { conflicts, unclosed: step.value };
}

/**
 * Yields complete conflicts only. An opening marker without a closing one counts as text, but may be a damaged conflict:
 * the line of the first such marker is returned.
 */
async function* findConflicts(input: TextInput): AsyncGenerator<Conflict, number | undefined> {
  const reader = new LineReader(input.source, input.encoding, 0, MARKER_BYTES, input.signal);
  let open: Open | undefined;
  let unclosed: number | undefined;
  for (let no = 1; ; no += 1) {
    const line = await reader.next();
    if (!line) return unclosed ?? open?.ours.at;
    if (line.end === undefined) {
      await reader.skipRest();
      continue;
    }
    const marker = markerOf(line.text ?? decode(line.bytes, input.encoding).text);
    if (marker?.kind === '<') {
      unclosed ??= open?.ours.at;
      open = { ours: { at: no, name: marker.name } };
    }
    if (marker && marker.kind !== '<' && open) {
      const conflict = advance(open, marker, no);
      if (conflict) yield conflict;
      if (conflict || marker.kind === '>') open = undefined;
    }
  }
}

interface Open {
  readonly ours: { readonly at: number; readonly name: string };
  base?: { readonly at: number; readonly name: string } | undefined;
  theirs?: number | undefined;
}

function advance(open: Open, marker: Marker, no: number): Conflict | undefined {
  if (marker.kind === '|' && open.theirs === undefined) open.base ??= { at: no, name: marker.name };
  if (marker.kind === '=') open.theirs ??= no;
  if (marker.kind !== '>' || open.theirs === undefined) return undefined;
  const { ours, base, theirs } = open;
  return {
    first: ours.at,
    last: no,
    ours: { name: ours.name, from: ours.at + 1, to: base?.at ?? theirs },
    base: base ? { name: base.name, from: base.at + 1, to: theirs } : undefined,
    theirs: { name: marker.name, from: theirs + 1, to: no },
  };
}

interface Marker {
  readonly kind: '<' | '|' | '=' | '>';
  readonly name: string;
}

/** Source: git-merge, "How conflicts are presented": seven characters, then a space and a label or nothing. */
function markerOf(line: string): Marker | undefined {
  const match = /^(?:(<)<{6}|(\|)\|{6}|(=)={6}|(>)>{6})(?: ([^\r\n]*))?\r?\n?$/.exec(line);
  if (!match) return undefined;
  const kind = (match[1] ?? match[2] ?? match[3] ?? match[4]) as Marker['kind'];
  return { kind, name: match[5] ?? '' };
}

async function* show(count: number, input: TextInput): AsyncGenerator<Uint8Array> {
  const say = (text: string): Uint8Array => Buffer.from(`${text}\n`);
  const lines = new Lines(input);
  let number = 0;
  for await (const { first, last, ours, base, theirs } of findConflicts(input)) {
    number += 1;
    yield say(`conflict ${number} of ${count}, lines ${span(first, last)}`);
    for (const [title, side] of [
      ['ours', ours],
      ['base', base],
      ['theirs', theirs],
    ] as const) {
      if (!side) continue;
      const label = side.name === '' ? title : `${title} (${side.name})`;
      yield say(
        side.from === side.to
          ? `${label}: empty`
          : `${label}, ${side.to - side.from === 1 ? 'line' : 'lines'} ${span(side.from, side.to - 1)}:`,
      );
      for (let no = side.from; no < side.to; no += 1) yield Buffer.from(await lines.shown(no));
    }
  }
}

/** Lines are read in order. Up to a gap of this many lines, reading on is cheaper than a new seek. */
const NEAR = 256;

/** Reads lines of the file by number, in increasing order. */
class Lines {
  readonly #input: TextInput;
  #reader: LineReader | undefined;
  #next = 0;

  constructor(input: TextInput) {
    this.#input = input;
  }

  /** `12|text` with a terminator; empty if the line does not exist any more. */
  async shown(no: number): Promise<string> {
    await this.#goTo(no);
    const line = await this.#reader?.next();
    if (!line) return '';
    this.#next = no + 1;
    const text = `${no}|${line.text ?? decode(line.bytes, this.#input.encoding).text}`;
    if (line.end !== undefined) return text.endsWith('\n') ? text : `${text}\n`;
    await this.#reader?.skipRest();
    return `${text}… (the line is longer; read line ${no} itself)\n`;
  }

  async #goTo(no: number): Promise<void> {
    const { source, encoding, index, signal } = this.#input;
    if (this.#reader && no - this.#next <= NEAR) {
      for (; this.#next < no; this.#next += 1) {
        const line = await this.#reader.next();
        if (line?.end === undefined) await this.#reader.skipRest();
      }
      return;
    }
    const start = await index.startOf(no, source, signal);
    this.#reader = start === undefined ? undefined : new LineReader(source, encoding, start, 1 << 20, signal);
    this.#next = no;
  }
}
