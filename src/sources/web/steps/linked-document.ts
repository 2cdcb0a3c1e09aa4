/** The document of a page that is there for one: a title, a few words, and a link to a report. */

import { linksOf } from '../head-links.ts';
import type { Step } from '../page-step.ts';
import { littleOf } from './converted-page.ts';
import { fileStep } from './file.ts';

const DOCUMENT = /\.(?:pdf|docx?|pptx?|xlsx?|odt|ods|odp|rtf|epub)$/i;

export const linkedDocumentStep: Step = async (page, visit) => {
  const little = await littleOf(page, visit);
  if (!little) return undefined;
  const { origin } = new URL(page.url);
  const documents = linksOf(await page.text(), page.url).filter((url) => {
    const link = new URL(url);
    return link.origin === origin && DOCUMENT.test(link.pathname);
  });
  const [only, ...others] = new Set(documents);
  // Which of several is meant, only who asked can say.
  if (only === undefined || others.length > 0) return undefined;
  const found = await visit.probe(only, { accept: '*/*' });
  const rendering = found && (await fileStep(found, visit));
  if (rendering?.is !== 'file' || rendering.method !== 'document') return undefined;
  return { ...rendering, method: 'linked-document', linked: { url: only, page: little } };
};
