/** Formats a question of Stack Exchange and its answers: the accepted answer first, then by votes. */

import { fragment } from '../extract.ts';
import type { ReadRecord } from './record.ts';
import { at, dayOf, escaped, listAt, textAt } from './values.ts';

/** The fact `number` is the question's id. */
export const stackExchangeQuestion: ReadRecord = (value, _, url) => {
  const [question] = listAt(value, 'items');
  const number = textAt(question, 'question_id');
  const text = number === '' ? '' : fragment(questionHtml(question), url).trim();
  return text === '' ? undefined : { text, facts: { number } };
};

/** The fact `more` says that there are more answers. */
export const stackExchangeAnswers: ReadRecord = (value, _, url) => ({
  text: fragment(inOrder(listAt(value, 'items')).map(answerHtml).join(''), url).trim(),
  ...(at(value, 'has_more') === true && { facts: { more: 'yes' } }),
});

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
