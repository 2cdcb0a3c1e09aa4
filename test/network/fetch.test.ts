/** Requests against servers on loopback that behave well and badly. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
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

  test('an address that is allowed is read', async () => {
    expect(await open.get(`http://127.0.0.1:${hello}/`)).toMatchObject({
      status: 200,
      text: 'hello',
      cut: false,
    });
  });

  test.each(
    (
      '127.0.0.1 localhost 0x7f000001 2130706433 0177.0.0.1 127.1 [::1] [::] 0.0.0.0 ' +
      '[::ffff:127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] 127.0.0.1. ①②⑦.0.0.1 10.0.0.1'
    ).split(' '),
  )('http://%s is refused before a packet is sent', async (host) => {
    let heard = 0;
    const port = await serve(() => (heard += 1));
    await expect(network([]).get(`http://${host}:${port}/`)).rejects.toMatchObject(code('BLOCKED_ADDRESS'));
    expect(heard).toBe(0);
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

  const serving = async (encoding: string, bytes?: Uint8Array): Promise<string> =>
    `http://127.0.0.1:${await serve((_, response) => response.setHeader('content-encoding', encoding).end(bytes))}/`;

  const NONE =
    '|identity|none|utf-8|UTF8|binary|8bit|aws-chunked| identity , ,none|identity, identity, identity, none';

  test.each(NONE.split('|'))('%j is no encoding', async (encoding) => {
    expect((await open.get(await serving(encoding, body))).text).toBe(body.toString());
  });

  test.each([
    ['X-GZIP', gzipSync(body)],
    [' gzip ,identity', gzipSync(body)],
    ['br', brotliCompressSync(body)],
    ['deflate', deflateSync(body)],
    // As servers have it that take the name for the format.
    ['deflate', deflateRawSync(body)],
    ['gzip, br, deflate', deflateSync(brotliCompressSync(gzipSync(body)))],
    ['gzip, deflate', deflateRawSync(gzipSync(body))],
  ])('packed by %s', async (encoding, bytes) => {
    expect((await open.get(await serving(encoding, bytes))).text).toBe(body.toString());
  });

  test.each(['gzip', 'deflate', 'br', 'gzip, br'])('nothing, said to be packed by %s', async (encoding) => {
    expect((await open.get(await serving(encoding))).text).toBe('');
  });

  const odd = 'The body has an unsupported content encoding: ';
  const BOMB = 'The body unpacks to more than 200 times its size, and is not read.';
  test.each([
    ['zstd', body, 'CORRUPT', `${odd}zstd. Use another URL.`],
    ['gzip, a\u009bb', body, 'CORRUPT', `${odd}a\\x9bb.`],
    ['x'.repeat(50), body, 'CORRUPT', `${odd}${'x'.repeat(40)}.`],
    ['gzip, gzip, gzip, gzip', body, 'LIMIT', 'The body has more than three content encodings'],
    ['gzip', body, 'NETWORK', 'incorrect header check'],
    ['gzip', gzipSync(body).subarray(0, 20), 'NETWORK', 'unexpected end of file. Use the same call later.'],
    ['deflate', deflateRawSync(Buffer.alloc(8 << 20)), 'LIMIT', BOMB],
    ['gzip', gzipSync(Buffer.alloc((1 << 20) + 100_000)), 'LIMIT', `${BOMB} Use another URL.`],
    ['br', brotliCompressSync(Buffer.alloc(8 << 20)), 'LIMIT', BOMB],
  ])('packed by %s, and not to be read', async (encoding, bytes, expected, sentence) => {
    const failed = open.get(await serving(encoding, bytes), { mostBytes: () => 64 << 20 });
    await expect(failed).rejects.toMatchObject(code(expected));
    await expect(failed).rejects.toThrow(sentence);
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

  test.each([
    [5, false, 'hello'],
    [4, true, 'hell'],
    [0, true, ''],
  ])('of a body %d bytes may be read; cut: %j', async (most, cut, text) => {
    const reply = await open.get(`http://127.0.0.1:${hello}/`, { mostBytes: () => most });
    expect(reply).toMatchObject({ cut, text });
  });

  test('the limit counts unpacked bytes', async () => {
    const reply = await open.get(await serving('gzip', gzipSync(body)), { mostBytes: () => 10 });
    expect(reply).toMatchObject({ cut: true, text: 'packed pac' });
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
