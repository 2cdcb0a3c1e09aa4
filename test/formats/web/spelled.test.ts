/** Other spellings of URLs, and how notices name them. */

import { expect, test } from 'vitest';
import { numbered, place } from '../../support/dialect.ts';
import { site } from '../../support/web.ts';

const web = { allow: ['127.0.0.1'] };

test('a URL in quotes, <> or blanks is that URL', async () => {
  const { url } = await site({ '/x': { type: 'text/plain', body: 'one\ntwo\n' } });
  const here = place('oriel', { display: 'plain', web });
  for (const typed of [
    `"${url}/x:2..2"`,
    `'${url}/x:2..2'`,
    `<${url}/x:2..2>`,
    `<${url}/x>:2..2`,
    ` ${url}/x:2..2\n`,
  ]) {
    expect((await here.call('read', { path: typed })).text).toBe('two\n');
  }
});

test('notices name a long URL by artifact, parts in full', async () => {
  const long = `/x?${'signature-'.repeat(150)}`;
  const { url, asked } = await site({ [long]: { type: 'text/plain', body: numbered(1, 900) } });
  const here = place('oriel', { display: 'plain', web });
  const { text } = await here.call('read', { path: url + long });
  const [, next = ''] = /Use (artifact:\/\/\d+:301\.\.) to continue\]$/.exec(text) ?? [];
  expect((await here.call('read', { path: next })).text.startsWith('301\n302\n')).toBe(true);
  expect(asked).toHaveLength(1);
  const part = await here.call('read', { path: `${url}${long}:301..` });
  expect(part.text).toContain(`Use ${url}${long}:601.. to continue]`);
  expect(part.details['truncation']).toMatchObject({ next: `${url}${long}:601..` });
});

/** In windows-1252. */
const LATIN = Buffer.from('<p>na\xefve caf\xe9 cr\xe8me</p>', 'latin1');

test('a page and its raw text have the requested encoding', async () => {
  const { url, asked } = await site({ '/guess': { type: 'text/html', body: LATIN } });
  const here = place('oriel', { display: 'plain', web });
  const read = async (path: string): Promise<string> => (await here.call('read', { path: url + path })).text;
  expect(await read('/guess')).toContain('was guessed; :encoding=NAME behind the URL decides');
  const told = await read('/guess:encoding=windows-1252');
  expect(told).toContain('naïve café crème');
  expect(told).not.toContain('guessed');
  expect(await read('/guess:encoding=windows-1252:1..1')).toBe('naïve café crème\n');
  expect(await read('/guess:raw:encoding=windows-1252')).toContain('<p>naïve café crème</p>');
  // The page, the page as told, its raw text.
  expect(asked.filter((path) => path === '/guess')).toHaveLength(3);
});

test('a raw page has only notices that apply to it', async () => {
  const { url } = await site({
    '/from': { status: 302, headers: { location: '/to' }, body: '' },
    '/to': { type: 'text/plain', body: 'plain\n' },
  });
  const here = place('oriel', { display: 'plain', web });
  expect((await here.call('read', { path: `${url}/from:raw` })).text).toBe(
    `plain\n[redirected from ${url}/from]`,
  );
});

test('a text read by ranges has its server’s declared encoding', async () => {
  const line = Buffer.from('caf\xe9\n'.repeat(200_000), 'latin1');
  const body = Buffer.concat(Array.from({ length: 10 }, () => line));
  const { url } = await site({
    '/b.txt': ({ headers }, response) => {
      response.setHeader('content-type', 'text/plain; charset=iso-8859-1').setHeader('etag', '"1"');
      response.setHeader('accept-ranges', 'bytes');
      const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      if (from === '') return void response.writeHead(200, { 'content-length': body.length }).end(body);
      const part = body.subarray(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + part.length - 1}/${body.length}`;
      response.writeHead(206, { 'content-range': range, 'content-length': part.length }).end(part);
    },
  });
  const here = place('oriel', { display: 'plain', web });
  const { text } = await here.call('read', { path: `${url}/b.txt:3..4` });
  expect(text.startsWith('café\ncafé\n')).toBe(true);
  expect(text).not.toContain('invalid');
});
