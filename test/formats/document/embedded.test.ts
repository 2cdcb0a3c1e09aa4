/** What a binary Office file is: its root storage decides, not an object that is embedded in it. */

import { expect, test } from 'vitest';
import { CFB, utils, write as writeBook } from '@e965/xlsx';
import { fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

function withObject(bytes: Buffer, streams: readonly string[], object: Buffer): Buffer {
  const file = CFB.read(bytes, { type: 'buffer' });
  const embedded = CFB.read(object, { type: 'buffer' });
  for (const name of streams)
    CFB.utils.cfb_add(file, `/MBD0001/${name}`, CFB.find(embedded, `/${name}`)?.content as Uint8Array);
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}

test.each([
  ['presentation', 'slides.ppt.gz', ['PowerPoint Document', 'Current User']],
  ['text', 'report.doc', ['WordDocument', '1Table']],
])('a workbook with an embedded %s is a workbook', async (_, object, streams) => {
  const { write, text } = workspace(unhurried);
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['item'], ['a']]), 'Data');
  const bytes = writeBook(book, { type: 'buffer', bookType: 'biff8' }) as Buffer;
  write('book.xls', withObject(bytes, streams, fixture(object)));
  expect(await text('book.xls:raw')).toMatch(/^## Data\n.*\| 2 \| a \|\n$/s);
});

test('superscripts of a binary text stand at their base', async () => {
  const { write, text } = workspace(unhurried);
  // The properties of characters: bold ones become superscripts.
  const bytes = Buffer.from(fixture('report.doc'));
  for (let at = bytes.indexOf('350801', 'hex'); at !== -1; at = bytes.indexOf('350801', 'hex'))
    bytes.write('482a01', at, 'hex');
  const wide = bytes.indexOf('has bold', 'utf16le');
  if (wide === -1) bytes.write('hasxbold', bytes.indexOf('has bold'), 'latin1');
  else bytes.write('hasxbold', wide, 'utf16le');
  write('report.doc', bytes);
  expect(await text('report.doc:raw')).toContain('hasx^(bold words)');
});
