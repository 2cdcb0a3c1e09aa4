/** What is kept of pages: sentences, code as written, complete rows, and no menus. */

import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../../src/formats/web/child/extract.ts';

const CODE = [
  'function drop(record) {',
  '  if (!record.id) {',
  '    return;',
  '  }',
  '',
  '\tstore.delete(record.id);',
  '}',
];

/** As highlighters write it: each token an element. */
const highlighted = CODE.map((line) =>
  line.replace(/\w+|[^\w\s]+/g, (token) => `<span class="tok">${escaped(token)}</span>`),
);

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const blocks: Readonly<Record<string, string>> = {
  plain: `<pre>${escaped(CODE.join('\n'))}</pre>`,
  'in an element of code': `<pre><code class="language-js">${escaped(CODE.join('\n'))}</code></pre>`,
  highlighted: `<div class="highlight"><pre><code>${highlighted.join('\n')}</code></pre></div>`,
  'with numbers beside it': `<table class="highlighttable"><tr><td class="linenos"><pre>${CODE.map((_, i) => i + 1).join('\n')}</pre></td><td class="code"><pre>${highlighted.join('\n')}</pre></td></tr></table>`,
  'with a number in each line': `<pre><code>${highlighted.map((line, i) => `<span class="line"><span class="lineno">${i + 1}</span>${line}</span>`).join('\n')}</code></pre>`,
};

const sentences = Array.from(
  { length: 40 },
  (_, i) =>
    `Sentence number ${i + 1} tells the reader of part ${i * 7} that the widget is turned by ${i + 3} degrees.`,
);
const rows = Array.from({ length: 25 }, (_, i) => [
  `--option-${i}`,
  `${i * 3} items`,
  `What it does for ${i} | more.`,
]);
const NOISE = [
  'Subscribe to our newsletter',
  'All rights reserved',
  'Accept all cookies',
  'Related articles',
  'Log in',
];

function page(code: string): string {
  const paragraphs = sentences.map((sentence) => `<p>${sentence.replace('widget', '<em>widget</em>')}</p>`);
  const cells = rows
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`)
    .join('');
  return `<!doctype html><html><head><title>The widget | Docs</title><style>p{}</style></head><body>
    <div class="cookie-banner"><button>Accept all cookies</button></div>
    <header><nav><ul><li><a href="/">Home</a></li><li><a href="/login">Log in</a></li></ul></nav></header>
    <div class="layout"><aside class="sidebar"><h3>Related articles</h3><ul><li><a href="/a">One</a></li></ul></aside>
    <main><article><h1>The widget</h1>${paragraphs.slice(0, 20).join('\n')}
    <h2>Code</h2>${code}
    <h2>Options</h2><table><thead><tr><th>Name</th><th>Count</th><th>Meaning</th></tr></thead><tbody>${cells}</tbody></table>
    ${paragraphs.slice(20).join('\n')}</article></main></div>
    <div class="newsletter"><form>Subscribe to our newsletter <input></form></div>
    <footer><p>© All rights reserved</p></footer></body></html>`;
}

describe.each(Object.entries(blocks))('a page with code %s', (_, code) => {
  const { markdown } = extractPage(page(code), 'https://docs.example/widget');

  test('keeps its sentences, in their order', () => {
    const plain = markdown.replace(/[*_]/g, '');
    const at = sentences.map((sentence) => plain.indexOf(sentence));
    expect(at.every((index) => index !== -1)).toBe(true);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
  });

  test('keeps its code as it was written', () => {
    expect(markdown).toMatch(/^```/m);
    expect(markdown).toContain(`\n${CODE.join('\n')}\n`);
  });

  test('keeps each table row in one line', () => {
    const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
    expect(lines).toHaveLength(rows.length + 2);
    for (const row of rows) {
      const cells = row.map((cell) => cell.replaceAll('|', '\\|'));
      expect(lines.some((line) => cells.every((cell) => line.includes(cell)))).toBe(true);
    }
  });

  test('leaves out everything else', () => {
    expect(NOISE.filter((words) => markdown.includes(words))).toEqual([]);
  });
});

// The libraries take quadratic time for it.
test.each(['<ul><li>x', '<div>x', '<blockquote>x', '<table><tr><td>x'])(
  'deeply nested text, %s, is converted as a whole',
  { tags: 'slow' },
  (inner) => {
    const { how, markdown } = extractPage(
      `<body>${inner.repeat(100_000)}</body>`,
      'https://docs.example/deep',
    );
    expect(how).toBe('page');
    expect(markdown.match(/x/g)?.length).toBeGreaterThan(99_000);
  },
);

describe('parts beside the main text', () => {
  const text = (count: number): string =>
    Array.from(
      { length: count },
      (_, i) =>
        `<p>Paragraph ${i} has enough words, commas, and sentences, so that it is taken for the main text of the page.</p>`,
    ).join('');
  const page = (body: string): string => `<html><head><title>T</title></head><body>${body}</body></html>`;

  test.each([
    [
      '<aside aria-label="Caution" class="starlight-aside starlight-aside--caution"><p aria-hidden="true">Caution</p><div><p>This deletes all data.</p></div></aside>',
      '> **Caution**\n>\n> This deletes all data.',
    ],
    ['<aside class="admonition warning"><p>This deletes all data.</p></aside>', '> This deletes all data.'],
    ['<aside><p>This deletes all data.</p></aside>', '> This deletes all data.'],
    ['<aside role="note"><a href="/x">This deletes all data.</a></aside>', '> [This deletes all data.]'],
  ])('keep a note in an aside: %s', (aside, markdown) => {
    const html = page(`<main><div class="content"><h1>Install</h1>${text(3)}${aside}${text(2)}</div></main>`);
    expect(extractPage(html, 'https://docs.example/').markdown).toContain(markdown);
  });

  test.each([
    '<aside class="related"><p>Other posts.</p></aside>',
    '<aside><ul><li><a href="/a">Other posts of ours</a></li></ul></aside>',
  ])('leave out other asides: %s', (aside) => {
    const html = page(`<main><h1>Install</h1>${text(3)}${aside}${text(2)}</main>`);
    expect(extractPage(html, 'https://docs.example/').markdown).not.toContain('Other posts');
  });

  test('keep code even if every library drops its blocks', () => {
    const endpoints = Array.from(
      { length: 12 },
      (_, i) =>
        `<div class="endpoint"><h2>GET /v1/thing${i}</h2><p>Returns thing ${i}, with some words, as told above.</p><div class="sidebar code-sample"><pre><code>curl https://x/v1/thing${i}</code></pre></div></div>`,
    ).join('');
    const html = page(`<div><div class="content"><h1>REST API</h1>${endpoints}</div></div>`);
    expect(extractPage(html, 'https://docs.example/').markdown.match(/^curl .*$/gm)).toHaveLength(12);
  });
});

test('omitted words are counted also in scripts without spaces', () => {
  const shown =
    '<p>这个部件每次转动三度，读者可以在手册里找到所有的数值和说明，请不要忘记检查记录。</p>'.repeat(16);
  const comments = `<div class="comments">${'<p>谢谢。</p>'.repeat(200)}</div>`;
  const html = `<!doctype html><body><article><h1>部件</h1>${shown}</article>${comments}</body>`;
  expect(extractPage(html, 'http://site.example/').words).toEqual({ shown: 594, all: 994 });
});

const WORDS = `<p>${'The keeper of the harbour writes down every ship that comes in, and the weight of the cargo. '.repeat(6)}</p>`;

/** The Markdown of this part of an article, between its words. */
function kept(part: string): string {
  const html = `<html><head><title>T</title></head><body><main><article><h1>T</h1>${WORDS}${part}${WORDS}</article></main></body></html>`;
  const { markdown } = extractPage(html, 'http://site.example/');
  return markdown
    .replaceAll(/The keeper.*/g, '')
    .trim()
    .replace(/^# T\s*/, '');
}

const MATH =
  '<math><semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">E=mc^{2}</annotation></semantics></math>';

describe('parts that a browser shows', () => {
  test('every panel of tabs, below its name', () => {
    const tabs = (...names: readonly string[]): string =>
      `<div role="tablist">${names.map((name) => `<button role="tab" aria-controls="${name}">${name}</button>`).join('')}</div>`;
    const panel = (name: string, more = ''): string =>
      `<div role="tabpanel" id="${name}"${more}><pre>install ${name}</pre></div>`;
    expect(
      kept(`${tabs('mac', 'linux')}${panel('linux', ' hidden')}${panel('mac', ' style="display:none"')}`),
    ).toBe('**linux**\n\n```\ninstall linux\n```\n\n**mac**\n\n```\ninstall mac\n```');
    expect(kept(`<p>One.</p>${panel('other', ' hidden')}<p hidden>Two.</p>`)).toBe('One.');
  });

  test.each([
    [
      'a wiki',
      `<span class="mwe-math-element"><span class="mwe-math-mathml-a11y" style="display: none;">${MATH}</span><img src="x.svg" class="mwe-math-fallback-image-inline" alt="E"></span>`,
    ],
    [
      'MathJax',
      `<mjx-container class="MathJax CtxtMenu_Attached_0"><mjx-math aria-hidden="true"></mjx-math><mjx-assistive-mml>${MATH}</mjx-assistive-mml></mjx-container>`,
    ],
  ])('a formula of %s', (_, formula) => {
    expect(kept(`<p>The equation ${formula} is famous.</p>`)).toBe('The equation $E=mc^{2}$ is famous.');
  });

  test('tasks, and cells that hold an icon or a box', () => {
    const box = (more = ''): string => `<input type="checkbox" disabled${more}>`;
    expect(kept(`<ul><li>${box(' checked')} Write docs</li><li>${box()} Ship it</li></ul>`)).toBe(
      '- [x] Write docs\n- [ ] Ship it',
    );
    const rows = `<tr><td>SSO</td><td><svg aria-label="No"><path/></svg></td></tr><tr><td>API</td><td><i title="included"></i></td></tr><tr><td>CLI</td><td>${box(' checked')}</td></tr>`;
    expect(kept(`<table><tr><th>Feature</th><th>Free</th></tr>${rows}</table>`)).toBe(
      '| Feature | Free |\n| --- | --- |\n| SSO | No |\n| API | included |\n| CLI | [x] |',
    );
  });

  test('author and date', () => {
    const by = '<p class="byline">By <a rel="author" href="/j">Jane Doe</a>, <time>15 March 2024</time></p>';
    expect(kept(by)).toBe('By Jane Doe, 15 March 2024');
  });

  test.each([
    ['an open dialog', '<dialog open><p>Inside.</p></dialog><dialog><p>No.</p></dialog>', 'Inside.'],
    [
      'a drawing',
      '<svg><title>No.</title><g><text x="1">One <tspan>box</tspan></text><text>Two <text>three</text></text></g><defs><text>No.</text></defs><g style="x:1; display: none"><text>No.</text></g><text visibility="hidden">No.</text></svg><svg hidden><text>No.</text></svg>',
      'One box\nTwo three',
    ],
    [
      'a page in a frame',
      `<iframe srcdoc="<body><p>Inside &amp;amp; ${'long '.repeat(500)}end.</div>">No.</iframe><p>After.</p>`,
      `Inside & ${'long '.repeat(500)}end.\n\nAfter.`,
    ],
    [
      'a page in a frame of a frame',
      `<iframe srcdoc="<iframe srcdoc='<b>Deep</b>'></iframe> inside"></iframe>`,
      '**Deep**\n\ninside',
    ],
  ])('the text of %s', (_, html, text) => {
    expect(kept(`<p>Before.</p>${html}`)).toBe(`Before.\n\n${text}`);
  });

  test('a declared shadow root', () => {
    expect(
      kept(
        '<my-el><template shadowrootmode="open"><p>Inside.</p></template></my-el><template><p>No.</p></template><svg shadowrootmode="open"><p>No.</p></svg>',
      ),
    ).toBe('Inside.');
  });
});
