/** The main text of a page as Markdown; without one, what the site tells machines in `llms.txt`. */

import { type Converted, convertFor, pageJob } from '../convert.ts';
import { visibleLength } from '../head-links.ts';
import { type Fetched, type Rendering, type Step, text, type Visit } from '../page.ts';

/** Characters of a text that is worth reading. */
const LEAST = 80;

export const readableStep: Step = async (page, visit) => {
  const converted = await markdownOf(page, visit);
  if (!converted || isThin(converted)) return undefined;
  const { how, words } = converted.reply;
  if (words) {
    visit.notes.push(
      `its main text, as it was found, has ${words.shown} of its ${words.all} words; :raw has all of them`,
    );
  }
  return text(how, converted.body, page);
};

export const llmsStep: Step = async (page, visit) => {
  const html = await page.text();
  const converted = await markdownOf(page, visit);
  // A few words that no script has drawn, or none at all, are all that there is to read.
  if (!hasScripts(html) || (!converted && visibleLength(html) >= LEAST)) return undefined;
  return llmsText(page.url, visit);
};

/** The few words of a page that has no other text. */
export const thinStep: Step = async (page, visit) => {
  const converted = await markdownOf(page, visit);
  if (!converted) return undefined;
  if (hasScripts(await page.text())) visit.notes.push('it has hardly any text: scripts may draw it');
  return text(converted.reply.how, converted.body, page);
};

/** Whether the text is elsewhere: what stands there is a title and a few words. */
export async function isThinPage(page: Fetched, visit: Visit): Promise<boolean> {
  const converted = await markdownOf(page, visit);
  return converted !== undefined && isThin(converted);
}

interface Readable extends Converted {
  readonly reply: Extract<Converted['reply'], { is: 'text' }>;
}

/** Bytes in which there are more words than that, whatever the links. */
const MOST_THIN = 8_000;

function isThin({ body }: Readable): boolean {
  if (body.length > MOST_THIN) return false;
  const markdown = new TextDecoder().decode(body);
  const words = markdown.replace(/^# .*\n/, '').replace(/\]\([^)]*\)/g, ']');
  return words.trim().length < LEAST;
}

const hasScripts = (html: string): boolean => /<script\b/i.test(html);

/** Steps that look at the same page share its conversion. */
const conversions = new WeakMap<Fetched, Promise<Readable | undefined>>();

/** Undefined for a page without any text, or one that could not be converted, which is said. */
function markdownOf(page: Fetched, visit: Visit): Promise<Readable | undefined> {
  let made = conversions.get(page);
  if (!made) conversions.set(page, (made = converted(page, visit)));
  return made;
}

async function converted(page: Fetched, visit: Visit): Promise<Readable | undefined> {
  const found = await convertFor(visit, pageJob(page), await page.text());
  if (!found) visit.notes.push('the page could not be converted within its limits');
  return found?.reply.is === 'text' && found.body.length > 0 ? (found as Readable) : undefined;
}

async function llmsText(url: string, visit: Visit): Promise<Rendering | undefined> {
  const found = await visit.probe(new URL('/llms.txt', url).href, { accept: 'text/plain, text/markdown' });
  if (!found || !/^text\/(?:plain|markdown)$/.test(found.type)) return undefined;
  const content = await found.text();
  return /^\s*#/.test(content) ? text('llms.txt', content, found) : undefined;
}
