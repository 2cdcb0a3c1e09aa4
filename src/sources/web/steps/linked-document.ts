/** The step for landing pages: a page with little text and a link to a single document, which is shown instead. */

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
  // Only if there is exactly one; otherwise the caller must choose.
  if (only === undefined || others.length > 0) return undefined;
  const found = await visit.probe(only, { accept: '*/*' });
  const rendering = found && (await fileStep(found, visit));
  if (rendering?.is !== 'file' || rendering.method !== 'document') return undefined;
  return { ...rendering, method: 'linked-document', linked: { url: only, page: little } };
};
