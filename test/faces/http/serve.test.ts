/** Who may start a server that clients can use without a token, and what it says of that. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type OfferOptions } from '../../../src/faces/offer.ts';
import { refuseWithoutKey } from '../../../src/faces/http/serve.ts';
import { serveOffer, openOffer } from '../../support/app.ts';
import { temporaryFolder } from '../../support/commands.ts';

/** The messages of its log, or the error. */
async function started(
  options: OfferOptions,
  serving: Parameters<typeof serveOffer>[1] = {},
): Promise<readonly unknown[] | string> {
  const offer = openOffer({ cwd: temporaryFolder(), ...options });
  try {
    refuseWithoutKey(offer, {
      address: { kind: 'port', host: '127.0.0.1', port: 0 },
      token: undefined,
      ...serving,
    });
    const { logged, close } = await serveOffer(offer, serving);
    await close();
    return logged.flatMap(({ event, message }) => (event === 'warning' ? [message] : []));
  } catch (error) {
    return (error as Error).message;
  }
}

const USE = 'Use --token-file FILE, or --listen unix:PATH, a socket that only your user can open.';
const notes = { command: 'notes' };
const far = { url: 'https://mcp.example/' };

test.each<[string, OfferOptions, string]>([
  ['commands', { allowBash: true }, 'run commands'],
  ['commands of another dialect', { allowBash: true, dialect: 'zdx' }, 'run commands'],
  ['a server of MCP', { mcpServers: { far, notes } }, 'start the servers of .mcp.json'],
])('H25 a port without token starts nothing for clients: %s', async (_, options, what) => {
  const refusal = `Without a token every account and program of this machine could ${what} as your user. ${USE}`;
  expect(await started(options)).toBe(refusal);
  // The token of the operator is required of nobody else.
  expect(await started(options, { operatorToken: 'o' })).toBe(refusal);
  expect(await started(options, { token: 't' })).toEqual([]);
  const path = join(temporaryFolder(), 'socket');
  expect(await started(options, { address: { kind: 'socket', path } })).toEqual([]);
});

test('H25 a read-only server starts without a token and warns', async () => {
  const said = [
    `There is no token: every account and program of this machine can read what this server reads. ${USE}`,
  ];
  for (const options of [{}, { allowBash: true, dialect: 'zed' }, { mcpServers: { far } }] as const)
    expect(await started(options)).toEqual(said);
});
