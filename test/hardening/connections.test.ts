/**
 * Connections that lead elsewhere, never end, or prove nothing, by the numbers of their classes.
 *
 * @module-tag slow
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNetwork, type NetworkAccess } from '../../src/network/fetch.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/commands.ts';
import { place } from '../support/dialect.ts';
import { type Page, site } from '../support/web.ts';

/** The total deadline of a page, of which these tests wait for the end; a silent connection may last 10 s. */
vi.mock('../../src/formats/web/limits.ts', async (original) => ({
  ...(await original<typeof import('../../src/formats/web/limits.ts')>()),
  PAGE_MS: 1_500,
}));

afterEach(() => vi.restoreAllMocks());

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
  from.get(url, { signal: AbortSignal.timeout(8_000), mostBytes: () => 1 << 20 });

const reader = (allow: readonly string[]) => place('oriel', { web: { allow }, display: 'plain' });

/** What one page answers, where nothing but its own server is allowed. */
async function readOne(page: Page, more: Readonly<Record<string, Page>> = {}) {
  const { url, asked } = await site({ '/page': page, ...more });
  return { ...(await reader([new URL(url).host]).call('read', { path: `${url}/page` })), asked };
}

const blocked = { code: 'BLOCKED_ADDRESS' };

describe('names', () => {
  test.each([
    ['U01', 'metadata.google.internal', '169.254.169.254'],
    ['U04', 'rebind.test', '127.0.0.1'],
    ['U04', 'mapped.test', '::ffff:127.0.0.1'],
  ])('%s %s resolves to %s, and is refused', async (_, host, address) => {
    const { url, asked } = await site({ '/meta': SECRET });
    const from = network([], async () => [address]);
    await expect(get(from, `http://${host}:${new URL(url).port}/meta`)).rejects.toMatchObject(blocked);
    expect(asked).toEqual([]);
  });

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

  test.each([301, 302, 303, 307, 308])('U07 %i to a private address is not followed', async (status) => {
    const hidden = await site({ '/meta': SECRET });
    const { details, text } = await readOne(to(`${hidden.url}/meta`, status));
    expect(details).toMatchObject({ error: blocked });
    expect([text.includes(SECRET), hidden.asked]).toEqual([false, []]);
  });

  test('U07 nor behind a second redirect', async () => {
    const hidden = await site({ '/meta': SECRET });
    const { details } = await readOne(to('/next'), { '/next': to(`${hidden.url}/meta`) });
    expect(details).toMatchObject({ error: blocked });
    expect(hidden.asked).toEqual([]);
  });

  test.each(['file:///etc/passwd', 'data:text/plain,x', 'gopher://x', 'ftp://x/', 'javascript:alert(1)'])(
    'U08 to %s is not followed',
    async (location) => {
      const { details, text } = await readOne(to(location));
      expect(details).toMatchObject({ error: { code: 'REDIRECT' } });
      expect(text).not.toContain('root:');
    },
  );
});

test.each([
  'http://example.invalid@127.0.0.1:8099/meta',
  'http://example.invalid\\@127.0.0.1/',
  'http://127.0.0.1#@example.com/',
  'http:127.0.0.1',
  'http:///127.0.0.1/',
])('U09 %s reaches nothing', async (path) => {
  const { isError, details } = await reader([]).call('read', { path });
  expect(isError).toBe(true);
  expect(['BLOCKED_ADDRESS', 'BAD_PATH', 'NETWORK', 'TIMEOUT']).toContain(
    (details['error'] as { code: string }).code,
  );
});

describe('endless responses', () => {
  const every = (response: ServerResponse, write: () => void): void => {
    const timer = setInterval(write, 100);
    response.on('close', () => clearInterval(timer));
  };

  test.each<[string, Page]>([
    [
      'a byte now and then',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        every(response, () => response.write('.'));
      },
    ],
    ['headers now and then', (_, response) => every(response, () => response.writeProcessing())],
    ['nothing', () => undefined],
  ])('U16 %s: one deadline for the whole response', async (_, page) => {
    const { details } = await readOne(page);
    expect(details).toMatchObject({ error: { code: 'TIMEOUT' } });
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
