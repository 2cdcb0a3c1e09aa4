/** Text that a reader of a document does not see is not shown: tracked deletions, or hidden text. A notice says so. */

import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { docx, fixture, paragraph } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

test.each([
  [String.raw`keep {\deleted\revauthdel1 GONE}kept`, 'keep kept'],
  [String.raw`keep \deleted GONE\deleted0 kept`, 'keep kept'],
  [String.raw`keep {\b\deleted GONE{\i GONE}\plain kept}`, 'keep **kept**'],
  [String.raw`keep {\v GONE}{\v0 kept}`, 'keep kept'],
  [String.raw`keep {\deleted G\'f6NE\u1234?\~}kept`, 'keep kept'],
  [String.raw`one{\deleted GONE\par }two`, 'one\n\ntwo'],
  [String.raw`\viewkind4 a {\vertalb kept} \{\deleted GONE\}\deleted0 z\}`, 'a kept {z}'],
])('rtf: %s', async (rtf, shown) => {
  const { write, text } = workspace(unhurried);
  write('r.rtf', `{\\rtf1\\ansi\\pard ${rtf}\\par}`);
  const read = (await text('r.rtf:raw')).replaceAll('**', '').replace(/ +/g, ' ');
  const kind = rtf.includes('{\\v ') ? 'hidden text' : 'tracked deletions';
  expect(read).toBe(`${shown.replaceAll('**', '')}\n[Not shown: ${kind}]`);
});

test('doc: the text after tracked changes, also in cells', async () => {
  const { write, text } = workspace(unhurried);
  write('changes.doc', fixture('changes.doc.gz'));
  const read = await text('changes.doc:raw');
  for (const word of ['keep1', 'INSERTEDTEXT', 'MOVEDTO', '| H1 | H2 | H3 |', 'FOOTNOTETEXT', 'OUTERCELL'])
    expect(read).toContain(word);
  expect(read).toContain('tracked deletions');
  for (const word of ['DELETEDTEXT', 'MOVEDFROM', 'DELROW']) expect(read).not.toContain(word);
});

test('a doc damaged anywhere gives an answer', async () => {
  const { write, read } = workspace(unhurried);
  const bytes = fixture('changes.doc.gz');
  for (const at of [0x0a, 0xfa, 0xfe, 0x1a2, 0x1a6]) {
    const copy = Buffer.from(bytes);
    copy.fill(255, 512 + at, 512 + at + 4);
    write('d.doc', copy);
    expect((await read('d.doc')).content).toHaveLength(1);
  }
});

test('docx, odt: deletions and hidden text are noticed', async () => {
  const { write, text } = workspace(unhurried);
  const run = (words: string): string => `<w:r><w:rPr><w:vanish/></w:rPr><w:t>${words}</w:t></w:r>`;
  const deletion = '<w:p><w:del w:id="1"><w:r><w:delText>GONE</w:delText></w:r></w:del></w:p>';
  write('a.docx', docx(`${paragraph('kept')}<w:p>${run('GONE')}</w:p>${deletion}`));
  expect(await text('a.docx:raw')).toBe('kept\n[Not shown: tracked deletions, hidden text]');
  const parts = unzipSync(fixture('report.odt'));
  const content = Buffer.from(parts['content.xml'] ?? []).toString();
  const changes =
    '<text:tracked-changes><text:changed-region text:id="c"><text:deletion><text:p>GONE</text:p></text:deletion></text:changed-region></text:tracked-changes>';
  const body = `${changes}<text:p>kept</text:p><text:section text:name="a" text:display="none"><text:p>GONE</text:p></text:section>`;
  parts['content.xml'] = Buffer.from(
    content.replace(/(<office:text[^>]*>)[^]*(<\/office:text>)/, `$1${body}$2`),
  );
  write('a.odt', Buffer.from(zipSync(parts)));
  expect(await text('a.odt:raw')).toMatch(/^kept\n[^]*\[Not shown: tracked deletions, hidden text\]$/);
  expect(await text('a.odt:raw')).not.toContain('GONE');
});
