import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOriel } from '../../src/index.ts';
import { databaseBytes } from '../support/sqlite.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

test.each([
  [
    'app.tx',
    'app.tx does not exist. Did you mean app.ts or app.db? Use . to list the working directory.',
    'app.ts',
  ],
  ['App.ts', 'App.ts does not exist. Did you mean app.ts? Use . to list the working directory.', 'app.ts'],
  ['zzz', 'zzz does not exist. Use . to list the working directory.', '.'],
  [
    'src/servr.ts',
    'src/servr.ts does not exist. Did you mean src/server.ts? Use src to list the nearest directory.',
    'src/server.ts',
  ],
  [
    'src/servr.ts:5-9',
    'src/servr.ts does not exist. Did you mean src/server.ts? Use src to list the nearest directory.',
    'src/server.ts',
  ],
  [
    'scr/server.ts',
    'scr/server.ts does not exist. Did you mean src/server.ts? Use . to list the working directory.',
    'src/server.ts',
  ],
  ['scr/zzz.ts', 'scr/zzz.ts does not exist. Did you mean src? Use . to list the working directory.', 'src'],
  ['src/deep/er/x', 'src/deep/er/x does not exist. Use src to list the nearest directory.', 'src'],
  ['broken', 'broken is a link to nowhere, which does not exist. Use . to list the working directory.', '.'],
  [
    'src/broken/x',
    'src/broken is a link to gone, which does not exist. Use src to list the nearest directory.',
    'src',
  ],
  [
    'a.zip:dir/y.ts',
    'a.zip has no entry dir/y.ts. Did you mean a.zip:dir/x.ts? Use a.zip to list it.',
    'a.zip:dir/x.ts',
  ],
  [
    'a.zip:X.tsx:5',
    'a.zip has no entry X.tsx:5. Did you mean a.zip:dir/x.ts:5? Use a.zip to list it.',
    'a.zip:dir/x.ts:5',
  ],
  ['a.zip:dirr', 'a.zip has no entry dirr. Did you mean a.zip:dir? Use a.zip to list it.', 'a.zip:dir'],
  ['a.zip:dri/', 'a.zip has no entry dri/. Did you mean a.zip:dir? Use a.zip to list it.', 'a.zip:dir'],
  [
    'app.db:usres',
    'There is no table usres; the tables are users. Did you mean users? Use app.db:users.',
    'app.db:users',
  ],
  [
    'app.db:usres:1',
    'There is no table usres:1; the tables are users. Did you mean users? Use app.db:users:1.',
    'app.db:users:1',
  ],
])('%s', async (typed, message, next) => {
  const { W, write, read } = workspace();
  write('app.ts', 'x\n');
  write('src/server.ts', 'export function start() {\n  return 1;\n}\n');
  write('a.zip', zip([{ name: 'dir/x.ts', content: 'x\n' }]));
  write('app.db', await databaseBytes('create table users(a)'));
  symlinkSync('nowhere', join(W, 'broken'));
  symlinkSync('gone', join(W, 'src/broken'));
  const answer = await read(typed);
  expect(textOf(answer)).toBe(message);
  expect([codeOf(answer), answer.isError]).toEqual(['NOT_FOUND', true]);
  expect(answer.details['error']).toMatchObject({ next, message });
});

test('nothing outside the roots is named', async () => {
  const { W, O, text } = workspace();
  symlinkSync(join(O, 'missing'), join(W, 'link'));
  for (const path of ['link', '../outside/secre.txt', join(O, 'secre.txt')]) {
    const said = await text(path);
    expect(said).toContain('outside the directories that may be read');
    expect(said).not.toMatch(/secret|Did you mean/);
  }
});

test('a deleted working directory is named', async () => {
  const { W } = workspace();
  const cwd = join(W, 'gone');
  const oriel = createOriel({ cwd });
  const calls = [
    ['read', { path: 'x' }],
    ['read', { path: '.' }],
    ['ls', {}],
    ['find', { pattern: '*' }],
    ['grep', { pattern: 'x' }],
    ['bash', { command: 'true' }],
  ] as const;
  for (const [tool, input] of calls) {
    expect(textOf(await oriel.tool(tool).run(input))).toBe(
      `The working directory ${cwd} does not exist. Use an absolute path, or start in a directory that exists.`,
    );
  }
  await oriel.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** What models, shells, compilers and browsers write, and what it names. */
test.each([
  ['"my dir/my file.txt"', 'my dir/my file.txt'],
  ["'my dir/my file.txt':1..1", 'my dir/my file.txt'],
  ['my\\ dir/my\\ file.txt', 'my dir/my file.txt'],
  ['@"my dir/my file.txt"', 'my dir/my file.txt'],
  ['my dir\\my file.txt', 'my dir/my file.txt'],
  ['my dir/my file.txt#L1', 'my dir/my file.txt'],
  ['my dir/my file.txt(1,5)', 'my dir/my file.txt'],
  ['my dir/my file.txt:1:5', 'my dir/my file.txt'],
  ['my dir/my file.txt:1:5:', 'my dir/my file.txt'],
  ['my dir/my file.txt:1:', 'my dir/my file.txt'],
  ['my dir/my file.txt:L1+L2', 'my dir/my file.txt'],
  ['my dir/my file.txt:l1', 'my dir/my file.txt'],
  ['my dir/my file.txt:1..1, 1..1', 'my dir/my file.txt'],
  ['a.zip/dir/x.ts', 'a.zip:dir/x.ts'],
  ['a.zip/dir/x.ts:1..1', 'a.zip:dir/x.ts'],
  ['a.zip:dir\\x.ts', 'a.zip:dir/x.ts'],
  ['app.db/users', 'app.db:users'],
])('%j reads %s', async (typed, source) => {
  const { write, read } = workspace();
  write('my dir/my file.txt', 'hi\n');
  write('a.zip', zip([{ name: 'dir/x.ts', content: 'x\n' }]));
  write('app.db', await databaseBytes('create table users(a)'));
  const answer = await read(typed);
  expect(answer.isError).toBe(false);
  expect(answer.details['source']).toBe(source);
});

test.each(['"q"', 'a\\ b', 'f:1:5', 'f#L1', 'f(1,5)', ' f ', 'f:RAW', 'x\\y'])(
  'a file with the name %j takes precedence',
  async (name) => {
    const { write, text } = workspace();
    for (const other of ['q', 'a b', 'f', 'x/y']) write(other, 'other\n');
    write(name, 'literal\n');
    expect(await text(name)).toBe('1|literal\n');
  },
);

test.each([
  ['f:RAW', '1\n2\n3\n'],
  ['f:1-2:Raw', '1\n2\n'],
  ['f:RAW:1-2', '1\n2\n'],
])('%s', async (path, answer) => {
  const { write, text } = workspace();
  write('f', '1\n2\n3\n');
  expect(await text(path)).toBe(answer);
});

test.each([
  ['app.ts/x', 'app.ts/x goes through app.ts, which is a file. Use app.ts.', 'app.ts'],
  ['app.ts/x/y:5', 'app.ts/x/y goes through app.ts, which is a file. Use app.ts.', 'app.ts'],
  ['src/a.zip/nope', 'a.zip has no entry nope', 'src/a.zip'],
])('%s names the file in the place of a directory', async (typed, message, next) => {
  const { write, read } = workspace();
  write('app.ts', 'x');
  write('src/a.zip', zip([{ name: 'x', content: 'x' }]));
  const answer = await read(typed);
  expect(textOf(answer)).toContain(message);
  expect(answer.details['error']).toMatchObject({ next });
});

test.each([
  [
    'app.ts ',
    'app.ts  ends with a dot or a space, and no such file exists. Use app.ts without it.',
    'app.ts',
  ],
  [
    ' src/app.ts.',
    ' src/app.ts. ends with a dot or a space, and no such file exists. Use src/app.ts without it.',
    'src/app.ts',
  ],
  [
    'app.js ',
    'app.js  ends with a dot or a space, and no such file exists. Use a path like src/app.ts.',
    undefined,
  ],
  ['  ', 'The path is blank. Use . for the working directory.', '.'],
])('%j is no name; the error says what to read', async (typed, message, next) => {
  const { write, read } = workspace();
  write('app.ts', 'x');
  write('src/app.ts', 'x');
  const answer = await read(typed);
  expect(textOf(answer)).toBe(message);
  expect(codeOf(answer)).toBe('BAD_PATH');
  expect((answer.details['error'] as { next?: string }).next).toBe(next);
});

test.each([
  ['a/src/app.ts', 'src/app.ts'],
  [':src/app.ts', 'src/app.ts'],
  ['new\\nline.txt', 'file://W/new%0Aline.txt'],
  ['v 13.txt', 'file://W/v%C2%A013.txt'],
])('%j is answered with a call that differs and works', async (typed, there) => {
  const { W, write, read } = workspace();
  write('src/app.ts', 'x\n');
  write('new\nline.txt', 'x\n');
  write('v\u00a013.txt', 'x\n');
  const next = there.replace('W', W);
  const answer = await read(typed);
  expect(textOf(answer)).toContain(`${typed} does not exist. Did you mean ${next}?`);
  expect(answer.details['error']).toMatchObject({ next });
  expect(textOf(await read(next))).toBe('1|x\n');
});

test('a tool that lists is not sent to a file', async () => {
  const { W, write } = workspace();
  write('libz', 'x\n');
  write('libs/a.ts', 'x\n');
  const { details } = await createOriel({ cwd: W }).tool('ls').run({ path: 'libt' });
  expect(details['error']).toMatchObject({ next: '{"path":"libs"}' });
});

test('variables are not expanded, and that is said', async () => {
  const { read } = workspace();
  for (const typed of ['$HOME/none', '${HOME}/none'])
    expect(textOf(await read(typed))).toBe(
      `${typed} does not exist, and variables are not expanded. Use . to list the working directory.`,
    );
});

test.each([
  ['pi', 'read', '.'],
  ['pi', 'read', ''],
  ['zdx', 'read', 'lib/cor'],
  ['zed', 'read_file', 'libs'],
])('%s: %s of %j names no directory, which it would refuse', async (dialect, tool, path) => {
  const { W, write } = workspace();
  write('lib/core/main.ts', 'x\n');
  const oriel = createOriel({ cwd: W, dialect: dialect as 'pi' });
  const { details, isError } = await oriel.tool(tool).run({ path });
  expect([isError, details['error']?.next]).toEqual([true, undefined]);
});

test('coder names an absolute path', async () => {
  const { W, write } = workspace();
  write('q.ts', 'x\n');
  const answer = await createOriel({ cwd: W, dialect: 'coder' })
    .tool('read_file')
    .run({ path: `${W}/q.ts.` });
  expect(textOf(answer)).toContain(`Use ${W}/q.ts without it.`);
});

test.each([
  ['ls', {}, 'Use . for its directory, or read the file.', '{"path":"."}'],
  ['find', { pattern: '*' }, 'Use . for its directory, or read the file.', '{"pattern":"*","path":"."}'],
  [
    'find',
    { symbol: 'store' },
    'Use . for its directory, or read the file.',
    '{"symbol":"store","path":"."}',
  ],
  ['grep', { pattern: 'x' }, 'Use app.ts.', '{"pattern":"x","path":"app.ts"}'],
])('%s of a path below a file names it: %j', async (tool, input, advice, next) => {
  const { W, write } = workspace();
  write('app.ts', 'x\n');
  for (const path of ['app.ts/x', 'app.ts/x/y', './app.ts/x']) {
    const { content, details } = await createOriel({ cwd: W })
      .tool(tool)
      .run({ ...input, path });
    const message = `${path} goes through app.ts, which is a file. ${advice}`;
    expect(content).toEqual([{ type: 'text', text: message }]);
    expect(details['error']).toEqual({ code: 'NOT_DIRECTORY', message, next });
  }
});

test.each([
  ['oriel', 'grep', { pattern: 'x' }, 'Use . for its directory.'],
  ['zdx', 'read', {}, 'Use the path of a text.'],
] as const)('%s: %s of a path below a binary names what it takes', async (dialect, tool, input, advice) => {
  const { W, write } = workspace();
  write('nul.js', 'x\0\n');
  const answer = await createOriel({ cwd: W, dialect })
    .tool(tool)
    .run({ ...input, path: 'nul.js/x' });
  expect(JSON.stringify(answer.content)).toContain(
    `nul.js/x goes through nul.js, which is a file. ${advice}`,
  );
});

test('a path of another machine is named without a selector that is wrong', async () => {
  const { W, write } = workspace();
  write('n.txt', 'one\n');
  const { tool } = createOriel({ cwd: W, roots: [W] });
  const next = async (path: string): Promise<unknown> => (await tool('read').run({ path })).details['error'];
  expect(await next('/srv/n.txt:1-2')).toMatchObject({ next: 'n.txt:1-2' });
  expect(await next('/srv/n.txt:encoding=latin')).toMatchObject({ next: 'n.txt' });
});

test('SQL as a table name suggests it as a query', async () => {
  const { write, read } = workspace();
  write('app.db', await databaseBytes("create table users(a); insert into users values ('b&c')"));
  const answer = await read("app.db:select * from users where a = 'b&c'");
  expect(textOf(answer)).toBe(
    "There is no table select * from users where a = 'b&c'; a query is written after ?q=. " +
      "Use app.db?q=select%20*%20from%20users%20where%20a%20=%20'b%26c'.",
  );
  expect(codeOf(answer)).toBe('BAD_QUERY');
  const { next = '' } = answer.details['error'] as { next?: string };
  expect(textOf(await read(next))).toContain('b&c');
});

test.each(['oriel', 'pi'] as const)('a name as it is shown leads to a file URL (%s)', async (dialect) => {
  const { W, write } = workspace();
  write('d\ne/a\tb.md', 'one\n');
  const oriel = createOriel({ cwd: W, roots: [W], dialect });
  const path = String.raw`d\ne`;
  for (const [tool, input] of [
    ['ls', { path }],
    ['grep', { pattern: 'one', path }],
    ['find', { pattern: '*.md', path }],
  ] as const) {
    const { details } = await oriel.tool(tool).run(input);
    const next = details['error']?.next ?? '';
    expect(next).toContain('file://');
    const call = next.startsWith('{') ? (JSON.parse(next) as object) : { path: next };
    expect([tool, (await oriel.tool(tool).run(call)).isError]).toEqual([tool, false]);
  }
});

test('a tool that reads or searches texts is told of no binary file', async () => {
  const { W, write } = workspace();
  write('a.bin', 'one\0');
  write('b.txt', 'one\n');
  const oriel = createOriel({ cwd: W });
  const answer = (path: string): Promise<string> =>
    oriel
      .tool('grep')
      .run({ pattern: 'one', path })
      .then((found) => textOf(found));
  expect(await answer('a.bi')).toBe('a.bi does not exist. Use . to list the working directory.');
  expect(await answer('b.tx')).toContain('Did you mean b.txt?');
  const zdx = createOriel({ cwd: W, dialect: 'zdx' });
  expect(textOf(await zdx.tool('read').run({ path: 'a.bi' }))).not.toContain('a.bin');
  expect(textOf(await zdx.tool('read').run({ path: 'b.tx' }))).toContain('b.txt');
  await Promise.all([oriel.close(), zdx.close()]);
});
