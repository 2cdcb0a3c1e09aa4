import { expect, test } from 'vitest';
import { jsonPart } from '../../../src/formats/resources/agent.ts';
import { withoutLag } from '../../support/lag.ts';

const { signal } = new AbortController();

test.each([
  [
    'values behind many levels',
    `${'['.repeat(900)}${'1,'.repeat(490_000)}1${']'.repeat(900)}`,
    Array.from({ length: 900 }, () => '0'),
  ],
  [
    'lists behind many levels',
    `${'['.repeat(900)}${'[],'.repeat(320_000)}1${']'.repeat(900)}`,
    Array.from({ length: 900 }, () => '0'),
  ],
  [
    'keys behind many levels',
    `${'{"a":'.repeat(200)}{${'"b":1,'.repeat(90_000)}"a":1}${'}'.repeat(200)}`,
    Array.from({ length: 201 }, () => 'a'),
  ],
  ['a flat list', `[${'1,'.repeat(500_000)}2]`, ['499999']],
])('%s hold up nobody', async (_, text, steps) => {
  expect(await withoutLag(() => jsonPart(text, steps, signal))).toBeDefined();
});
