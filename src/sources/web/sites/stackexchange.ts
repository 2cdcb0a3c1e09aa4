/** Questions of Stack Exchange with their answers, from its API: the accepted one first, then by votes. */

import type { Site } from '../page.ts';
import { type Answered, at, baseOf, dayOf, escaped, jsonAt, listAt, markdownOf, textAt } from './api.ts';

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
      const ask = (path: string, more = ''): Promise<Answered | undefined> =>
        jsonAt(base, `/2.3/${path}?${more}${site}`, visit);
      const found = await ask(kind === 'a' ? `answers/${id}/questions` : `questions/${id}`);
      const [question] = listAt(found?.value, 'items');
      const number = textAt(question, 'question_id');
      if (!found || number === '') return undefined;
      const answers = await ask(`questions/${number}/answers`, 'order=desc&sort=votes&pagesize=100&');
      if (!answers) visit.notes.push('the answers could not be read');
      if (at(answers?.value, 'has_more') === true) visit.notes.push('only the first 100 answers are shown');
      const html = [questionHtml(question), ...inOrder(listAt(answers?.value, 'items')).map(answerHtml)].join(
        '',
      );
      const text = await markdownOf(html, visit.url, visit);
      return text === undefined ? undefined : { page: found.page, text };
    };
  },
};

function inOrder(answers: readonly unknown[]): unknown[] {
  const rank = (one: unknown): number => (at(one, 'is_accepted') === true ? 1 : 0);
  const score = (one: unknown): number => Number(textAt(one, 'score')) || 0;
  return answers.toSorted((a, b) => rank(b) - rank(a) || score(b) - score(a));
}

/** The API gives titles, names and bodies as HTML. */
function questionHtml(question: unknown): string {
  const tags = listAt(question, 'tags').map((tag) => textAt(tag));
  const closed = textAt(question, 'closed_reason');
  return (
    `<h1>${textAt(question, 'title')}</h1><p>${byline('Asked', question)}` +
    `${tags.length > 0 ? ` · ${escaped(tags.join(', '))}` : ''}${closed === '' ? '' : ` · closed: ${closed}`}</p>` +
    textAt(question, 'body')
  );
}

function answerHtml(answer: unknown): string {
  const accepted = at(answer, 'is_accepted') === true ? ' (accepted)' : '';
  return `<h2>Answer${accepted}</h2><p>${byline('Answered', answer)}</p>${textAt(answer, 'body')}`;
}

function byline(verb: string, post: unknown): string {
  const name = textAt(post, 'owner', 'display_name') || 'somebody';
  const seconds = Number(textAt(post, 'creation_date'));
  const day = seconds > 0 && seconds < 1e11 ? ` on ${dayOf(new Date(seconds * 1000).toISOString())}` : '';
  return `${verb} by ${name}${day} · score ${textAt(post, 'score') || 0}`;
}
