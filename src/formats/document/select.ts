/** Parses the selector after the path of a document: `password=…`, pages, `image`, `images`, `attachments`. */

import { decodeUri } from '../../text/visible.ts';
import { readSegment, writeSegment } from '../sqlite/stored-text.ts';
import { type SheetFacts, tableNames } from './protocol.ts';

export interface DocumentSelector {
  readonly password?: string | undefined;
  /** Pages, 1-based and inclusive; to the end without `to`. `from` is 0 if page 0 was typed, which is an error later. */
  readonly page?: { readonly from: number; readonly to?: number | undefined } | undefined;
  /** The picture of the page, or with `number` (1-based) an image embedded in it. */
  readonly picture?: { readonly number?: number | undefined } | undefined;
  /** The list of embedded images, of `page` or of all pages. `name` is set if it is not the name of an image. */
  readonly imageList?: { readonly name?: string | undefined } | undefined;
  /** The list of attachments, or with `name` one of them. */
  readonly attachment?: { readonly name?: string | undefined } | undefined;
  /** The rest: a generic selector, a sheet, a member. */
  readonly tail: string;
}

const PASSWORD = /^password=([^:]*)(?::|$)/i;

/** `attachments`, `attachments/notes.txt`. */
const ATTACHMENT = /^attachments(?:\/([^:?]*))?(?::|(?=\?)|$)/;

/** `images`, `images/p3-2.png`. */
const IMAGES = /^images(?:\/([^:?]*))?(?::|$)/i;

/** The name of an image: its page, and its number on that page (both 1-based). */
const IMAGE = /^p(?!0+-)(\d{1,7})-(\d{1,5})(?:\.png)?$/i;

/** `p3`, `p3-5`, `p3-`, `p3..5`, `p3-p5`; and the forms of other tools: `page=3`, `pages 3-5`, `slide:3`. */
const PAGES = /^(?:p|(?:page|slide)s?[=: ]?)(\d{1,7})(?: ?(-|–|\.\.) ?p?(\d{1,7})?)?(?::|$)/i;

/** A page of a PDF in the form of browsers: `#page=3&zoom=100`. */
const FRAGMENT = /^#page=(\d{1,7})(?:&[^:]*)?(?=:|$)/i;

/**
 * Only for a PDF are `attachments` and `images` parsed: in other documents a sheet or a part may have that name. Without
 * `hasPages`, `p3` is part of the tail.
 */
export function parseDocumentSelector(
  rest: string,
  { isPdf, hasPages = true }: { readonly isPdf: boolean; readonly hasPages?: boolean | undefined },
): DocumentSelector {
  const password = PASSWORD.exec(rest);
  const typed = password ? rest.slice(password[0].length) : rest;
  const behind = isPdf ? typed.replace(FRAGMENT, 'p$1') : typed;
  const secret = password ? { password: decodeUri(password[1] ?? '') } : {};
  const attached = isPdf ? ATTACHMENT.exec(behind) : null;
  if (attached) {
    const [front, name = ''] = attached;
    return { ...secret, attachment: name === '' ? {} : { name }, tail: behind.slice(front.length) };
  }
  const images = isPdf ? IMAGES.exec(behind) : null;
  if (images) return { ...secret, ...imagesOf(images[1] ?? ''), tail: behind.slice(images[0].length) };
  const pages = hasPages ? PAGES.exec(behind) : null;
  if (!pages) return { ...secret, tail: behind };
  const [whole, first, joint, last] = pages;
  const from = Number(first);
  const to = joint === undefined ? from : last === undefined ? undefined : Number(last);
  const page = to === undefined ? { from } : { from: Math.min(from, to), to: Math.max(from, to) };
  const tail = behind.slice(whole.length);
  const picture = /^image(?::(\d{1,5}))?$/i.exec(tail);
  if (picture) {
    const [, number] = picture;
    return { ...secret, page, picture: number === undefined ? {} : { number: Number(number) }, tail: '' };
  }
  const list = /^images(?::|$)/i.exec(tail);
  if (list) return { ...secret, page, imageList: {}, tail: tail.slice(list[0].length) };
  return { ...secret, page, tail };
}

function imagesOf(name: string): Pick<DocumentSelector, 'page' | 'picture' | 'imageList'> {
  const image = IMAGE.exec(name);
  if (!image) return { imageList: name === '' ? {} : { name } };
  const page = Number(image[1]);
  return { page: { from: page, to: page }, picture: { number: Number(image[2]) } };
}

// Parses the words after the path of a workbook: sheets, table names and ranges of cells.

/** The sheet name that means the first visible sheet. */
export const DEFAULT_SHEET_NAME = '';

/** `A1:H50`, `B7`, `A:C`. */
const CELLS = String.raw`\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}`;

/** A range of cells, and what follows it. */
const RANGE = new RegExp(`^(${CELLS})(?::|$)`, 'i');

/** The notation of spreadsheets: `Sales!A1:B2`, `'My Sheet'!A1`. */
const WITH_BANG = new RegExp(`^([^]+?)!((?:${CELLS})(?::[^]*)?)$`, 'i');
const IN_QUOTES = /^'((?:[^']|'')+)'(?:[!:]([^]+))?$/;

/** The range that `words` begin with (in capitals, without `$`), and what follows it. */
export function splitRange(words: string): { range: string; behind: string } | undefined {
  const match = RANGE.exec(words);
  return match
    ? { range: (match[1] ?? '').toUpperCase().replaceAll('$', ''), behind: words.slice(match[0].length) }
    : undefined;
}

const FORMULAS = /^formulas(?::|$)/i;

/** The words without `formulas` at their start, and whether it was there. */
export function splitFormulas(words: string): { formulas?: true; behind: string } {
  const [start] = FORMULAS.exec(words) ?? [];
  return start === undefined ? { behind: words } : { formulas: true, behind: words.slice(start.length) };
}

/** Converts the notation of spreadsheets to ours (`Sales:A1:B2`); other words are returned unchanged. */
export function matchOurSheet(words: string): string {
  const [, quoted, behind] = IN_QUOTES.exec(words) ?? [];
  if (quoted !== undefined) return joined(quoted.replaceAll("''", "'"), behind);
  const [, name, cellsOf] = WITH_BANG.exec(words) ?? [];
  return name === undefined ? words : joined(name, cellsOf);
}

function joined(name: string, behind: string | undefined): string {
  return writeSegment(name) + (behind === undefined ? '' : `:${behind}`);
}

/** The longest prefix of the words that is the name of a sheet. */
export function splitSheet(
  words: string,
  sheets: readonly SheetFacts[],
): { name: string; tail: string } | undefined {
  const ends = [words.length, ...Array.from(words.matchAll(/:/g), ({ index }) => index).reverse()];
  for (const end of ends.slice(0, 16)) {
    const name = sheetName(words.slice(0, end), sheets);
    if (name !== undefined) return { name, tail: words.slice(end + 1) };
  }
  return undefined;
}

export function sheetName(typed: string, sheets: readonly SheetFacts[]): string | undefined {
  if (typed === '') return undefined;
  for (const meant of readSegment(typed)) {
    const lower = meant.toLowerCase();
    const found =
      sheets.find(({ name }) => name === meant) ?? sheets.find(({ name }) => name.toLowerCase() === lower);
    if (found) return found.name;
  }
  // The name of its table, which notices about rows use.
  return sheets[tableNames(sheets).findIndex((table) => readSegment(typed).includes(table))]?.name;
}

export function tableOf(sheet: string | undefined, sheets: readonly SheetFacts[]): string | undefined {
  return tableNames(sheets)[sheets.findIndex(({ name }) => name === sheet)];
}
