/**
 * Documents written by real programs: LibreOffice in every format, SheetJS also in older formats of Excel.
 *
 * @module-tag slow
 */

import { afterAll, describe, expect, test } from 'vitest';
import { type BookType, utils, write as writeBook } from '@e965/xlsx';
import { has } from '../../support/has.ts';
import { type DocumentName, FOOTNOTE, formatsOf, Office, ROWS, SLIDES, WORDS } from '../../support/office.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

function expectInOrder(shown: string, words: readonly string[]): void {
  const places = words.map((word) => shown.indexOf(word));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
}

/** Each row in one line, its cells in their order. */
function expectRows(shown: string): void {
  const lines = shown.split('\n');
  for (const row of ROWS) {
    const cells = new RegExp(row.join(String.raw`\s*\|\s*`));
    expect(lines.filter((line) => cells.test(line))).toHaveLength(1);
  }
}

describe.runIf(has('libreoffice'))('by LibreOffice', () => {
  const office = new Office();
  afterAll(() => office.remove());

  /** Reads the document at the rest of a path: a selector. */
  const made = async (name: DocumentName, as: string): Promise<(rest: string) => Promise<string>> => {
    const place = workspace(unhurried);
    place.write(`made.${as}`, await office.saved(name, as));
    return (rest) => place.text(`made.${as}${rest}`);
  };

  test.each(formatsOf('text'))(
    'a text as %s: words in order, complete rows',
    { tags: 'slow' },
    async (as) => {
      const read = await made('text', as);
      const shown = await read(':raw');
      expectInOrder(shown, WORDS);
      expectRows(shown);
      expect(shown).toContain(FOOTNOTE);
      expect(shown).toContain('Ünïcödé &');
      if (as !== 'epub') expect(await read(':outline')).toContain('Stock MARK-HEAD-5');
    },
  );

  test.each(formatsOf('sheets'))(
    'a workbook as %s: sheets, formats, rows, cells, queries',
    { tags: 'slow' },
    async (as) => {
      const read = await made('sheets', as);
      const shown = await read(':raw');
      expectInOrder(shown, [
        '## Stock',
        '## Sums',
        '25.6%',
        '2026-03-09',
        '42',
        '## Away (hidden)',
        'MARK-AWAY-8',
      ]);
      expectRows(shown);
      expect(await read(':Stock:A3:C3')).toContain('| 3 | Item 2 | 22 kg | Shelf B |');
      expect(await read(":Stock?where=Weight='33 kg'")).toContain('| Item 3 | 33 kg  | Shelf C |');
    },
  );

  test.each(formatsOf('slides'))(
    'slides as %s: each with its number and notes',
    { tags: 'slow' },
    async (as) => {
      const read = await made('slides', as);
      const shown = await read(':raw');
      const isPdf = as === 'pdf';
      expectInOrder(
        shown,
        SLIDES.flatMap((number) => [
          `--- ${isPdf ? 'page' : 'slide'} ${number} ---`,
          `MARK-SLIDE-${number}`,
          `MARK-POINT-${number}`,
          ...(isPdf ? [] : [`MARK-SAID-${number}`]),
        ]),
      );
      const second = await read(':p2:raw');
      expect(second).toContain('MARK-POINT-2');
      expect(second).not.toMatch(/MARK-\w+-[13]/);
    },
  );

  test.each(formatsOf('reviewed'))('%s: deleted text is not shown', async (as) => {
    const shown = await (await made('reviewed', as))(':raw');
    expect(shown).toContain('The price is 20 Euro.');
    expect(shown).not.toContain('GONE');
  });

  test.each(formatsOf('noted').filter((as) => as !== 'doc'))(
    '%s: comments, glosses, text boxes, headers and footers are shown',
    async (as) => {
      const shown = await (await made('noted', as))(':raw');
      for (const word of ['whole [comment by Ann: Why & how?] sentence', 'IN A BOX'])
        expect(shown).toContain(word);
      expect(shown).toMatch(/^## Headers and footers\n\n- header: ON TOP\n- footer: BELOW$/m);
      expect(shown).toMatch(/base 漢\(kanji\)字? after|base 漢字\(kanji\) after/);
    },
  );

  test('doc: comments, text boxes, headers and footers come last', async () => {
    const shown = await (await made('noted', 'doc'))(':raw');
    expect(shown.slice(shown.indexOf('## '))).toBe(
      '## Comments\n\n- comment by Ann: Why & how?\n\n## Text boxes\n\n- IN A BOX\n\n## Headers and footers\n\n- header: ON TOP\n- footer: BELOW\n',
    );
  });
});

const BOOKS: readonly BookType[] = ['xlsx', 'xlsm', 'xlsb', 'ods', 'biff8', 'biff5', 'biff2'];

test.each(BOOKS.map((type) => ({ type })))(
  'a workbook of SheetJS as $type: rows and cells',
  async ({ type }) => {
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([['Item', 'Weight', 'Place'], ...ROWS]), 'Stock');
    const { write, text: read } = workspace(unhurried);
    const name = `made.${type.replace(/^biff\d$/, 'xls')}`;
    write(name, writeBook(book, { type: 'buffer', bookType: type }) as Buffer);
    expectRows(await read(`${name}:raw`));
    expect(await read(`${name}:B3`)).toContain('| 3 | 22 kg |');
  },
);
