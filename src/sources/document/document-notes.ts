/** The notices of an answer about a document, with the calls for what it does not contain. */

import { partOf, plural } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import type { TextResource } from '../../types/resource.ts';
import type { Selection } from '../../types/selection.ts';
import { bookmarksLeft } from './bookmarks.ts';
import { type Cut, type DocumentFacts, PAGES_AT_ONCE, type Reply } from './document-protocol.ts';

interface Pages {
  readonly from: number;
  readonly to?: number;
}

/** Notices for a text that has all requested pages (`asked`). */
export function documentNotes(
  { facts, cut, without }: Extract<Reply, { is: 'text' }>,
  front: string,
  asked: Pages | undefined,
): Notice[] {
  return [
    ...withoutNotes(without),
    ...beyondNotes(facts, cut, front, asked),
    ...scannedNotes(facts.scanned, front),
    ...attachedNotes(facts, front),
    ...imageNotes(facts, front),
  ];
}

export function pagesText({ from, to }: { from: number; to?: number }): string {
  return to === undefined ? `p${from}-` : from === to ? `p${from}` : `p${from}-${to}`;
}

interface Shown {
  readonly front: string;
  readonly selection: Selection;
  /** Whether it is the list of images. */
  readonly isList: boolean;
  /** The requested pages; the suggested next call ends at the same page. */
  readonly from?: number;
  readonly to?: number;
}

/** For a document that is read in parts: which part the text is, and the call for the next part. */
export function moreOf(
  cut: Cut | undefined,
  pages: number | undefined,
  shown: Shown,
): Pick<TextResource, 'more' | 'part'> {
  // The end of a page that is larger than the text limit is lost; no call returns it.
  const lost =
    cut?.bytes === undefined ? undefined : `the converted text is cut after ${cut.bytes >> 20} MiB`;
  if (cut?.page === undefined || pages === undefined)
    return lost === undefined ? {} : { more: { kind: 'said', text: capital(lost) } };
  const { front, from = 1, to } = shown;
  const first = partOf(from - 1, cut.page - 1, pages, 'page');
  const next = `${front}:${pagesText({ from: cut.page, ...(to !== undefined && { to }) })}`;
  const { what, mode } = nextOf(shown);
  const use = next + mode;
  const text = `${first} ${what}${lost === undefined ? '' : `; ${lost}`}. Use ${use} to continue`;
  const part = { name: first.toLowerCase(), next, ...(lost !== undefined && { isCut: true as const }) };
  // For the last lines `tailNotes` has the notice.
  return isTail(shown.selection) ? { part } : { part, more: { kind: 'said', text, use } };
}

function nextOf({ selection: { mode, symbol }, isList }: Shown): { what: string; mode: string } {
  if (isList) return { what: 'were looked through', mode: ':images' };
  if (mode === 'outline' && symbol === undefined) return { what: 'have these headings', mode: ':outline' };
  return { what: 'end here', mode: mode === 'raw' && symbol === undefined ? ':raw' : '' };
}

function isTail({ window, mode }: Selection): boolean {
  return window?.by === 'tail' && window.before === undefined && mode !== 'outline';
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The notice that the last lines of a part are not the last lines of the document. */
export function tailNotes(
  { cut, facts: { pages } }: Extract<Reply, { is: 'text' }>,
  { front, selection, from = 1, to = pages }: Shown,
): Notice[] {
  const { window, mode } = selection;
  if (window?.by !== 'tail' || !isTail(selection)) return [];
  if (cut?.page === undefined || pages === undefined || to === undefined) return [];
  const last = Math.min(to, pages);
  const start = Math.max(cut.page, last - PAGES_AT_ONCE + 1);
  const tail = `:-${window.lines}${mode ? `:${mode}` : ''}`;
  const use = `${front}:${pagesText({ from: start, ...(last < pages && { to: last }) })}${tail}`;
  const name = partOf(from - 1, cut.page - 1, pages, 'page').toLowerCase();
  return [{ kind: 'said', text: `These are the last lines of ${name}. Use ${use} for the last of all`, use }];
}

function withoutNotes(library: string | undefined): Notice[] {
  if (library === undefined) return [];
  const text = `Headings and tables may be missing: that needs the optional package ${library}, which is not installed (npm install ${library})`;
  return [{ kind: 'said', text }];
}

/** The notice if the range extends beyond the last page. */
function beyondNotes(
  { pages, slides }: DocumentFacts,
  cut: Cut | undefined,
  front: string,
  asked: Pages | undefined,
): Notice[] {
  const count = pages ?? slides;
  if (count === undefined || cut?.page !== undefined || (asked?.to ?? 0) <= count) return [];
  const what = plural(count, pages === undefined ? 'slide' : 'page');
  return [{ kind: 'said', text: `${quote(front)} has ${what}; the range ends there` }];
}

function listed(pages: readonly number[]): string {
  return pages.slice(0, 10).join(', ') + (pages.length > 10 ? ', …' : '');
}

/** The notice below the bookmarks of a document, if not all are listed. */
export function outlineNotes(facts: DocumentFacts, front: string): Notice[] {
  const { left, from } = bookmarksLeft(facts);
  if (left === 0) return [];
  const use = `${front}:${pagesText({ from })}`;
  return [{ kind: 'said', text: `${left} more bookmarks are not listed. Use ${use} to read on`, use }];
}

function attachedNotes({ hasAttachments, pages }: DocumentFacts, front: string): Notice[] {
  if (hasAttachments !== true || pages === undefined) return [];
  const use = `${front}:attachments`;
  return [{ kind: 'said', text: `Files may be attached to it. Use ${use} to list them`, use }];
}

function imageNotes({ hasImages, pages }: DocumentFacts, front: string): Notice[] {
  if (hasImages !== true || pages === undefined) return [];
  const use = `${front}:images`;
  return [{ kind: 'said', text: `Images are embedded in it. Use ${use} to list them`, use }];
}

function scannedNotes(pages: readonly number[] | undefined, front: string): Notice[] {
  if (pages === undefined || pages.length === 0) return [];
  const use = `${front}:p${pages[0]}:image`;
  return [
    {
      kind: 'said',
      text: `${plural(pages.length, 'page')} without a text layer (scanned: ${listed(pages)}); reading ${pages.length === 1 ? 'it' : 'them'} needs OCR. Use ${use} to see ${pages.length === 1 ? 'it' : 'the first'}`,
      use,
    },
  ];
}
