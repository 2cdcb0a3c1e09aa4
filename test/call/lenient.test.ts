import { describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/index.ts';
import { numbered, place } from '../support/dialect.ts';

/** Inputs that the schema refuses, beside those that mean the same. */
const SAME: readonly (readonly [DialectName, string, object, object])[] = [
  ['oriel', 'read', { path: 'f:3..4' }, { file_path: 'f:3..4' }],
  ['oriel', 'read', { path: 'f:3..4' }, { filePath: 'f:3..4' }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', offset: 3, limit: 2 }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', offset: '3', limit: '2' }],
  ['oriel', 'read', { path: 'f:3..' }, { path: 'f', offset: 3, limit: null }],
  ['oriel', 'read', { path: 'f:1..2' }, { path: 'f', limit: 2 }],
  ['oriel', 'read', { path: 'f:1..2' }, { path: 'f', offset: 0, limit: 2 }],
  ['oriel', 'read', { path: 'f:3..4' }, { file_path: 'f', start_line: 3, end_line: 4 }],
  ['oriel', 'read', { path: 'f:3..' }, { path: 'f', start_line: 3 }],
  ['oriel', 'read', { path: 'f:3:1' }, { file: 'f', line: 3 }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', line: '3', limit: 2 }],
  ['oriel', 'read', { path: 'f:1..4' }, { path: 'f', end_line: '4' }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', view_range: [3, 4] }],
  ['oriel', 'read', { path: 'f:3..' }, { path: 'f', view_range: [3, -1] }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', view_range: '[3, 4]' }],
  ['oriel', 'read', { path: 'f' }, { path: 'f', offset: null, view_range: null, start_line: '' }],
  ['oriel', 'grep', { pattern: '7', limit: 1 }, { pattern: '7', path: null, glob: null, limit: '1' }],
  ['oriel', 'grep', { pattern: '7' }, { pattern: '7', path: '', type: '', glob: '' }],
  ['oriel', 'ls', {}, { path: '' }],
  ['oriel', 'grep', { pattern: '7', literal: true }, { pattern: '7', literal: 'true', context: '' }],
  ['oriel', 'find', { pattern: '*', limit: 5 }, { pattern: '*', path: null, limit: ' 5 ', offset: null }],
  ['oriel', 'ls', {}, { path: null, limit: null }],
  ['pi', 'read', { path: 'f', offset: 3, limit: 2 }, { file_path: 'f', offset: '3', limit: '2' }],
  ['pi', 'read', { path: 'f' }, { path: 'f', offset: null, limit: null }],
  ['pi', 'read', { path: 'f', limit: 2 }, { path: 'f', offset: 0, limit: 2 }],
  ['pi', 'read', { path: 'f', limit: 2 }, { path: 'f', offset: '0', limit: '2' }],
  ['pi', 'grep', { pattern: '7', limit: 1 }, { pattern: '7', limit: '1', ignoreCase: null, context: null }],
  ['pi', 'ls', { limit: 5 }, { limit: '5', path: null }],
  [
    'zed',
    'read_file',
    { path: 'f', start_line: 3, end_line: 4 },
    { path: 'f', start_line: '3', end_line: '4', start_byte: null },
  ],
  ['zed', 'read_file', { path: 'f', start_byte: 9_007_199_254_740_991 }, { path: 'f', start_byte: 1e20 }],
  [
    'zed',
    'read_file',
    { path: 'f', start_byte: 9_007_199_254_740_991 },
    { path: 'f', start_byte: '99999999999999999999' },
  ],
  ['zdx', 'read', { path: 'f', offset: 3 }, { filePath: 'f', offset: '3', limit: null, keep: null }],
  ['zdx', 'read', { path: 'f' }, { path: 'f', offset: '', limit: ' ', max_line_length: null }],
  // Names in another case, and those of other tools.
  ...['Path', 'PATH', 'filepath', 'FILE_PATH', 'file', 'filename', 'target_file', 'absolute_path', 'uri'].map(
    (name) => ['oriel', 'read', { path: 'f:3..4' }, { [name]: 'f:3..4' }] as const,
  ),
  ['oriel', 'read', { path: 'f:3..4' }, { path: null, file_path: 'f:3..4' }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', startLine: 3, endLine: 4 }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', start: 3, end: 4 }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', line_start: '3', line_end: '4' }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', start_line: 3, limit: 2 }],
  ['oriel', 'read', { path: 'f:3..' }, { path: 'f', start_line: 3, end_line: -1 }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', lines: '3-4' }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', range: [3, 4] }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', view_range: '3-4' }],
  ['oriel', 'read', { path: 'f:3..' }, { path: 'f', offset: 3, limit: -1 }],
  ['oriel', 'read', { path: 'f:3..4,f:9' }, { paths: ['f:3..4', 'f:9'] }],
  ['oriel', 'grep', { pattern: '7', ignoreCase: true }, { pattern: '7', ignore_case: 'True' }],
  ['oriel', 'grep', { pattern: '7', ignoreCase: true }, { pattern: '7', '-i': 1, '-n': true }],
  ['oriel', 'grep', { pattern: '7', before: 1, after: 2 }, { pattern: '7', '-B': 1, '-A': '2' }],
  ['oriel', 'grep', { pattern: '7', context: 1 }, { pattern: '7', '-C': 1 }],
  ['oriel', 'grep', { pattern: '7', limit: 1 }, { query: '7', head_limit: 1 }],
  ['oriel', 'grep', { pattern: '7', output: 'files' }, { pattern: '7', output_mode: 'files_with_matches' }],
  ['oriel', 'grep', { pattern: '7', output: 'matches' }, { pattern: '7', output: 'content' }],
  ['oriel', 'grep', { pattern: '7', output: 'count' }, { pattern: '7', output: 'Count' }],
  ['oriel', 'find', { pattern: '*f' }, { glob: '*f' }],
  ['oriel', 'find', { pattern: '*f' }, { name: '*f' }],
  ['oriel', 'ls', { path: '.' }, { directory: '.', explanation: 'to see' }],
  ['oriel', 'ls', { path: '.' }, { path: '.', wait_for_previous: true }],
  ['pi', 'bash', { command: 'echo a' }, { command: 'echo a', description: 'says a' }],
  ['oriel', 'bash', { command: 'echo a', cwd: '.' }, { cmd: 'echo a', workdir: '.', description: 'says a' }],
  ['pi', 'find', { pattern: '*f' }, { glob: '*f' }],
  ['zed', 'read_file', { path: 'f', start_line: 3 }, { Path: 'f', startLine: 3 }],
];

describe('taken silently', () => {
  test.each(SAME)('%s %s: %j as %j', { tags: 'slow' }, async (dialect, tool, input, given) => {
    const { write, call } = place(dialect, { now: () => 0 });
    write('f', numbered(1, 20));
    expect(await call(tool, given)).toEqual(await call(tool, input));
  });

  test.each([
    ['read_file', { offset: '3', limit: '2' }],
    ['coder_workspace_read_file', { workspace: 'local', offset: '3', limit: '2' }],
    ['read_file', { offset: 3, limit: 2 }],
  ])('coder %s: %j', async (tool, fields) => {
    const { write, call } = place('coder');
    const path = write('f', numbered(1, 20));
    const { text } = await call(tool, { file_path: path, ...fields });
    expect(JSON.parse(text)).toMatchObject({ content: '3\t3\n4\t4', lines_read: 2 });
    const whole = await call(tool, { ...fields, path, offset: null, limit: null });
    expect(JSON.parse(whole.text)).toMatchObject({ lines_read: 20 });
  });

  test('bash: a quoted timeout, and null for optional fields', async () => {
    const { call } = place('oriel');
    expect((await call('bash', { command: 'echo a', timeout: '5', cwd: null })).text).toBe('a\n');
  });
});

test.each([
  ['log-12:30', { limit: 2 }],
  ['v1:1-2', { offset: 1, limit: 2 }],
])('a name like `a:1` stays whole beside line fields: %s', async (name, fields) => {
  const { write, call } = place('oriel');
  write(name, numbered(1, 20));
  expect((await call('read', { path: name, ...fields })).text).toContain('2|2\n');
});

describe('refused all the same', () => {
  test.each([
    ['read', {}, 'The field path of read is missing. Its fields are path. Use {"path":"."}.'],
    [
      'read',
      { path: null },
      'The field path of read is wrong: expected string, received null. Its fields are path. Use {"path":"."}.',
    ],
    ['read', { pth: 'f' }, 'The field path of read is missing. Its fields are path. Use {"path":"f"}.'],
    [
      'read',
      { path: 'f', colour: 'x' },
      'The tool read has no field colour. Its fields are path. Use {"path":"f"}.',
    ],
    [
      'grep',
      { pattern: 'a', limt: 3 },
      'The tool grep has no field limt. Its fields are pattern, path, glob, type, output, ignoreCase, literal, word, multiline, inside, sort, context, before, after, limit, offset. Did you mean limit? Use {"pattern":"a","limit":3}.',
    ],
    ['read', { path: 'f', view_range: [1] }, 'view_range is [first, last]. Use f.'],
    [
      'read',
      { path: 'f', start_line: 9, end_line: 3 },
      'lines 9 to 3 are none: the last comes before the first. Use f:3..9.',
    ],
    [
      'ls',
      { limit: 0 },
      'The field limit of ls is wrong: it must be at least 1. Its fields are path, limit, offset. Use {"path":"."}.',
    ],
    [
      'ls',
      { offset: -1 },
      'The field offset of ls is wrong: it must be at least 0. Its fields are path, limit, offset. Use {"path":"."}.',
    ],
    [
      'ls',
      [],
      'The input of ls is wrong: expected object, received array. Its fields are path, limit, offset. Use {"path":"."}.',
    ],
    [
      'read',
      { path: ['f'] },
      'The field path of read is wrong: expected string, received array. Its fields are path. Use {"path":"."}.',
    ],
    [
      'read',
      { path: 'f', file_path: 'g' },
      'The tool read has no field file_path. Its fields are path. Use {"path":"f"}.',
    ],
    [
      'find',
      { query: 'parse header' },
      'The tool find has no field query. Its fields are pattern, symbol, source, path, sort, limit, offset. Use {"pattern":"src/**/*.ts"}.',
    ],
    ['read', { path: 'f', offset: 'x' }, 'offset is a line number, 1 or more. Use f.'],
  ])('%s %j', async (tool, input, message) => {
    const { write, call } = place('oriel');
    write('f', 'x\n');
    const answer = await call(tool, input);
    expect([answer.text, answer.isError]).toEqual([message, true]);
  });
});

test('the schema that a model is shown is strict', () => {
  const { oriel } = place('oriel');
  expect(oriel.tool('read').jsonSchema).toMatchObject({
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  });
});
