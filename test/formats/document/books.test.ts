/** Books: each chapter of the spine is in the text, or mentioned in its place. */

import { expect, test } from 'vitest';
import { codeOf, textOf, unhurried, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

const page = (body: string, front = '<?xml version="1.0"?>'): string =>
  `${front}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`;

/** The package with this as its second chapter. */
function opfWith(second: string): string {
  const names = ['a.xhtml', second, 'c.xhtml'];
  const items = names.map(
    (name, i) => `<item id="c${i}" href="${name}" media-type="application/xhtml+xml"/>`,
  );
  const spine = names.map((_, i) => `<itemref idref="c${i}"/>`);
  return `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>T</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`;
}

/** Three chapters, of which the second has this content. */
function book(second: string | Buffer | undefined, others: Readonly<Record<string, string>> = {}): Buffer {
  const parts: Record<string, string | Buffer> = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/content.opf': opfWith('the%20b.xhtml'),
    'OEBPS/a.xhtml': page('<h1>One</h1><p>AAA</p>'),
    'OEBPS/c.xhtml': page('<h1>Three</h1><p>CCC</p>'),
    ...others,
    ...(second !== undefined && { 'OEBPS/the b.xhtml': second }),
  };
  return zip(Object.entries(parts).map(([name, content]) => ({ name, content })));
}

const text = async (bytes: Buffer): Promise<string> => {
  const { write, text: read } = workspace(unhurried);
  write('book.epub', bytes);
  return read('book.epub:raw');
};

test.each([
  ['sound', page('<p>BBB ü</p>'), 'BBB ü'],
  [
    'no XML: tags that are not closed',
    page('<h1>Two</h1><p>BBB<br>ü&nbsp;& z<p>y'),
    '# Two\n\nBBB\nü\u00a0& z\n\ny',
  ],
  ['cut', page('<p>BBB ü</p><p>more</p>').slice(0, -28), 'BBB ü'],
  ['in UTF-16', Buffer.from(`\ufeff${page('<p>BBB ü</p>')}`, 'utf16le'), 'BBB ü'],
  [
    'in another encoding that it declares',
    Buffer.from(page('<p>BBB ü</p>', '<?xml version="1.0" encoding="ISO-8859-1"?>'), 'latin1'),
    'BBB ü',
  ],
  ['not there', undefined, '(the chapter OEBPS/the b.xhtml is missing or damaged)'],
  [
    'no text',
    Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
    '(the chapter OEBPS/the b.xhtml is missing or damaged)',
  ],
])('a chapter that is %s is shown or mentioned there', async (_, second, shown) => {
  const whole = await text(book(second));
  expect(whole).toContain(`AAA\n\n${shown}`);
  expect(whole).toMatch(/AAA\n[^]*# Three\n\nCCC/);
  expect(whole).not.toMatch(/[\ue000-\uf8ff]/);
});

test('a book in which no chapter is XML is read', async () => {
  const broken = { 'OEBPS/a.xhtml': page('<p>AAA<br>'), 'OEBPS/c.xhtml': page('<p>CCC&nbsp;<br>') };
  expect(await text(book(page('<p>BBB<br>'), broken))).toMatch(/AAA[^]*BBB[^]*CCC/);
});

test('the package determines the chapters, not their names', async () => {
  const bytes = book(page('<p>BBB</p>'), {
    'OEBPS/content.opf': opfWith('the%20b.xht'),
    'OEBPS/the b.xht': page('<p>of that name</p>'),
  });
  expect(await text(bytes)).toContain('AAA\n\nof that name');
});

test('a chapter with damaged compressed bytes is mentioned', async () => {
  const bytes = book(page('<p>BBB</p>'));
  // Behind the name of the member.
  bytes.fill(0xff, bytes.indexOf('the b.xhtml') + 40, bytes.indexOf('the b.xhtml') + 44);
  expect(await text(bytes)).toContain('AAA\n\n(the chapter OEBPS/the b.xhtml is missing or damaged)');
});

test('a book is refused for encrypted chapters, not for fonts', async () => {
  const encryption = (uri: string): Record<string, string> => ({
    'META-INF/encryption.xml': `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`,
  });
  const { write, read } = workspace(unhurried);
  write('drm.epub', book('\x01\x02', encryption('OEBPS/the%20b.xhtml')));
  write('font.epub', book(page('<p>BBB</p>'), encryption('OEBPS/fonts/a.otf')));
  const answer = await read('drm.epub');
  expect([codeOf(answer), textOf(answer)]).toEqual([
    'ENCRYPTED',
    '[Cannot read .epub file: it is encrypted by digital rights management. Open it with the program for which it was obtained.]',
  ]);
  expect(textOf(await read('font.epub'))).toContain('BBB');
});

/** What HTML has for text beside the flow of words (HTML, 4.8 to 4.12; EPUB 3.3, 5 and 6). */
const CONSTRUCTS: readonly (readonly [construct: string, body: string, shown: string])[] = [
  ['a gloss', '<p><ruby>漢<rt>kan</rt></ruby></p>', '漢(kan)'],
  [
    'a table',
    '<table><caption>Cap</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
    'Cap\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'a note',
    '<p>word<a epub:type="noteref" href="#n">1</a></p><aside id="n"><p>note</p></aside>',
    'word[1]\n\nnote',
  ],
  ['a drawing', '<svg><title>Title</title><g><text x="1">words</text></g></svg>', 'Title words'],
  ['a labelled drawing', '<svg aria-label="Label"><path/></svg>', 'Label'],
  ['media', '<p><iframe>c</iframe><object>d</object></p><audio>a</audio>', 'c d\n\na'],
  ['what is not run', '<noscript><p>n</p></noscript><canvas>c</canvas>', 'n\n\nc'],
  ['details', '<details><summary>Sum</summary><p>body</p></details>', 'Sum\n\nbody'],
  ['code', '<pre>a\n  b</pre>', '```\na\n  b\n```'],
  ['changes', '<p><del>old</del> <ins>new</ins></p>', '~~old~~ new'],
  [
    'a form',
    '<p><input value="v"/><select><option>a</option><option selected="selected">b</option></select><textarea>t</textarea><button>Go</button></p>',
    'v b t Go',
  ],
  ['a list from 5 on', '<ol start="5"><li>a</li><li value="9">b</li></ol>', '5. a\n9. b'],
  ['contents', '<nav epub:type="toc"><ol><li><a href="a.xhtml">One</a></li></ol></nav>', '1. One'],
  ['a quotation', '<blockquote><p>q</p></blockquote>', '> q'],
  ['the edges', '<header>on top</header><footer>below</footer>', 'on top\n\nbelow'],
  ['a drawn equation', '<p><img alt="x^2" src="m.png"/></p>', 'x^2'],
];

test('each construct of a book is shown', async () => {
  const body = CONSTRUCTS.map(([, xml], i) => `<p>#${i}</p>${xml}`).join('');
  const found = (await text(book(page(`${body}<p>#end</p>`)))).split(/(?:^|\n)\\?#(?:\d+|end)\n/);
  expect(CONSTRUCTS.map(([name], i) => [name, found[i + 1]?.trim().replace(/(?<=\S) +/g, ' ')])).toEqual(
    CONSTRUCTS.map(([name, , shown]) => [name, shown]),
  );
});

test.each([
  [
    '<div>One.</div><div>Two.</div><section>Three</section><section>Four</section>',
    'One.\n\nTwo.\n\nThree\n\nFour',
  ],
  [
    '<p>It is <m-1:math><m-1:mfrac><m-1:mn>1</m-1:mn><m-1:mn>2</m-1:mn></m-1:mfrac></m-1:math>, 10<sup>6</sup>.</p>',
    'It is 1/2, 10^6.',
  ],
  [
    '<p>See <a href="c.xhtml">there</a> or <a href="https://x.org/">here</a>.</p>',
    'See there or [here](https://x.org/).',
  ],
])('a chapter of %s', async (body, shown) => {
  expect(await text(book(page(body)))).toContain(`AAA\n\n${shown}\n\n# Three`);
});

test('a chapter that is not in the order of a book is named', async () => {
  const item =
    '<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/><item id="n" href="n.xhtml" properties="nav" media-type="application/xhtml+xml"/>';
  const opf = opfWith('the%20b.xhtml').replace('<manifest>', `$&${item}`);
  const bytes = book(page('<p>BBB</p>'), {
    'OEBPS/content.opf': opf,
    'OEBPS/x.xhtml': page('<p>beside</p>'),
  });
  expect(await text(bytes)).toMatch(
    /\[Not shown: 1 unread part\. Use book\.epub:OEBPS\/x\.xhtml to read a part of it\]$/,
  );
});

test('declarations of entities are no text', async () => {
  const declared = page('<p>BBB</p>', '<!DOCTYPE html [<!ENTITY x "y">]>');
  expect(await text(book(declared))).toContain('AAA\n\nBBB\n\n# Three');
});
