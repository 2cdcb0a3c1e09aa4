/** An empty answer names what was left out, and the call that includes it; what was found costs no line more. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Place, place } from '../support/dialect.ts';
import { tar } from '../support/tar.ts';

/** Makes the call, then the call that its answer names. */
async function followed({ call }: Place, tool: string, input: object): Promise<readonly [string, string]> {
  const { text, details } = await call(tool, input);
  const { next } = details['hint'] as { next: string };
  const again = await call(tool, { ...input, ...(JSON.parse(next) as object) });
  return [text, again.text];
}

function project(): Place {
  const made = place('oriel');
  made.write('.gitignore', 'dist/\n.env\n*.log\n');
  made.write('src/a.ts', 'const MARKER = 1;\n');
  made.write('dist/b.js', 'needle\n');
  made.write('dist/c.ts', 'export function neverUsed() {}\n');
  made.write('.env', 'needle\n');
  made.write('logs/x.log', 'x\n');
  return made;
}

test('private files are counted, and no call includes them', async () => {
  const { write, call } = place('oriel', { deny: ['.env'] });
  write('.env', 'needle\n');
  write('.gitignore', 'old/\n');
  write('old/.env', 'needle\n');
  for (const output of ['matches', 'count']) {
    const { text } = await call('grep', { pattern: 'needle', output });
    expect(text).toBe(
      'No matches found\n[1 ignored file or directory left out. Use path=old to include it. 1 private file or directory left out]',
    );
  }
  expect((await call('grep', { pattern: 'needle', path: 'old' })).text).toBe(
    'No matches found\n[1 private file or directory left out]',
  );
});

test('what was left out beside results is in the details', async () => {
  const { write, call } = place('oriel', { deny: ['.env'] });
  for (const path of ['.env', 'a.txt', 'old/b.txt', 'old/.env']) write(path, 'needle\n');
  const { text, details } = await call('grep', { pattern: 'needle' });
  expect(text).toBe('a.txt:1: needle\nold/b.txt:1: needle');
  expect(details['leftOut']).toEqual({ private: 2 });
});

test('private directories and members of archives are counted', { tags: 'slow' }, async () => {
  const { write, call } = place('oriel', { deny: ['vault/'] });
  write('vault/a.ts', 'needle\n');
  write('pack.tar', tar([{ name: 'vault/b.ts', content: 'needle\n' }]));
  const leftOut = (count: string): string => `No matches found\n[${count} left out]`;
  const input = { pattern: 'needle' };
  expect((await call('grep', { ...input, glob: '*.ts' })).text).toContain('1 private file or directory left');
  expect((await call('grep', { ...input, inside: true })).text).toBe(
    leftOut('2 private files or directories'),
  );
  expect((await call('grep', { ...input, path: 'pack.tar' })).text).toBe(
    leftOut('1 private file or directory'),
  );
  expect((await call('find', { pattern: 'a.*' })).text).toContain('[1 private file or directory left out]');
});

describe('ignored files', () => {
  test('grep', async () => {
    expect(await followed(project(), 'grep', { pattern: 'needle' })).toEqual([
      'No matches found\n[3 ignored files or directories left out. Use path=dist,.env,logs/x.log to include them]',
      'dist/b.js:1: needle\n.env:1: needle',
    ]);
  });

  test('count, and only what the glob may match', async () => {
    const input = { pattern: 'needle', glob: 'dist/*.js', output: 'count' };
    expect(await followed(project(), 'grep', input)).toEqual([
      'No matches found\n[No file matches the glob dist/*.js. 1 ignored file or directory left out. Use path=dist to include it]',
      'dist/b.js: 1',
    ]);
  });

  test('find', async () => {
    const made = project();
    expect(await followed(made, 'find', { pattern: '**/*.js' })).toEqual([
      'No files found matching pattern\n[1 ignored file or directory left out. Use path=dist to include it]',
      'dist/b.js',
    ]);
    made.write('.gitignore', '*.log\n');
    expect((await made.call('find', { pattern: '*.log' })).text).toBe(
      'No files found matching pattern\n[1 ignored file or directory left out. Use read logs/x.log to see it]',
    );
  });

  test.runIf(process.platform === 'linux')('what a glob may match, if a name is not UTF-8', async () => {
    const { call, folder, write } = place('oriel');
    write('.gitignore', '*.o\n');
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff), Buffer.from('.o')]), '');
    expect((await call('find', { pattern: '*.ts' })).text).not.toContain('ignored');
    expect((await call('find', { pattern: '*.o' })).text).toContain(
      `[1 ignored file or directory left out. Use read file://${folder}/%FF.o to see it]`,
    );
  });

  test('symbols', { tags: 'slow' }, async () => {
    const [text, again] = await followed(project(), 'find', { pattern: undefined, symbol: 'neverUsed' });
    expect(text).toContain('ignored files or directories left out. Use path=dist to include');
    expect(again).toContain('dist/c.ts:#neverUsed');
  });

  test('a file that find names is found', async () => {
    const { call, write } = project();
    write('.git/HEAD', 'ref\n');
    for (const pattern of ['.env', 'dist/b.js', './dist/b.js'])
      expect((await call('find', { pattern })).text).toBe(pattern.replace('./', ''));
    expect((await call('find', { pattern: 'dist/b.js', offset: 1 })).text).toContain('beyond the last of 1');
    expect((await call('find', { pattern: '.git/HEAD' })).text).toContain('No files found');
  });

  test.each(['*', 'scripts/*', '/scripts/**'])(
    'a named directory is searched despite the rule %s',
    async (rule) => {
      const { call, write } = place('oriel');
      write(rule === '*' ? 'scripts/.gitignore' : '.gitignore', `${rule}\n`);
      write('scripts/deep/w.py', 'needle\n');
      expect((await call('grep', { pattern: 'needle', path: 'scripts' })).text).toBe(
        'scripts/deep/w.py:1: needle',
      );
      expect((await call('find', { pattern: '*.py', path: 'scripts' })).text).toBe('scripts/deep/w.py');
    },
  );
});

describe('links, directories and special files', () => {
  test('a link is named by the call that follows it', async () => {
    const made = place('oriel');
    made.write('real/kw.json', 'needle\n');
    made.write('.ignore', 'real\n');
    symlinkSync('real', join(made.folder, 'res'));
    symlinkSync('nowhere', join(made.folder, 'broken'));
    expect(await followed(made, 'find', { pattern: 'res/**/*.json' })).toEqual([
      'No files found matching pattern\n[1 link left out. Use path=res to include it]',
      'res/kw.json',
    ]);
    const [text, again] = await followed(made, 'grep', { pattern: 'needle', glob: '*.json' });
    expect(text).toContain('2 links left out. Use path=res to include the first of them');
    expect(again).toContain('kw.json:1: needle');
    expect((await made.call('find', { pattern: 'res/kw.json' })).text).toBe('res/kw.json');
  });

  test('the link or ignored file that has the name comes first', async () => {
    const { write, call } = place('oriel');
    for (const name of ['a', 'b', 'c', 'd']) write(`${name}/real/x.txt`, 'x\n');
    for (const name of ['a', 'b', 'c', 'd']) write(`${name}/.gitignore`, 'key.txt\nreal/\n');
    write('d/key.txt', 'key\n');
    expect((await call('find', { pattern: 'key.txt' })).text).toBe(
      'No files found matching pattern\n[5 ignored files or directories left out. Use read d/key.txt to see the first of them]',
    );
  });

  test('a directory at any depth, by its name', async () => {
    const made = place('oriel');
    made.write('src/api/r.ts', 'needle\n');
    for (const [tool, input, found] of [
      ['find', { pattern: 'api' }, 'src/api/r.ts'],
      ['find', { pattern: 'api', path: 'src' }, 'src/api/r.ts'],
      ['grep', { pattern: 'needle', glob: 'api' }, 'src/api/r.ts:1: needle'],
    ] as const) {
      const [text, again] = await followed(made, tool, input);
      expect(text).toContain('[src/api is a directory. Use src/api/** for the files below it]');
      expect(again).toBe(found);
    }
  });

  test('a pipe is counted', { tags: 'slow' }, async () => {
    const { call, folder, write } = place('oriel');
    write('a.txt', 'a\n');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect((await call('grep', { pattern: 'needle' })).text).toBe(
      'No matches found\n[1 pipe, socket or device left out]',
    );
    expect((await call('grep', { pattern: 'needle', glob: '*.txt' })).text).toBe('No matches found');
  });
});

describe('a glob or a type that selects no file', () => {
  test.each(['src/**|test/**', '*.ts *.py', '*.ts | *.py'])(
    '%s is written with braces',
    { tags: 'slow' },
    async (glob) => {
      const [text, again] = await followed(project(), 'grep', { pattern: 'MARKER', glob });
      expect(text).toContain('Alternatives are written as {a,b}. Use glob={');
      expect(again).toBe('src/a.ts:1: const MARKER = 1;');
      const found = await followed(project(), 'find', { pattern: glob });
      expect(found[1]).toContain('src/a.ts');
    },
  );

  test('it is said', async () => {
    const { call, write } = place('oriel');
    write('a.ts', 'needle\n');
    write('b.ts', 'needle\n');
    expect((await call('grep', { pattern: 'needle', glob: '*.py' })).text).toBe(
      'No matches found\n[No file matches the glob *.py]',
    );
    expect((await call('grep', { pattern: 'needle', type: 'rust' })).text).toBe(
      'No matches found\n[None of 2 files is of the type]',
    );
    expect((await call('grep', { pattern: 'needles', glob: '*.ts' })).text).toBe('No matches found');
  });
});

describe('binary files', () => {
  const garbled = 'const sep = "\0";\nexport const needle = 1;\n';

  test('a text with a NUL is told, also beside matches', { tags: 'slow' }, async () => {
    const { call, write } = place('oriel');
    write('mid.js', garbled);
    write('large.js', garbled + 'x'.repeat(5 << 20));
    write('other.js', garbled.replace('needle', 'x'));
    const notice =
      '[2 texts left out: NUL bytes, as in binary files. Use read large.js:raw to see the first of them]';
    expect((await call('grep', { pattern: 'needle' })).text).toBe(`No matches found\n${notice}`);
    write('a.txt', 'needle\n');
    expect((await call('grep', { pattern: 'needle' })).text).toBe(`a.txt:1: needle\n${notice}`);
    expect((await call('read', { path: 'mid.js:raw' })).text).toContain('needle');
    const { text, details } = await call('grep', { pattern: 'needle', path: 'mid.js' });
    expect(text).toContain('Read mid.js:raw instead.');
    expect(details['error']).toMatchObject({ next: 'mid.js:raw' });
    expect((await call('read', { path: 'mid.js' })).text).toBe(
      '[mid.js is binary (NUL bytes, 42 B). Use mid.js:raw to read it as text]',
    );
  });

  test('a real one is counted if it may match', async () => {
    const { call, write } = place('oriel');
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
    write('a.bin', Buffer.concat([bytes, Buffer.from('needle')]));
    write('b.bin', bytes);
    expect((await call('grep', { pattern: 'needle' })).text).toBe(
      'No matches found\n[1 binary file left out]',
    );
    expect((await call('grep', { pattern: 'NEEDLE', ignoreCase: true })).text).toBe(
      'No matches found\n[2 binary files left out]',
    );
  });

  test('a text in an unknown encoding is told if it may match', async () => {
    const { call, write } = place('oriel');
    write('a.txt', Buffer.from('eine \xdcbung, one\n', 'latin1'));
    write('b.txt', Buffer.from('\u65e5\u672c needle', 'utf16le'));
    const told = async (input: object, use: string): Promise<void> => {
      const { text } = await call('grep', input);
      expect(text).toBe(
        `No matches found\n[1 text is not UTF-8, in an encoding that is not known. Use read ${use} to see it]`,
      );
      expect((await call('read', { path: use })).isError).not.toBe(true);
    };
    await told({ pattern: 'Übung' }, 'a.txt');
    await told({ pattern: 'Übung', path: 'a.txt' }, 'a.txt');
    await told({ pattern: 'ine .bung' }, 'a.txt');
    await told({ pattern: 'needle' }, 'b.txt:encoding=utf-16le');
    expect((await call('grep', { pattern: 'one' })).text).toBe('a.txt:1: eine \ufffdbung, one');
    // One name that is not ASCII, and no file is skipped before it is read.
    write('\xe9.txt', '');
    for (const pattern of ['absent', 'absent.*', 'Übungen'])
      expect((await call('grep', { pattern })).text).toBe('No matches found');
    // Texts that are too large to be packed with others.
    write('a.txt', Buffer.from(`${'x\n'.repeat(2 << 20)}Übung\n`));
    expect((await call('grep', { pattern: 'Tür', path: 'a.txt' })).text).toBe('No matches found');
    write('a.txt', Buffer.from(`Übung\n${'x\n'.repeat(2 << 20)}`, 'latin1'));
    await told({ pattern: 'Übung' }, 'a.txt');
    await told({ pattern: 'Übung', path: 'a.txt' }, 'a.txt');
  });

  test('UTF-16 inside a program or a database is not a text', async () => {
    const { call, write } = place('oriel');
    const wide = Buffer.from('needle'.repeat(50), 'utf16le');
    const program = Buffer.concat([Buffer.from('MZ\x90\0\0\0\x03\0'), wide]);
    write('app.exe', program);
    write('kept.db', Buffer.from('\u65e5\u672c needle', 'utf16le'));
    write('sep.js', 'let ends = "e\0";\n');
    expect((await call('grep', { pattern: 'needle' })).text).not.toContain('UTF-8');
    write('app.exe', Buffer.concat([program, Buffer.from('needle')]));
    expect((await call('grep', { pattern: 'needle' })).text).toContain(
      'No matches found\n[1 binary file left out. ',
    );
    expect((await call('grep', { pattern: 'e.*z' })).text).toContain('[1 text left out: NUL bytes');
  });

  test('UTF-16 without a mark is a text in any script', async () => {
    const { call, write } = place('oriel');
    const text = 'Привет needle 日本語テキスト\n'.repeat(5);
    write('le.txt', Buffer.from(text, 'utf16le'));
    write('be.txt', Buffer.from(text, 'utf16le').swap16());
    expect((await call('grep', { pattern: 'needle', output: 'count' })).text).toBe('be.txt: 5\nle.txt: 5');
    expect((await call('read', { path: 'be.txt:1..1' })).text).toContain('1|Привет needle 日本語テキスト');
  });
});

test('an answer that found something has the numbers in details only', async () => {
  const { call, folder, write } = project();
  mkdirSync(join(folder, 'links'));
  symlinkSync('../src', join(folder, 'links/src'));
  write('book.zip', Buffer.from('PK\x05\x06' + '\0'.repeat(18), 'latin1'));
  const leftOut = { ignored: 3, link: 1, container: 1 };
  const { text, details } = await call('grep', { pattern: 'MARKER', output: 'files' });
  expect([text, details]).toEqual(['src/a.ts', { files: 1, leftOut }]);
  expect((await call('find', { pattern: '*.ts' })).details).toEqual({
    results: 1,
    leftOut: { ignored: 1, link: 1 },
  });
});
