/** Names and labels that consist of hidden characters: shown in part, counted, and never at the cost of the loop. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withoutLag } from '../support/lag.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

/** Code units of a name. */
const LENGTH = 30_000;

/** What is escaped to six bytes, asked about its neighbours, or encoded to nine. */
const KINDS = [
  ['U+202E', '\u202e'],
  ['tags', '\u{e0041}'],
  ['variation selectors', '\u{e0100}'],
  ['joiners', '\u200d'],
  ['braille blanks', '\u2800'],
  ['private use', '\ue000'],
] as const;

/** K02 has all of them. */
const OF_NAMES = KINDS.filter(([name]) => ['U+202E', 'tags', 'joiners'].includes(name));

test.each(OF_NAMES)(
  'K01 a hundred tables and columns named by 30,000 %s',
  { tags: 'slow' },
  async (_, hidden) => {
    const { write, oriel } = workspace();
    const name = (i: number): string => `${i}${hidden.repeat(LENGTH / hidden.length)}`;
    const columns = Array.from({ length: 100 }, (_, i) => `"${name(i)}"`).join(',');
    write(
      'data.db',
      await databaseBytes(
        ...Array.from(
          { length: 100 },
          (_, i) => `create table "${name(i)}" (a); insert into "${name(i)}" values (1)`,
        ),
      ),
    );
    write(
      'wide.db',
      await databaseBytes(`create table wide (${columns}); insert into wide ("${name(0)}") values ('x')`),
    );
    const read = async (path: string): Promise<string> => textOf(await oriel.tool('read').run({ path }));
    await withoutLag(async () => {
      for (const path of [
        'data.db',
        'wide.db',
        'wide.db:wide',
        'wide.db:wide:1',
        'wide.db:wide?limit=1',
        'wide.db?q=select * from wide',
        'wide.db?q=select nope from wide',
        'wide.db:wide?order=nope',
        'data.db:nope',
      ]) {
        const text = await read(path);
        expect(Buffer.byteLength(text)).toBeLessThan(60_000);
        expect(text).not.toContain(hidden);
      }
    });
    expect(await read('data.db')).toContain('Names that end in … are cut');
  },
);

test.each(KINDS)('K02 texts that consist only of %s', { tags: 'slow' }, async (_, hidden) => {
  const { W, write, oriel } = workspace();
  write('one-line.txt', hidden.repeat(200_000));
  write('lines.txt', `${hidden.repeat(50)}\n`.repeat(4_000));
  write('code.py', `def f():\n    return '${hidden.repeat(2_000)}'\n\n`.repeat(40));
  write('mixed.txt', `a${hidden}`.repeat(100_000));
  write('note.md', `# ${hidden.repeat(20_000)}\n\ntext\n`.repeat(20));
  write(
    'n.ipynb',
    JSON.stringify({
      cells: [{ cell_type: 'markdown', metadata: {}, source: [hidden.repeat(50_000)] }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    }),
  );
  write(
    'z.zip',
    zip(Array.from({ length: 500 }, (_, i) => ({ name: `${i}${hidden.repeat(1_000)}`, content: 'x' }))),
  );
  mkdirSync(`${W}/d`);
  for (let i = 0; i < 300; i += 1) writeFileSync(`${W}/d/${i}${hidden.repeat(60)}`, '');
  const calls: [tool: string, input: object][] = [
    ...(
      'one-line.txt lines.txt code.py code.py:outline mixed.txt note.md note.md:outline n.ipynb ' +
      'z.zip d one-line.txt:@0+256K lines.txt:-900'
    )
      .split(' ')
      .map((path): [string, object] => ['read', { path }]),
    ['read', { path: `${hidden.repeat(1_000)}` }],
    ['grep', { pattern: hidden, path: 'mixed.txt' }],
    ['find', { pattern: '**/*' }],
    ['ls', { path: 'd' }],
    ['bash', { command: 'cat lines.txt one-line.txt mixed.txt' }],
    ['bash', { command: `cat one-line.txt >&2; exit 3` }],
  ];
  for (const [tool, input] of calls) {
    const text = await withoutLag(async () => textOf(await oriel.tool(tool).run(input)));
    expect(text).not.toContain(hidden);
  }
});
