/** What a model is given, as literals: names, descriptions, fields and defaults change on purpose or not at all. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { createOffer, type OfferOptions } from '../../src/faces/offer.ts';
import { createOriel, dialectNames } from '../../src/index.ts';
import { toolDefinition } from '../../src/faces/mcp/tool-result.ts';

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

/** Four characters of what a model gets for a token. */
const tokensOf = (options: OfferOptions, scripts = false): number => {
  const offer = createOffer({ web: false, ...options });
  onTestFinished(() => offer.close());
  const lists = offer.tools({ host: { name: scripts ? 'pi' : 'claude-code' } }).map((tool) => {
    const { name, description, inputSchema: input_schema } = toolDefinition(tool, { scripts });
    return JSON.stringify({ name, description, input_schema });
  });
  return lists.join('').length / 4;
};

test('every request carries few tokens of them', () => {
  // With what Gemini CLI adds, its requests carry 1,200 of the list, and 450 of `read` alone.
  for (const scripts of [false, true]) {
    expect(tokensOf({}, scripts)).toBeLessThanOrEqual(840);
    expect(tokensOf({ tools: ['read'] }, scripts)).toBeLessThanOrEqual(304);
  }
});

test.each([
  [undefined, ['read', 'grep']],
  [true, []],
])('hosts that hide tools show two, deferred %s', (deferred, names) => {
  const tools = createOriel().tools.map((tool) => toolDefinition(tool, { deferred }));
  const having = (field: string, value: unknown): string[] =>
    tools.filter(({ _meta }) => _meta?.[field] === value).map(({ name }) => name);
  expect(having('anthropic/alwaysLoad', true)).toEqual(names);
  expect(having('anthropic/maxResultSizeChars', 90_000)).toEqual(['read', 'grep']);
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
    'pi@1.6': ['read', 'bash', 'grep', 'find', 'ls'],
    zed: ['read_file'],
    zdx: ['read', 'bash'],
    'zdx@0.10': ['read', 'bash'],
    coder: ['read_file', 'coder_workspace_read_file'],
  });
});
