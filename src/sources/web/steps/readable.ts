/** The steps for the main text of a page, for `llms.txt` if there is none, and for pages with little text. */

import { type Fetched, type Rendering, type Step, text, type Visit } from '../page-step.ts';
import { convertedPage, isThin, littleOf, withOwnWords } from './converted-page.ts';

export const readableStep: Step = async (page, visit) => {
  const converted = await convertedPage(page, visit);
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
  // Without scripts the little text is all that there is.
  if (!(await hasScripts(page))) return undefined;
  const little = await littleOf(page, visit);
  const found = little && (await llmsText(page.url, visit));
  if (!little || !found) return undefined;
  const what = 'the llms.txt of its site';
  return withOwnWords(little, text('llms.txt', await found.text(), found), { what, url: found.url }, visit);
};

/** The step for a page with little text and no alternative. */
export const thinStep: Step = async (page, visit): Promise<Rendering | undefined> => {
  const little = await littleOf(page, visit);
  if (!little || little.markdown === '') return undefined;
  if (await hasScripts(page)) visit.notes.push('it has hardly any text: scripts may draw it');
  return text(little.method, little.markdown, page);
};

async function hasScripts(page: Fetched): Promise<boolean> {
  return /<script\b/i.test(await page.text());
}

async function llmsText(url: string, visit: Visit): Promise<Fetched | undefined> {
  const found = await visit.probe(new URL('/llms.txt', url).href, { accept: 'text/plain, text/markdown' });
  if (!found || !/^text\/(?:plain|markdown)$/.test(found.type)) return undefined;
  return /^\s*#/.test(await found.text()) ? found : undefined;
}
