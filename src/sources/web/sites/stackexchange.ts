/** Stack Exchange: questions with their answers from its API. */

import type { Site } from '../page-step.ts';
import { baseOf, recordAt } from './site-api.ts';

export const stackexchange: Site = {
  name: 'stackexchange',
  hosts:
    /^(?:(?:[a-z-]+\.)?stackoverflow\.com|(?:[a-z.-]+\.)?stackexchange\.com|(?:meta\.)?(?:superuser\.com|serverfault\.com|askubuntu\.com)|mathoverflow\.net|stackapps\.com)$/,
  page(url) {
    const [, kind, id] = /^\/(questions|q|a)\/(\d{1,12})(?:\/.*)?$/.exec(url.pathname) ?? [];
    if (id === undefined || url.hostname === 'api.stackexchange.com') return undefined;
    const site = `site=${url.hostname}&filter=withbody`;
    return async (visit) => {
      const base = baseOf('stackexchange', 'https://api.stackexchange.com', visit);
      const ask = (of: 'question' | 'answers', path: string, more = '') =>
        recordAt(base, `/2.3/${path}?${more}${site}`, { of: `stackexchange-${of}`, ask: {} }, visit);
      const found = await ask('question', kind === 'a' ? `answers/${id}/questions` : `questions/${id}`);
      const number = found?.facts['number'];
      if (!found || number === undefined) return undefined;
      const path = `questions/${encodeURIComponent(number)}/answers`;
      const answers = await ask('answers', path, 'order=desc&sort=votes&pagesize=100&');
      if (!answers) visit.notes.push('the answers could not be read');
      if (answers?.facts['more']) visit.notes.push('only the first 100 answers are shown');
      return { page: found.page, text: [found.text, answers?.text].filter(Boolean).join('\n\n') };
    };
  },
};
