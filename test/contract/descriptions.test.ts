/**
 * Holds what a model is told of each tool to the rubric of six parts for tool descriptions (purpose, guidelines,
 * limitations, parameters, examples, completeness). Source: arXiv:2602.14878.
 */

import { describe, expect, test } from 'vitest';
import { createOriel, dialectNames } from '../../src/index.ts';

interface Field {
  readonly description?: string;
  readonly type?: string;
}

/** What searches of every agent have; their defaults are in the description of the tool. */
const SAID_BY_NAME: ReadonlySet<string> = new Set(
  'pattern path sort context before after limit offset'.split(' '),
);

const tools = dialectNames.flatMap((dialect) =>
  createOriel({ dialect }).tools.map((tool) => [dialect, tool.name, tool] as const),
);

describe.each(tools)('%s %s', (_dialect, name, { description, jsonSchema }) => {
  const fields = Object.entries((jsonSchema['properties'] ?? {}) as Record<string, Field>);
  const required = new Set((jsonSchema['required'] ?? []) as string[]);

  test('purpose: the first sentence says what it does', () => {
    expect(description).toMatch(/^(Reads?|Runs?|Search(es)?|Finds?|Lists?|Execute)\b[^.]{10,}/);
  });

  test('guidelines: when to use it, and what else there is', () => {
    expect(description).toMatch(/\b[Uu]se (it|this|find|read|grep|limit)\b/);
    expect(description).toMatch(
      /rather than|instead of|not to|grep for|for (plain |file )?names|at any depth|look at/,
    );
  });

  test('limitations: what bounds an answer, and how to go on', () => {
    expect(description).toMatch(/\d+ ?(lines|bytes|KiB|KB|matches|results|entries)/);
    expect(description).toMatch(/next|continue|raise limit|page through|exact path|refine/i);
  });

  test('parameters: optional ones have their default, unless off', () => {
    expect(fields.length).toBeGreaterThan(0);
    for (const [field, { description: about = '', type }] of fields) {
      // A switch is off, and its name may say all.
      if (type === 'boolean' || (about === '' && SAID_BY_NAME.has(field))) continue;
      expect(about.length, `${name}.${field}`).toBeGreaterThan(10);
      if (!required.has(field))
        expect(about, `${name}.${field}`).toMatch(/default|only|first line|last line/i);
    }
  });

  test('examples: at least one call or value', () => {
    const all = [description, ...fields.map(([, field]) => field.description ?? '')].join('\n');
    expect(all).toMatch(/e\.g\.|\*\.ts|src\/app\.ts/);
  });

  test('completeness: several sentences, and what comes back', () => {
    expect(description.split(/[.:·]\s/).length).toBeGreaterThanOrEqual(4);
    expect(description).toMatch(/answer|returns|paths|output|lists|results/i);
  });
});

test('the default reader names every kind that it reads', () => {
  const { description } = createOriel().tool('read');
  for (const kind of ['PDF', 'docx', 'xlsx', 'pptx', 'SQLite', 'notebook', 'image', 'archive', 'directory'])
    expect(description).toContain(kind);
  for (const call of [
    'report.pdf:p3',
    'book.xlsx:Sales:A1:B5',
    'photo.jpg:meta',
    'src:outline',
    'src:#name:refs',
  ])
    expect(description).toContain(call);
  for (const scheme of ['artifact', 'oriel', 'skill', 'memory', 'rule', 'local'])
    expect(description).toContain(`${scheme}://`);
});

test.each([
  [undefined, ':@65536+64K bytes'],
  [{ bytes: 48_900 }, ':@65536+48900 bytes'],
])('read describes a byte window of the limits %j', (limits, example) => {
  const { tools } = createOriel({ ...(limits && { limits }) });
  expect(tools.find(({ name }) => name === 'read')?.description).toContain(example);
});
