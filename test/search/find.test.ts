import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Tree } from '../support/tree.ts';
import { workspace } from '../support/workspace.ts';

let work: Tree;

beforeEach(async () => {
  work = await Tree.create({
    '.gitignore': 'node_modules/\n*.log\n!keep.log\n',
    '.git/HEAD': '',
    'b.ts': '',
    'a.ts': '',
    'a/z.ts': '',
    'debug.log': '',
    'keep.log': '',
    'node_modules/m/index.ts': '',
    'src/.env': '',
    'src/deep/c.ts': '',
  });
});

afterEach(() => work.remove());

const find = (input: object, options?: object): Promise<string> => work.text('find', input, options);

test('what follows a colon is in no directory and no text', async () => {
  for (const path of ['src/:x/y.md', 'a.ts:x/y.md'])
    expect(await find({ pattern: '*.ts', path })).toMatch(/^\S+ does not exist\. /);
});

test('finds files by name, sorted, without ignored ones', async () => {
  expect(await find({ pattern: '*.ts' })).toBe('a/z.ts\na.ts\nb.ts\nsrc/deep/c.ts');
  expect(await find({ pattern: '**/*' })).toBe(
    '.gitignore\na/z.ts\na.ts\nb.ts\nkeep.log\nsrc/.env\nsrc/deep/c.ts',
  );
  expect(await find({ pattern: '*.log' })).toBe('keep.log');
});

test('finds files by path, relative to the given folder', async () => {
  expect(await find({ pattern: 'src/**' })).toBe('src/.env\nsrc/deep/c.ts');
  expect(await find({ pattern: 'deep/*', path: 'src' })).toBe('src/deep/c.ts');
  expect(await find({ pattern: '*.ts', path: join(work.path, 'a') })).toBe('a/z.ts');
  expect(await find({ pattern: join(work.path, 'src/**/*.ts') })).toBe('src/deep/c.ts');
});

test('ignore files apply without a repository too', { tags: 'slow' }, async () => {
  const plain = await Tree.create({
    '.gitignore': 'b\n',
    'd/.gitignore': 'c\n',
    'd/a': '',
    'd/b': '',
    'd/c': '',
  });
  expect(await plain.text('find', { pattern: '*' })).toBe('.gitignore\nd/.gitignore\nd/a');
  expect(await plain.text('find', { pattern: '*', path: 'd' })).toBe('d/.gitignore\nd/a');
  await plain.remove();
});

const IGNORED = '1 ignored file or directory left out. Use path=node_modules to include it';

test('nothing', async () => {
  expect(await work.answer('find', { pattern: '*.rs' })).toEqual({
    content: [{ type: 'text', text: `No files found matching pattern\n[${IGNORED}]` }],
    details: {
      results: 0,
      leftOut: { ignored: 1 },
      hint: { next: '{"path":"node_modules"}' },
      notices: [{ kind: 'list', text: IGNORED }],
    },
    isError: false,
  });
});

test('a folder is not found, and a hint says so', async () => {
  expect(await find({ pattern: 'src' })).toBe(
    `No files found matching pattern\n[src is a directory. Use src/** for the files below it. ${IGNORED}]`,
  );
  expect(await find({ pattern: '../outside' }, { roots: [work.path] })).toBe(
    'That path lies outside the directories that may be read. Use path . with pattern outside.',
  );
});

test('a limit names the next call until the last page', async () => {
  expect(await work.answer('find', { pattern: '*.ts', limit: 3 })).toEqual({
    content: [
      {
        type: 'text',
        text: 'a/z.ts\na.ts\nb.ts\n[3 results limit reached. Use offset=3 to continue, limit=6 for more, or refine pattern]',
      },
    ],
    details: {
      results: 3,
      truncation: { by: 'limit', next: { offset: 3 } },
      notices: [
        {
          kind: 'list',
          text: '3 results limit reached. Use offset=3 to continue, limit=6 for more, or refine pattern',
        },
      ],
    },
    isError: false,
  });
  expect(await find({ pattern: '*.ts', limit: 3, offset: 3 })).toBe('src/deep/c.ts');
  expect(await find({ pattern: '*.ts', limit: 4 })).toBe('a/z.ts\na.ts\nb.ts\nsrc/deep/c.ts');
  expect(await find({ pattern: '*.ts', offset: 9 })).toBe(
    '[offset=9 is beyond the last of 4 results. Use offset=0 to begin again]',
  );
});

describe('hostile input', () => {
  test('G02 ReDoS glob', async () => {
    await work.write({ [`g/${'a'.repeat(37)}!`]: '' });
    expect(await find({ pattern: '*(*(*(*(a|b))))' })).toBe(
      `No files found matching pattern\n[Extended globs like +(a|b) are read as plain text. Use {a,b}. ${IGNORED}]`,
    );
    expect(await find({ pattern: '+(a|aa)' })).toBe(
      `No files found matching pattern\n[Extended globs like +(a|b) are read as plain text. Use {a,b}. ${IGNORED}]`,
    );
    const nothing = `No files found matching pattern\n[${IGNORED}]`;
    expect(await find({ pattern: `${'**/a/'.repeat(8)}**/b` })).toBe(nothing);
    expect(await find({ pattern: '{1..100000000}' })).toBe(
      `No files found matching pattern\n[Ranges like {1..9} are read as plain text. Use [1-9] or {1,2}. ${IGNORED}]`,
    );
    expect(await find({ pattern: `${'*a'.repeat(400)}b` })).toBe(nothing);
    for (const pattern of [
      '{a,b}'.repeat(150),
      'x'.repeat(5000),
      `${'{a,'.repeat(200)}b${'}'.repeat(200)}`.repeat(1),
    ]) {
      const { details, isError } = await work.answer('find', { pattern });
      if (isError)
        expect(details).toMatchObject({ error: { code: 'BAD_INPUT', next: '{"pattern":"**/*.ts"}' } });
    }
  });

  test('G08 links are not followed', async () => {
    await writeFile(join(work.outside, 'secret.ts'), '');
    await symlink('.', join(work.path, 'self'));
    await symlink(work.outside, join(work.path, 'out'));
    expect(await find({ pattern: '*.ts' }, { roots: [work.path] })).toBe('a/z.ts\na.ts\nb.ts\nsrc/deep/c.ts');
    expect(
      (await work.answer('find', { pattern: '*', path: 'out' }, { roots: [work.path] })).details,
    ).toMatchObject({
      error: { code: 'OUTSIDE_ROOT' },
    });
    expect(await work.answer('find', { pattern: '../outside/*' }, { roots: [work.path] })).toMatchObject({
      details: { error: { code: 'OUTSIDE_ROOT' } },
    });
  });

  test('P35 each name on one line, control characters escaped', async () => {
    await work.write({ 'n\nl\x1b[2Jq"': '' });
    const url = pathToFileURL(`${work.path}/n\nl\x1b[2Jq"`).href;
    expect(await find({ pattern: 'n*' })).toBe(`n\\nl\\x1b[2Jq" (read ${url})`);
  });

  test('P50 4,000-deep directory', { tags: 'slow' }, async () => {
    // Entered one by one: no path names the deepest.
    const here = process.cwd();
    process.chdir(work.path);
    for (let i = 0; i < 4000; i += 1) {
      await mkdir('d');
      process.chdir('d');
    }
    await writeFile('bottom.ts', '');
    process.chdir(here);
    expect(await find({ pattern: '**/*.ts' })).toBe(
      'a/z.ts\na.ts\nb.ts\nsrc/deep/c.ts\n[Directories whose paths are longer than 4096 bytes were left out]',
    );
    expect(await work.text('grep', { pattern: 'nothing' })).toEqual(
      expect.stringContaining('[Directories whose paths are longer than 4096 bytes were left out. '),
    );
  });

  test('a file cannot be searched as a folder', async () => {
    expect((await work.answer('find', { pattern: '*', path: 'src/deep/c.ts' })).details).toMatchObject({
      error: {
        code: 'NOT_DIRECTORY',
        message:
          'src/deep/c.ts is a file, not a directory. Use src/deep for its directory, or read the file.',
        next: '{"pattern":"*","path":"src/deep"}',
      },
    });
  });
});

describe('no file has that name, but a similar one exists', () => {
  test('a compiled file comes behind its source', async () => {
    const { write, oriel } = workspace();
    for (const name of ['client.cpython-311.pyc', 'client.py']) write(`app/${name}`, 'x\n');
    const { content } = await oriel.tool('find').run({ pattern: 'client' });
    expect(content[0]).toHaveProperty('text', expect.stringContaining('[Did you mean app/client.py'));
  });

  test.each([
    ['sesion.ts', 'src/session.ts'],
    ['session', 'src/session.ts'],
    ['Session.TS', 'src/session.ts'],
    ['lib/session.ts', 'src/session.ts'],
    ['src/sesion.ts', 'src/session.ts'],
  ])('%s', async (pattern, near) => {
    const { write, oriel } = workspace();
    write('src/session.ts', 'x\n');
    write('src/other.ts', 'x\n');
    const { content, details } = await oriel.tool('find').run({ pattern });
    expect(content).toEqual([
      { type: 'text', text: `No files found matching pattern\n[Did you mean ${near}?]` },
    ]);
    expect(details['hint']).toEqual({ next: JSON.stringify({ pattern: near }) });
    expect((await oriel.tool('find').run({ pattern: near })).content).toEqual([{ type: 'text', text: near }]);
  });

  test('globs and names without similar ones get no hint', async () => {
    const { write, oriel } = workspace();
    write('src/session.ts', 'x\n');
    for (const pattern of ['*.rs', 'zzzzzz'])
      expect((await oriel.tool('find').run({ pattern })).content).toEqual([
        { type: 'text', text: 'No files found matching pattern' },
      ]);
  });
});
