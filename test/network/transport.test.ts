/** Which transport leads to a server, and with what environment. */

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { basicEnvironment, transportTo } from '../../src/network/transport.ts';

const mocked = vi.hoisted(() => ({ stdio: [] as unknown[], http: [] as unknown[][], closed: 0 }));

vi.mock('../../src/network/mcp-stdio.ts', () => ({
  StdioClientTransport: vi.fn(function (options: unknown) {
    mocked.stdio.push(options);
  }),
}));
vi.mock('../../src/network/mcp-http.ts', () => ({
  mcpFetch(...given: unknown[]) {
    mocked.http.push(given);
    return { fetch: asked, close: () => Promise.resolve(void (mocked.closed += 1)) };
  },
}));

const asked = vi.fn<typeof fetch>(() =>
  Promise.resolve(new Response(null, { status: 503, statusText: 'busy' })),
);

const VARIABLES = { PATH: '/bin', HOME: '/home/me', TOKEN: 'secret' };

afterEach(() => {
  vi.unstubAllGlobals();
  asked.mockClear();
  Object.assign(mocked, { stdio: [], http: [], closed: 0 });
});

function environment(variables: Record<string, string | undefined>): void {
  vi.stubGlobal('process', Object.create(process, { env: { value: variables } }));
}

const reduce = (): Promise<undefined> => Promise.resolve(undefined);
const failed = (): void => undefined;
const MOST = 16 << 20;

describe('to a process', () => {
  test('with its arguments, its directory, and the basic environment', async () => {
    environment(VARIABLES);
    const { release } = transportTo({ command: 'program', args: ['-x'] }, '/here', reduce, failed);
    expect(mocked.stdio).toStrictEqual([
      {
        command: 'program',
        args: ['-x'],
        cwd: '/here',
        env: { PATH: '/bin', HOME: '/home/me' },
        maxMessage: MOST,
        reduce,
      },
    ]);
    expect(await release()).toBeUndefined();
  });

  test('with variables of its own, which take precedence', () => {
    environment(VARIABLES);
    transportTo({ command: 'program', env: { HOME: '/other', TOKEN: 'its own' } }, '/here', reduce, failed);
    const env = { PATH: '/bin', HOME: '/other', TOKEN: 'its own' };
    expect(mocked.stdio).toMatchObject([{ args: [], env }]);
  });
});

test('to a URL: with headers, bounded, released by closing', async () => {
  const server = { url: 'https://mcp.example/path', headers: { 'x-key': 'k' } };
  const { transport, release } = transportTo(server, '/here', reduce, failed);
  expect(transport).toBeInstanceOf(StreamableHTTPClientTransport);
  expect(mocked.http).toStrictEqual([
    [new URL(server.url), { addresses: undefined, maxBytes: MOST, reduce, failed }],
  ]);
  await transport.start();
  await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toThrow();
  const [url, init] = asked.mock.calls[0] ?? [];
  expect(String(url)).toBe(server.url);
  expect(new Headers(init?.headers).get('x-key')).toBe('k');
  await release();
  expect(mocked.closed).toBe(1);
});

describe('the basic environment', () => {
  test.each(
    (
      'HOME LOGNAME PATH SHELL TERM USER TMPDIR LANG TZ LC_ALL LC_CTYPE APPDATA COMSPEC HOMEDRIVE ' +
      'HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE ' +
      'SYSTEMROOT TEMP USERNAME USERPROFILE WINDIR Path SystemRoot'
    ).split(' '),
  )('holds %s', (name) => {
    environment({ [name]: 'value' });
    expect(basicEnvironment()).toStrictEqual({ [name]: 'value' });
  });

  test.each(['TOKEN', 'MY_PATH', 'PATHS', 'XLANG', 'LC_', 'LC_1', 'LC_ALL_2', 'AWS_HOME', 'NODE_OPTIONS'])(
    'does not hold %s',
    (name) => {
      environment({ [name]: 'value' });
      expect(basicEnvironment()).toStrictEqual({});
    },
  );

  test('has an empty value, and no undefined one', () => {
    environment({ HOME: '', PATH: undefined });
    expect(basicEnvironment()).toStrictEqual({ HOME: '' });
  });
});
