/** Questions of Stack Exchange, read through a server that speaks its API. */

import { expect, test } from 'vitest';
import { apiSite, json } from '../../support/api-site.ts';
import { article, paragraphs } from '../../support/web.ts';

const question = {
  question_id: 42,
  title: 'How do I &lt;frob&gt;?',
  body: '<p>I tried:</p><pre class="lang-js prettyprint-override"><code>w.frob();\n  // no\n</code></pre>',
  tags: ['c++', 'widgets'],
  score: 17,
  owner: { display_name: 'ana' },
  creation_date: 1_700_000_000,
};
const answers = [
  {
    score: 30,
    body: '<p>Try <em>harder</em>.</p>',
    owner: { display_name: 'bob' },
    creation_date: 1_700_000_100,
  },
  { score: 2, body: '<p>Use <code>x</code>.</p>', is_accepted: true },
];
const items = (list: readonly unknown[], more: object = {}) =>
  json({ items: list, has_more: false, ...more });
const of = (site: string): string => `site=${site}&filter=withbody`;
const answersOf = (site: string): string =>
  `/2.3/questions/42/answers?order=desc&sort=votes&pagesize=100&${of(site)}`;

test('a question and its answers, the accepted one first', async () => {
  const { read } = await apiSite(
    {
      [`/2.3/questions/42?${of('stackoverflow.com')}`]: items([question]),
      [answersOf('stackoverflow.com')]: items(answers),
    },
    'stackexchange',
  );
  const page = await read('stackoverflow.com', '/questions/42/how-do-i-frob');
  expect(page).toMatchObject({ rendering: { method: 'stackexchange' }, notes: [] });
  expect(page.text).toBe(
    '# How do I <frob>?\n\nAsked by ana on 2023-11-14 · score 17 · c++, widgets\n\nI tried:\n\n' +
      '```js\nw.frob();\n  // no\n```\n\n## Answer (accepted)\n\nAnswered by somebody · score 2\n\nUse `x`.\n\n' +
      '## Answer\n\nAnswered by bob on 2023-11-14 · score 30\n\nTry *harder*.\n',
  );
});

test('an answer leads to its question, missing parts are reported', async () => {
  const { read } = await apiSite(
    {
      [`/2.3/answers/7/questions?${of('unix.stackexchange.com')}`]: items([question]),
      [answersOf('unix.stackexchange.com')]: items(answers, { has_more: true }),
    },
    'stackexchange',
  );
  const page = await read('unix.stackexchange.com', '/a/7/99');
  expect(page.notes).toEqual(['only the first 100 answers are shown']);
  const alone = await apiSite(
    { [`/2.3/questions/42?${of('superuser.com')}`]: items([question]) },
    'stackexchange',
  );
  expect((await alone.read('superuser.com', '/q/42')).notes).toEqual(['the answers could not be read']);
});

test.each([
  ['without an answer', undefined],
  ['with no question', items([])],
  ['in another shape', json([1])],
])('%s, the page itself is used', async (_, api) => {
  const { read } = await apiSite(
    {
      '/questions/42': article('How', paragraphs(3)),
      ...(api && { [`/2.3/questions/42?${of('askubuntu.com')}`]: api }),
    },
    'stackexchange',
  );
  expect(await read('askubuntu.com', '/questions/42')).toMatchObject({
    rendering: { method: 'readability' },
    notes: ['stackexchange: its API has not answered, this is the page itself'],
  });
});

test('a list of questions is read like any other page', async () => {
  const { read } = await apiSite({ '/questions/tagged/x': article('List', paragraphs(3)) }, 'stackexchange');
  expect((await read('stackoverflow.com', '/questions/tagged/x')).notes).toEqual([]);
});
