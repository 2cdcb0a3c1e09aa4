/** The fixture documents, read whole: the answers on record are in `test/fixtures/answers`; `vitest -u` writes them. */

import { test } from 'vitest';
import { fixture } from '../../support/documents.ts';
import { expectAsRecorded } from '../../support/recorded.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

/** The part with every construct; what follows is more of the same. */
const CONSTRUCTS = ['1-75', 'outline', 'images'];
const SHEETS = ['raw', 'outline', 'Sales:B2:C4', 'Sales?where=Units>400'];
const DECK = ['raw', 'outline', 'p2', 'images'];

test.each([
  ['changes.doc.gz', ['raw', 'outline']],
  ['constructs.doc.gz', ['raw', 'outline']],
  ['constructs.ppt.gz', ['raw', 'p2']],
  ['constructs.xls.gz', ['S:A1:A14', 'S:A5-9', 'outline']],
  ['deck.ppt.gz', ['raw', 'p2-3', 'p99']],
  ['encrypted-user-pw-secret.pdf', ['raw', 'password=secret:p1:1-20', 'password=other']],
  ['narrow.doc.gz', ['raw']],
  ['noxref.pdf', ['p2:1-20']],
  ['report.doc', CONSTRUCTS],
  ['report.docx', CONSTRUCTS],
  ['report.epub', CONSTRUCTS],
  ['report.odt', CONSTRUCTS],
  ['report.pdf', ['p1', 'p13', 'p14', 'outline', 'images']],
  ['sheet.ods', SHEETS],
  ['sheet.xls', SHEETS],
  ['sheet.xlsx', SHEETS],
  ['slides.odp', DECK],
  ['slides.ppt.gz', DECK],
  ['slides.pptx', DECK],
  ['small.rtf', ['raw', 'outline']],
  ['symbols.doc.gz', ['raw']],
  ['tables.pdf', ['raw', 'p2', 'outline']],
  ['twocol.pdf', ['p1-2', 'p3']],
])('%s is answered as it was', async (name, selectors) => {
  const { write, text } = workspace(unhurried);
  const path = name.replace('.gz', '');
  write(path, fixture(name));
  await expectAsRecorded(
    path,
    selectors.map((selector) => `${path}:${selector}`),
    text,
  );
});
