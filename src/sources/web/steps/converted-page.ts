/** The conversion of an HTML page to Markdown, shared by all steps that need it. */

import { type Converted, convertFor, pageJob, textOf } from '../convert-page.ts';
import { visibleLength } from '../head-links.ts';
import type { Fetched, Rendering, Visit } from '../page-step.ts';

/** The least characters of a text that counts as content. */
const LEAST = 80;

export interface Readable extends Converted {
  readonly reply: Extract<Converted['reply'], { is: 'text' }>;
}

const conversions = new WeakMap<Fetched, Promise<Readable | undefined>>();

/** Undefined for a page without text, or one that could not be converted (then a note is added). */
export function convertedPage(page: Fetched, visit: Visit): Promise<Readable | undefined> {
  let made = conversions.get(page);
  if (!made) conversions.set(page, (made = converted(page, visit)));
  return made;
}

async function converted(page: Fetched, visit: Visit): Promise<Readable | undefined> {
  const found = await convertFor(visit, pageJob(page), await page.text());
  if (!found) visit.notes.push('the page could not be converted within its limits');
  return found?.reply.is === 'text' && found.body.length > 0 ? (found as Readable) : undefined;
}

/** A longer Markdown text has enough words, whatever its links. */
const MOST_THIN = 8_000;

/** Whether the page has only a title and a few words, so that its content is probably elsewhere. */
export function isThin({ body }: Readable): boolean {
  if (body.length > MOST_THIN) return false;
  const markdown = new TextDecoder().decode(body);
  const words = markdown.replace(/^# .*\n/, '').replace(/\]\([^)]*\)/g, ']');
  return words.trim().length < LEAST;
}

export interface Little {
  /** The method by which the text was found. */
  readonly method: string;
  /** Empty for a page without text. */
  readonly markdown: string;
}

/** The short text of a page that has no more; undefined for a page that has, or may have, more. */
export async function littleOf(page: Fetched, visit: Visit): Promise<Little | undefined> {
  const found = await convertedPage(page, visit);
  if (found) return isThin(found) ? { method: found.reply.how, markdown: textOf(found) } : undefined;
  return visibleLength(await page.text()) < LEAST ? { method: 'page', markdown: '' } : undefined;
}

/** The short text of the page followed by `other`, which was read from `url`; `what` describes it. */
export function withOwnWords(
  { markdown }: Little,
  other: Rendering,
  { what, url }: { readonly what: string; readonly url: string },
  visit: Visit,
): Rendering {
  const hasNone = markdown.trim() === '';
  visit.notes.push(
    hasNone
      ? `it has no text: this is ${what}, ${url}`
      : `it has hardly any text: below it is ${what}, ${url}`,
  );
  if (hasNone) return other;
  const bytes = Buffer.concat([Buffer.from(`${markdown.trimEnd()}\n\n---\n\n`), other.bytes]);
  return { ...other, bytes };
}
