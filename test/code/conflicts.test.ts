import { expect, test } from 'vitest';
import { databaseBytes } from '../support/sqlite.ts';
import { codeOf, nextOf, textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

const file = `start
<<<<<<< HEAD
ours 1
ours 2
||||||| parent
base
=======
theirs
>>>>>>> feature
middle
<<<<<<< HEAD
=======
added
>>>>>>> feature
<<<<<<< not closed
end
`;

test('each conflict with its sides, the ancestor and their lines', async () => {
  const { write, text } = workspace();
  write('f', file);
  expect(await text('f:conflicts')).toBe(
    `conflict 1 of 2, lines 2-9
ours (HEAD), lines 3-4:
3|ours 1
4|ours 2
base (parent), line 6:
6|base
theirs (feature), line 8:
8|theirs
conflict 2 of 2, lines 11-14
ours (HEAD): empty
theirs (feature), line 13:
13|added
[A conflict begins at line 15 and has no end (>>>>>>>). Use f:15.. to see it]`,
  );
});

test('CRLF files', async () => {
  const { write, text } = workspace();
  write('f', '<<<<<<< a\r\nx\r\n=======\r\ny\r\n>>>>>>> b\r\n');
  expect(await text('f:conflicts')).toBe(
    'conflict 1 of 1, lines 1-5\nours (a), line 2:\n2|x\r\ntheirs (b), line 4:\n4|y\r\n',
  );
});

test('a clean file says so', async () => {
  const { write, text } = workspace();
  write('f', 'a\n=======\nb\n>>>>>>> x\n<<<<<<<y\n');
  expect(await text('f:conflicts')).toBe('[f has no conflicts]');
});

test('many conflicts are paged like any text', async () => {
  const { write, read } = workspace();
  write('f', Array.from({ length: 1500 }, (_, i) => `<<<<<<< a\n${i}\n=======\n-${i}\n>>>>>>> b\n`).join(''));
  let joined = '';
  for (let path: string | undefined = 'f:conflicts'; path !== undefined;) {
    const answer = await read(path);
    joined += textOf(answer).replace(/\[Showing .*\]$/, '');
    path = nextOf(answer);
    if (path !== undefined) expect(path).toMatch(/^f:\d+\.\.:conflicts$/);
  }
  expect(joined.match(/^conflict /gm)).toHaveLength(1500);
  expect(joined.split('\n')).toHaveLength(1500 * 5 + 1);
});

test('however many conflicts there are, each is listed and counted', async () => {
  const { write, text } = workspace();
  const count = 10_500;
  write('f', `<<<<<<< a\n=======\n-\n>>>>>>> b\n`.repeat(count));
  expect(await text('f:1..1:conflicts')).toContain(`conflict 1 of ${count}, lines 1-4\n`);
  expect(await text('f:-4:conflicts')).toContain(
    `conflict ${count} of ${count}, lines ${4 * count - 3}-${4 * count}\n`,
  );
});

test.each([
  ['<<<<<<< a\nx\n', 1],
  ['x\n<<<<<<< a\nx\n=======\ny\n', 2],
  ['<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n', 1],
])('an unfinished conflict is reported with its line: %j', async (content, line) => {
  const { write, text } = workspace();
  write('f', content);
  expect((await text('f:conflicts')).split('\n').at(-1)).toBe(
    `[A conflict begins at line ${line} and has no end (>>>>>>>). Use f:${line}.. to see it]`,
  );
});

test.each([
  ['d', 'd is a directory'],
  ['b', 'b is binary (NUL bytes)'],
  ['app.db', 'app.db is a database'],
  ['a.zip', 'a.zip is a listing of an archive'],
])('%s has no conflicts to look for', async (path, what) => {
  const { write, read } = workspace();
  write('d/x', 'x\n');
  write('b', Buffer.of(1, 0, 2));
  write('app.db', await databaseBytes('create table t(a)'));
  write('a.zip', zip([{ name: 'x' }]));
  const answer = await read(`${path}:conflicts`);
  expect([codeOf(answer), textOf(answer)]).toEqual([
    'UNSUPPORTED',
    `${what}: :conflicts is for text with merge conflicts. Use ${path}.`,
  ]);
});

test('the refusal names the whole call of a long path', async () => {
  const { write, read } = workspace();
  const path = `${'directory-with-a-long-name/'.repeat(12)}b`;
  write(path, Buffer.of(1, 0, 2));
  expect(textOf(await read(`${path}:conflicts`))).toContain(`Use ${path}.`);
});
