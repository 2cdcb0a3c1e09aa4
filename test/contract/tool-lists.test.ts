/** What a model is given, as literals: names, descriptions, fields and defaults change on purpose or not at all. */

import { describe, expect, test } from 'vitest';
import { createOriel, dialectNames } from '../../src/index.ts';

const listOf = (dialect: (typeof dialectNames)[number]): object[] =>
  createOriel({ dialect }).tools.map(({ name, title, description, effects, jsonSchema }) => ({
    name,
    title,
    description: description.split('\n'),
    effects,
    jsonSchema,
  }));

describe.each(dialectNames)('%s', (dialect) => {
  test('its tools are the ones on record', async () => {
    await expect(`${JSON.stringify(listOf(dialect), null, 2)}\n`).toMatchFileSnapshot(
      `tool-lists/${dialect}.json`,
    );
  });

  test('a host does not cut its descriptions', () => {
    for (const { description } of createOriel({ dialect }).tools)
      expect(Buffer.byteLength(description)).toBeLessThanOrEqual(2048);
  });

  test('its list is small', () => {
    // Sent with every request of a session.
    expect(Buffer.byteLength(JSON.stringify(listOf(dialect)))).toBeLessThan(8 * 1024);
  });
});

test('the names', () => {
  expect(
    Object.fromEntries(
      dialectNames.map((dialect) => [dialect, createOriel({ dialect }).tools.map(({ name }) => name)]),
    ),
  ).toEqual({
    oriel: ['read', 'bash', 'grep', 'find', 'ls'],
    pi: ['read', 'bash', 'grep', 'find', 'ls'],
    'pi@0.74': ['read', 'bash', 'grep', 'find', 'ls'],
    zed: ['read_file'],
    zdx: ['read', 'bash'],
    coder: ['read_file', 'coder_workspace_read_file'],
  });
});
