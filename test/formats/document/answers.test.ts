/** The fixture documents, read whole: the answers on record are in `test/fixtures/answers`; `vitest -u` writes them. */

import { test } from 'vitest';
import { fixture } from '../../support/documents.ts';
import { expectAsRecorded } from '../../support/recorded.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

/** The part with every construct; what follows is more of the same. */
const CONSTRUCTS = ['1-75', 'outline', 'images'];
const SHEETS = ['raw', 'outline', 'Sales:B2:C4', 'Sales?where=Units>400'];
const DECK = ['raw', 'outline', 'p2', 'images'];

const WHOLE: Array<[string, string[]]> = [
  ['constructs.doc.gz', ['raw', 'outline']],
  ['constructs.ppt.gz', ['raw', 'p2']],
  ['constructs.xls.gz', ['S:A1:A14', 'S:A5-9', 'outline']],
  ['deck.ppt.gz', ['raw', 'p2-3', 'p99']],
  ['narrow.doc.gz', ['raw']],
  ['report.doc', CONSTRUCTS],
  ['report.docx', CONSTRUCTS],
  ['report.epub', CONSTRUCTS],
  ['report.odt', CONSTRUCTS],
  ['report.pdf', ['p1', 'p13', 'p14', 'outline', 'images']],
  ['sheet.xls', SHEETS],
  ['sheet.xlsx', SHEETS],
  ['slides.ppt.gz', DECK],
  ['slides.pptx', DECK],
  ['small.rtf', ['raw', 'outline']],
  ['symbols.doc.gz', ['raw']],
];

/** Other formats and programs, read by the same code. */
const MORE: Array<[string, string[]]> = [
  ['changes.doc.gz', ['raw', 'outline']],
  ['encrypted-user-pw-secret.pdf', ['raw', 'password=secret:p1:1-20', 'password=other']],
  ['noxref.pdf', ['p2:1-20']],
  ['sheet.ods', SHEETS],
  ['slides.odp', DECK],
  ['tables.pdf', ['raw', 'p2', 'outline']],
  ['twocol.pdf', ['p1-2', 'p3']],
];

test.each(WHOLE)('%s is answered as it was', asRecorded);

test.each(MORE)('%s is answered as it was', { tags: 'slow' }, asRecorded);

async function asRecorded(name: string, selectors: readonly string[]): Promise<void> {
  const { write, text } = workspace(unhurried);
  const path = name.replace('.gz', '');
  write(path, fixture(name));
  await expectAsRecorded(
    path,
    selectors.map((selector) => `${path}:${selector}`),
    text,
  );
}
