/** Parts of texts that converters lose: tracked changes, comments, glosses, headers and footers. */

import { expect, test } from 'vitest';
import { docx } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

async function shown(name: string, content: string | Buffer): Promise<string> {
  const { write, text } = workspace(unhurried);
  write(name, content);
  return text(`${name}:raw`);
}

const rtf = (body: string): string => String.raw`{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}` + `${body}}`;

test('rich text stored in two forms is shown once', async () => {
  expect(await shown('a.rtf', rtf(String.raw`{\upr{OLD}{\*\ud{\u26032?NEW}}}\par x\par`))).toBe(
    '新NEW\n\nx\n',
  );
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

test('binary data in rich text is not text', async () => {
  expect(await shown('a.rtf', rtf(String.raw`{\deleted {\pict\bin4 }}{}}gone}kept\par`))).toBe(
    'kept\n[Not shown: tracked deletions]',
  );
});

const run = (xml: string): string => `<w:r>${xml}</w:r>`;
const words = (text: string): string => `<w:t xml:space="preserve">${text}</w:t>`;

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
