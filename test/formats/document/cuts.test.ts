/** Omitted parts of a document are reported, with the call for them if there is one. */

import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { callsOf } from '../../../src/render/notices.ts';
import { documentNotes } from '../../../src/formats/document/notices.ts';
import { fixture, pdf, pdfPages, pdfStream, pdfText, sheetRow, xlsx } from '../../support/documents.ts';
import { textOf, unhurried, workspace } from '../../support/workspace.ts';

import { zip } from '../../support/zip.ts';

/** One page with so many bookmarks, each `depth` levels below the one before it at most. */
function bookmarked(count: number, isNested = false): Buffer {
  const first = 6;
  const entries = Array.from({ length: count }, (_, i) => {
    const at = first + i;
    const next =
      i + 1 === count ? '' : isNested ? `/First ${at + 1} 0 R/Last ${at + 1} 0 R` : `/Next ${at + 1} 0 R`;
    return `<</Title(Chapter ${i + 1})/Parent ${isNested && i > 0 ? at - 1 : 5} 0 R/Dest[3 0 R/Fit]${next}>>`;
  });
  return pdf([
    '<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>',
    pdfText('the page'),
    `<</Type/Outlines/First ${first} 0 R/Last ${first + count - 1} 0 R/Count ${count}>>`,
    ...entries,
  ]);
}

test('bookmarks that are not listed are counted', { tags: 'slow' }, async () => {
  const { write, text, oriel } = workspace({ ...unhurried, limits: { lines: 10_000, bytes: 1_000_000 } });
  write('some.pdf', bookmarked(600));
  expect(await text('some.pdf:outline')).toMatch(/Chapter 600 \(some\.pdf:p1\)\n$/);
  write('many.pdf', bookmarked(2_100));
  expect(await text('many.pdf:outline')).toMatch(
    /Chapter 2000 \(many\.pdf:p1\)\n\[100 more bookmarks are not listed\. Use many\.pdf:p1- to read on\]$/,
  );
  write('deep.pdf', bookmarked(50, true));
  expect(await text('deep.pdf:outline')).toContain('[39 more bookmarks are not listed.');
  await oriel.close();
});

test('a range past the last page gives the page count', async () => {
  const { write, text } = workspace(unhurried);
  write('long.pdf', pdfPages(Array.from({ length: 30 }, (_, i) => pdfText(`page number ${i + 1}`))));
  write('slides.pptx', fixture('slides.pptx'));
  const end = /page number 30\n.*\[long\.pdf has 30 pages; the range ends there\]$/s;
  expect(await text('long.pdf:p25-50')).toMatch(end);
  for (const range of ['25-30', '25-'])
    expect(await text(`long.pdf:p${range}`)).not.toContain('the range ends');
  expect(await text('slides.pptx:p16-20')).toContain('[slides.pptx has 16 slides; the range ends there]');
  expect(await text('slides.pptx:p17')).toContain('Slide 17 does not exist: slides.pptx has 16 slides.');
});

test('the truncated text of a shape names its part', async () => {
  const { write, text } = workspace(unhurried);
  const book = Object.entries(unzipSync(xlsx([['S', `<sheetData>${sheetRow(1, ['a'])}</sheetData>`]])));
  const drawing = `<xdr:wsDr xmlns:xdr="x" xmlns:a="y"><a:t>${'word '.repeat(1_000)}END</a:t></xdr:wsDr>`;
  write(
    'shapes.xlsx',
    zip([
      ...book.map(([name, content]) => ({ name, content })),
      { name: 'xl/drawings/drawing1.xml', content: drawing },
    ]),
  );
  expect(await text('shapes.xlsx')).toContain('… (the rest is in xl/drawings/drawing1.xml)');
  expect(await text('shapes.xlsx:xl/drawings/drawing1.xml:raw')).toContain('END');
});

test('the calls in notices are quoted for a shell', async () => {
  const { write, read } = workspace(unhurried);
  write('my scan.pdf', pdfPages([pdfStream('0 0 9 9 re f')]));
  const answer = await read('my scan.pdf');
  expect(textOf(answer)).toContain('Use my scan.pdf:p1:image to see it');
  const [notice] = answer.details['notices'] as object[];
  expect(callsOf(notice as object)).toEqual(['my scan.pdf:p1:image']);
  const rows = Array.from({ length: 1_200 }, (_, i) => sheetRow(i + 1, [i]));
  write('my book.xlsx', xlsx([['it&apos;s', `<sheetData>${rows.join('')}</sheetData>`]]));
  const [cut] = (await read('my book.xlsx')).details['notices'] as object[];
  expect(callsOf(cut as object)).toEqual([
    "my book.xlsx:it's?limit=50&offset=20",
    "my book.xlsx:it's:A1:A50",
  ]);
});

test('the effect of a missing optional package is reported', () => {
  const reply = { kind: 'text', facts: { pages: 2 }, without: '@firecrawl/pdf-inspector' } as const;
  expect(documentNotes(reply, 'a.pdf', undefined)).toEqual([
    {
      kind: 'said',
      text: 'Headings and tables may be missing: that needs the optional package @firecrawl/pdf-inspector, which is not installed (npm install @firecrawl/pdf-inspector@1.25.1)',
    },
  ]);
});
