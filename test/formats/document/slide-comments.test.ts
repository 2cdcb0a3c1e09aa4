/** Hidden slides are marked, and comments on slides shown. */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

/** The package with parts that `change` has written anew, and others that it adds. */
function changed(
  stored: Buffer,
  change: (name: string, xml: string) => string,
  others: Readonly<Record<string, string>> = {},
): Buffer {
  const parts = Object.entries(unzipSync(stored)).map(
    ([name, content]) =>
      [
        name,
        /\.(?:xml|rels)$/.test(name) ? Buffer.from(change(name, Buffer.from(content).toString())) : content,
      ] as const,
  );
  const added = Object.entries(others).map(([name, xml]) => [name, Buffer.from(xml)] as const);
  return Buffer.from(zipSync(Object.fromEntries([...parts, ...added]), { level: 0 }));
}

const COMMENTS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments';

/** Slide 2 is hidden and has a comment, in parts of either kind. */
function commented(comments: string, authors: Readonly<Record<string, string>>): Buffer {
  return changed(
    fixture('slides.pptx'),
    (name, xml) => {
      if (name === 'ppt/slides/slide2.xml') return xml.replace(/<p:sld(?=\s)/, '<p:sld show="0"');
      if (name !== 'ppt/slides/_rels/slide2.xml.rels') return xml;
      const relation = `<Relationship Id="rIdC" Type="${COMMENTS}" Target="../comments/c1.xml"/>`;
      return xml.replace('</Relationships>', `${relation}</Relationships>`);
    },
    { 'ppt/comments/c1.xml': comments, ...authors },
  );
}

test.each([
  [
    'classic',
    '<p:cmLst xmlns:p="p"><p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>Why &amp; how?</p:text></p:cm></p:cmLst>',
    {
      'ppt/commentAuthors.xml': '<p:cmAuthorLst xmlns:p="p"><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
    },
  ],
  [
    'modern',
    '<p188:cmLst xmlns:p188="q" xmlns:a="a"><p188:cm id="{1}" authorId="{A}"><p188:replyLst><p188:reply id="{2}" authorId="{B}"><p188:txBody><a:p><a:r><a:t>So.</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Why &amp; how?</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>',
    {
      'ppt/authors.xml':
        '<p188:authorLst xmlns:p188="q"><p188:author id="{A}" name="Ann"/><p188:author id="{B}" name="Bo"/></p188:authorLst>',
    },
  ],
])('pptx: a hidden slide with a %s comment', async (kind, comments, authors) => {
  const { write, text } = workspace(unhurried);
  write('a.pptx', commented(comments, authors));
  const slides = (await text('a.pptx:p1-3:raw')).split(/^(?=--- slide)/m).slice(-3);
  expect(slides[0]).not.toMatch(/\(hidden\)|\[comment/);
  expect(slides[1]).toMatch(/^--- slide 2 ---\n\n\(hidden\)\n\n[^]*\[comment by Ann: Why & how\?\]\n/);
  if (kind === 'modern') expect(slides[1]).toMatch(/how\?\]\s+\[comment by Bo: So\.\]/);
  expect(slides[2]).not.toMatch(/\(hidden\)|\[comment/);
});

test('odp: a hidden slide with a comment', async () => {
  const { write, text } = workspace(unhurried);
  const note =
    '<officeooo:annotation><dc:creator>Ann</dc:creator><dc:date>2024-01-01T00:00:00</dc:date><text:p>Why &amp; how?</text:p></officeooo:annotation>';
  const style =
    '<style:style style:name="hid" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
  const bytes = changed(fixture('slides.odp'), (name, xml) => {
    if (name !== 'content.xml') return xml;
    let at = 0;
    return xml
      .replace('</office:automatic-styles>', `${style}</office:automatic-styles>`)
      .replace(/<draw:page(?=\s)[^>]*>/g, (tag) => {
        at += 1;
        return at === 2 ? tag.replace(/draw:style-name="[^"]*"/, 'draw:style-name="hid"') + note : tag;
      });
  });
  write('a.odp', bytes);
  const slides = (await text('a.odp:p1-3:raw')).split(/^(?=--- slide)/m).slice(-3);
  expect(slides[1]).toMatch(/^--- slide 2 ---\n\n\(hidden\)\n\n[^]*\[comment by Ann: Why & how\?\]\n/);
  expect(slides[0]).not.toContain('(hidden)');
  expect(slides[2]).not.toMatch(/\(hidden\)|\[comment/);
});
