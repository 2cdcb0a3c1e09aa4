/** What a conversion replies for each kind of document and part, without the process in which it runs otherwise. */

import { describe, expect, test } from 'vitest';
import { answerDocument } from '../../../src/formats/document/child/answer.ts';
import type { DocumentReply, DocumentPart } from '../../../src/formats/document/protocol.ts';
import { docx, paragraph, percents, sheetRow, xlsx } from '../../support/documents.ts';

async function converted(
  bytes: Buffer,
  want: DocumentPart = { kind: 'whole' },
  most = 1 << 20,
): Promise<{ reply: DocumentReply; text: string }> {
  const { reply, body } = await answerDocument({ want, most }, bytes);
  return { reply, text: Buffer.from(body).toString() };
}

const REPORT = docx(['First &amp; foremost', 'Part', 'Second'].map(paragraph).join(''));

const BOOK = xlsx([
  [
    'Sales',
    `<sheetData>${sheetRow(1, ['Region', 'Units', 'Share'])}${sheetRow(2, ['North | East', 47, percents(0.256)])}${sheetRow(4, ['two&#10;lines', -1, 'NULL'])}</sheetData>`,
  ],
  ['Empty', '<sheetData/>'],
]);

const SALES = `## Sales

A1:C4, 3 rows, 3 columns

|  | A | B | C |
| --- | --- | --- | --- |
| 1 | Region | Units | Share |
| 2 | "North \\| East" | 47 | 25.6% |
| 4 | "two\\nlines" | -1 | "NULL" |
`;

describe('a text', () => {
  test('has its paragraphs', async () => {
    const { reply, text } = await converted(REPORT);
    expect(text).toBe('First & foremost\n\nPart\n\nSecond\n');
    expect(reply).toEqual({ kind: 'text', facts: { format: 'docx' } });
  });

  test('is cut after a whole line, which the reply says', async () => {
    const { reply, text } = await converted(REPORT, { kind: 'whole' }, 25);
    expect(text).toBe('First & foremost\n\nPart\n\n');
    expect(reply).toMatchObject({ cut: { bytes: 25 } });
  });
});

describe('a workbook', () => {
  test('is one table for each sheet', async () => {
    const { reply, text } = await converted(BOOK);
    expect(text).toBe(`${SALES}\n## Empty\n\n(empty)\n`);
    expect(reply.kind === 'text' && reply.facts.sheets).toEqual([
      expect.objectContaining({ name: 'Sales', rows: 3, columns: 3, range: 'A1:C4', header: true }),
      expect.objectContaining({ name: 'Empty', rows: 0, columns: 0 }),
    ]);
  });

  test('gives one sheet, and a range of its cells', async () => {
    expect((await converted(BOOK, { kind: 'sheet', sheet: 'Sales' })).text).toBe(SALES);
    const { text } = await converted(BOOK, { kind: 'sheet', sheet: 'Sales', range: 'B2:C3' });
    expect(text).toBe('|  | B | C |\n| --- | --- | --- |\n| 2 | 47 | 25.6% |\n');
    const outside = await converted(BOOK, { kind: 'sheet', sheet: 'Sales', range: 'X9' });
    expect(outside.text).toBe('(no cells there, only in A1:C4)\n');
  });

  test('is a database for queries', async () => {
    const { reply, text } = await converted(BOOK, { kind: 'tables' });
    expect([reply.kind, text.slice(0, 15)]).toEqual(['tables', 'SQLite format 3']);
  });
});

describe('what a document lacks is refused with the reason', () => {
  test.each<[string, Buffer, DocumentPart, string]>([
    ['pages of a text', REPORT, { kind: 'pages', from: 1 }, 'a .docx file has no pages'],
    ['a picture of a text', REPORT, { kind: 'picture', page: 1 }, 'a .docx file has no pages'],
    ['images of a text', REPORT, { kind: 'images', from: 1 }, 'a .docx file has no pages'],
    ['attachments of a text', REPORT, { kind: 'attachments' }, 'a .docx file has no attachments'],
    [
      'an attachment of a workbook',
      BOOK,
      { kind: 'attachment', number: 1 },
      'a .xlsx file has no attachments',
    ],
    ['tables of a text', REPORT, { kind: 'tables' }, 'it has no sheets'],
    ['a sheet of a text', REPORT, { kind: 'sheet', sheet: 'S' }, 'it has no sheets'],
    ['the rest of a text', REPORT, { kind: 'rest' }, 'it has no sheets'],
  ])('%s', async (_, bytes, want, detail) => {
    const { reply, text } = await converted(bytes, want);
    expect([reply, text]).toEqual([expect.objectContaining({ kind: 'refused', why: 'absent', detail }), '']);
  });

  test.each([
    ['a text', REPORT],
    ['a workbook', BOOK],
  ])('the end of %s, which is damaged then', async (_, bytes) => {
    const { reply } = await converted(bytes.subarray(0, bytes.length - 200));
    expect(reply).toMatchObject({ kind: 'refused', why: 'damaged' });
  });

  test('bytes that are no document', async () => {
    expect((await converted(Buffer.from('no document'))).reply).toMatchObject({ kind: 'refused' });
  });
});
