/**
 * Peers that never read what they asked for, and peers that vanish: on every route, and on stdio.
 *
 * @module-tag slow
 */

import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../../src/index.ts';
import { cli } from '../support/cli.ts';
import { makePng } from '../support/images.ts';
import { temporaryFolder } from '../support/commands.ts';
import { LAG_RETRIES, MOST_LAG_MS } from '../support/lag.ts';
import { givenBack, heartbeat, holdingsOf, lagOf, residentMb } from '../support/process-under-test.ts';
import { AUTHORIZATION, mcpHeaders, server, type ServerProcess } from '../support/server.ts';
import { wire } from '../support/wire.ts';
import { workspace } from '../support/workspace.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Requests whose answers are larger than the kernel's buffers of one connection, or many of which are. */
const AUTHORIZED = `Authorization: ${AUTHORIZATION.authorization}\r\n`;

function requests(): Record<string, string> {
  const post = (path: string, body: unknown, accept: string): string => {
    const text = JSON.stringify(body);
    return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}Accept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  const call = { name: 'read', arguments: { path: 'text' } };
  return {
    'read-file': `GET /api/v0/read-file?path=${encodeURIComponent(join(W, 'large'))} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}\r\n`,
    tool: post('/api/v0/tools/read', call.arguments, '*/*'),
    'tool, as events': post('/api/v0/tools/read', call.arguments, 'text/event-stream'),
    'image, as events': post('/api/v0/tools/read', { path: 'image.png' }, 'text/event-stream'),
    MCP: post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, mcpHeaders.accept),
    // What stands behind it on the connection waits until its answer was taken.
    'lines, many on one connection':
      `GET /api/v0/read-file-lines?path=${encodeURIComponent(join(W, 'lines'))}&max_response_bytes=65536 HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}\r\n`.repeat(
        60,
      ),
  };
}

/** A picture that no encoder makes small. */
function noise(width: number, height: number): Buffer {
  let seed = 1;
  const next = (): number => ((seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) >> 16) & 255;
  return makePng(width, height, () => [next(), next(), next()]);
}

/** The root of all servers. They only read it. */
const W = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-peers-')));
for (const [name, content] of Object.entries({
  large: Buffer.alloc(64 << 20, 'large '),
  lines: `${'a line of some text '.repeat(12)}\n`.repeat(240),
  // Long lines: an answer of this size takes less time to make than one of many lines.
  text: `${'words of a long text '.repeat(20)}\n`.repeat(13_000),
  small: 'small\n',
  'image.png': noise(900, 700),
}))
  writeFileSync(join(W, name), content);
afterAll(() => rmSync(W, { recursive: true }));

function deaf({ port }: ServerProcess, request: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(request);
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function served({ post }: ServerProcess): Promise<void> {
  const response = await post(
    '/api/v0/tools/read',
    { path: 'small' },
    // A connection that is used again may just be closed by the server, after five seconds without a request.
    { headers: { 'oriel-client': 'another', connection: 'close' } },
  );
  const { content } = (await response.json()) as Answer;
  expect(content).toEqual([{ type: 'text', text: '1|small\n' }]);
}

async function unsentOf({ get }: ServerProcess): Promise<number> {
  const metrics = await (await get('/metrics')).text();
  return Number(/^oriel_unsent_bytes (\d+)$/m.exec(metrics)?.[1]);
}

const PEERS = 60;

/** For answers of several megabytes. */
const LARGE = ['--limits', 'bytes=16M,lines=1000000'];

describe('clients over HTTP that never read', () => {
  test.each(Object.keys(requests()))('%s', { retry: LAG_RETRIES }, async (kind) => {
    const isLarge = /^tool|^MCP/.test(kind);
    const running = await server(['--cwd', W, '--write-timeout', '2', ...LARGE], { node: heartbeat });
    await served(running);
    const before = holdingsOf(running.pid);
    const memory = residentMb(running.pid);
    const request = requests()[kind] as string;
    const peers = Array.from({ length: PEERS }, () => deaf(running, request));
    let [peak, unsent] = [memory, 0];
    for (let i = 0; i < 12; i += 1) {
      await sleep(100);
      await served(running);
      peak = Math.max(peak, residentMb(running.pid));
      unsent = Math.max(unsent, await unsentOf(running));
    }
    expect(unsent).toBeLessThanOrEqual(128 << 20);
    // Making an answer takes several times its size; what was made and collected counts until it is given back.
    expect(peak - memory).toBeLessThan(isLarge || kind.startsWith('image') ? 600 : 500);
    // Large answers are made a few at a time: most of these peers wait for theirs, and may.
    if (isLarge) for (const peer of peers) peer.destroy();
    await givenBack(running.pid, before);
    expect(holdingsOf(running.pid).descriptors).toBeLessThanOrEqual(before.descriptors + 2);
    for (const peer of peers) peer.destroy();
    await served(running);
    // Answers of megabytes, which no default limit allows, are made at a stretch.
    if (!isLarge) expect(await lagOf(running)).toBeLessThanOrEqual(MOST_LAG_MS);
    expect(await unsentOf(running)).toBeLessThan(10_000);
  });
});

describe('a session of MCP that never reads', () => {
  /** One request of it on a connection of its own, which is never read. */
  async function session(running: ServerProcess): Promise<(body: unknown) => Socket> {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
    const hello = await running.post(
      '/mcp',
      { jsonrpc: '2.0', id: 0, method: 'initialize', params },
      { headers: mcpHeaders },
    );
    await hello.text();
    const id = hello.headers.get('mcp-session-id') ?? '';
    return (body) => {
      const text = JSON.stringify(body);
      return deaf(
        running,
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}Accept: ${mcpHeaders.accept}\r\nMcp-Session-Id: ${id}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
    };
  }

  test('starts no new call while much is unsent', async () => {
    const running = await server(['--cwd', W, '--limits', 'bytes=500000,lines=1000000']);
    const ask = await session(running);
    const batch = (from: number): unknown[] =>
      Array.from({ length: 100 }, (_, i) => ({
        jsonrpc: '2.0',
        id: from + i,
        method: 'tools/call',
        params: { name: 'read', arguments: { path: 'text' } },
      }));
    for (const from of [100, 200, 300]) ask(batch(from));
    const queued = async (): Promise<{ running: number; waiting: number }> => {
      const metrics = await (await running.get('/metrics')).text();
      const of = (what: string): number =>
        Number(new RegExp(`^oriel_queue_${what}\\{queue="calls"\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
      return { running: of('running'), waiting: of('waiting') };
    };
    // Until it has come to rest: then those wait that have not begun.
    for (let still = 0; still < 5;) {
      await sleep(100);
      still = (await unsentOf(running)) > 8 << 20 && (await queued()).running === 0 ? still + 1 : 0;
    }
    expect((await queued()).waiting).toBeGreaterThan(0);
    // What ran when it became too much was added: 48 answers at most.
    expect(await unsentOf(running)).toBeLessThan((8 << 20) + 48 * 550_000);
    await served(running);
  });

  test('gets no progress, also not with a token of megabytes', async () => {
    const running = await server(['--cwd', W, '--allow-bash']);
    const ask = await session(running);
    const call = (id: number, progressToken: string): void =>
      void ask({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: {
          name: 'bash',
          arguments: { command: 'for i in $(seq 40); do echo $i; sleep 0.1; done' },
          _meta: { progressToken },
        },
      });
    call(1, 'p'.repeat(3_000_000));
    let most = 0;
    for (let metrics = ''; !/^oriel_calls_total\{tool="bash",outcome="ok"\} 1$/m.test(metrics);) {
      await sleep(100);
      most = Math.max(most, await unsentOf(running));
      metrics = await (await running.get('/metrics')).text();
    }
    expect(most).toBeLessThan(100_000);
  });
});

describe('connections of one address', () => {
  const open = (port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
      onTestFinished(() => void socket.destroy());
    });
  const said = async (socket: Socket): Promise<string> => {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return await new Promise((resolve) => {
      socket.once('data', (data: Buffer) => resolve(data.toString()));
      socket.once('close', () => resolve(''));
    });
  };
  const countOf = (port: number): number => {
    const own = readFileSync('/proc/net/tcp', 'utf8').split('\n');
    const at = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    // Its state: established. Source: tcp_states.h of Linux.
    return own.filter((line) => line.split(/\s+/)[2]?.endsWith(at) && line.split(/\s+/)[4] === '01').length;
  };

  test('one too many gets an error, further ones are closed', async () => {
    const running = await server(['--cwd', W, '--max-connections', '20']);
    const first = await Promise.all(Array.from({ length: 20 }, () => open(running.port)));
    const more = await Promise.all(Array.from({ length: 20 }, () => open(running.port)));
    expect(await said(more[0] as Socket)).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*"code":"BUSY"/i);
    const rest = await Promise.all(
      Array.from({ length: 100 }, () => open(running.port).catch(() => undefined)),
    );
    await expect.poll(() => countOf(running.port)).toBeLessThanOrEqual(40);
    for (const socket of rest) socket?.destroy();
    expect(await said(first[0] as Socket)).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of [...first, ...more]) socket.destroy();
    await expect.poll(async () => (await running.get('/healthz')).status).toBe(200);
    const metrics = await (await running.get('/metrics')).text();
    expect(Number(/^oriel_connections (\d+)$/m.exec(metrics)?.[1])).toBeLessThan(10);
    expect(Number(/^oriel_connections_refused_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(100);
  });
});

/** Descriptors of pipes that are kept ready for the next commands, and of connections that come and go. */
const SPARE = 2 * 6 + 2;

test(
  'H12 clients that disconnect leave nothing open, whatever they requested',
  { retry: LAG_RETRIES },
  async () => {
    const running = await server(['--cwd', W, '--allow-bash'], { node: heartbeat });
    await served(running);
    const before = holdingsOf(running.pid);
    const bash = JSON.stringify({ command: 'sleep 100' });
    const asked = [
      ...Object.values(requests()),
      `POST /api/v0/tools/bash HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}Content-Type: application/json\r\nContent-Length: ${bash.length}\r\n\r\n${bash}`,
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      'GET /api/v0/too',
    ];
    for (let round = 0; round < 20; round += 1) {
      const peers = asked.map((request) => deaf(running, request));
      await sleep(round * 8);
      for (const [i, peer] of peers.entries()) {
        if (i % 2 === 0) peer.destroy();
        else peer.resetAndDestroy();
      }
    }
    const after = await givenBack(running.pid, before, SPARE);
    expect(after.children).toBe(before.children);
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + SPARE);
    await served(running);
    const metrics = await (await running.get('/metrics')).text();
    for (const queue of ['calls', 'commands', 'downloads']) {
      expect(metrics).toContain(`oriel_queue_running{queue="${queue}"} 0\n`);
      expect(metrics).toContain(`oriel_queue_waiting{queue="${queue}"} 0\n`);
    }
    expect(await lagOf(running)).toBeLessThanOrEqual(MOST_LAG_MS);
  },
);

describe('stdio', () => {
  test('a deaf host is no longer read, the process ends', async () => {
    const host = wire(['mcp', W, '--write-timeout', '2'], { deaf: true, node: heartbeat });
    host.send({
      jsonrpc: '2.0',
      id: 'hello',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    host.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    // Before that it has only begun to load.
    await host.receive(({ id }) => id === 'hello');
    const memory = residentMb(host.pid);
    const call = JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'tools/call',
      params: { name: 'read', arguments: { path: 'lines' } },
    });
    let [sent, over, peak] = [0, false, memory];
    void host.exited.then(() => (over = true));
    const writing = (async () => {
      for (let id = 1; !over && sent < 200 << 20; id += 1) {
        const line = `${call.replace('"id":0', `"id":${id}`)}${' '.repeat(4_000)}\n`;
        await Promise.race([host.write(line), host.exited]);
        sent += line.length;
      }
    })();
    for (let i = 0; i < 15 && !over; i += 1) {
      await sleep(100);
      if (!over) peak = Math.max(peak, residentMb(host.pid));
    }
    expect(await host.exited).toBe(0);
    await writing;
    expect(sent).toBeLessThan(32 << 20);
    expect(peak - memory).toBeLessThan(250);
  });

  test('a host that reads late gets every answer', async () => {
    const child = spawn(process.execPath, [cli, 'mcp', W], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ask = (id: number, method: string, params: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    ask(0, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    });
    for (let id = 1; id <= 300; id += 1)
      ask(id, 'tools/call', { name: 'read', arguments: { path: 'lines' } });
    await sleep(2_500);
    const ids: number[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      ids.push((JSON.parse(line) as { id: number }).id);
      if (ids.length === 301) child.stdin.end();
    }
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 301 }, (_, id) => id));
  });
});

test('invalid request targets give 400 or 401 before token checks', async () => {
  const targets = [
    ['two slashes and a bracket', 'GET //[ HTTP/1.1'],
    ['two slashes', 'GET //evil.test/healthz HTTP/1.1'],
    ['absolute', 'GET http://localhost/healthz HTTP/1.1'],
    ['absolute, not a URL', 'GET http://[ HTTP/1.1'],
    ['a host and a port', 'CONNECT evil.test:80 HTTP/1.1'],
    ['CONNECT to nothing', 'CONNECT [ HTTP/1.1'],
    ['an asterisk', 'OPTIONS * HTTP/1.1'],
    ['an asterisk for GET', 'GET * HTTP/1.1'],
    ['no slash', 'GET healthz HTTP/1.1'],
    ['a control character', 'GET /\u0001 HTTP/1.1'],
    ['a tab', 'GET /a\tb HTTP/1.1'],
    ['a zero byte', 'GET /\0 HTTP/1.1'],
    ['a raw line feed', 'GET /\nhealthz HTTP/1.1'],
    ['a lone percent sign', 'GET /%/%ZZ?%=%ff HTTP/1.1'],
    ['a fragment', 'GET /api#x HTTP/1.1'],
    ['nothing', 'GET  HTTP/1.1'],
    ['bytes over ASCII', 'GET /\u00ff\u00fe HTTP/1.1'],
  ] as const;
  const running = await server([], { env: { ORIEL_TOKEN: 'a-token' } });
  const statuses = targets.map(async ([title, line]) => {
    const bytes = Buffer.from(`${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`, 'latin1');
    const [status = ''] = (await running.raw([bytes])).split('\r\n');
    return /^HTTP\/1\.1 40[01] /.test(status) ? 'refused' : `${title}: ${status}`;
  });
  expect(await Promise.all(statuses)).toEqual(targets.map(() => 'refused'));
  expect((await running.get('/healthz')).status).toBe(200);
  expect(running.log()).not.toContain('"status":500');
});

test('the socket has mode 0600 from its start, whatever umask', async () => {
  for (let i = 0; i < 3; i += 1) {
    const path = join(temporaryFolder(), 's');
    const child = spawn(
      '/bin/sh',
      ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, cli, 'serve', '--listen', `unix:${path}`],
      { stdio: 'ignore' },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const modes = new Set<string>();
    for (const until = Date.now() + 100_000; Date.now() < until && modes.size === 0;) {
      // Without a pause: the time between bind and the next call is short.
      for (let look = 0; look < 2_000; look += 1)
        if (existsSync(path)) modes.add((lstatSync(path).mode & 0o777).toString(8));
      await sleep(0);
    }
    expect([...modes]).toEqual(['600']);
    child.kill('SIGKILL');
  }
});

test('a server with an unread log continues until a signal', async () => {
  const { W, write } = workspace();
  write('small', 'small\n');
  const socketPath = join(await temporaryFolder(), 'oriel.sock');
  const child = spawn(process.execPath, [cli, 'serve', '--root', W, '--listen', `unix:${socketPath}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', (code) => resolve(code)));
  // The socket exists a moment before it accepts connections.
  const accepts = (): Promise<boolean> =>
    new Promise((resolve) => {
      const probe = connect(socketPath, () => resolve(true));
      probe.once('error', () => resolve(false)).once('connect', () => probe.destroy());
    });
  while (!(await accepts())) await sleep(20);
  const path = `/api/v0/read-file-lines?path=${encodeURIComponent(join(W, 'small'))}`;
  const ask = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath, path }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      asked.once('error', reject).end();
    });
  // More than the pipe holds: 200 bytes or more of log each.
  for (let i = 0; i < 100; i += 1)
    expect(await Promise.all(Array.from({ length: 40 }, ask))).toEqual(Array(40).fill(200));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
