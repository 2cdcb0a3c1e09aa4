/** The last step: the unconverted body, if no other step applies. */

import { isHtml, type Step, text } from '../page-step.ts';

export const rawStep: Step = async (page, visit) => {
  const content = await page.text();
  if (content.trim() === '' && page.body.length > 0) visit.notes.push('the body is blank');
  return text(isHtml(page, content) ? 'raw-html' : 'raw', content, page);
};
