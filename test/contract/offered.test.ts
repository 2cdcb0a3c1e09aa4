/** Every configuration of an offer: descriptions and instructions name nothing that is switched off. */

import { expect, test } from 'vitest';
import { createOffer, type OfferOptions } from '../../src/faces/offer.ts';
import { instructionsFor } from '../../src/faces/mcp/server.ts';
import { dialectNames, type OrielOptions } from '../../src/index.ts';

const SCHEMES = ['artifact', 'issue', 'local', 'memory', 'oriel', 'pr', 'rule', 'skill'] as const;

/** The values of each switch, and what must not be said where it is off. */
const switches: readonly {
  readonly options: OfferOptions;
  readonly unsaid: readonly RegExp[];
}[][] = [
  [
    { options: { allowBash: true }, unsaid: [] },
    { options: {}, unsaid: [/\bbash\b/i, /artifact:/, /\bcommand output/, /run commands/] },
  ],
  [
    { options: { web: true }, unsaid: [] },
    { options: {}, unsaid: [/\bweb\b/i, /https?:/, /:fresh/, /issue:/, /pr:/] },
  ],
  [
    { options: {}, unsaid: [] },
    {
      options: { read: { imageMetadataOnly: true } },
      unsaid: [/photo\.jpg/, /image is shown/, /(?<!facts of )an image/],
    },
    { options: { read: { summarize: false } }, unsaid: [/\bmap\b/, /12 KiB/] },
    { options: { read: { lineNumbers: false } }, unsaid: [/N\|text/] },
  ],
  [
    { options: {}, unsaid: [] },
    { options: { display: 'hashline' }, unsaid: [/N\|text/] },
    { options: { display: 'hashline@18' }, unsaid: [/N\|text/, /¶/] },
    { options: { display: 'plain' }, unsaid: [/N\|text/, /N:text/, /without line numbers/] },
  ],
  [
    { options: {}, unsaid: [] },
    ...SCHEMES.map((name) => ({
      options: { schemes: { [name]: false } } satisfies OrielOptions,
      unsaid: [new RegExp(`${name}://`)],
    })),
    {
      options: { schemes: Object.fromEntries(SCHEMES.map((name) => [name, false as const])) },
      unsaid: [/\b(?!https|agent|mcp)[a-z]+:\/\//],
    },
  ],
];

const all = switches.reduce<{ options: OfferOptions; unsaid: readonly RegExp[] }[]>(
  (made, choices) =>
    made.flatMap((one) =>
      choices.map((choice) => ({
        options: { ...one.options, ...choice.options },
        unsaid: [...one.unsaid, ...choice.unsaid],
      })),
    ),
  [{ options: {}, unsaid: [/mcp:/, /agent:/] }],
);

const NAMES = ['read', 'bash', 'grep', 'find', 'ls'];

test.each(dialectNames)('%s: every configuration', { tags: 'slow' }, async (dialect) => {
  for (const { options, unsaid } of all) {
    const offer = createOffer({ ...options, dialect });
    const tools = offer.tools();
    const texts = [
      instructionsFor(offer),
      ...tools.flatMap(({ title, description, jsonSchema }) => [
        title,
        description,
        JSON.stringify(jsonSchema['properties']),
      ]),
    ];
    const said = texts.join('\n');
    for (const never of unsaid) expect(said, JSON.stringify(options)).not.toMatch(never);
    const names = new Set(tools.map(({ name }) => name));
    for (const [, name = ''] of said.matchAll(/\b(?:[Uu]se|or|that) ([a-z]+)\b/g))
      if (NAMES.includes(name)) expect(names, said).toContain(name);
    for (const { description } of tools) expect(description.length).toBeLessThan(3_000);
    expect(Buffer.byteLength(said)).toBeLessThan(8_192);
    await offer.close();
  }
});

test('what is switched on is named', async () => {
  const offer = createOffer({ allowBash: true, web: true, read: { mapBytes: 4_096 } });
  const read = offer.tools().find(({ name }) => name === 'read')?.description ?? '';
  for (const text of ['artifact://1', 'https://', 'a map of 4 KiB', 'N|text', 'photo.jpg:meta'])
    expect(read).toContain(text);
  await offer.close();
});

test('all tools together are no more than a host shows', async () => {
  const offer = createOffer({
    allowBash: true,
    web: true,
    display: 'hashline',
    mcpServers: { notes: { command: 'notes' } },
    agentOutputs: '.',
  });
  const read = offer.tools().find(({ name }) => name === 'read')?.description ?? '';
  for (const text of ['issue://7, pr://12/diff on GitHub', 'local://, agent:// and mcp:// list theirs'])
    expect(read).toContain(text);
  expect(Buffer.byteLength(read)).toBeLessThanOrEqual(2048);
  await offer.close();
});
