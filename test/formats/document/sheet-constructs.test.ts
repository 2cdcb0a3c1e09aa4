/**
 * What the specification of workbooks has for text (ECMA-376-1, 18.2 to 18.4 and 20.5): each construct is shown, or counted in a
 * notice, unless it is none: phonetic hints, names, and what helps to fill in a cell.
 */

import { utils, write as writeBook } from '@e965/xlsx';
import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { xlsx } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const inline = (content: string): string => `t="inlineStr"><is>${content}</is>`;

const CELLS: readonly (readonly [construct: string, cell: string, shown: string])[] = [
  ['a text', inline('<t>text</t>'), 'text'],
  ['rich text', inline('<r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r>'), 'rich'],
  ['a phonetic hint', inline('<t>漢</t><rPh sb="0" eb="1"><t>kan</t></rPh>'), '漢'],
  ['a shared text', 't="s"><v>0</v>', 'shared'],
  ['a superscript', 't="s"><v>1</v>', '10^6'],
  ['a missing shared text', 't="s"><v>9</v>', '(damaged: shared text 9 is missing)'],
  ['a text as a result', 't="str"><f>"a"&amp;"b"</f><v>ab</v>', 'ab'],
  ['a number', '><v>1.5</v>', '1.5'],
  ['a boolean', 't="b"><v>1</v>', 'TRUE'],
  ['a date as a text', 't="d"><v>2024-03-15T13:45:30</v>', '2024-03-15 13:45:30'],
  ['an error', 't="e"><v>#N/A</v>', '#N/A'],
  ['an error since 2019', 't="e"><v>#SPILL!</v>', '#SPILL!'],
  ['a percentage', 's="1"><v>0.256</v>', '25.6%'],
  ['a formula without a result', '><f>SUM(B1)</f>', '=SUM(B1)'],
  ['a link', inline('<t>site</t>'), 'site <https://ex.org/h>'],
  ['a comment', inline('<t>noted</t>'), 'noted [comment: Why 10^6?]'],
  ['a thread', inline('<t>asked</t>'), 'asked [comment: Größe & 漢?]'],
];
const rowOf = (name: string): number => CELLS.findIndex(([construct]) => construct === name) + 1;

const A = `xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="${OFFICE}"`;
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const text = (words: string): string => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`;

const PARTS: Readonly<Record<string, string>> = {
  'xl/sharedStrings.xml': `<sst ${MAIN}><si><t>shared</t></si><si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/><family val="6"/></rPr><t>6</t></r></si></sst>`,
  'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${[
    `<Relationship Id="h" Type="${OFFICE}/hyperlink" Target="https://ex.org/h" TargetMode="External"/>`,
    `<Relationship Id="c" Type="${OFFICE}/comments" Target="../comments1.xml"/>`,
    '<Relationship Id="t" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threadedComments/threadedComment1.xml"/>',
  ].join('')}</Relationships>`,
  'xl/comments1.xml': `<comments ${MAIN}><authors><author>Ann</author></authors><commentList><comment ref="A${rowOf('a comment')}" authorId="0"><text><r><t>Why 10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r><r><t>?</t></r></text></comment></commentList></comments>`,
  'xl/threadedComments/threadedComment1.xml': `<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><threadedComment ref="A${rowOf('a thread')}" personId="{1}" id="{2}"><text>Größe &amp; 漢?</text></threadedComment></ThreadedComments>`,
  'xl/drawings/drawing1.xml': `<xdr:wsDr ${A}><xdr:sp><xdr:txBody>${text('shape')}<a:p><a:fld type="TxLink"><a:t>field</a:t></a:fld></a:p></xdr:txBody></xdr:sp><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="p" descr="Cat"/></xdr:nvPicPr></xdr:pic></xdr:wsDr>`,
  'xl/diagrams/data1.xml': `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" ${A}><dgm:t>${text('diagram')}</dgm:t></dgm:dataModel>`,
  'xl/charts/chart1.xml': `<c:chartSpace ${A}><c:title>${text('Sales')}</c:title><c:ser><c:tx><c:v>North</c:v></c:tx><c:val><c:numCache><c:pt idx="0"><c:v>42</c:v></c:pt></c:numCache></c:val></c:ser></c:chartSpace>`,
  'xl/ctrlProps/ctrlProp1.xml': '<formControlPr objectType="CheckBox"/>',
  'xl/embeddings/object1.bin': 'x',
};

test('each construct of a workbook is shown or counted', async () => {
  const { write, text: textOf } = workspace(unhurried);
  const rows = CELLS.map(([, cell], i) => `<row r="${i + 1}"><c r="A${i + 1}" ${cell}</c></row>`);
  const links = `<hyperlinks><hyperlink ref="A${rowOf('a link')}" r:id="h" xmlns:r="${OFFICE}"/></hyperlinks>`;
  const margins =
    '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12On top&amp;RR&amp;&amp;D</oddHeader><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter></headerFooter>';
  const sheet = `<sheetData>${rows.join('')}</sheetData><dataValidations><dataValidation sqref="A1" prompt="not shown"/></dataValidations>${links}${margins}`;
  write('a.xlsx', xlsx([['S', sheet]], 'parts', PARTS));
  const shown = await textOf('a.xlsx:raw');
  const found = CELLS.map((_, i) => new RegExp(`^\\| ${i + 1} \\| (.*) \\|$`, 'm').exec(shown)?.[1]);
  expect(CELLS.map(([construct], i) => [construct, found[i]])).toEqual(
    CELLS.map(([construct, , is]) => [construct, is]),
  );
  expect(shown).toMatch(
    /\n## Drawings\n\n- shape: shape field\n- picture: Cat\n- shape: diagram\n- chart: Sales North 42\n\n## Headers and footers\n\n- header: On top R&D\n\[Not shown: 1 embedded object, 1 form control\]$/,
  );
});

test('cells of a sheet with macros, and formulas in prefixed XML, are shown', async () => {
  const { write, text: textOf } = workspace(unhurried);
  const bytes = xlsx([
    ['S', ''],
    ['M', `<sheetData><row r="1"><c r="A1" ${inline('<t>=ALERT()</t>')}</c></row></sheetData>`],
  ]);
  const parts = unzipSync(bytes);
  const names = 'xl/_rels/workbook.xml.rels';
  const macros =
    '"http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet" Target="worksheets/sheet2';
  parts[names] = Buffer.from(
    Buffer.from(parts[names] ?? [])
      .toString()
      .replace(/"[^"]*" Target="worksheets\/sheet2/, macros),
  );
  parts['xl/worksheets/sheet1.xml'] = Buffer.from(
    `<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData><x:row><x:c><x:v>7</x:v></x:c><x:c><x:f>A1*2</x:f></x:c></x:row></x:sheetData></x:worksheet>`,
  );
  write('a.xlsx', Buffer.from(zipSync(parts)));
  expect(await textOf('a.xlsx:raw')).toMatch(
    /\n\| 1 \| 7 \| =A1\*2 \|\n[^]*\n## M\n[^]*\n\| 1 \| =ALERT\(\) \|\n/,
  );
});

/** Formats of cells (ECMA-376-1, 18.8.31), and what Excel shows. */
const FORMATS: readonly (readonly [format: string, value: number | string, shown: string])[] = [
  ['00', 1, '01'],
  ['000-00-0000', 123_456_789, '123-45-6789'],
  ['[$-409]0.00', 5, '5.00'],
  ['[$-1010409]General', 35, '35'],
  ['[$€-407] 0.00', 5, '€ 5.00'],
  ['0.00', 1.005, '1.01'],
  ['#,##0.00_);(#,##0.00)', -44.275, '(44.28)'],
  ['0.0%', 0.1785, '17.9%'],
  ['0.0000000000', 910_713.3937166666, '910713.3937166670'],
  ['0.00E+00', 12_345, '1.23E+04'],
  ['# ?/?', 2.5, '2 1/2'],
  ['#\\ ?/10', 0.00046, '0.00046'],
  ['0.0,,"M"', 1_234_567, '1.2M'],
  ['0;(0);"zero"', 0, 'zero'],
  ['[=3]"three";0', 3, 'three'],
  ['"No. "@', 'x', 'No. x'],
  ['[$-409]"No. "@', 'x', 'No. x'],
  ['"a;b "@', 'x', 'a;b x'],
  ['Nr\\ @', 'x', 'Nr x'],
  ['0" @home";-0" @home"', 'x', 'x'],
  ['@', 1234.5, '1234.5'],
  ['@\\!', 1234.5, '1234.5'],
  ['0;0;0;_(@_)', 'x', 'x'],
  ['[h]:mm:ss', 1.5, '36:00:00'],
  ['[$-409]h:mm AM/PM', 0.5, '12:00 PM'],
  ['[$-F800]dddd, mmmm dd, yyyy', 45_352, '2024-03-01'],
  [';;;', 7, '7'],
  // SheetJS rejects these, so the cells are shown as they are stored.
  ['"No. "@号', 'x', 'No. x号'],
  ['"a; b "@', 'x', 'a; b x'],
  ['h時mm', 0.5, '0.5'],
];

test.each(['xlsx', 'xlsb', 'xls'] as const)('a cell of an %s is shown as its format says', async (type) => {
  const sheet = utils.aoa_to_sheet(FORMATS.map(([, value]) => [value]));
  for (const [i, [format]] of FORMATS.entries()) sheet[`A${i + 1}`].z = format;
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'S');
  const { write, text: textOf } = workspace(unhurried);
  write(`a.${type}`, writeBook(book, { type: 'buffer', bookType: type }) as Buffer);
  const shown = await textOf(`a.${type}:raw`);
  expect(
    FORMATS.map(([format], i) => [format, new RegExp(`^\\| ${i + 1} \\| (.*) \\|$`, 'm').exec(shown)?.[1]]),
  ).toEqual(FORMATS.map(([format, , is]) => [format, is]));
});
