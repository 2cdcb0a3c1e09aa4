/**
 * Connections that lead elsewhere or prove nothing, by the numbers of their classes.
 *
 * @module-tag slow
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createNetwork, type NetworkAccess } from '../../src/network/fetch.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/commands.ts';
import { place } from '../support/dialect.ts';
import { type Page, site } from '../support/web.ts';

const SECRET = 'INTERNAL-SECRET';

function network(
  allow: readonly string[],
  resolve: (host: string) => Promise<readonly string[]>,
): NetworkAccess {
  const made = createNetwork({ allow, resolve });
  onTestFinished(() => made.close());
  return made;
}

const get = (from: NetworkAccess, url: string) =>
  from.get(url, { signal: AbortSignal.timeout(200_000), mostBytes: () => 1 << 20 });

const reader = (allow: readonly string[]) => place('oriel', { web: { allow }, display: 'plain' });

/** What one page answers, where nothing but its own server is allowed. */
async function readOne(page: Page, more: Readonly<Record<string, Page>> = {}) {
  const { url, asked } = await site({ '/page': page, ...more });
  return { ...(await reader([new URL(url).host]).call('read', { path: `${url}/page` })), asked };
}

const blocked = { code: 'BLOCKED_ADDRESS' };

describe('names', () => {
  test('an error for cloud metadata never says how to allow', async () => {
    const saying = (address: string): Promise<unknown> => {
      const from = createNetwork({ allow: [], howToAllow: 'with HOST', resolve: async () => [address] });
      onTestFinished(() => from.close());
      return get(from, 'http://instance-data.test/').catch((error: Error) => error.message);
    };
    expect(await saying('10.0.0.1')).toContain('The operator of oriel can allow it with instance-data.test.');
    for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254'])
      expect(await saying(address)).toBe('instance-data.test has no public address, and is not read.');
  });

  test('U05 the checked address is the connected one (DNS rebinding)', async () => {
    const { url, asked } = await site({ '/meta': SECRET });
    const answers = [['192.0.2.1'], ['127.0.0.1']];
    let resolved = 0;
    // The first address is allowed in place of a public one, and nobody is there.
    const from = network(['192.0.2.1'], async () => answers[resolved++] ?? []);
    const stop = AbortSignal.timeout(1_000);
    const path = `http://rebind.test:${new URL(url).port}/meta`;
    await expect(from.get(path, { signal: stop, mostBytes: () => 1 << 20 })).rejects.toThrow();
    expect([resolved, asked]).toEqual([1, []]);
    await expect(get(from, path)).rejects.toMatchObject(blocked);
    expect(asked).toEqual([]);
  });
});

describe('redirects', () => {
  const to =
    (location: string, status = 302): Page =>
    (_, response) =>
      void response.writeHead(status, { location }).end();

  test('U07 nor behind a second redirect', async () => {
    const hidden = await site({ '/meta': SECRET });
    const { details } = await readOne(to('/next'), { '/next': to(`${hidden.url}/meta`) });
    expect(details).toMatchObject({ error: blocked });
    expect(hidden.asked).toEqual([]);
  });
});

describe('U19 TLS', () => {
  const fixture = (name: string): string => readFileSync(`test/fixtures/tls/${name}`, 'utf8');

  /** In a process that trusts the authority of the tests, as operators make it do. */
  async function read(certificate: string) {
    const server = createServer({ key: fixture('leaf.key'), cert: fixture(certificate) }, (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('hello\n'),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const input = { path: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` };
    const args = [cli, 'call', 'read', JSON.stringify(input), '--json', '--allow-net', '127.0.0.1'];
    const cwd = temporaryFolder();
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: `${process.cwd()}/test/fixtures/tls/ca.pem` };
    const running = promisify(execFile)(process.execPath, args, { cwd, env });
    const { stdout } = await running.catch((error: unknown) => error as { stdout: string });
    return JSON.parse(stdout) as {
      content: { text: string }[];
      isError: boolean;
      details: { error?: { code: string } };
    };
  }

  test('a valid certificate is accepted', async () => {
    expect((await read('good.pem')).content[0]?.text).toContain('hello');
  });

  test.each([
    ['expired.pem', /has no valid certificate: .*expired/],
    ['wrong.pem', /has no valid certificate: .*(?:altnames|IP)/],
    ['self.pem', /has no valid certificate: .*self-signed/],
  ])('%s is refused with the reason', async (certificate, reason) => {
    const { content, isError, details } = await read(certificate);
    expect([isError, details.error?.code]).toEqual([true, 'TLS']);
    expect(content[0]?.text).toMatch(reason);
    expect(content[0]?.text).not.toContain('hello');
  });
});
