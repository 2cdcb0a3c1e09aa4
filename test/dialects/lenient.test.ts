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
  ['oriel', 'read', { path: 'f:1..4' }, { path: 'f', end_line: '4' }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', view_range: [3, 4] }],
  ['oriel', 'read', { path: 'f:3..' }, { path: 'f', view_range: [3, -1] }],
  ['oriel', 'read', { path: 'f:3..4' }, { path: 'f', view_range: '[3, 4]' }],
  ['oriel', 'read', { path: 'f' }, { path: 'f', offset: null, view_range: null, start_line: '' }],
  ['oriel', 'grep', { pattern: '7', limit: 1 }, { pattern: '7', path: null, glob: null, limit: '1' }],
  ['oriel', 'grep', { pattern: '7', literal: true }, { pattern: '7', literal: 'true', context: '' }],
  ['oriel', 'find', { pattern: '*', limit: 5 }, { pattern: '*', path: null, limit: ' 5 ', offset: null }],
  ['oriel', 'ls', {}, { path: null, limit: null }],
  ['pi', 'read', { path: 'f', offset: 3, limit: 2 }, { file_path: 'f', offset: '3', limit: '2' }],
  ['pi', 'read', { path: 'f' }, { path: 'f', offset: null, limit: null }],
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
];

describe('taken silently', () => {
  test.each(SAME)('%s %s: %j as %j', async (dialect, tool, input, given) => {
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

  test('bash: a timeout in quotes, and null for what is optional', async () => {
    const { call } = place('oriel');
    expect((await call('bash', { command: 'echo a', timeout: '5', cwd: null })).text).toBe('a\n');
  });
});

describe('refused all the same', () => {
  test.each([
    ['read', {}, 'The field path of read is missing. Its fields are path.'],
    [
      'read',
      { path: null },
      'The field path of read is wrong: expected string, received null. Its fields are path.',
    ],
    ['read', { pth: 'f' }, 'The field path of read is missing. Its fields are path.'],
    ['read', { path: 'f', encoding: 'x' }, 'The tool read has no field encoding. Its fields are path.'],
    [
      'grep',
      { pattern: 'a', limt: 3 },
      'The tool grep has no field limt. Its fields are pattern, path, glob, type, output, ignoreCase, literal, word, multiline, inside, sort, context, before, after, limit, offset. Did you mean limit?',
    ],
    [
      'read',
      { path: 'f', view_range: [1] },
      'view_range is [first, last]. Use the path alone, such as src/app.ts:50..100.',
    ],
    [
      'read',
      { path: 'f', start_line: 9, end_line: 3 },
      'lines 9 to 3 are none: the last comes before the first. Use the path alone, such as src/app.ts:50..100.',
    ],
    [
      'read',
      { path: 'f', offset: 'x' },
      'offset is a line number, 1 or more. Use the path alone, such as src/app.ts:50..100.',
    ],
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
