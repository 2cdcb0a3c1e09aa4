/** Requests against servers on loopback that behave well and badly. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllowed } from '../../src/network/addresses.ts';
import { createNetwork, type WebRequest } from '../../src/network/fetch.ts';

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, host);
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const serve = (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> =>
  listening(createServer({ maxHeaderSize: 1 << 20 }, answer));

/** Says what it likes, HTTP or not. */
const serveRaw = (speak: (socket: Socket) => void): Promise<number> =>
  listening(
    createTcpServer((socket) => void socket.on('error', () => undefined).once('data', () => speak(socket))),
  );

function network(allow: string[], resolve?: (host: string) => Promise<readonly string[]>) {
  const made = createNetwork({ allow, ...(resolve && { resolve }) });
  closing.push(() => void made.close());
  return {
    get: async (url: string, more: Partial<WebRequest> = {}) => {
      const reply = await made.get(url, {
        signal: AbortSignal.timeout(200_000),
        mostBytes: () => 1 << 20,
        ...more,
      });
      return { ...reply, text: Buffer.from(reply.body).toString() };
    },
  };
}

const code = (expected: string) => ({ code: expected });

const hello = await serve((_, response) => response.end('hello'));
const open = network(['127.0.0.1']);

describe('addresses', () => {
  test('the operator’s origin may be private, its redirects may not', async () => {
    const from = await serve((request, response) => {
      const to = request.url === '/out' ? `http://127.0.0.1:${hello}/` : '/';
      if (request.url === '/') response.end('home');
      else response.writeHead(302, { location: to }).end();
    });
    const { get } = network([]);
    const origin = `http://127.0.0.1:${from}`;
    expect(await get(`${origin}/in`, { trusted: true })).toMatchObject({ text: 'home' });
    await expect(get(`${origin}/out`, { trusted: true })).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
    await expect(get(`${origin}/`)).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
  });

  test('addresses of a name are tried, IPv6 and IPv4 alternating', async () => {
    const dead = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
    const { get } = network(['127.0.0.0/8'], async () => [...dead, '127.0.0.1']);
    expect(await get(`http://many.example:${hello}/`)).toMatchObject({ text: 'hello' });
    // Of nine addresses of one family the last is not tried, of two families one of the other is.
    const v6 = Array.from({ length: 9 }, (_, i) => `fd00::${i + 1}`);
    const both = network(['127.0.0.1', 'fd00::/16'], async () => [...v6, '127.0.0.1']);
    expect(await both.get(`http://both.example:${hello}/`)).toMatchObject({ text: 'hello' });
  });

  test('an address that is allowed is read', async () => {
    expect(await open.get(`http://127.0.0.1:${hello}/`)).toMatchObject({
      status: 200,
      text: 'hello',
      cut: false,
    });
  });

  test.each([
    '127.0.0.1',
    'localhost',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::]',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    '10.0.0.1',
  ])('http://%s is refused before a packet is sent', async (host) => {
    let heard = 0;
    const port = await serve(() => (heard += 1));
    await expect(network([]).get(`http://${host}:${port}/`)).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
    expect(heard).toBe(0);
  });

  test('a name is judged by what it resolves to', async () => {
    const refused = network([], async () => ['127.0.0.1', '10.0.0.1']);
    await expect(refused.get(`http://rebind.test:${hello}/`)).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
    const allowed = network(['127.0.0.1'], async () => ['10.0.0.1', '127.0.0.1']);
    expect((await allowed.get(`http://mixed.test:${hello}/`)).text).toBe('hello');
  });

  test('U05 a name is resolved once, so rebinding changes nothing', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const changing = network(['127.0.0.1'], async () => answers[asked++] ?? []);
    expect((await changing.get(`http://rebind.test:${hello}/`)).text).toBe('hello');
    expect(asked).toBe(1);
  });

  test.runIf(process.platform === 'linux')('a name that leads elsewhere each time', async () => {
    const reached: (string | undefined)[] = [];
    const port = await listening(
      createServer((request, response) => {
        reached.push(request.socket.localAddress);
        if (request.url !== '/keep') response.setHeader('connection', 'close');
        response.end('there');
      }),
      '0.0.0.0',
    );
    // 127.0.0.1 and 127.0.0.3 stand for public addresses, 127.0.0.2 for a private one.
    const records: Record<string, string[][]> = {
      'changing.test': [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2', '127.0.0.3']],
      'inside.test': [['127.0.0.2']],
      'kept.test': [['127.0.0.1'], ['127.0.0.2']],
    };
    const { get } = network(['127.0.0.1', '127.0.0.3'], async (host) => records[host]?.shift() ?? []);
    const read = (path: string) => get(`http://${path.replace('/', `:${port}/`)}`);

    await read('changing.test/');
    await expect(read('changing.test/')).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
    await read('changing.test/');
    expect(reached).toEqual(['127.0.0.1', '127.0.0.3']);

    // A connection that is kept open serves no other name, and its own one only where it went.
    await read('kept.test/keep');
    await expect(read('inside.test/keep')).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
    for (let again = 0; again < 4; again += 1) await read('kept.test/').catch(() => undefined);
    expect(records['inside.test']).toEqual([]);
    expect(new Set(reached)).toEqual(new Set(['127.0.0.1', '127.0.0.3']));
  });

  test('a name without an address, and an allowed one', async () => {
    await expect(network([], async () => []).get('http://nothing.test/')).rejects.toMatchObject(
      code('BLOCKED_ADDRESS'),
    );
    const named = network([`intranet:${hello}`], async () => ['127.0.0.1']);
    expect((await named.get(`http://intranet:${hello}/`)).text).toBe('hello');
    await expect(named.get(`http://intranet:${hello + 1}/`)).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
  });

  test('ports of other protocols', async () => {
    await expect(open.get('http://127.0.0.1:22/')).rejects.toMatchObject(code('BLOCKED_PORT'));
  });

  test.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'javascript:1'])(
    '%s is not of the web',
    async (url) => {
      await expect(open.get(url)).rejects.toMatchObject(code('REDIRECT'));
    },
  );

  test('a password in a URL is refused and not repeated', async () => {
    const error = await open.get(`http://me:secret@127.0.0.1:${hello}/`).catch((caught: unknown) => caught);
    expect(error).toMatchObject(code('BAD_PATH'));
    expect((error as Error).message).not.toContain('secret');
  });
});

let to = '';
const heard: IncomingMessage['headers'][] = [];
const other = await serve((request, response) => {
  heard.push(request.headers);
  response.end('other');
});
const from = await serve((request, response) => {
  heard.push(request.headers);
  if (request.url === '/end') return response.end('end');
  return response.writeHead(Number(/\d+/.exec(request.url ?? '')?.[0] ?? 302), { location: to }).end('moved');
});

test.each([
  ['http://127.0.0.1/', '127.0.0.1', '127.0.0.1'],
  ['http://127.0.0.1:8932/', '127.0.0.1', '127.0.0.1:8932'],
  ['https://[::1]/', '::1', '::1'],
  ['http://[::1]:8932/', '::1', '[::1]:8932'],
  ['http://[64:ff9b::7f00:1]/', '64:ff9b::7f00:1', '64:ff9b::7f00:1'],
])('a non-public address is refused with what allows it: %s', async (url, host, place) => {
  const made = createNetwork({ allow: [], howToAllow: 'with --allow-net HOST' });
  closing.push(() => void made.close());
  const asked = made.get(url, { signal: AbortSignal.timeout(200_000), mostBytes: () => 1 });
  await expect(asked).rejects.toThrow(
    `${host} is not a public address, and is not read. The operator of oriel can allow it with --allow-net ${place}.`,
  );
  expect(parseAllowed(place)).toBeDefined();
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('%i is followed, and said by the final URL', async (status) => {
    to = '/end';
    expect(await open.get(`http://127.0.0.1:${from}/${status}`)).toMatchObject({
      text: 'end',
      url: `http://127.0.0.1:${from}/end`,
    });
  });

  test.each([
    ['http://10.0.0.1/', 'BLOCKED_ADDRESS'],
    ['http://169.254.169.254/latest/meta-data/', 'BLOCKED_ADDRESS'],
    ['http://[::1]/', 'BLOCKED_ADDRESS'],
    ['http://localhost/', 'BLOCKED_ADDRESS'],
    ['file:///etc/passwd', 'REDIRECT'],
    ['data:text/plain,x', 'REDIRECT'],
    ['gopher://x', 'REDIRECT'],
    ['http://', 'REDIRECT'],
    ['http://a:b@127.0.0.1/', 'REDIRECT'],
    ['/again', 'REDIRECT'],
    [`/${'x'.repeat(8_200)}`, 'REDIRECT'],
  ])('to %s: %s', async (location, expected) => {
    to = location;
    const only = network([`127.0.0.1:${from}`]);
    await expect(only.get(`http://127.0.0.1:${from}/`)).rejects.toMatchObject(code(expected));
  });

  test('credentials go to the first origin and to no other', async () => {
    const credentials = { authorization: 'Bearer secret' };
    to = '/end';
    heard.length = 0;
    await open.get(`http://127.0.0.1:${from}/`, { credentials });
    expect(heard.map(({ authorization }) => authorization)).toEqual(['Bearer secret', 'Bearer secret']);
    to = `http://127.0.0.1:${other}/`;
    heard.length = 0;
    expect((await open.get(`http://127.0.0.1:${from}/`, { credentials })).text).toBe('other');
    expect(heard.map(({ authorization }) => authorization)).toEqual(['Bearer secret', undefined]);
  });

  test('credentials do not return to the first from another origin', async () => {
    const asked: (readonly [string | undefined, string | undefined])[] = [];
    const back = await serve((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${first}/chosen` }).end(),
    );
    const first = await serve(({ url, headers }, response) => {
      asked.push([url, headers.authorization]);
      if (url !== '/') return response.end('there');
      return response.writeHead(302, { location: `http://127.0.0.1:${back}/` }).end();
    });
    const credentials = { authorization: 'Bearer secret' };
    expect((await open.get(`http://127.0.0.1:${first}/`, { credentials })).text).toBe('there');
    expect(asked).toEqual([
      ['/', 'Bearer secret'],
      ['/chosen', undefined],
    ]);
  });
});

describe('bodies', () => {
  const body = Buffer.from('packed '.repeat(100));

  test.each([
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['br', brotliCompressSync(body)],
    ['deflate', deflateSync(body)],
    // As servers have it that take the name for the format.
    ['deflate', deflateRawSync(body)],
    ['gzip, deflate', deflateRawSync(gzipSync(body))],
    ['identity', body],
    ['gzip, br', brotliCompressSync(gzipSync(body))],
  ])('packed by %s', async (encoding, bytes) => {
    const port = await serve((_, response) => response.setHeader('content-encoding', encoding).end(bytes));
    expect((await open.get(`http://127.0.0.1:${port}/`)).text).toBe(body.toString());
  });

  test.each(['gzip', 'deflate', 'br', 'gzip, br'])('nothing, said to be packed by %s', async (encoding) => {
    const port = await serve((_, response) => response.setHeader('content-encoding', encoding).end());
    expect((await open.get(`http://127.0.0.1:${port}/`)).text).toBe('');
  });

  test.each([
    ['bogus', body, 'CORRUPT'],
    ['gzip, gzip, gzip, gzip', body, 'LIMIT'],
    ['gzip', body, 'NETWORK'],
    ['gzip', gzipSync(body).subarray(0, 20), 'NETWORK'],
    ['deflate', deflateRawSync(Buffer.alloc(8 << 20)), 'LIMIT'],
    ['gzip', gzipSync(Buffer.alloc(8 << 20)), 'LIMIT'],
    ['br', brotliCompressSync(Buffer.alloc(8 << 20)), 'LIMIT'],
  ])('packed by %s, and not to be read', async (encoding, bytes, expected) => {
    const port = await serve((_, response) => response.setHeader('content-encoding', encoding).end(bytes));
    const all = { mostBytes: () => 64 << 20 };
    await expect(open.get(`http://127.0.0.1:${port}/`, all)).rejects.toMatchObject(code(expected));
  });

  test('an endless body is cut at the limit and closed', async () => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const port = await serve((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x')));
      };
      response.on('drain', write).on('close', closed);
      write();
    });
    const reply = await open.get(`http://127.0.0.1:${port}/`, { mostBytes: () => 100_000 });
    expect([reply.body.length, reply.cut]).toEqual([100_000, true]);
    await isClosed;
  });

  test('a body of exactly the limit is whole', async () => {
    expect(await open.get(`http://127.0.0.1:${hello}/`, { mostBytes: () => 5 })).toMatchObject({
      cut: false,
    });
    expect(await open.get(`http://127.0.0.1:${hello}/`, { mostBytes: () => 4 })).toMatchObject({
      cut: true,
      text: 'hell',
    });
  });
});

describe('servers that misbehave', () => {
  test('endless headers', async () => {
    const port = await serveRaw((socket) => {
      const line = `X-A: ${'a'.repeat(1000)}\r\n`;
      socket.write(`HTTP/1.1 200 OK\r\n${line.repeat(200)}`);
    });
    await expect(open.get(`http://127.0.0.1:${port}/`)).rejects.toMatchObject(code('LIMIT'));
  });

  test.each([
    ['silence', () => undefined],
    ['headers that drip', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nX: 1\r\n')],
    ['a body that drips', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab')],
  ])('%s ends with the signal', async (_, speak) => {
    const port = await serveRaw(speak);
    const stop = new AbortController();
    const reason = new Error('enough');
    const reply = open.get(`http://127.0.0.1:${port}/`, { signal: stop.signal });
    setTimeout(() => stop.abort(reason), 100);
    await expect(reply).rejects.toBe(reason);
  });

  test.each([
    ['garbage', 'not HTTP at all\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 9\r\n\r\nabcdefghi'],
    ['a body that ends early', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab'],
  ])('%s', async (_, text) => {
    const port = await serveRaw((socket) => socket.end(text));
    const failed = open.get(`http://127.0.0.1:${port}/`);
    await expect(failed).rejects.toMatchObject(code('NETWORK'));
    await expect(failed).rejects.toThrow(/\. Use the same call later\.$/);
  });

  test('a status that is none', async () => {
    const port = await serveRaw((socket) => socket.end('HTTP/1.1 000 Zero\r\n\r\n'));
    await expect(open.get(`http://127.0.0.1:${port}/`)).rejects.toThrow(
      `127.0.0.1:${port} could not be read: its reply is not HTTP. Use the same call later.`,
    );
  });

  test('nobody listens', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    const failed = open.get(`http://127.0.0.1:${port}/`);
    await expect(failed).rejects.toMatchObject(code('NETWORK'));
    await expect(failed).rejects.toThrow(/ECONNREFUSED.*\. Use the same call later\.$/);
  });

  test('what speaks no TLS', async () => {
    await expect(open.get(`https://127.0.0.1:${hello}/`)).rejects.toMatchObject(code('TLS'));
  });
});
