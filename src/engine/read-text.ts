/** Owns the last steps of reading text: its view, its display, the window that fits, and what was taken note of. */

import { readAt } from '../access/bytes.ts';
import { displays, isNumbered, raw } from '../render/display.ts';
import { typeOfBytes } from '../sources/type-of-bytes.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { Display } from '../types/display.ts';
import type { Excerpt, Window } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { NoteResource, TextResource } from '../types/resource.ts';
import type { BinaryResult, NoteResult, Origin, SummaryResult, TextResult } from '../types/result.ts';
import type { Selection } from '../types/selection.ts';
import type { Viewed } from '../views/outline-view.ts';
import { textInput } from '../views/text-input.ts';
import { view } from '../views/view.ts';
import { excerpt } from '../window/excerpt.ts';
import { fitOf } from '../window/fit.ts';
import { summaryOf } from './read-summary.ts';

/** The part of a text that was asked for. */
export interface Asked {
  /** What was selected beside the path; absent where it stands behind the path and the source has read it. */
  readonly selection?: Selection;
  /** Whether long code is answered with its summary where nothing was selected. */
  readonly summarize: boolean;
  /** Whether a text of more than this many bytes is answered with its outline where nothing was selected. */
  readonly outlineOver?: number;
}

export async function readText(
  stored: TextResource,
  found: Origin,
  asked: Asked,
  call: Call,
  policy: TextPolicy,
): Promise<TextResult | SummaryResult | BinaryResult | NoteResult> {
  const viewed = await viewOf(stored, asked, call);
  if ('is' in viewed) return { ...found, is: 'note', resource: viewed };
  const { resource, selection } = viewed;
  const origin = { ...found, target: resource.target };
  const input = await textInput(resource, call);
  const verbatim = selection.mode === 'raw';
  const binary = (type: string): BinaryResult => ({
    ...origin,
    is: 'binary',
    type,
    ...(resource.bytes.size !== undefined && { bytes: resource.bytes.size }),
    selection,
  });
  // A byte window may look at a text part of something that begins as a binary.
  if (!verbatim && selection.window?.by !== 'bytes' && resource.encoding === 'stored') {
    const type = await typeOfBytes(resource.bytes, input.encoding, call.signal);
    if (type !== undefined) return binary(type);
  }
  const anchored = policy.display === undefined && isAnchored(resource, selection, call);
  const display = displayOf(resource, selection, call, policy, anchored);
  const header = anchored ? `¶${origin.target}#` : undefined;
  const limits = limitsFor(resource, selection.window, call, header);
  const brief =
    asked.summarize && isWhole(selection) ? await summaryOf(resource, input, display, limits, call) : {};
  if (brief.summary) {
    const tag = header && (await takeSnapshot(resource.bytes, found.resolvedPath, brief.kept, call));
    return {
      ...origin,
      is: 'summary',
      summary: brief.summary,
      totals: brief.totals,
      invalid: brief.invalid,
      encoding: input.encoding,
      display,
      ...(tag && { snapshot: { tag, header: header + tag } }),
      limits,
      notes: resource.notes ?? [],
    };
  }
  const shown = await excerpt(
    input,
    windowFor(selection.window, display),
    fitOf(policy, display, limits, call.settings.tokens),
  );
  if (shown.binary && !verbatim) return binary('NUL bytes');
  const tag = header && (await takeSnapshot(resource.bytes, found.resolvedPath, numbered(shown), call));
  return {
    ...origin,
    is: 'text',
    excerpt: shown,
    selection,
    encoding: input.encoding,
    display,
    ...(tag && { snapshot: { tag, header: header + tag } }),
    limits,
    changed: (await resource.bytes.changed?.()) ?? false,
    notes: [...(resource.notes ?? []), ...(brief.note ? [brief.note] : [])],
    ...(resource.more && { more: resource.more }),
  };
}

/** Whole lines with their numbers. */
function numbered({ parts }: Excerpt): (readonly [number, string])[] {
  return parts.flat().flatMap(({ no, text, cut }) => (no === undefined || cut ? [] : [[no, text] as const]));
}

async function viewOf(
  stored: TextResource,
  { selection = stored.selection, outlineOver }: Asked,
  call: Call,
): Promise<Viewed | NoteResource> {
  const { size } = stored.bytes;
  if (outlineOver === undefined || size === undefined || size <= outlineOver || !isWhole(selection)) {
    return view(stored, selection, call);
  }
  const { outlineOfWhole } = await import('../views/outline-view.ts');
  return outlineOfWhole(stored, call, Math.min(call.limits.bytes, call.limits.window));
}

function isWhole({ window, mode, symbol }: Selection): boolean {
  return window === undefined && mode === undefined && symbol === undefined;
}

/** Anchors are for lines that an edit can name: stored, editable, shown as they are. */
function isAnchored(resource: TextResource, selection: Selection, call: Call): boolean {
  return (
    call.settings.display === 'hashline' &&
    resource.editable &&
    resource.display === 'lines' &&
    selection.mode === undefined
  );
}

function displayOf(
  resource: TextResource,
  selection: Selection,
  call: Call,
  policy: TextPolicy,
  anchored: boolean,
): Display {
  if (policy.display) return policy.display;
  if (selection.mode === 'raw') return raw;
  if (resource.display === 'plain') return displays.plain;
  if (call.settings.display === 'hashline') return anchored ? displays.hashline : displays.numbers;
  return displays[call.settings.display];
}

/** An open-ended read has the host's own line limit, or the resource's; a header takes its room from the text below it. */
function limitsFor(
  { pageLines = Number.POSITIVE_INFINITY }: TextResource,
  window: Window | undefined,
  call: Call,
  header: string | undefined,
): Limits {
  const { limits, settings } = call;
  const openEnded = window === undefined || (window.by === 'lines' && window.ranges.at(-1)?.to === undefined);
  const most = Math.min(limits.lines, settings.defaultLimit, pageLines);
  const lines = openEnded ? Math.max(1, most) : limits.lines;
  const room = header === undefined ? 0 : Buffer.byteLength(header) + '0000\n'.length;
  return { ...limits, lines, bytes: Math.max(limits.bytes - room, 64) };
}

/** Without numbers a line of context could not be told from a line that was asked for. */
function windowFor(window: Window | undefined, display: Display): Window | undefined {
  return window?.by === 'lines' && !isNumbered(display) ? { ...window, context: false } : window;
}

/** Files up to this size are told apart by their content, larger ones by their version. */
const HASH_UP_TO = 1 << 20;

async function takeSnapshot(
  bytes: ByteSource,
  path: string,
  lines: readonly (readonly [number, string])[],
  call: Call,
): Promise<string> {
  const { snapshots } = call.session;
  const size = bytes.size ?? Number.POSITIVE_INFINITY;
  const { createHash } = await import('node:crypto');
  const content = size <= HASH_UP_TO ? await readAt(bytes, 0, size, call.signal) : bytes.version;
  const digest = createHash('sha256').update(content).digest('hex');
  const tag = snapshots.tag(path, digest);
  snapshots.see(path, tag, lines);
  return tag;
}
