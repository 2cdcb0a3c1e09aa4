/** Which requests are sent, with which headers, and which redirects are followed: on simulated responses. */

import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createNetwork, type WebRequest, type WebResponse } from '../../src/network/fetch.ts';
import { OrielError } from '../../src/errors.ts';

type Reply = Partial<Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>> & {
  readonly bytes?: string | Uint8Array;
};

type Sent = Readonly<{
  url: string;
  headers: Record<string, string>;
  dispatcher: Agent;
  signal: AbortSignal;
  highWaterMark: number;
  onInfo(): void;
}>;

const host = vi.hoisted(() => ({
  reply: undefined as unknown,
  agents: [] as { settings: object; closed: boolean; destroyed: boolean }[],
}));

/** The reply to a URL; `onInfo` may be called. */
let reply: (url: string, sent: Sent) => Reply;
const sent: Sent[] = [];
const bodies: Readable[] = [];

vi.mock('undici', async (original) => {
  const real = await original<typeof import('undici')>();
  class RecordedAgent {
    readonly settings: object;
    closed = false;
    destroyed = false;

    constructor(settings: object) {
      this.settings = settings;
      host.agents.push(this);
    }

    close(): Promise<void> {
      this.closed = true;
      return Promise.resolve();
    }

    destroy(): Promise<void> {
      this.destroyed = true;
      return Promise.resolve();
    }
  }
  return {
    ...real,
    Agent: RecordedAgent,
    request: async (url: URL, options: object) =>
      (host.reply as (...args: unknown[]) => unknown)(url, options),
  };
});

beforeEach(() => {
  sent.length = 0;
  bodies.length = 0;
  host.agents.length = 0;
  host.reply = (url: URL, options: object) => {
    const request = { url: url.href, ...options } as Sent;
    sent.push(request);
    const { statusCode = 200, headers = {}, bytes = url.pathname } = reply(url.href, request);
    const body = Readable.from([Buffer.from(bytes)]);
    bodies.push(body);
    return { statusCode, headers, body };
  };
  reply = () => ({});
});

const { signal } = new AbortController();

async function get(url: string, more: Partial<WebRequest> = {}): Promise<WebResponse & { text: string }> {
  const response = await createNetwork({ allow: [] }).get(url, { signal, mostBytes: () => 1_000, ...more });
  return { ...response, text: Buffer.from(response.body).toString() };
}

/** Redirects from URLs to others. */
const redirecting = (to: Readonly<Record<string, string>>): void => {
  reply = (url) => (to[url] === undefined ? {} : { statusCode: 302, headers: { location: to[url] } });
};

const urls = (): string[] => sent.map(({ url }) => url);

test('the headers of a request', async () => {
  await get('https://a.org/x?y#part', { headers: { accept: 'text/html' } });
  await get('https://a.org/', { headers: { 'user-agent': 'other', 'accept-encoding': 'br' } });
  expect(sent.map(({ url, headers }) => [url, headers])).toStrictEqual([
    [
      'https://a.org/x?y',
      { 'user-agent': 'oriel', 'accept-encoding': 'gzip, deflate, br', accept: 'text/html' },
    ],
    ['https://a.org/', { 'user-agent': 'other', 'accept-encoding': 'br' }],
  ]);
  expect(sent[0]).toMatchObject({ signal, highWaterMark: 2_048 });
});

test('stored bytes are requested without encoding, and not unpacked', async () => {
  const packed = gzipSync('text');
  reply = () => ({ headers: { 'content-encoding': 'gzip' }, bytes: packed });
  const stored = await get('https://a.org/', { stored: true });
  expect(Buffer.from(stored.body).equals(packed)).toBe(true);
  expect(sent[0]?.headers['accept-encoding']).toBe('identity');
  expect((await get('https://a.org/')).text).toBe('text');
});

test('response headers have one value and lower case names', async () => {
  reply = () => ({ headers: { 'X-A': 'b', vary: ['accept', 'origin'], age: undefined } as never });
  const { headers, status, url, cut } = await get('https://a.org/');
  expect([headers, status, url, cut]).toStrictEqual([
    { 'x-a': 'b', vary: 'accept, origin' },
    200,
    'https://a.org/',
    false,
  ]);
});

test('the limit of a body depends on its headers', async () => {
  reply = () => ({ headers: { 'content-type': 'text/html' }, bytes: 'text' });
  const mostBytes: WebRequest['mostBytes'] = ({ 'content-type': type }) => (type === 'text/html' ? 2 : 100);
  expect(await get('https://a.org/', { mostBytes })).toMatchObject({ text: 'te', cut: true });
});

describe('redirects', () => {
  test('need a place and one of five statuses', async () => {
    for (const statusCode of [200, 201, 300, 304, 305, 306, 400]) {
      reply = () => ({ statusCode, headers: { location: '/other' } });
      expect(await get('https://a.org/x')).toMatchObject({ status: statusCode, text: '/x' });
    }
    reply = () => ({ statusCode: 302 });
    expect(await get('https://a.org/x')).toMatchObject({ status: 302, text: '/x' });
  });

  test('can be asked for as they are', async () => {
    redirecting({ 'https://a.org/': '/other' });
    expect(await get('https://a.org/', { follow: false })).toMatchObject({
      status: 302,
      headers: { location: '/other' },
      text: '/',
    });
  });

  test('ten, and not one more', async () => {
    const chain = (length: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`https://a.org/${i}`, `/${i + 1}`]));
    redirecting(chain(10));
    expect((await get('https://a.org/0')).text).toBe('/10');
    sent.length = 0;
    redirecting(chain(11));
    await expect(get('https://a.org/0')).rejects.toMatchObject({
      code: 'REDIRECT',
      message: 'https://a.org/0 redirects more than 10 times. Use another URL.',
    });
    expect(sent).toHaveLength(11);
  });

  test('to a URL of 8,192 characters, and not one more', async () => {
    const long = `https://a.org/${'x'.repeat(8_192 - 'https://a.org/'.length)}`;
    redirecting({ 'https://a.org/': long });
    expect((await get('https://a.org/')).url).toBe(long);
    redirecting({ 'https://a.org/': `${long}x` });
    await expect(get('https://a.org/')).rejects.toMatchObject({
      code: 'REDIRECT',
      message: 'https://a.org/ redirects to a URL of more than 8192 characters. Use another URL.',
    });
  });

  test.each([
    ['https://a.org/', 'http://a.org/x', true],
    ['https://a.org:8443/', 'http://a.org/x', true],
    ['http://a.org/', 'http://b.org/x', true],
    ['http://a.org/', 'https://b.org/x', true],
    ['https://a.org/', 'https://b.org/x', true],
    ['https://a.org/', 'http://b.org/x', false],
    ['https://a.org/', 'http://x.a.org/x', false],
  ])('from %s to %s: %j', async (from, to, followed) => {
    redirecting({ [from]: to });
    if (followed) expect((await get(from)).url).toBe(to);
    else
      await expect(get(from)).rejects.toMatchObject({
        code: 'REDIRECT',
        message: `${from} redirects from https to ${to}, and is not followed. Use that URL, if it may be read without encryption.`,
      });
  });

  test.each(['ftp://b.org/', 'https://me:secret@b.org/', 'https://me@b.org/', 'http://'])(
    'to %s are not followed, and not repeated',
    async (location) => {
      redirecting({ 'https://a.org/': location });
      const failed = get('https://a.org/');
      await expect(failed).rejects.toMatchObject({
        code: 'REDIRECT',
        message: 'https://a.org/ redirects to a URL that is not followed. Use another URL.',
        cause: expect.any(OrielError),
      });
      expect(urls()).toStrictEqual(['https://a.org/']);
    },
  );
});

describe('a URL that is not read', () => {
  test.each([
    ['a b', 'BAD_PATH', 'a b is not a valid URL. Use https://HOST/PATH.'],
    ['ftp://a.org/', 'REDIRECT', 'ftp: is not read from the web. Use https:// or http://.'],
    ['https://me@a.org/', 'BAD_PATH', 'The URL holds a user name or a password. Use it without.'],
    ['https://:secret@a.org/', 'BAD_PATH', 'The URL holds a user name or a password. Use it without.'],
  ])('%s', async (url, code, message) => {
    await expect(get(url)).rejects.toMatchObject({ code, message });
    expect(sent).toStrictEqual([]);
  });
});

test('sixteen informational responses are ignored, and not one more', async () => {
  const informing = (count: number): void => {
    reply = (_, { onInfo }) => {
      for (let i = 0; i < count; i += 1) onInfo();
      return {};
    };
  };
  informing(16);
  expect((await get('https://a.org:8443/x')).text).toBe('/x');
  informing(17);
  await expect(get('https://a.org:8443/')).rejects.toMatchObject({
    code: 'LIMIT',
    message: 'a.org:8443 sends more than 16 informational responses.',
  });
});

describe('connections', () => {
  test('have limits on headers, idle time and their number', async () => {
    await get('https://a.org/');
    expect(host.agents.map(({ settings }) => settings)).toStrictEqual([
      {
        connect: expect.any(Function),
        maxHeaderSize: 65_536,
        headersTimeout: 10_000,
        bodyTimeout: 10_000,
        connections: 8,
        keepAliveTimeout: 1_000,
      },
    ]);
  });

  test('to a trusted origin are not used by redirects elsewhere', async () => {
    const network = createNetwork({ allow: [] });
    const read = (url: string) => network.get(url, { signal, mostBytes: () => 1_000, trusted: true });
    redirecting({
      'http://a.org/': '/own',
      'http://a.org/own': 'http://b.org/',
      'http://b.org/': 'http://a.org/end',
    });
    await read('http://a.org/');
    await read('http://a.org/end');
    const used = sent.map(({ url, dispatcher }) => [url, host.agents.indexOf(dispatcher as never)]);
    expect(used).toStrictEqual([
      ['http://a.org/', 1],
      ['http://a.org/own', 1],
      ['http://b.org/', 0],
      ['http://a.org/end', 0],
      ['http://a.org/end', 1],
    ]);
    await network.close();
    expect(host.agents.map(({ destroyed }) => destroyed)).toStrictEqual([true, true]);
  });

  test.each([
    ['http://127.0.0.9/', '127.0.0.9', 'http:', '', true],
    ['http://127.0.0.9/', '127.0.0.9', 'https:', '', false],
    ['https://127.0.0.9/', '127.0.0.9', 'https:', '', true],
    ['https://127.0.0.9/', '127.0.0.9', 'http:', '', false],
    ['http://127.0.0.9:81/', '127.0.0.9', 'http:', '81', true],
    ['http://127.0.0.9:81/', '127.0.0.9', 'http:', '82', false],
    ['http://127.0.0.9:81/', '127.0.0.8', 'http:', '81', false],
    ['http://[::1]:81/', '[::1]', 'http:', '81', true],
  ])('of trusted %s: %s by %s, port %j, reached: %j', async (url, hostname, protocol, port, reached) => {
    const network = createNetwork({ allow: [] });
    await network.get(url, { signal, mostBytes: () => 1_000, trusted: true });
    const settings = host.agents[1]?.settings as { readonly connect?: buildConnector.connector } | undefined;
    const connect = settings?.connect as buildConnector.connector;
    const error = await new Promise<Error | null>((done) => {
      connect({ hostname, host: hostname, protocol, port }, (failed, socket) => {
        socket?.destroy();
        done(failed);
      });
    });
    expect((error as NodeJS.ErrnoException | null)?.code === 'BLOCKED_ADDRESS').toBe(!reached);
  });

  test('beyond 64 trusted origins the oldest closes after its requests', async () => {
    const network = createNetwork({ allow: [] });
    const read = (i: number) =>
      network.get(`http://${i}.org/`, { signal, mostBytes: () => 1_000, trusted: true });
    for (let i = 0; i < 64; i += 1) await read(i);
    expect(host.agents).toHaveLength(65);
    expect(host.agents.filter(({ closed }) => closed)).toStrictEqual([]);
    await read(64);
    expect(host.agents.map(({ closed }, i) => (closed ? i : -1)).filter((i) => i >= 0)).toStrictEqual([1]);
    await read(1);
    expect(host.agents).toHaveLength(66);
    // The oldest is made again, in place of the next one.
    await read(0);
    expect(host.agents).toHaveLength(67);
    expect(host.agents.map(({ closed }, i) => (closed ? i : -1)).filter((i) => i >= 0)).toStrictEqual([1, 2]);
    expect(host.agents.some(({ destroyed }) => destroyed)).toBe(false);
  });
});
