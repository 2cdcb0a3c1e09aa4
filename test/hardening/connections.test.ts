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
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/commands.ts';

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
