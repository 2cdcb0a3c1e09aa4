import { expect, test } from 'vitest';
import { sqliteSource } from '../../../src/formats/table.ts';
import { Identity } from '../../../src/identity.ts';
import { detachedFile, memoryBytes } from '../../../src/text/bytes.ts';
import { testCall } from '../../support/open-source.ts';
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

test('the second query of the same database copies nothing', async () => {
  const content = await databaseBytes('create table t(id integer primary key); insert into t values (1)');
  const source = memoryBytes(content, Identity.of('member', { name: 't.db' }));
  let reads = 0;
  const readInto: typeof source.readInto = (...given) => ((reads += 1), source.readInto(...given));
  const opened = detachedFile('/a.zip', { ...source, readInto });
  const subject = { typed: 'a.zip:t.db', name: 't.db', path: '/a.zip', opened, head: content };
  const call = testCall({ deadline: performance.now() + 200_000 });
  for (const rest of ['t:1', 't?limit=1']) await sqliteSource.open({ ...subject, rest }, call);
  expect(reads).toBe(1);
});
