/** What an answer says of a document besides its text, and the calls for what is not in it. */

import { plural } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import { bookmarksLeft } from './outline.ts';
import type { Cut, DocumentFacts, Reply } from './protocol.ts';

interface Pages {
  readonly from: number;
  readonly to?: number;
}

/** Of a text in which all pages that were asked for (`asked`) are. */
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

/** `from` and `to`: the pages that were asked for, at the end of which the next call ends too. */
export function moreOf(
  cut: Cut | undefined,
  pages: number | undefined,
  asked: { readonly front: string; readonly part: string; readonly from?: number; readonly to?: number },
): { more?: Notice } {
  const { front, part, from = 1, to } = asked;
  // Of a page that is larger than a text the end is lost, whatever follows it.
  const isCut = cut?.bytes !== undefined ? `; the converted text is cut after ${cut.bytes >> 20} MiB` : '';
  if (cut?.page !== undefined) {
    const use = `${front}:${pagesText({ from: cut.page, ...(to !== undefined && { to }) })}${part}`;
    const what = part === '' ? 'were shown' : 'were looked through';
    const shown = from === 1 ? `The pages before ${cut.page}` : `Pages ${from} to ${cut.page - 1}`;
    const text = `${shown} of ${pages ?? 'more'} ${what}${isCut}. Use ${use} to continue`;
    return { more: { kind: 'said', text, use } };
  }
  if (cut?.bytes === undefined) return {};
  return { more: { kind: 'said', text: `The converted text is cut after ${cut.bytes >> 20} MiB` } };
}

function withoutNotes(library: string | undefined): Notice[] {
  if (library === undefined) return [];
  const text = `Headings and tables may be missing: that needs the optional package ${library}, which is not installed (npm install ${library})`;
  return [{ kind: 'said', text }];
}

/** The range reaches beyond the last page. */
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

/** Below the bookmarks of a document. */
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
