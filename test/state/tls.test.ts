/** Stores behind TLS: the certificate of the store has to be one that the operator trusts, and of that address. */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openState } from '../../src/state/open-state.ts';
import type { SharedState } from '../../src/types/state.ts';
import { builtUrl } from '../support/built.ts';
import { temporaryFolder } from '../support/commands.ts';
import { has } from '../support/has.ts';
import { freePort, postgresServer, redisServer } from '../support/stores.ts';

const key = 'the key of one operator, and no other';
const file = (name: string): string => resolve('test/fixtures/tls', name);

/** Whether a program whose Node trusts `ca` shares an output through the store; else why not. */
async function sharedThrough(url: string, ca: string | undefined): Promise<string> {
  const program = `
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const state = { url: ${JSON.stringify(url)}, key: ${JSON.stringify(key)}, timeoutMs: 30000 };
    const oriel = createOriel({ cwd: ${JSON.stringify(temporaryFolder())}, state });
    const { details } = await oriel.tool('bash').run({ command: 'seq 100000' });
    process.stdout.write(details.output.unshared ?? 'shared');
    await oriel.close();
  `;
  const { NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
  const env = { ...others, ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: file(ca) }) };
  return new Promise((done, fail) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], { env }, (error, out) =>
      error ? fail(error) : done(out),
    );
  });
}

test.runIf(has('redis')).each([
  ['good.pem', 'ca.pem', 'shared'],
  ['good.pem', undefined, 'the shared store does not answer'],
  ['wrong.pem', 'ca.pem', 'the shared store does not answer'],
  ['expired.pem', 'ca.pem', 'the shared store does not answer'],
  ['self.pem', 'self.pem', 'shared'],
])('Redis with the certificate %s, trusted by %s: %s', async (certificate, ca, said) => {
  const port = await freePort();
  const server = await redisServer([
    '--tls-port',
    String(port),
    '--tls-auth-clients',
    'no',
    '--tls-cert-file',
    file(certificate),
    '--tls-key-file',
    file('leaf.key'),
    '--tls-ca-cert-file',
    file('ca.pem'),
  ]);
  onTestFinished(() => server.stop());
  expect(await sharedThrough(`rediss://127.0.0.1:${port}`, ca)).toBe(said);
});

test.runIf(has('postgres'))('PostgreSQL by its mode and a file of its authority', async () => {
  const server = await postgresServer({ certificate: file('good.pem'), key: file('leaf.key') });
  onTestFinished(() => server.stop());
  const stored = async (query: string): Promise<boolean> => {
    const state = openState({ url: `${server.url}?${query}`, key, timeoutMs: 30_000 }) as SharedState;
    onTestFinished(() => state.close());
    return state.space('s').put({ kind: 'cache', of: ['a'] }, Buffer.from('value'), 60_000);
  };
  expect(await stored(`sslmode=verify-full&sslrootcert=${file('ca.pem')}`)).toBe(true);
  expect(await stored(`sslmode=verify-full&sslrootcert=${file('self.pem')}`)).toBe(false);
  expect(await stored('sslmode=verify-full')).toBe(false);
  expect(await stored('sslmode=disable')).toBe(false);
});
