/** Parts of texts that converters lose: tracked changes, comments, glosses, headers and footers. */

import { expect, test } from 'vitest';
import { unzipSync, zipSync } from 'fflate';
import { docx, fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

async function shown(name: string, content: string | Buffer): Promise<string> {
  const { write, text } = workspace(unhurried);
  write(name, content);
  return text(`${name}:raw`);
}

const rtf = (body: string): string => String.raw`{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}` + `${body}}`;

test('rich text is shown without deleted text of any kind', async () => {
  const deleted = String.raw`keep {\deleted DEL\'e9\u8364?\~{\b BOLD}}{\revised new}\deleted  more\deleted0  end\par {\deleted all\plain  of it}\par last`;
  expect(await shown('a.rtf', rtf(deleted))).toBe(
    'keep new end\n\nof it\n\nlast\n[Not shown: tracked deletions]',
  );
});

test('rich text stored in two forms is shown once', async () => {
  expect(await shown('a.rtf', rtf(String.raw`{\upr{OLD}{\*\ud{\u26032?NEW}}}\par x\par`))).toBe(
    '新NEW\n\nx\n',
  );
  const shape = String.raw`{\shp{\*\shpinst{\shptxt IN A SHAPE\par}}{\shprslt IN A SHAPE\par}}\par x\par`;
  expect((await shown('b.rtf', rtf(shape))).match(/IN A SHAPE/g)).toHaveLength(1);
});

test('comments, glosses, headers and footers of rich text are shown', async () => {
  const noted = String.raw`{\headerl Draft of {\field{\*\fldinst PAGE}{\fldrslt 1}}\par}{\footer 1\par}com{\*\atnid J}{\*\atnauthor Joe}\chatn{\*\annotation{\*\atndate 0}\pard\plain wh\'e9n?\par now}ment{\*\annotation\pard\plain why} {\field{\*\fldinst{ EQ \\* jc3 \\o\\ad(\\s\\up 9(kanji),\u28450?\u23383?)}}{\fldrslt }}\par`;
  expect(await shown('a.rtf', rtf(noted))).toBe(
    'comment [comment by Joe: whén? now] [comment: why] 漢字(kanji)\n\n## Headers and footers\n\n- header: Draft of 1\n',
  );
});

test.each([
  [String.raw`\ansi\ansicpg437 caf\'82`, 'café'],
  [String.raw`\ansi\ansicpg866 \'80`, 'А'],
  [String.raw`\mac caf\'8e`, 'café'],
  [String.raw`\pca caf\'82`, 'café'],
  [String.raw`\ansi\ansicpg65001 caf\'c3\'a9 \u233\'e9`, 'café é'],
  [
    String.raw`\ansi\ansicpg10000{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}\f0 \'8e{\f1 \'e0}\'8e`,
    'éаé',
  ],
  [String.raw`\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset77 B;}}\f0 \'e9{\f1 \'8e}`, 'éé'],
])('rich text is read in its code page: %s', async (body, shownText) => {
  expect(await shown('a.rtf', `{\\rtf1${body}\\par}`)).toBe(`${shownText}\n`);
});

test('superscripts and equations of rich text are shown', async () => {
  const text = String.raw`10{\super \u8722 ?6} cells, 1010\sub 2\nosupersub  end {\super 1}x\par`;
  const math = String.raw`{\mmath{\*\moMath{\mnary{\mnaryPr{\mchr \u8721 ?}}{\msub{\mr i=1}}{\msup{\mr n}}{\me{\mf{\mnum{\mr {\i 1}}}{\mden{\mr x}}}}}}}\par`;
  const object = String.raw`{\object\objemb{\*\objclass Equation.3}{\*\objdata 00}}`;
  expect(await shown('a.rtf', rtf(text + math + object))).toBe(
    '10^−6 cells, 1010_2 end 1x\n\n∑_(i=1)^n 1/x\n[Not shown: 1 equation]',
  );
});

test('binary data in rich text is not text', async () => {
  expect(await shown('a.rtf', rtf(String.raw`{\deleted {\pict\bin4 }}{}}gone}kept\par`))).toBe(
    'kept\n[Not shown: tracked deletions]',
  );
});

const run = (xml: string): string => `<w:r>${xml}</w:r>`;
const words = (text: string): string => `<w:t xml:space="preserve">${text}</w:t>`;

test('a docx keeps its hyphens, glosses and equations', async () => {
  const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
  const math = (name: string, content: string): string => `<m:${name}>${content}</m:${name}>`;
  const t = (text: string): string => math('r', math('t', text));
  const body = [
    run(`${words('555')}<w:noBreakHyphen/>${words('1234 ')}`),
    run(
      `<w:ruby><w:rubyPr/><w:rt>${run(words('kanji'))}</w:rt><w:rubyBase>${run(words('漢&amp;字'))}</w:rubyBase></w:ruby>`,
    ),
    `<m:oMathPara ${M}><m:oMathParaPr/>${math('oMath', t('y=') + math('f', math('num', t('a+1')) + math('den', t('b'))) + math('sSup', math('e', t('x')) + math('sup', t('2'))))}</m:oMathPara>`,
  ];
  expect(await shown('a.docx', docx(`<w:p>${body.join('')}</w:p>`))).toBe(
    '555-1234 漢&字(kanji)y= (a+1)/b x^2\n',
  );
});

test('a book keeps glosses apart from their words', async () => {
  const book = unzipSync(fixture('report.epub'));
  const name = Object.keys(book).find((part) => /\.x?html$/.test(part) && !/nav|cover/.test(part)) ?? '';
  const chapter = Buffer.from(book[name] ?? []).toString();
  const ruby = '<p><ruby>漢字<rp>[</rp><rt>kanji</rt><rp>]</rp></ruby> after</p>';
  book[name] = Buffer.from(chapter.replace(/<body[^>]*>/, `$&${ruby}`));
  expect(await shown('a.epub', Buffer.from(zipSync(book)))).toContain('漢字(kanji) after\n');
});

test('a comment stands behind the word that it refers to', async () => {
  const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const at = (id: number): string => `<w:r><w:commentReference w:id="${id}"/></w:r>`;
  const t = (text: string): string => run(words(text));
  const places = [
    (c: string) => c,
    (c: string) => t('wo') + c + t('rd'),
    (c: string) => t('one ') + c + t('two'),
    (c: string) => c + t('two'),
    (c: string) => t('one') + c + t('.'),
    (c: string) => t('one ') + c,
  ];
  const body = places.map((place, i) => `<w:p>${place(at(i))}</w:p>`).join('');
  const comments = places.map(
    (_, i) => `<w:comment w:id="${i}" w:author="${i === 1 ? '' : 'A'}"><w:p>${t(`c${i}`)}</w:p></w:comment>`,
  );
  const xml = `<w:comments ${W}>${comments.join('')}</w:comments>`;
  expect((await shown('a.docx', docx(body, '', { 'word/comments.xml': xml }))).split('\n\n')).toEqual([
    '[comment by A: c0]',
    'word [comment: c1]',
    'one two [comment by A: c2]',
    'two [comment by A: c3]',
    'one [comment by A: c4].',
    'one [comment by A: c5]\n',
  ]);
});

test('signs of a gloss in rich text are kept', async () => {
  const signs = String.raw`\ldblquote a\rdblquote \endash b\emdash\bullet\lquote c\rquote\~d`;
  const gloss = String.raw`{\field{\*\fldinst{ EQ \\* jc3 \\o\\ad(\\s\\up 9(${signs}),base)}}{\fldrslt }}\par`;
  expect(await shown('a.rtf', rtf(gloss))).toBe('base(“a”–b—•‘c’ d)\n');
});
