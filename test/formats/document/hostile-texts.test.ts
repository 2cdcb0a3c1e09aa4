/** Texts that are made to be slow: if the time of one were not linear, its test would take minutes. */

import { expect, test } from 'vitest';
import { bookText } from '../../../src/formats/document/child/word-processor.ts';
import { withoutCopies } from '../../../src/formats/document/child/pdf-layers.ts';
import { closedXml } from '../../../src/formats/document/child/repairs/anydoc-malformed-xml.ts';
import { shownDrawings } from '../../../src/formats/document/child/repairs/anydoc-open-drawings.ts';
import {
  openContent,
  soundReferences,
} from '../../../src/formats/document/child/repairs/sheetjs-workbooks.ts';
import { ZipParts } from '../../../src/formats/document/child/zip-parts.ts';
import { zip } from '../../support/zip.ts';

const MANY = 100_000;

test.each(['<!--', '<![CDATA[', '<!', '<?', '<', '<a '])('XML full of %s', (start) => {
  const isText = closedXml(start.repeat(MANY)) === `&lt;${start.slice(1)}`.repeat(MANY);
  expect(isText).toBe(true);
});

test('XML with a name without an end', () => {
  expect(closedXml(`<${'a'.repeat(MANY)}`)).toMatch(/^&lt;a+$/);
});

test.each([
  ['spaces in a value', `<c t="s"><v>${' '.repeat(MANY)}`],
  ['attributes', `<c${' t="s"'.repeat(MANY)}>`],
  ['cells without an end', '<c '.repeat(MANY)],
])('a sheet full of %s', (_, xml) => {
  expect(soundReferences(['xl/worksheets/sheet1.xml'], () => Buffer.from(xml)).size).toBe(0);
});

test('cells of more than 128 MiB, which there is no memory to rewrite', { tags: 'slow' }, () => {
  const content = Buffer.alloc((128 << 20) + 1, ' ');
  expect(openContent(ZipParts.of(zip([{ name: 'content.xml', content }])) as ZipParts)).toBe('');
});

test('an equation whose elements have no end', () => {
  const parts = ZipParts.of(zip([{ name: 'a/content.xml', content: '<math '.repeat(MANY) }])) as ZipParts;
  const xml = '<draw:frame><draw:object xlink:href="./a"/></draw:frame>';
  expect(shownDrawings(xml, parts, String).unshown).toEqual([{ what: 'embedded object', count: 1 }]);
});

test('a chapter full of document types', async () => {
  const opf =
    '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>';
  const parts = {
    'META-INF/container.xml': '<rootfile full-path="a.opf"/>',
    'a.opf': opf,
    'a.xhtml': `<p>before</p>${'<!DOCTYPE ['.repeat(MANY)}`,
  };
  const bytes = zip(Object.entries(parts).map(([name, content]) => ({ name, content })));
  expect((await bookText(bytes)).text).toContain('before');
});

test('a page full of one letter', () => {
  const items = Array.from({ length: MANY }, (_, i) => {
    return { str: 'a', transform: [9, 0, 0, 9, 9 * (i % 500), i], width: 9, height: 9, hasEOL: false };
  });
  expect(withoutCopies(items).copies.size).toBe(0);
});
