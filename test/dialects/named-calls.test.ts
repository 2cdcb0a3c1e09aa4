/** The call that an error names, in `details.error.next` and in its sentence, is accepted when it is made. */

import { describe, expect, test } from 'vitest';
import { numbered, place } from '../support/dialect.ts';
import { databaseBytes } from '../support/sqlite.ts';

type Input = Record<string, unknown>;

async function tree() {
  const made = place('oriel');
  made.write('five.txt', numbered(1, 20));
  made.write('src/app.ts', 'export const a = 1;\n');
  made.write('a.php', '<?php\nclass K { public $b; }\nclass C { private $b; function f() {} }\n');
  made.write('sj.txt', Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a]));
  made.write('bad.db', 'SQLite format 3\0garbage garbage garbage');
  made.write('bad.zip', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(300, 7)]));
  made.write('bad.gz', Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), Buffer.alloc(300, 7)]));
  made.write('bad.png', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(300, 7)]));
  made.write('d b.db', await databaseBytes('create table "we\'ird:t" (a)', 'create table t (a)'));
  return made;
}

describe('oriel: `next` is the whole argument, and works', () => {
  test.each<[string, Input]>([
    ['read', {}],
    ['read', { path: 'five.txt', view_range: [5, 2] }],
    ['read', { path: '.:nope' }],
    ['ls', { path: 'sr' }],
    ['grep', { pattern: 'a', path: 'fve.txt', limit: 3 }],
    ['grep', { pattern: '(a' }],
    ['grep', { pattern: 'a', glob: '{*.ts', limit: 3 }],
    ['find', { pattern: '[a' }],
    ['bash', { command: 'true', cwd: 'sr' }],
  ])('%s %j', expectNextWorks);

  test.each<[string, Input]>([
    ['read', { path: 5 }],
    ['read', { path: 'five.txt', offset: 'x' }],
    ['read', { path: 'five.txt', view_range: [5] }],
    ['read', { path: 'five.txt', start_line: 9, end_line: 2 }],
    ['read', { path: '.:conflicts' }],
    ['read', { path: "d b.db:we'ird:t?b=" }],
    ['read', { path: 'a.php:#C.b' }],
    ['read', { path: 'sj.txt:encoding=shiftjis' }],
    ['ls', { limit: 0 }],
    ['ls', { path: 'five.txt', limit: 3 }],
    ['grep', { pattern: 'a', path: 'nope/x' }],
    ['grep', { pattern: '(a', path: 'src' }],
    ['grep', { pattern: 'a', type: 'typscript', path: 'src' }],
    ['grep', { pattern: 'a', glob: `{${'a,'.repeat(5_000)}}` }],
    ['grep', { pattern: 'a', glob: '*.ts,![a', output: 'count' }],
    ['grep', { pattern: 'a', glob: '[a', path: 'src/app.ts' }],
    ['find', { pattern: '', limit: 3 }],
    ['find', { pattern: '*', path: 'five.txt' }],
    ['find', { pattern: `{${'a,'.repeat(5_000)}}` }],
    ['bash', { command: 'true', cwd: 'five.txt' }],
  ])('%s %j', { tags: 'slow' }, expectNextWorks);

  async function expectNextWorks(tool: string, input: Input): Promise<void> {
    const { call } = await tree();
    const { isError, details } = await call(tool, input);
    const { next } = details['error'] as { next: string };
    expect(isError).toBe(true);
    const again = next.startsWith('{') ? (JSON.parse(next) as Input) : { path: next };
    const kept = Object.entries(input).filter(([field, value]) => again[field] === value);
    if (tool !== 'read' && tool !== 'ls') expect(kept.length).toBeGreaterThan(Object.keys(input).length - 2);
    expect(await call(tool, again)).toMatchObject({ isError: false });
  }

  test('the nearest name goes first', async () => {
    const { call } = await tree();
    const { next } = (await call('read', { path: 'a.php:#C.b' })).details['error'] as { next: string };
    expect(next).toBe('a.php:#C.$b');
  });

  test.each(['bad.db', 'bad.zip', 'bad.gz', 'bad.png'])(
    'the sentence about %s names programs, not our calls',
    { tags: 'slow' },
    async (path) => {
      const { call } = await tree();
      const { text, details } = await call('read', { path });
      expect(text).toContain(` Use a shell to look at it: file ${path}, or xxd ${path} | head -100.`);
      expect(details['error']).toEqual(expect.not.objectContaining({ next: expect.anything() }));
    },
  );

  test('a full stop behind a path is none of it', async () => {
    const { call } = await tree();
    for (const path of ['.:conflicts', '.:nope'])
      expect((await call('read', { path })).text).not.toContain('..,');
    expect((await call('read', { path: '.:conflicts' })).text).toMatch(/ Use \. as it is\.$/);
    expect((await call('read', { path: '.:nope' })).text).toContain(
      'is not a selector of . Use . alone, or ',
    );
  });
});

describe('the other dialects', () => {
  test.each<[Parameters<typeof place>[0], string, Input]>([
    ['pi', 'read', { path: 'f', offset: 9_000 }],
    ['pi', 'read', { path: 'f', limit: 0 }],
    ['pi', 'grep', { pattern: 'a', path: 'ff' }],
    ['pi', 'ls', { path: 'f' }],
    ['pi', 'ls', { limit: 0 }],
  ])('%s %s %j', { tags: 'slow' }, async (dialect, tool, input) => {
    const { write, call } = place(dialect);
    write('f', 'a\n');
    const { details } = await call(tool, input);
    const { next } = details['error'] as { next: string };
    expect(await call(tool, JSON.parse(next) as Input)).toMatchObject({ isError: false });
  });

  test('pi: a malformed glob is refused with the valid one', async () => {
    const { write, call } = place('pi');
    write('f.ts', 'a\n');
    for (const [tool, input, next, field] of [
      [
        'grep',
        { pattern: 'a', glob: '{*.ts,b', limit: 1 },
        { pattern: 'a', glob: '{*.ts,b}', limit: 1 },
        'glob',
      ],
      ['find', { pattern: '{*.ts,b' }, { pattern: '{*.ts,b}' }, 'pattern'],
    ] as const) {
      const { text, details } = await call(tool, input);
      expect(text).toBe(
        `{*.ts,b is not a valid glob: { at character 1 is not closed. Use ${field} {*.ts,b}.`,
      );
      expect(details['error']).toMatchObject({ code: 'BAD_INPUT', next: JSON.stringify(next) });
      expect((await call(tool, next)).text).toContain('f.ts');
    }
  });

  // It names no file: that may not be there.
  test.each<[Parameters<typeof place>[0], string]>([
    ['pi', 'read'],
    ['zdx', 'read'],
    ['zed', 'read_file'],
    ['coder', 'read_file'],
  ])('%s %s: without a path the error shows an example', async (dialect, tool) => {
    const { text, details } = await place(dialect).call(tool, {});
    expect(text).toContain(' Use a call like {');
    expect(details['error']).toEqual(expect.not.objectContaining({ next: expect.anything() }));
  });

  test('zdx: the command that lists a directory has its path', async () => {
    const { write, call } = place('zdx');
    write("it's/f", 'a\n');
    expect((await call('read', { path: "it's" })).text).toContain('with the command ls');
  });
});
