/** Makes the notices about a text that was read; the one with the next call is last. */

import { writeSelector } from '../selector/selection.ts';
import { shownOfWindow } from '../text/limits.ts';
import { makeVisible, oneLine } from '../text/visible.ts';
import type { Answer, Notice } from '../types/answer.ts';
import type { Excerpt, Selection } from '../types/excerpt.ts';
import type { CodeSummary, SummaryPart, SummaryResult, TextResult } from '../types/result.ts';
import { raw, showPart } from './display.ts';
import { detailOf, type NoticeWording, textAnswer, withNotices } from './notices.ts';

const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
  'utf-32le': 'UTF-32LE',
  'utf-32be': 'UTF-32BE',
};

/** In the order in which they are shown. Raw text has only the notices that affect the next call. */
export function readNotices(result: TextResult): Notice[] {
  const { excerpt, target, display, selection } = result;
  const { window } = selection;
  const before = window && beforeStartNotice(result);
  const last: Notice[] = [
    before,
    excerpt.next && partNotice(result),
    window && cutEndNotice(result),
    excerpt.next && cutNotice(result),
    ...(excerpt.next || window?.kind !== 'lines' ? [] : [shortNotice(result), aroundNotice(result)]),
    result.more && beyondNotice(result),
  ].filter((n) => n !== undefined);
  const changed: Notice[] = result.changed ? [{ kind: 'changed', target }] : [];
  if (excerpt.pastEnd) return [...result.notes, ...changed, pastEndNotice(result)];
  if (display === raw) return [...result.notes, ...changed, ...last];
  const escaped = countEscaped(excerpt);
  const notices: Notice[] = [];
  if (
    excerpt.parts.every((lines) => lines.length === 0) &&
    !excerpt.next &&
    !excerpt.oversized &&
    !before &&
    result.format === 'file'
  )
    notices.push({ kind: 'empty', target: oneLine(target) });
  const decoded = (name: string): string =>
    `${target}:encoding=${name}${callFor(target, selection).slice(target.length)}`;
  notices.push(...encodingNotices(result, excerpt.invalid, decoded));
  if (escaped > 0) {
    // Answers about the code below a directory have no raw form.
    const use = result.format === 'directory' ? undefined : `${callFor(target, selection)}:raw`;
    notices.push({ kind: 'escaped', count: escaped, use, nul: excerpt.hasNul ? true : undefined });
  }
  if (excerpt.unterminated && result.format === 'file') notices.push({ kind: 'unterminated' });
  return [...notices, ...result.notes, ...changed, ...last];
}

/**
 * The notices about decoding. They are only for stored files: members and pages get their encoding from the container.
 * `as` returns the same call with another encoding.
 */
export function encodingNotices(
  { format, encoding }: Pick<TextResult, 'format' | 'encoding'>,
  invalid: number,
  as: (encoding: string) => string,
): Notice[] {
  const { known, perhaps } = encoding;
  const name = ENCODINGS[encoding.name] ?? encoding.name;
  const decoded = format === 'file' && (encoding.unit > 1 || encoding.bom > 0) && known !== 'told';
  const use = perhaps === undefined ? {} : { use: as(perhaps) };
  return [
    ...(known === 'declared' ? [{ kind: 'encoding', encoding: name, declared: true } as const] : []),
    ...(known === 'guessed'
      ? [{ kind: 'encoding', encoding: name, guessed: true, use: as('utf-8') } as const]
      : []),
    ...(decoded ? [{ kind: 'encoding', encoding: name, mark: encoding.bom > 0 } as const] : []),
    ...(invalid > 0 ? [{ kind: 'invalid', count: invalid, encoding: name, ...use } as const] : []),
  ];
}

/** The path of this call without its mode. For views it is the target alone, because their lines are not lines of the text. */
function callFor(target: string, { typed, mode }: Selection): string {
  if (typed === undefined || (mode !== undefined && mode !== 'raw')) return target;
  const range = typed.split(':').filter((part) => part !== mode);
  return [target, ...range].join(':');
}

/** Number of characters that are shown as escapes. */
export function countEscaped({ parts }: Pick<Excerpt, 'parts'>): number {
  let escaped = 0;
  for (const lines of parts)
    for (const { text, ascii } of lines) if (!ascii) escaped += makeVisible(text).escaped;
  return escaped;
}

function cutNotice(result: TextResult): Notice | undefined {
  const { excerpt, target, selection, limits } = result;
  const { next, cutBy } = excerpt;
  if (!next || !cutBy) return undefined;
  const inBytes = selection.window?.kind === 'bytes' || shownLines(excerpt).length === 0;
  const byBytes = selection.window?.kind === 'bytes';
  return {
    kind: 'cut',
    lines: shownLines(excerpt),
    bytes: excerpt.span ? [excerpt.span.start, excerpt.span.end] : undefined,
    totals: excerpt.totals,
    by: cutBy,
    limits: byBytes ? { ...limits, bytes: shownOfWindow(limits) } : limits,
    in: inBytes || (excerpt.oversized && next.kind !== 'tail') ? 'bytes' : 'lines',
    inside: excerpt.oversized,
    backwards: next.kind === 'tail' || undefined,
    use: target + writeSelector(next, selection.mode),
  };
}

function cutEndNotice({ excerpt, target, selection }: TextResult): Notice | undefined {
  const { cutEnd } = excerpt;
  if (!cutEnd) return undefined;
  const line = excerpt.parts.at(-1)?.at(-1)?.no;
  const use = target + writeSelector(cutEnd.rest, selection.mode);
  return { kind: 'cut-end', line, byte: cutEnd.at, use };
}

/** If a part of a document is cut: says that lines and totals refer to the part. */
function partNotice({ part }: TextResult): Notice | undefined {
  return part && { kind: 'said', text: `Lines and totals are those of ${part.name}` };
}

/** The notice with the next page of a table or listing, if the window reaches the end of this text. */
export function beyondNotice({ excerpt, more }: TextResult): Notice | undefined {
  const { next, span, totals, pastEnd } = excerpt;
  if (next || pastEnd || (totals.bytes !== undefined && (span?.end ?? 0) < totals.bytes)) return undefined;
  return more;
}

const runsOf = new WeakMap<Excerpt, readonly (readonly [number, number])[]>();

/** Runs of line numbers (1-based, inclusive) that were requested and shown. */
export function shownLines(excerpt: Excerpt): readonly (readonly [number, number])[] {
  const known = runsOf.get(excerpt);
  if (known) return known;
  const runs: [number, number][] = [];
  for (const part of excerpt.parts) {
    for (const { no, role, folded } of part) {
      if (no === undefined || role === 'context') continue;
      const to = no + (folded?.count ?? 1) - 1;
      const run = runs.at(-1);
      if (run && no <= run[1] + 1) run[1] = to;
      else runs.push([no, to]);
    }
  }
  runsOf.set(excerpt, runs);
  return runs;
}

function shortNotice({ excerpt, selection, target }: TextResult): Notice | undefined {
  if (selection.window?.kind !== 'lines') return undefined;
  const { lastLine: last, pastEnd } = excerpt;
  if (last === undefined || pastEnd) return undefined;
  const { ranges, around = 0 } = selection.window;
  const missing = around > last ? [{ from: around, to: around }] : ranges.filter(({ from }) => from > last);
  return { kind: 'short', target, last, missing: missing.length > 0 ? missing : undefined };
}

function aroundNotice({ excerpt, selection, target }: TextResult): Notice | undefined {
  const { window } = selection;
  if (excerpt.lastLine !== undefined || window?.kind !== 'lines') return undefined;
  const last = shownLines(excerpt).at(-1)?.[1];
  const { around: line } = window;
  if (line === undefined || last === undefined || excerpt.totals.lines === last) return undefined;
  return {
    kind: 'around',
    line,
    use: target + writeSelector({ kind: 'lines', ranges: [{ from: last + 1 }] }),
  };
}

/** The last lines before the first byte of a text that is not empty. */
function beforeStartNotice({ excerpt, selection, target, encoding }: TextResult): Notice | undefined {
  const { window } = selection;
  if (window?.kind !== 'tail' || window.before === undefined || window.before > encoding.bom)
    return undefined;
  const { lines, bytes } = excerpt.totals;
  if (lines === 0 || (bytes !== undefined && bytes <= encoding.bom)) return undefined;
  const use = `${target}:1`;
  const text = `No line of ${oneLine(target)} is before byte ${window.before}. Use ${use} for the start`;
  return { kind: 'said', text, use };
}

function pastEndNotice(result: TextResult): Notice {
  const { excerpt, selection, target } = result;
  const { window } = selection;
  const { lines, bytes } = excerpt.totals;
  if (lines === 0 || bytes === 0) return { kind: 'empty', target };
  const next = result.more?.kind === 'said' ? result.more.use : undefined;
  const [inside, line = 1] = window?.kind === 'lines' ? [window.inside, window.ranges[0]?.from] : [];
  if (inside !== undefined && excerpt.lastLine !== undefined && line <= excerpt.lastLine) {
    return {
      kind: 'past-end',
      target,
      asked: `Byte ${inside}`,
      line,
      continued: next,
      totals: { bytes },
      use: [`${target}:${line}`],
    };
  }
  const asked =
    window?.kind === 'bytes' ? `Byte ${askedOf(selection, /@(\d+)/)}` : `Line ${askedOf(selection, /(\d+)/)}`;
  return {
    kind: 'past-end',
    target,
    asked,
    continued: next,
    totals: window?.kind === 'bytes' || lines === undefined ? { bytes } : { lines },
    // For a text of one line both calls are the same.
    use: Array.from(
      new Set(lines === undefined ? [`${target}:-20`, `${target}:1`] : [`${target}:${lines}`, `${target}:1`]),
    ),
  };
}

/** Maximum digits of a number that is repeated. */
const MAX_NUMBER_DIGITS = 30;

/** The number as it was typed: a huge number would lose digits as a float. */
function askedOf({ typed = '', window }: Selection, digits: RegExp): string {
  if (window?.kind === 'lines' && window.around !== undefined) return String(window.around);
  const first =
    window?.kind === 'lines' ? window.ranges[0]?.from : window?.kind === 'bytes' ? window.start : 1;
  const found = digits.exec(typed)?.[1];
  return found !== undefined && found.length <= MAX_NUMBER_DIGITS && Number(found) >= (first ?? 0)
    ? found
    : String(first);
}

// The answer of a read that returns a map: its parts, what was left out, and the calls that show it.

/** Maximum ranges in the call of the footer. */
const MAX_NOTICE_RANGES = 3;

/** Maximum bytes of the paths in a footer: a notice has at most 1 KiB. */
const footerRoom = 700;

type Shown = Pick<
  SummaryResult,
  'summary' | 'display' | 'target' | 'format' | 'encoding' | 'invalid' | 'notes'
>;

/** `prefix`: text above the map, which says what the path resolved to. */
export function summaryAnswer(
  result: SummaryResult,
  prefix: string,
  origin: Record<string, unknown>,
  words: NoticeWording,
): Answer {
  const { summary, totals, snapshot, encoding } = result;
  const header = snapshot ? `${snapshot.header}\n` : '';
  return textAnswer(prefix + header + summaryText(result, words), {
    ...origin,
    totals,
    ...(encoding.name !== 'utf-8' && { encoding: encoding.name }),
    ...(encoding.known === 'guessed' && { encodingGuessed: true }),
    ...(encoding.bom > 0 && { byteOrderMark: true }),
    summary: {
      lines: summary.parts.length,
      elidedSpans: summary.elided.map(({ from, to }) => [from, to]),
      elidedLines: summary.elidedLines,
      symbolsLeft: summary.left,
    },
    ...(snapshot && { snapshot: snapshot.tag }),
    notices: summaryNotices(result).map((notice) => detailOf(notice, words)),
  });
}

/** A map with its notices. */
export function summaryText(result: Shown, words: NoticeWording): string {
  const body = result.summary.parts.map((part) => showPart(part, result.display)).join('');
  return withNotices(body, summaryNotices(result), words);
}

function summaryNotices(result: Shown): Notice[] {
  const { summary, notes, target } = result;
  const invalid = result.invalid ? sum(summary.parts, (text) => text.split('\ufffd').length - 1) : 0;
  const escaped = sum(summary.parts, (text) => makeVisible(text).escaped);
  return [
    ...encodingNotices(result, invalid, (name) => `${target}:encoding=${name}`),
    ...(escaped > 0 ? [{ kind: 'escaped', count: escaped, use: `${target}:raw` } as const] : []),
    ...notes,
    footer(target, summary),
  ];
}

/** The notice below a map: what was left out, and the calls that show a part of it and all of it. */
export function footer(
  target: string,
  { elided, elidedLines, left, namesCalls, isProse }: Omit<CodeSummary, 'parts'>,
): Notice {
  const bytes = Buffer.byteLength(target);
  const ranges = elided.slice(0, isProse ? 1 : MAX_NOTICE_RANGES);
  return {
    kind: 'summary',
    target,
    elidedLines,
    use: `${target}:${ranges.map(({ from, to }) => `${from}..${to}`).join(',')}`,
    whole: 3 * bytes <= footerRoom ? `${target}:1..` : undefined,
    left,
    namesCalls: namesCalls || undefined,
  };
}

function sum(parts: readonly SummaryPart[], count: (text: string) => number): number {
  return parts.reduce((total, { text }) => total + count(text), 0);
}
