/** Text that a reader of a document does not see is not shown: tracked deletions, or hidden text. */

import { expect, test } from 'vitest';
import { fixture } from '../../support/documents.ts';
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
  const read = (await text('r.rtf:raw')).replaceAll('**', '').trim();
  expect(read.replace(/ +/g, ' ')).toBe(shown.replaceAll('**', ''));
});

test('doc: the text after tracked changes, also in cells', async () => {
  const { write, text } = workspace(unhurried);
  write('changes.doc', fixture('changes.doc.gz'));
  const read = await text('changes.doc:raw');
  for (const word of ['keep1', 'INSERTEDTEXT', 'MOVEDTO', '| H1 | H2 | H3 |', 'FOOTNOTETEXT', 'OUTERCELL'])
    expect(read).toContain(word);
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
