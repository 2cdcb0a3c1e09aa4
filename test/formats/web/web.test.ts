/** Web pages: every way to read one, its header, its paging, and what is refused. */

import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOriel } from '../../../src/index.ts';
import { createSession } from '../../../src/session/session.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { place } from '../../support/dialect.ts';
import { makePng } from '../../support/images.ts';
import { article, type Page, paragraphs, site } from '../../support/web.ts';
import { zip } from '../../support/zip.ts';

const reader = (options: Parameters<typeof place>[1] = {}) =>
  place('oriel', { web: { allow: ['127.0.0.1'] }, display: 'plain', ...options });

/** Header and text of a page. */
async function readOne(page: Page, path = '/page', more: Readonly<Record<string, Page>> = {}) {
  const { url, asked } = await site({ [path]: page, ...more });
  const called = await reader().call('read', { path: url + path });
  return { ...called, text: called.text.replaceAll(url, 'http://site'), asked };
}

describe('ways to read a page', () => {
  test('HTML becomes its main text, with a header', async () => {
    const { text, details } = await readOne(article('A title', paragraphs(4)));
    expect(text).toMatch(
      /^URL: http:\/\/site\/page\nContent-Type: text\/html; charset=utf-8\nMethod: readability\n\n---\n# A title\n\nParagraph 1 /,
    );
    expect(text).not.toMatch(/About us|All rights/);
    expect(details).toMatchObject({
      kind: 'web',
      meta: { method: 'readability', contentType: 'text/html; charset=utf-8' },
    });
  });

  test.each<[string, Page, string, string]>([
    [
      'JSON is laid out, its numbers as they are',
      { type: 'application/json', body: '{"id":9007199254740993,"e":[],"a":[1.0]}' },
      'json',
      '{\n  "id": 9007199254740993,\n  "e": [],\n  "a": [\n    1.0\n  ]\n}\n',
    ],
    ['what is no JSON is text', { type: 'application/json', body: '{"a"' }, 'text', '{"a"'],
    ['plain text', { type: 'text/plain', body: 'a <b>\n' }, 'text', 'a <b>\n'],
    [
      'Markdown that was negotiated',
      { type: 'text/markdown', body: '# A\n' },
      'content-negotiation',
      '# A\n',
    ],
    [
      'an RSS feed',
      {
        type: 'application/rss+xml',
        body: '<rss version="2.0"><channel><title>News</title><item><title>One</title><link>/one</link><description>&lt;p&gt;Text&lt;/p&gt;</description></item></channel></rss>',
      },
      'feed',
      '# News\n\n## One\n\nhttp://site/one\n\nText\n',
    ],
    [
      'an Atom feed as XML',
      {
        type: 'text/xml',
        body: '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><entry><title>Two</title><link href="http://x.example/two"/><updated>2026-01-02T00:00:00Z</updated></entry></feed>',
      },
      'feed',
      '# Log\n\n## Two\n\nhttp://x.example/two\n\n2026-01-02\n',
    ],
    [
      'a JSON feed',
      {
        type: 'application/feed+json',
        body: '{"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"url":"/three","title":"Three","content_text":"t"}]}',
      },
      'feed',
      '# J\n\n## Three\n\nhttp://site/three\n\nt\n',
    ],
  ])('%s', async (_, page, method, expected) => {
    const { text } = await readOne(page);
    expect(text).toContain(`\nMethod: ${method}\n\n---\n`);
    expect(text.split('\n---\n')[1]).toBe(expected);
  });

  test('a heading that is the title is shown once', async () => {
    const { text } = await readOne(
      '<!doctype html><html><body><h1>Short</h1><p>A few words.</p></body></html>',
    );
    expect(text.split('\n---\n')[1]).toBe('# Short\n\nA few words.\n');
  });

  test('an image is an image', async () => {
    const { url } = await site({ '/a': { type: 'image/png', body: makePng(4, 4) } });
    const answer = await reader()
      .oriel.tool('read')
      .run({ path: `${url}/a` });
    expect(answer.content.map(({ type }) => type)).toContain('image');
    expect(answer.details).toMatchObject({ kind: 'web', meta: { method: 'image' } });
  });

  test.each(['/a.zip?dl=1', '/download?id=7', '/download'])(
    'members of an archive at %s are read, and page',
    async (path) => {
      const content = Array.from({ length: 400 }, (_, i) => `line ${i + 1}\n`).join('');
      const members = [{ name: 'my dir/x y.txt', content }];
      const { url, asked } = await site({ [path]: { type: 'application/zip', body: zip(members) } });
      const here = reader();
      expect((await here.call('read', { path: url + path })).text).toContain('my dir');
      for (const lines of ['2..2', '399..400']) {
        const { text } = await here.call('read', { path: `${url}${path}:my dir/x y.txt:${lines}` });
        expect(text).toMatch(/^line (?:2|399)\n/);
      }
      expect((await here.call('read', { path: `${url}${path}:my dir` })).text).toContain('x y.txt');
      expect(asked).toEqual([path]);
    },
  );

  test('binary content is described, with a call that shows it', async () => {
    const { url } = await site({
      '/page': { type: 'application/octet-stream', body: new Uint8Array([1, 0, 2, 0, 0x41]) },
    });
    const here = reader();
    const { text } = await here.call('read', { path: `${url}/page` });
    expect(text).toContain(
      `is binary (NUL bytes, 5 B). Use a shell to look at it: curl -sL ${url}/page | xxd | head -100`,
    );
    const raw = await here.call('read', { path: `${url}/page:raw` });
    expect(raw.isError).toBe(false);
    expect(raw.text).toContain('A');
  });
});

describe('alternates of a page', () => {
  const own =
    '# From the site\n\nText for machines, long enough to be believed by whoever looks at its size.\n';

  test('linked Markdown', async () => {
    const page = article('A', paragraphs(3), '<link rel="alternate" type="text/markdown" href="/own.txt">');
    const { text } = await readOne(page, '/page', { '/own.txt': { type: 'text/markdown', body: own } });
    expect(text).toContain(
      `Method: alternate-markdown\nNotes: this is its Markdown, http://site/own.txt\n\n---\n${own}`,
    );
  });

  test.each([
    ['without a language of its own', 'en', ''],
    ['in its own language', 'de', ' lang="de-AT"'],
    ['of no language', '', ' lang="de"'],
  ])('Markdown of a page %s', async (_, hreflang, lang) => {
    const link = `<link rel="alternate" type="text/markdown" hreflang="${hreflang}" href="/own.md">`;
    const page = article('A', paragraphs(3), link).replace('<html', `<html${lang}`);
    const { text } = await readOne(page, '/page', { '/own.md': { type: 'text/markdown', body: own } });
    expect(text).toContain('Method: alternate-markdown');
  });

  test('two Markdown links are tried; one that hangs fails nothing', { tags: 'slow' }, async () => {
    const links = Array.from(
      { length: 30 },
      (_, i) => `<link rel="alternate" type="text/markdown" href="/${i}">`,
    );
    const hanging = Object.fromEntries(links.map((_, i) => [`/${i}`, () => undefined]));
    const { text, asked } = await readOne(article('A', paragraphs(3), links.join('')), '/page', hanging);
    expect(text).toContain('Method: readability');
    expect(asked.filter((path) => /^\/\d+$/.test(path))).toEqual(['/0', '/1']);
  });

  test('URL.md, if it is Markdown', async () => {
    const { text } = await readOne(article('A', paragraphs(3)), '/page', {
      '/page.md': { type: 'text/plain', body: own },
    });
    expect(text).toContain(`Method: md-suffix\n\n---\n${own}`);
  });

  test.each<[string, Page]>([
    ['a page of HTML', '<!doctype html><h1>Not here</h1>'],
    ['HTML that says it is text', { type: 'text/plain', body: `<!doctype html><p>${'x'.repeat(100)}</p>` }],
    [
      'a sentence',
      {
        type: 'text/plain',
        body: '404 not found: there is nothing under this address, look elsewhere please',
      },
    ],
    ['a redirect to another page', (_, response) => response.writeHead(302, { location: '/' }).end()],
  ])('at URL.md %s is not believed', async (_, soft) => {
    const { text } = await readOne(article('A', paragraphs(3)), '/page', {
      '/page.md': soft,
      '/': { type: 'text/plain', body: own },
    });
    expect(text).toContain('Method: readability');
  });

  test('the feed of a page without text', async () => {
    const head = '<link rel="alternate" type="application/rss+xml" href="/feed">';
    const feed =
      '<rss><channel><title>News</title><item><title>One</title><link>/1</link></item></channel></rss>';
    const page = `<html><head>${head}</head><body><div id="app"></div></body></html>`;
    const more = { '/feed': { type: 'text/xml', body: feed } };
    expect((await readOne(page, '/page', more)).text).toContain('Method: feed-alternate');
    const other = article('A', paragraphs(3), head);
    expect((await readOne(other, '/page', more)).text).toContain('Method: readability');
  });

  test.each(['/llms.txt', '/llms-full.txt', '/docs/llms.txt', '/'])(
    '%s is not used as an alternate, even if linked',
    async (target) => {
      const page = article('Own', paragraphs(4))
        .toString()
        .replace('<head>', `<head><link rel="alternate" type="text/markdown" href="${target}">`);
      const about = { type: 'text/markdown', body: `# The site\n\n${'All about it. '.repeat(20)}` };
      const { text } = await readOne(page, '/page', { [target]: about });
      expect(text).toContain('Paragraph 1');
      expect(text).not.toContain('The site');
    },
  );

  test.each(['/page.md', '/linked.md', '/llms.txt', '/feed'])(
    '%s: a redirect to another site is not used',
    async (target) => {
      const foreign = await site({
        '/x': { type: 'text/markdown', body: `# Foreign\n\n${'Words of it. '.repeat(20)}` },
      });
      const links =
        '<link rel="alternate" type="text/markdown" href="/linked.md"><link rel="alternate" type="application/rss+xml" href="/feed">';
      const isThin = target === '/llms.txt' || target === '/feed';
      const page = article('Own', isThin ? '<script>draw()</script>' : paragraphs(4), links);
      const away: Page = (_, response) => response.writeHead(302, { location: `${foreign.url}/x` }).end();
      const { text } = await readOne(page, '/page', { [target]: away });
      expect(text).toContain('Own');
      expect(text).not.toContain('Foreign');
    },
  );

  test.each([
    ['Die angeforderte Seite wurde leider nirgends gefunden, vielleicht wurde sie verschoben oder entfernt.'],
    ['Sorry, we could not locate what you are looking for. Please log in to continue, or contact support.'],
    [`${'Welcome to our service, please subscribe to the newsletter. '.repeat(40)}`],
  ])('an unrelated text is not used as an alternate: %s', async (body) => {
    const words = Array.from(
      { length: 60 },
      (_, i) => `<p>Paragraph about ${'abcdefghij'[i % 10]}${'klmnopqrst'[(i / 10) | 0]}widgets.</p>`,
    );
    const page = article('Own', words.join(''));
    const { text } = await readOne(page, '/page', { '/page.md': { type: 'text/plain', body } });
    expect(text).toContain('Method: readability');
  });

  test('omitted parts of a page are reported', async () => {
    const aside = `<div class="comments">${paragraphs(12)}</div>`;
    const { text } = await readOne(article('Own', `${paragraphs(8)}${aside}`));
    expect(text).toMatch(
      /Notes: its main text, as it was found, has \d+ of its \d+ words; :raw has all of them/,
    );
  });

  test('JSON declared as HTML is JSON', async () => {
    const body = '{"html":"<p>Hi</p>","re":"a<b && c>d"}';
    const { text } = await readOne({ type: 'text/html', body });
    expect(text).toContain('Method: json\n\n---\n{\n  "html": "<p>Hi</p>",\n  "re": "a<b && c>d"\n}\n');
  });

  test.each([
    [200, {}, 'the body is empty'],
    [206, { 'content-range': 'bytes 0-4/100' }, 'the server sent a part of it alone: bytes 0-4/100'],
  ])('%i: an empty or partial page is reported, without alternate', async (status, headers, note) => {
    const page: Page = (_, response) =>
      response
        .writeHead(status, { 'content-type': 'text/html', ...headers })
        .end(status === 206 ? '<p>abc' : '');
    const llms = { type: 'text/plain', body: '# Guide\n' };
    const { text } = await readOne(page, '/page', { '/llms.txt': llms });
    expect(text).toContain(`Notes: ${note}`);
    expect(text).not.toContain('Guide');
  });

  test('llms.txt for a page rendered by scripts', async () => {
    const page = '<html><body><div id="app"></div><script src="/app.js"></script></body></html>';
    const { text } = await readOne(page, '/app', { '/llms.txt': { type: 'text/plain', body: '# Guide\n' } });
    expect(text).toContain(
      'Method: llms.txt\nNotes: it has no text: this is the llms.txt of its site, http://site/llms.txt\n\n---\n# Guide\n',
    );
  });

  describe('the few words of a page', () => {
    const head = '<title>Status</title><link rel="alternate" type="application/rss+xml" href="/feed">';
    const others: Readonly<Record<string, Page>> = {
      '/feed': {
        type: 'application/rss+xml',
        body: '<rss version="2.0"><channel><title>Comments</title><item><title>spam</title></item></channel></rss>',
      },
      '/llms.txt': { type: 'text/plain', body: '# Site index\n' },
      '/manual.pdf': { type: 'application/pdf', body: '%PDF-1.4 broken' },
    };
    const words = '# Status\n\nBuild 4711 failed.\n';
    const own = '<h1>Status</h1><p>Build 4711 failed.</p>';

    test.each([
      ['its feed, http://site/feed', `${head}<body>${own}`, '# Comments'],
      [
        'the llms.txt of its site, http://site/llms.txt',
        `<title>Status</title><body>${own}<script>1</script>`,
        '# Site index',
      ],
    ])('are above %s', async (what, body, other) => {
      const { text } = await readOne(`<!doctype html>${body}`, '/page', others);
      expect(text).toContain(`Notes: it has hardly any text: below it is ${what}\n`);
      expect(text.split('\n---\n')[1]).toBe(`${words}`);
      expect(text.split('\n---\n')[2]).toContain(other);
    });

    test('are shown if the linked document cannot be read', async () => {
      const page = `<!doctype html><title>Status</title><body>${own}<a href="/manual.pdf">Manual</a>`;
      const { text, details } = await readOne(page, '/page', others);
      expect(text).toContain('Notes: it links to a document that cannot be read: http://site/manual.pdf\n');
      expect(text).toContain('Build 4711 failed.');
      expect(details).toMatchObject({ kind: 'web', meta: { status: 200 } });
    });

    test.each([
      [
        'a sentence',
        '<h1>Contact</h1><p>Acme GmbH, Main Street 5, 12345 Town. Phone +49 30 1234567, open Monday to Friday from 9 to 17.</p>',
        'Main Street 5',
      ],
      [
        'a table of numbers',
        `<table>${Array.from({ length: 15 }, (_, i) => `<tr><td>${i}<td>${i * i}</tr>`).join('')}</table>`,
        '| 14 | 196 |',
      ],
      [
        'behind a script that is written in capitals',
        `<SCRIPT>draw()</script>${'<p>Some words that a reader sees.</p>'.repeat(8)}`,
        'a reader sees',
      ],
    ])('are sufficient on their own: %s', async (_, body, expected) => {
      const { text } = await readOne(`<!doctype html>${head}<body>${body}`, '/page', others);
      expect(text).toContain(expected);
      expect(text).not.toContain('spam');
    });
  });

  describe('the document that a page presents', () => {
    const report = { type: 'application/pdf', body: readFileSync('test/fixtures/documents/report.docx') };
    const landing = (links: string): string =>
      `<html><head><title>Report</title></head><body><h1>Report</h1><p>Download:</p>${links}</body></html>`;
    const link = '<a href="/files/report.docx#top">the report of this year</a>';

    test('is read in its place, and paged', async () => {
      const { url, asked } = await site({ '/page': landing(link), '/files/report.docx': report });
      const here = reader();
      const { text, details } = await here.call('read', { path: `${url}/page` });
      expect(text).toContain(`This is the document that the page links to: ${url}/files/report.docx`);
      expect(details).toMatchObject({ kind: 'web', meta: { method: 'linked-document' } });
      const before = asked.length;
      const [line] = (await here.call('read', { path: `${url}/page:1..1` })).text.split('\n');
      expect(text).toContain(line);
      expect(asked).toHaveLength(before);
    });

    test.each([
      ['with another', `${link}<a href="/files/other.pdf">another</a>`],
      ['beside a text', `${link}${paragraphs(3)}`],
      ['elsewhere', '<a href="http://10.0.0.1/report.pdf">the report</a>'],
      ['that is not there', '<a href="/files/gone.pdf">the report</a>'],
      ['that is a page', '<a href="/files/page.pdf">the report</a>'],
    ])('%s is a link like any other', async (_, links) => {
      const { text } = await readOne(landing(links), '/page', {
        '/files/report.docx': report,
        '/files/page.pdf': landing(''),
      });
      expect(text).toMatch(/Method: (?:readability|defuddle|main|page)\n/);
    });
  });

  test('alternates at other origins and private addresses are not requested', async () => {
    const other = await site({ '/x': { type: 'text/markdown', body: own } });
    const { text } = await readOne(
      article(
        'A',
        paragraphs(3),
        `<link rel="alternate" type="text/markdown" href="${other.url}/x"><base href="http://10.0.0.1/">`,
      ),
    );
    expect(text).toContain('Method: readability');
    expect(other.asked).toEqual([]);
  });

  test('nor is the feed of a page without text', async () => {
    const other = await site({ '/feed': { type: 'application/rss+xml', body: '<rss><channel/></rss>' } });
    await readOne(
      `<html><head><link rel="alternate" type="application/rss+xml" href="${other.url}/feed"></head><body></body></html>`,
    );
    expect(other.asked).toEqual([]);
  });

  test('a page names the base of its relative links', async () => {
    const { text } = await readOne(
      article(
        'A',
        paragraphs(3),
        '<link rel="alternate" type="text/markdown" href="own.md"><base href="/forms/"><base href="/no/">',
      ),
      '/page',
      { '/forms/own.md': { type: 'text/markdown', body: own } },
    );
    expect(text).toContain('Method: alternate-markdown');
  });
});

describe('notices about a page', () => {
  const types = { 'content-type': 'text/plain' };
  const pages: Readonly<Record<string, Page>> = {
    '/guess': { type: 'text/plain', body: Buffer.from('na\xefve caf\xe9\nsecond\n', 'latin1') },
    '/redirected': (_, response) => response.writeHead(302, { ...types, location: '/guess' }).end(),
    '/app': `<!doctype html><title>App</title><div>Loading</div><script src="x"></script>`,
    '/picture': (_, response) => response.writeHead(302, { location: '/a.png' }).end(),
    '/a.png': { type: 'image/png', body: makePng(4, 4) },
  };

  test.each([
    ['/guess', ['the encoding iso-8859-2 was guessed; :encoding=NAME behind the URL decides']],
    [
      '/redirected',
      [
        'redirected from http://site/redirected',
        'the encoding iso-8859-2 was guessed; :encoding=NAME behind the URL decides',
      ],
    ],
    ['/app', ['it has hardly any text: scripts may draw it']],
    ['/picture', ['redirected from http://site/picture']],
  ])('are in every part of %s, and in the details', async (path, expected) => {
    const { url } = await site(pages);
    const { oriel } = reader();
    for (const part of path === '/picture' ? [''] : ['', ':1..1', ':1..2', ':-1', ':2..']) {
      const { content, details } = await oriel.tool('read').run({ path: url + path + part });
      const text = JSON.stringify(content).replaceAll(url, 'http://site');
      for (const one of expected) expect(text, part).toContain(one);
      const { meta } = details as { meta?: { notes?: readonly string[] } };
      expect(meta?.notes?.map((note) => note.replaceAll(url, 'http://site'))).toEqual(expected);
    }
  });
});

describe('windows', () => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

  test('pages of 300 lines come from one cached request', async () => {
    const { url, asked } = await site({ '/long': { type: 'text/plain', body: lines(700) } });
    const here = reader();
    const first = await here.call('read', { path: `${url}/long` });
    expect(first.text).toMatch(/\nline 300\n\n?\[/);
    expect(first.text).toContain(`Use ${url}/long:301.. to continue]`);
    expect(first.text).toContain('artifact://1');
    expect((await here.call('read', { path: `${url}/long:301..` })).text).toMatch(/^line 301\n/);
    expect((await here.call('read', { path: `${url}/long:-2` })).text).toMatch(/^line 699\nline 700\n/);
    expect((await here.call('read', { path: 'artifact://1:700..700' })).text).toMatch(/^line 700\n/);
    expect(asked).toEqual(['/long']);
  });

  test(':raw is the body itself, requested once more', async () => {
    const page = article('A', paragraphs(3));
    const { url } = await site({ '/page': page });
    const here = reader();
    expect((await here.call('read', { path: `${url}/page:raw` })).text).toBe(page);
    expect((await here.call('read', { path: `${url}/page:raw:1..1` })).text).toContain('<!doctype html>');
  });

  test('a number after hosts is a port, otherwise a line', async () => {
    const { url } = await site({ '/': { type: 'text/plain', body: lines(9) } });
    const here = reader();
    expect((await here.call('read', { path: url })).text).toMatch(/line 9\n$/);
    expect((await here.call('read', { path: `${url}/:8` })).text).toBe('line 8\nline 9\n');
    expect((await here.call('read', { path: `${url}:8-8` })).text).toBe('line 8\n');
  });

  test(':fresh revalidates, and a 304 keeps the page', async () => {
    const seen: (string | undefined)[] = [];
    const { url, asked } = await site({
      '/e': (request, response) => {
        seen.push(request.headers['if-none-match']);
        if (request.headers['if-none-match'] === '"1"') return response.writeHead(304).end();
        return response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end('text\n');
      },
    });
    const here = reader();
    for (const path of [`${url}/e`, `${url}/e:fresh`, `${url}/e`, `${url}/e:fresh:1..1`]) {
      expect((await here.call('read', { path })).text).toMatch(/text\n$/);
    }
    expect(asked).toHaveLength(3);
    expect(seen).toEqual([undefined, '"1"', '"1"']);
  });

  test('without an ETag the date is used for revalidation', async () => {
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
    const seen: (string | undefined)[] = [];
    const { url } = await site({
      '/e': (request, response) => {
        seen.push(request.headers['if-modified-since']);
        if (request.headers['if-modified-since'] === date) return response.writeHead(304).end();
        return response.writeHead(200, { 'content-type': 'text/plain', 'last-modified': date }).end('text\n');
      },
    });
    const here = reader();
    for (const path of [`${url}/e`, `${url}/e:fresh`]) {
      expect((await here.call('read', { path })).text).toMatch(/\n---\ntext\n$/);
    }
    expect(seen).toEqual([undefined, date]);
  });

  test('the final URL is cached, and concurrent calls share requests', async () => {
    const { url, asked } = await site({
      '/from': (_, response) => response.writeHead(302, { location: '/to' }).end(),
      '/to': { type: 'text/plain', body: 'text\n' },
    });
    const here = reader();
    const paths = [`${url}/from`, `${url}/from`];
    const answers = await Promise.all(paths.map((path) => here.call('read', { path })));
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(answers[0]?.text).toContain(`URL: ${url}/to\n`);
    expect(answers[0]?.text).toContain(`Notes: redirected from ${url}/from\n`);
    expect((await here.call('read', { path: `${url}/to` })).text).toBe(
      `URL: ${url}/to\nContent-Type: text/plain\nMethod: text\n\n---\ntext\n`,
    );
    expect(asked).toEqual(['/from', '/to']);
  });

  test('a 304 after a redirect change drops the old page', async () => {
    let to = '/old';
    const tagged =
      (body: string): Page =>
      (request, response) =>
        request.headers['if-none-match'] === '"1"'
          ? response.writeHead(304).end()
          : response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end(body);
    const { url } = await site({
      '/from': (_, response) => response.writeHead(302, { location: to }).end(),
      '/old': tagged('old\n'),
      '/new': tagged('new\n'),
    });
    const here = reader();
    expect((await here.call('read', { path: `${url}/from` })).text).toMatch(/old\n$/);
    to = '/new';
    expect((await here.call('read', { path: `${url}/from:fresh` })).text).toMatch(/new\n$/);
  });

  test('a validator with invalid characters is not sent', async () => {
    const { url } = await site({
      '/e': { type: 'text/plain', headers: { etag: `"${'e'.repeat(40_000)}"` }, body: 'text\n' },
    });
    const here = reader();
    for (const path of [`${url}/e`, `${url}/e:fresh`]) {
      expect((await here.call('read', { path })).text).toMatch(/text\n$/);
    }
  });
});

describe('failures', () => {
  const LATER = 'use the same call in 7 seconds';
  const LOGIN =
    'the server requires a login or other access, and pages are read without credentials; use another source';
  test.each([
    [401, LOGIN],
    [403, LOGIN],
    [404, 'there is nothing at this URL; use http://site/ to look for it'],
    [410, 'it has been removed permanently; use http://site/ to look for it'],
    [418, 'the server does not answer this request; use another URL'],
    [429, `the server has received too many requests, ${LATER}`],
    [451, 'it may not be shown for legal reasons; use another source'],
    [500, `the server has failed, ${LATER}`],
    [503, `the server has failed, ${LATER}`],
  ])('HTTP %i is an answer with advice', async (status, advice) => {
    const { text, isError } = await readOne({
      status,
      type: 'text/plain',
      headers: { 'retry-after': '7' },
      body: 'because\n',
    });
    expect(isError).toBe(false);
    expect(text).toBe(
      `URL: http://site/page\nContent-Type: text/plain\nMethod: failed\nNotes: HTTP ${status}: ${advice}\n\n---\nbecause\n`,
    );
  });

  test.each([
    [undefined, 'later'],
    ['0060', 'in 60 seconds'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'after Wed, 21 Oct 2026 07:28:00 GMT'],
  ])('Retry-After: %s', async (after, when) => {
    const headers: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
    const { text } = await readOne({ status: 503, type: 'text/plain', headers, body: '' });
    expect(text).toContain(`\nNotes: HTTP 503: the server has failed, use the same call ${when}\n`);
    expect(text).toMatch(/\n---\n\(The server says nothing more\.\)\n$/);
  });

  test('an HTML error page is shown as text or raw', async () => {
    const body =
      '<!doctype html><html><body><h1>Gone fishing</h1><p>Nothing bites <b>here</b>.</p></body></html>';
    const { url } = await site({ '/page': { status: 404, body } });
    const here = reader();
    expect((await here.call('read', { path: `${url}/page` })).text).toMatch(
      /\nMethod: failed\nNotes: HTTP 404: there is nothing at this URL; use \S+ to look for it\n\n---\n# Gone fishing\n\nNothing bites \*\*here\*\*\.\n$/,
    );
    const raw = await here.call('read', { path: `${url}/page:raw` });
    expect(raw.text).toContain('\nMethod: failed\n');
    expect(raw.text).toContain(`\n---\n${body}`);
  });

  test('a 304 to an unconditional request is an error, uncached', async () => {
    let status = 304;
    const { url } = await site({ '/page': (_, response) => void response.writeHead(status).end() });
    const here = reader();
    expect((await here.call('read', { path: `${url}/page` })).text).toContain('Notes: HTTP 304: ');
    status = 404;
    expect((await here.call('read', { path: `${url}/page` })).text).toContain('Notes: HTTP 404: ');
  });

  test('an error page does not give the date for revalidation', async () => {
    let isThere = false;
    const { url } = await site({
      '/page': (request, response) => {
        if (request.headers['if-modified-since'] || request.headers['if-none-match'])
          return void response.writeHead(304).end();
        const headers = {
          'content-type': 'text/plain',
          etag: '"a"',
          'last-modified': 'Wed, 21 Oct 2026 07:28:00 GMT',
        };
        return void response.writeHead(isThere ? 200 : 404, headers).end('text\n');
      },
    });
    const here = reader();
    expect((await here.call('read', { path: `${url}/page` })).text).toContain('Method: failed');
    isThere = true;
    expect((await here.call('read', { path: `${url}/page` })).text).toContain('Method: text');
  });

  test('an empty page is reported', async () => {
    expect((await readOne('')).text).toMatch(/\nNotes: the body is empty\n/);
    expect((await readOne(' \n')).text).toMatch(/\nNotes: the body is blank\n/);
  });

  test('without the web nothing is requested', async () => {
    const { url, asked } = await site({ '/': 'x' });
    const here = reader({ web: false });
    for (const path of [url, 'www.example.com', 'HTTPS://example.com/']) {
      expect((await here.call('read', { path })).details).toMatchObject({ error: { code: 'UNSUPPORTED' } });
    }
    expect(asked).toEqual([]);
    // Servers of MCP, which the readers of these tests have, reach out too.
    const offline = createOriel({ cwd: here.folder, web: false, s3: false });
    onTestFinished(() => offline.close());
    expect(offline.tool('read').effects.openWorld).toBe(false);
    expect(reader().oriel.tool('read').effects.openWorld).toBe(true);
  });

  test('private addresses are refused by default', async () => {
    const { url, asked } = await site({ '/': 'x' });
    expect((await reader({ web: {} }).call('read', { path: url })).details).toMatchObject({
      error: { code: 'BLOCKED_ADDRESS' },
    });
    expect(asked).toEqual([]);
  });

  test.each([
    ['http://169.254.169.254/latest', false],
    ['http://[fd00:ec2::254]/', false],
    ['http://2852039166/', false],
    ['http://[64:ff9b::a9fe:a9fe]/', false],
    ['http://[::ffff:a9fe:a9fe]/', false],
    ['http://10.0.0.1/', true],
  ])('how to allow %s is told unless it serves credentials', async (path, isTold) => {
    const { text } = await reader({ web: {} }).call('read', { path });
    expect(text).toContain('is not a public address, and is not read.');
    expect(text.includes('can allow it')).toBe(isTold);
  });

  test('a directory named like a host is a directory', async () => {
    const here = reader();
    here.write('www.example.com/a.txt', 'a\n');
    expect((await here.call('read', { path: 'www.example.com/a.txt' })).text).toBe('a\n');
  });

  test.each(['http://x y', '10.0.0.0/8/8', ''])('%j cannot be allowed', (allow) => {
    expect(() => reader({ web: { allow: [allow] } })).toThrow('is not HOST or CIDR');
  });
});

test.each([
  ['of a page that is marked no-store', { 'cache-control': 'private, no-store' }, ''],
  ['of a part of a page', {}, ':601..603'],
])('nothing is cached %s', async (_, headers, part) => {
  const page: Page = { type: 'text/plain', headers, body: 'some words on a line\n'.repeat(700) };
  const { url } = await site({ '/a.txt': page });
  const here = reader();
  const { text, details } = await here.call('read', { path: `${url}/a.txt${part}` });
  expect(text).toContain('some words');
  expect(JSON.stringify([text, details])).not.toContain('artifact');
  expect((await here.call('read', { path: 'artifact://' })).text).not.toContain('KiB');
  expect((await here.call('read', { path: `${url}/a.txt:301..301` })).text).toContain('some words');
});

test('evicted pages are released, whatever age their servers allow', { tags: 'slow' }, async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const body = Buffer.alloc(2 << 20, 'some words on a line\n');
  const paths = Array.from({ length: 12 }, (_, i) => `/${i}.txt`);
  const page: Page = { type: 'text/plain', headers: { etag: '"1"' }, body };
  const { url } = await site(Object.fromEntries(paths.map((path) => [path, page])));
  const session = createSession({ spills: { state: temporaryFolder() }, store: { memory: 8 << 20 } });
  const here = reader({ session });
  const held = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  for (const path of paths) expect((await here.call('read', { path: url + path })).isError).toBe(false);
  // The store holds 8 MiB; all of them are 24 MiB.
  await expect.poll(() => held() - before).toBeLessThan(14 << 20);
});

test('for a partly cached page the notice says how much', async () => {
  const body = 'some words on a line\n'.repeat(2_000);
  const { url } = await site({ '/a.txt': { type: 'text/plain', body } });
  const here = reader({ spills: { state: temporaryFolder(), cap: 10_240 } });
  const { text } = await here.call('read', { path: `${url}/a.txt` });
  expect(text).toContain('The first 10 KiB of it is kept as artifact://1');
});
