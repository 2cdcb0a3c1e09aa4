/**
 * Stores behind TLS: the certificate of the store has to be one that the operator trusts, and of that address.
 *
 * @module-tag slow
 */

import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../packages/scale/src/state/store.ts';
import type { SharedState } from '../../../src/types/state.ts';
import { builtUrl } from '../../support/built.ts';
import { cli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { docx, paragraph } from '../../support/documents.ts';
import { has } from '../../support/has.ts';
import { freePort, postgresServer, redisServer } from '../../support/stores.ts';
import '../../support/scale.ts';

const key = 'the key of one operator, and no other';
const file = (name: string): string => resolve('test/fixtures/tls', name);

/** Whether a program whose Node trusts `ca` shares an output through each of the stores; else why not. */
async function sharedThrough(urls: readonly string[], ca: string | undefined): Promise<unknown> {
  const program = `
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const said = [];
    for (const url of ${JSON.stringify(urls)}) {
      const state = { url, key: ${JSON.stringify(key)}, timeoutMs: 30000 };
      const oriel = createOriel({ cwd: ${JSON.stringify(temporaryFolder())}, state });
      const { details } = await oriel.tool('bash').run({ command: 'seq 100000' });
      said.push(details.output.unshared ?? 'shared');
      await oriel.close();
    }
    process.stdout.write(JSON.stringify(said));
  `;
  const { NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
  const env = { ...others, ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: file(ca) }) };
  return new Promise((done, fail) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], { env }, (error, out) =>
      error ? fail(error) : done(JSON.parse(out)),
    );
  });
}

/** The URL of a Redis with this certificate; `more`: further arguments. */
async function redisWith(certificate: string, ...more: readonly string[]): Promise<string> {
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
    ...more,
  ]);
  onTestFinished(() => server.stop());
  return `rediss://127.0.0.1:${port}`;
}

test.runIf(has('redis'))('Redis needs a trusted and valid certificate of its address', async () => {
  const urls = await Promise.all(['good.pem', 'wrong.pem', 'expired.pem'].map((name) => redisWith(name)));
  const away = 'the shared store does not answer';
  expect(await sharedThrough(urls, 'ca.pem')).toEqual(['shared', away, away]);
  const self = await redisWith('self.pem');
  expect(await sharedThrough([self], 'self.pem')).toEqual(['shared']);
  expect(await sharedThrough([urls[0] as string, self], undefined)).toEqual([away, away]);
});

/** Jobs that a worker has done, of which a program asks for one through the store; both have the URL from a file. */
async function jobsThrough(
  url: string,
  ca: string | undefined,
): Promise<{ text: string; done: number; why?: string }> {
  const cwd = temporaryFolder();
  const [urlFile, keyFile] = [join(cwd, 'url'), join(cwd, 'key')];
  writeFileSync(urlFile, `${url}\n`, { mode: 0o600 });
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(join(cwd, 'a.docx'), docx(paragraph('a text')));
  const { NODE_EXTRA_CA_CERTS: _, ...others } = process.env;
  const env = {
    ...others,
    XDG_CACHE_HOME: temporaryFolder(),
    ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: file(ca) }),
  };
  const args = ['--state-file', urlFile, '--state-key-file', keyFile, '--state-timeout', '30'];
  const worker = spawn(process.execPath, [cli, 'worker', ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  let log = '';
  worker.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await expect.poll(() => log).toMatch(/"event":"(working|state-away)"/);
  const program = `
    import { readFileSync } from 'node:fs';
    import { createOriel } from ${JSON.stringify(builtUrl('index.js').href)};
    const url = readFileSync(${JSON.stringify(urlFile)}, 'utf8').trim();
    const state = { url, key: ${JSON.stringify(key)}, timeoutMs: 30000, workers: true };
    const oriel = createOriel({ cwd: ${JSON.stringify(cwd)}, timeoutMs: 300000, state });
    const { content } = await oriel.tool('read').run({ path: 'a.docx' });
    process.stdout.write(content[0].text);
    await oriel.close();
  `;
  const text = await new Promise<string>((done, fail) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], { env }, (error, out) =>
      error ? fail(error) : done(out),
    );
  });
  expect(log).not.toContain('secret');
  return {
    text,
    done: log.split('"outcome":"done"').length - 1,
    ...(log.includes('"why":"WRONGPASS"') && { why: 'WRONGPASS' }),
  };
}

test.runIf(has('redis')).each([
  ['of the store', 'p%40ss-secret', { done: 1 }],
  ['of another', 'wrong-secret', { done: 0, why: 'WRONGPASS' }],
])('jobs go over TLS with the password %s', async (_, password, ended) => {
  const url = await redisWith('good.pem', '--requirepass', 'p@ss-secret');
  expect(await jobsThrough(url.replace('//', `//:${password}@`), 'ca.pem')).toEqual({
    text: '1|a text\n',
    ...ended,
  });
});

test.runIf(has('postgres'))('PostgreSQL by its mode and a file of its authority', async () => {
  const server = await postgresServer({ certificate: file('good.pem'), key: file('leaf.key') });
  onTestFinished(() => server.stop());
  const stored = async (query: string): Promise<boolean> => {
    const state = openStore({ url: `${server.url}?${query}`, key, timeoutMs: 30_000 }) as SharedState;
    onTestFinished(() => state.close());
    return state.space('s').put({ kind: 'cache', of: ['a'] }, Buffer.from('value'), 60_000);
  };
  expect(await stored(`sslmode=verify-full&sslrootcert=${file('ca.pem')}`)).toBe(true);
  expect(await stored(`sslmode=verify-full&sslrootcert=${file('self.pem')}`)).toBe(false);
  expect(await stored('sslmode=verify-full')).toBe(false);
  expect(await stored('sslmode=disable')).toBe(false);
});
