import { expect, test } from 'vitest';
import { nextOf, textOf, workspace } from '../support/workspace.ts';

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
base (parent), lines 6-6:
6|base
theirs (feature), lines 8-8:
8|theirs
conflict 2 of 2, lines 11-14
ours (HEAD): empty
theirs (feature), lines 13-13:
13|added
`,
  );
});

test('CRLF files', async () => {
  const { write, text } = workspace();
  write('f', '<<<<<<< a\r\nx\r\n=======\r\ny\r\n>>>>>>> b\r\n');
  expect(await text('f:conflicts')).toBe(
    'conflict 1 of 1, lines 1-5\nours (a), lines 2-2:\n2|x\r\ntheirs (b), lines 4-4:\n4|y\r\n',
  );
});

test('a clean file says so', async () => {
  const { write, text } = workspace();
  write('f', 'a\n=======\nb\n>>>>>>> x\n<<<<<<<y\n');
  expect(await text('f:conflicts')).toBe('[f has no conflicts]');
});

test('many conflicts are paged like any text', async () => {
  const { write, read } = workspace();
  write('f', Array.from({ length: 4000 }, (_, i) => `<<<<<<< a\n${i}\n=======\n-${i}\n>>>>>>> b\n`).join(''));
  let joined = '';
  for (let path: string | undefined = 'f:conflicts'; path !== undefined;) {
    const answer = await read(path);
    joined += textOf(answer).replace(/\[Showing .*\]$/, '');
    path = nextOf(answer);
    if (path !== undefined) expect(path).toMatch(/^f:\d+\.\.:conflicts$/);
  }
  expect(joined.match(/^conflict /gm)).toHaveLength(4000);
  expect(joined.split('\n')).toHaveLength(4000 * 5 + 1);
});
