/**
 * Sessions over stdio with the official client, in both eras of the protocol, and by hand where it is too polite.
 *
 * @module-tag slow
 */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { orielOffering } from '../../../src/oriel.ts';
import { serveOverStdio } from '../../../src/faces/mcp/serve-stdio.ts';
import { type OfferOptions } from '../../../src/faces/offer.ts';
import type { McpOptions } from '../../../src/faces/mcp/server.ts';
import { toolResult } from '../../../src/faces/mcp/tool-result.ts';
import { pipeTo, openOffer } from '../../support/app.ts';
import { cli } from '../../support/cli.ts';
import { place } from '../../support/dialect.ts';
import { hangingTool, offerOf } from '../../support/offer.ts';
import { run } from '../../support/warm-cli.ts';
import { readCall, session } from '../../support/wire.ts';
import { workspace } from '../../support/workspace.ts';

const DETAILED = { _meta: { 'io.github.oriel/details': true } };

const eras = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const;

type Mode = (typeof eras)[number][1];

async function connect(transport: Transport, mode: Mode, name = 'test'): Promise<Client> {
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const processOf = (...args: readonly string[]): Transport =>
  new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', ...args] });

function inThisProcess(options: OfferOptions, more?: McpOptions): Transport {
  const offer = openOffer(options);
  return pipeTo(offer, more);
}

/** What a person sets wins over what is known of a host: the limits of the dialect. */
const OWN_LIMITS = { lines: 3_000, bytes: 50 << 10, window: 64 << 10 };

const mcpOver = (cwd: string, cache: string): StdioClientTransport => {
  const env = { ...process.env, XDG_CACHE_HOME: cache } as Record<string, string>;
  return new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp'], cwd, env });
};

/** Of a map: the recency of files, the symbols, and at last the list of what was stored. */
const derivedIn = (cache: string): string[] =>
  readdirSync(join(cache, 'oriel/derived')).filter((name) => /^\w{64}$/.test(name));

test('the map of a repository is made before it is asked for', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  for (let i = 0; i < 50; i += 1)
    write(`shop/order${i}.ts`, `export function order${i}() {\n  return ${i};\n}\n`);
  write('.git/HEAD', 'ref: refs/heads/main\n');
  const cache = workspace().W;
  const client = await connect(mcpOver(W, cache), 'legacy');
  const read = async (path: string): Promise<string[]> => {
    const told: string[] = [];
    const onprogress = ({ message = '' }): void => void told.push(message);
    await client.callTool({ name: 'read', arguments: { path } }, { onprogress });
    return told;
  };
  await read('shop/order1.ts');
  await expect.poll(() => derivedIn(cache)).toHaveLength(3);
  expect((await read('.:outline')).filter((message) => /^(?:scanned|parsed)/.test(message))).toEqual([]);
});

const onLinux = test.runIf(process.platform === 'linux');

onLinux('a server that makes a map ahead ends without it', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  for (let i = 0; i < 3_000; i += 1)
    write(`shop/order${i}.ts`, `export function order${i}() {\n  return ${i};\n}\n`.repeat(40));
  write('.git/HEAD', 'ref: refs/heads/main\n');
  const cache = workspace().W;
  const transport = mcpOver(W, cache);
  const client = await connect(transport, 'legacy');
  await client.callTool({ name: 'read', arguments: { path: 'shop/order1.ts' } });
  const { pid } = transport;
  const copies = (): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  await expect.poll(copies).not.toBe('');
  await client.close();
  expect(derivedIn(cache).length).toBeLessThan(3);
});

describe.each(eras)('protocol %s', (version, mode) => {
  test('tools are listed, and calls give text and _meta facts', { tags: 'slow' }, async () => {
    const { W, write, read } = workspace();
    write('f', 'a\nb\n');
    const limits = ['--limits', 'lines=3000,bytes=50K,window=64K'];
    const client = await connect(processOf('--cwd', W, ...limits), mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'oriel' });
    const { tools } = await client.listTools();
    const offered = orielOffering({ cwd: W, roots: [W], web: false }, (name) => name !== 'bash');
    onTestFinished(() => offered.close());
    expect(tools.map(({ name, description }) => ({ name, description }))).toEqual(
      offered.tools
        .filter(({ effects }) => effects.readOnly)
        .map(({ name, description }) => ({ name, description })),
    );
    const result = await client.callTool({ name: 'read', arguments: { path: 'f:2..2' }, ...DETAILED });
    const answer = await read('f:2..2');
    expect(result.content).toEqual(answer.content);
    expect(result._meta?.['io.github.oriel/details']).toEqual(answer.details);
    expect(result).not.toHaveProperty('structuredContent');
    expect(result.isError).toBeFalsy();
  });

  test('a failure is an answer', { tags: 'slow' }, async () => {
    const { W } = workspace();
    const client = await connect(inThisProcess({ cwd: W }), mode);
    const result = await client.callTool({
      name: 'read',
      arguments: { path: '../outside/secret.txt' },
      ...DETAILED,
    });
    expect(result.isError).toBe(true);
    expect(result._meta?.['io.github.oriel/details']).toMatchObject({ error: { code: 'OUTSIDE_ROOT' } });
  });

  test('structured content matches its schema', { tags: 'slow' }, async () => {
    const { W, write, read } = workspace();
    write('f', 'a\n');
    const options = { cwd: W, limits: OWN_LIMITS };
    const client = await connect(inThisProcess(options, { structured: true }), mode);
    const { tools } = await client.listTools();
    expect(tools[0]?.outputSchema).toMatchObject({ required: ['text', 'details'] });
    const { structuredContent } = await client.callTool({ name: 'read', arguments: { path: 'f' } });
    expect(structuredContent).toEqual({ text: '1|a\n', details: (await read('f')).details });
  });

  test('scripts get values, and larger pages if they ask', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    const line = 'x'.repeat(79);
    write('long', `${line}\n`.repeat(5_000));
    const client = await connect(inThisProcess({ cwd: W }), mode, 'pi');
    const { tools } = await client.listTools();
    expect(tools[0]?.outputSchema).toMatchObject({ required: ['text', 'truncated', 'lines'] });
    const values = async (input: object) => {
      const { content, structuredContent } = await client.callTool({ name: 'read', arguments: { ...input } });
      const text = (content as { text: string }[])[0]?.text ?? '';
      expect(structuredContent).toMatchObject({ text });
      return structuredContent as { text: string; next?: string; truncated: boolean; lines: number };
    };
    const page = await values({ path: 'long' });
    expect(page).toMatchObject({ next: 'long:221..', truncated: true, lines: 220, total: 5_000 });
    expect(page.text.length).toBeLessThan(19_500);
    const shown: string[] = [];
    let calls = 0;
    for (let path: string | undefined = 'long'; path !== undefined; calls += 1) {
      const { text, next, lines }: Awaited<ReturnType<typeof values>> = await values({ path, script: true });
      expect(text.match(/^\d+\|/gm)).toHaveLength(lines);
      shown.push(...text.split('\n').flatMap((one) => /^\d+\|(x+)$/.exec(one)?.[1] ?? []));
      path = next;
    }
    expect(calls).toBe(2);
    expect(shown).toEqual(Array.from({ length: 5_000 }, () => line));

    const bounded = await connect(inThisProcess({ cwd: W, limits: { bytes: 10_000 } }), mode, 'pi');
    const small = await bounded.callTool({ name: 'read', arguments: { path: 'long', script: true } });
    expect((small.content as { text: string }[])[0]?.text.length).toBeLessThan(11_024);

    const other = await connect(inThisProcess({ cwd: W }), mode, 'claude-code');
    expect((await other.listTools()).tools[0]).not.toHaveProperty('outputSchema');
    expect(await other.callTool({ name: 'read', arguments: { path: 'long' } })).not.toHaveProperty(
      'structuredContent',
    );
  });

  /** Codex shows a model structured content instead of the text, unless its tools are scripts. */
  test.each([
    ['gpt-6.2-sol', true],
    ['gpt-5.5', false],
    [undefined, false],
  ])('values for Codex with %s: %s', { tags: 'slow' }, async (model, isScript) => {
    const { W, write } = workspace();
    write('f', 'a\n');
    const client = await connect(inThisProcess({ cwd: W }), mode, 'codex-mcp-client');
    const _meta = { 'x-codex-turn-metadata': model === undefined ? {} : { model } };
    const answer = await client.callTool({ name: 'read', arguments: { path: 'f', script: true }, _meta });
    expect(answer.content).toEqual([{ type: 'text', text: '1|a\n' }]);
    expect(answer.structuredContent !== undefined).toBe(isScript);
  });

  test('answers are sized for the host that names itself', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('long', 'x'.repeat(79).concat('\n').repeat(5_000));
    const sizes = async (name: string): Promise<number> => {
      const client = await connect(inThisProcess({ cwd: W }), mode, name);
      const { content } = await client.callTool({ name: 'read', arguments: { path: 'long' } });
      const [block] = content as { text: string }[];
      expect(block?.text).toMatch(
        /\n\[Showing lines 1-\d+ of 5000 \((?:[\d.]+ KiB|\d+ character) limit\)\. Use long:\d+\.\. to continue\]$/,
      );
      return block?.text.length ?? 0;
    };
    const usual = await sizes('some-host');
    expect(usual).toBeGreaterThan(18_000);
    expect(usual).toBeLessThanOrEqual(19_500);
    expect(await sizes('claude-code')).toBeLessThanOrEqual(48_900);
    expect(await sizes('codex-mcp-client')).toBeLessThanOrEqual(11_700);
  });
});

test('the root is the working directory unless directories are given', async () => {
  const { W, O } = workspace();
  const inside = await session(['--cwd', W]);
  expect(JSON.stringify(await inside.ask(1, 'tools/call', readCall(join(O, 'secret.txt'))))).toContain(
    'OUTSIDE_ROOT',
  );
  const wide = await session(['--cwd', W, '--root', O]);
  expect(JSON.stringify(await wide.ask(1, 'tools/call', readCall(join(O, 'secret.txt'))))).toContain(
    'TOPSECRET',
  );
  // Started elsewhere: the first folder is the working directory.
  const named = await session([O]);
  expect(JSON.stringify(await named.ask(1, 'tools/call', readCall('secret.txt')))).toContain('TOPSECRET');
  expect(JSON.stringify(await named.ask(2, 'tools/call', readCall(W)))).toContain('OUTSIDE_ROOT');
});

test('a directory that is missing leaves the others, and ~ is the home directory', async () => {
  const { W, O } = workspace();
  const env = { ...process.env, HOME: dirname(O) };
  const served = await session([join(W, 'none'), `~/${basename(O)}`], 'test', env);
  expect(JSON.stringify(await served.ask(1, 'tools/call', readCall('secret.txt')))).toContain('TOPSECRET');
  expect(served.stderr()).toBe(
    `oriel: The root ${join(W, 'none')} does not exist. Use a directory that does. The others are served without it.\n`,
  );
});

test.each(['oriel', 'pi'] as const)('scripts get values of a command in %s', async (dialect) => {
  const { oriel } = place(dialect);
  const answer = await oriel.tool('bash').run({ command: 'seq 5000' });
  const { structuredContent } = toolResult(answer, { scripts: true });
  const next: unknown = dialect === 'pi' ? undefined : expect.stringMatching(/^artifact:/);
  expect(structuredContent).toMatchObject({ truncated: true, lines: 2_000, total: 5_000, next });
});

describe('cancellation', () => {
  test('reaches the work immediately, and nothing is answered', { tags: 'slow' }, async () => {
    const { tool, started, stopped } = hangingTool('hang');
    const input = new PassThrough();
    const output = new PassThrough();
    const said: string[] = [];
    output.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    const ended = serveOverStdio(offerOf(tool), { input, output, signal: new AbortController().signal });
    const send = (message: object): void =>
      void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 1, method: 'tools/call', params: { name: 'hang' } });
    await started;
    send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await stopped;
    send({ id: 2, method: 'ping' });
    while (said.length === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(said.join('')).toBe('{"result":{},"jsonrpc":"2.0","id":2}\n');
    input.end();
    await ended;
  });
});

describe('the end', () => {
  test('the process exits with 0 when its input ends', async () => {
    const { W, write } = workspace();
    write('f', 'hi\n');
    const piped = await session(['--cwd', W]);
    expect(JSON.stringify(await piped.ask(1, 'tools/call', readCall('f')))).toContain('1|hi');
    piped.end();
    expect(await piped.exited).toBe(0);
    expect(piped.lines).toHaveLength(2);
    expect(piped.stderr()).toBe('');
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('%s ends the process with 0', { tags: 'slow' }, async (signal) => {
    const running = await session([]);
    running.kill(signal);
    expect(await running.exited).toBe(0);
    expect(running.stderr()).toBe('');
  });

  test('a client that no longer reads ends the process too', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const ended = serveOverStdio(offerOf(), { input, output, signal: new AbortController().signal });
    output.destroy(new Error('EPIPE'));
    await ended;
  });
});

test.each([
  [['mcp', '/no/such/folder'], '/no/such/folder does not exist.'],
  [['mcp', '--root', '/no/such/folder'], '/no/such/folder does not exist.'],
  [['mcp', '--dialect', 'none'], 'There is no dialect none.'],
])('%j is one line on stderr and exit 2', (args, message) => {
  expect(run(args)).toMatchObject({ out: '', err: expect.stringContaining(message), code: 2 });
});
