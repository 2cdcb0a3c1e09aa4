import { expect, test } from 'vitest';
import { scanSql } from '../../../src/code/scanners/perl-sql.ts';
import { scan } from '../../support/scan.ts';

test('semicolons in strings, comments, quotes and dollar quotes end nothing', () => {
  const text = `create table a (
  x text default ';', -- ;
  /* ; */ "y;z" int
);
create function f() returns int as $body$
begin
  return 1;
end;
$body$ language plpgsql;
create view v as select 1;
`;
  expect(scan(scanSql, text)).toEqual(['1-4 a', '5-9 f', '10-10 v']);
});

test('a routine holds its blocks; GO and / end a batch', () => {
  const text = `CREATE PROCEDURE p AS
BEGIN
  SELECT CASE WHEN 1 = 1 THEN 2 END;
  BEGIN SELECT 1; END
END
GO
CREATE OR REPLACE PACKAGE BODY k AS
BEGIN
  NULL;
END;
/
CREATE TABLE last (a int)`;
  expect(scan(scanSql, text)).toEqual(['1-5 p', '7-10 k', '12-12 last']);
});

test('a transaction is no routine; other statements are no symbols', () => {
  expect(
    scan(
      scanSql,
      'BEGIN;\nCREATE INDEX CONCURRENTLY IF NOT EXISTS i ON t(a);\nCOMMIT;\nINSERT INTO t VALUES (1);\n',
    ),
  ).toEqual(['2-2 i']);
});

test('strings and quotes that never end', () => {
  expect(scan(scanSql, "CREATE TABLE a (x int);\nSELECT 'open\nCREATE TABLE b (x int);\n")).toEqual([
    '1-1 a',
  ]);
  expect(scan(scanSql, 'CREATE FUNCTION f() AS $$\nopen; CREATE TABLE b (x int);\n')).toEqual(['1-2 f']);
});
