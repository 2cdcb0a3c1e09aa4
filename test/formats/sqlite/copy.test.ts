import { expect, test } from 'vitest';
import { databaseBytes } from '../../support/sqlite.ts';
import { unhurried, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

test.each([
  ['a small one in memory', 1],
  ['a large one in a scratch file', 5000],
])('a database in an archive: %s', async (_, rows) => {
  const { write, text } = workspace(unhurried);
  const content = await databaseBytes(
    `create table t(id integer primary key, a);
     with recursive n(i) as (values(1) union all select i + 1 from n where i < ${rows})
     insert into t select i, zeroblob(4000) from n`,
  );
  write('a.zip', zip([{ name: 't.db', content }]));
  expect(await text(`a.zip:t.db:t:${rows}`)).toBe(`id: ${rows}\na: <BLOB 4000 bytes>\n`);
});
