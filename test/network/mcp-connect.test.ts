/** The client's side of a connection, to a server that the test plays: lists, parts, failures, ends. */

import {
  type JSONRPCMessage,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectMcp, type McpConnection } from '../../src/network/mcp-client.ts';
import { StdioClientTransport } from '../../src/network/mcp-stdio.ts';
import { version } from '../../src/files/package-files.ts';
import { OrielError } from '../../src/errors.ts';

type Params = Record<string, unknown>;
/** Returns the result of a request, undefined for no answer, or throws. */
type Answer = (params: Params) => object | undefined;

const SILENT: Answer = () => undefined;

class Played implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  sessionId: string | undefined;
  readonly asked: { method: string; params: Params }[] = [];
  closed = 0;

  start(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.closed += 1;
    this.onclose?.();
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { id, method, params = {} } = message as { id?: number; method: string; params?: Params };
    this.asked.push({ method, params });
    if (id === undefined) return Promise.resolve();
    const result = answers[method]?.(params);
    const reply = result && ('error' in result ? result : { result });
    if (reply) queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id, ...reply } as JSONRPCMessage));
    return Promise.resolve();
  }
}

/** One that is a child process, with the number of messages that it has sent. */
class PlayedProcess extends Played {
  heard = 0;
  failure: OrielError | undefined;
}

const mocked = vi.hoisted(() => ({
  transport: undefined as unknown,
  released: 0,
  /** What `connectMcp` gave. */
  given: [] as unknown[],
  failed: (() => undefined) as (error: OrielError) => void,
}));

vi.mock('../../src/network/transport.ts', () => ({
  transportTo(server: unknown, cwd: string, reduce: unknown, failed: (error: OrielError) => void) {
    Object.assign(mocked, { given: [server, cwd, reduce], failed });
    const release = () => Promise.resolve(void (mocked.released += 1));
    return { transport: mocked.transport, release };
  },
}));
vi.mock('../../src/network/mcp-stdio.ts', () => ({
  StdioClientTransport: { [Symbol.hasInstance]: (one: object) => 'heard' in one },
}));

let answers: Record<string, Answer>;
let transport: Played;

beforeEach(() => {
  transport = new Played();
  Object.assign(mocked, { transport, released: 0 });
  answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { resources: {} },
      serverInfo: { name: 'far', version: '1' },
    }),
    'resources/list': () => ({ resources: [] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
  };
});

afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const SERVER = { command: 'program' };
const reduce = (): Promise<undefined> => Promise.resolve(undefined);
const connect = (signal = never): Promise<McpConnection> => connectMcp(SERVER, '/here', reduce, signal);
const asked = (method: string): Params[] =>
  transport.asked.filter((one) => one.method === method).map(({ params }) => params);
const refusal: Answer = () => ({ error: { code: -32_000, message: 'no' } });

describe('a connection', () => {
  test('says who asks, and nothing of what it can do', async () => {
    const connection = await connect();
    expect(mocked.given).toEqual([SERVER, '/here', reduce]);
    expect(asked('initialize')).toMatchObject([
      { clientInfo: { name: 'oriel', version: version() }, capabilities: {} },
    ]);
    expect([connection.closed, connection.spent, connection.failure]).toEqual([false, undefined, undefined]);
  });

  test('that is closed ends the transport and is released', async () => {
    const connection = await connect();
    await connection.close();
    expect(connection.closed).toBe(true);
    expect(transport.closed).toBeGreaterThan(0);
    expect(mocked.released).toBe(1);
    await expect(connection.read('x://1', never)).rejects.toThrow('Not connected');
  });

  test('whose server ends is closed', async () => {
    const connection = await connect();
    transport.onclose?.();
    expect([connection.closed, mocked.released]).toEqual([true, 0]);
  });

  test('that cannot begin is closed again, and the error thrown', async () => {
    answers['initialize'] = refusal;
    await expect(connect()).rejects.toThrow('no');
    expect([transport.closed > 0, mocked.released]).toEqual([true, 1]);
  });

  test.each([
    ['begins', 'initialize', () => connect()],
    ['answers', 'resources/read', async () => (await connect()).read('x://1', never)],
  ])('has 15 seconds until it %s', async (_, method, act) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    answers[method] = SILENT;
    let error: unknown;
    const acting = act().catch((reason: unknown) => (error = reason));
    await vi.advanceTimersByTimeAsync(14_999);
    expect(error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await acting;
    expect(error).toMatchObject({ code: SdkErrorCode.RequestTimeout });
  });

  test.each(['initialize', 'resources/read'])('ends with the signal during %s', async (method) => {
    const stop = new AbortController();
    answers[method] = SILENT;
    const acting = connect(stop.signal).then((connection) => connection.read('x://1', stop.signal));
    await expect.poll(() => asked(method)).toHaveLength(1);
    stop.abort(new Error('enough'));
    await expect(acting).rejects.toThrow('enough');
  });
});

describe('a list', () => {
  const resource = (i: number, more: object = {}): object => ({ uri: `x://${i}`, name: `n${i}`, ...more });
  const many = (count: number, from = 0): object[] =>
    Array.from({ length: count }, (_, i) => resource(from + i));

  test('of a server without resources is empty without a request', async () => {
    answers['initialize'] = ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: {},
      serverInfo: { name: 'far', version: '1' },
    });
    const connection = await connect();
    expect(await connection.list(never)).toStrictEqual({ resources: [], templates: [], more: false });
    expect(asked('resources/list')).toEqual([]);
  });

  test('holds resources and templates with titles or names, and descriptions', async () => {
    const resources = [
      resource(1),
      resource(2, { title: 'Two', description: 'the second' }),
      resource(3, { name: 'x://3', description: 'named by its URI' }),
      resource(4, { name: '', description: '' }),
      resource(5, { name: 'x://5', title: 'x://5', description: 'x://5' }),
      resource(6, { description: 'd'.repeat(2_000) }),
    ];
    answers['resources/list'] = () => ({ resources });
    answers['resources/templates/list'] = () => ({
      resourceTemplates: [{ uriTemplate: 'x://{name}', name: 'by-name', description: 'says it' }],
    });
    expect(await (await connect()).list(never)).toStrictEqual({
      resources: [
        { uri: 'x://1', about: 'n1' },
        { uri: 'x://2', about: 'Two: the second' },
        { uri: 'x://3', about: 'named by its URI' },
        { uri: 'x://4', about: '' },
        { uri: 'x://5', about: '' },
        { uri: 'x://6', about: `n6: ${'d'.repeat(996)}` },
      ],
      templates: [{ uri: 'x://{name}', about: 'by-name: says it' }],
      more: false,
    });
  });

  test('is read page by page', async () => {
    answers['resources/list'] = ({ cursor = '0' }) =>
      cursor === '2'
        ? { resources: many(1, 2) }
        : { resources: many(1, Number(cursor)), nextCursor: String(Number(cursor) + 1) };
    const { resources, more } = await (await connect()).list(never);
    expect(resources.map(({ uri }) => uri)).toEqual(['x://0', 'x://1', 'x://2']);
    expect([asked('resources/list').map(({ cursor }) => cursor), more]).toEqual([
      [undefined, '1', '2'],
      false,
    ]);
    expect(asked('resources/list')[0]).not.toHaveProperty('cursor');
  });

  test.each(['resources/list', 'resources/templates/list'])(
    'ends after twenty pages of %s, and says so',
    async (method) => {
      const name = method === 'resources/list' ? 'resources' : 'resourceTemplates';
      answers[method] = ({ cursor = '0' }) => ({
        [name]: [{ uri: 'x://1', uriTemplate: 'x://{a}', name: 'one' }],
        nextCursor: String(Number(cursor) + 1),
      });
      const { resources, templates, more } = await (await connect()).list(never);
      expect([resources.length + templates.length, more, asked(method).length]).toEqual([20, true, 20]);
    },
  );

  test('of a server that repeats its cursor ends there', async () => {
    answers['resources/list'] = () => ({ resources: many(1), nextCursor: 'again' });
    const { resources, more } = await (await connect()).list(never);
    expect([resources.length, more, asked('resources/list').length]).toEqual([2, false, 2]);
  });

  test.each([
    ['a thousand names', [1_000], 1_000, false, 1],
    ['more on one page', [1_001], 1_000, true, 1],
    ['a thousand names before the last page', [400, 600, 1], 1_000, true, 2],
    ['more than that on the last page', [400, 601], 1_000, true, 2],
    ['more than that before the last page', [400, 601, 1], 1_000, true, 2],
    ['a name less', [400, 599], 999, false, 2],
  ])('holds at most a thousand names: %s', async (_, sizes, count, isMore, requests) => {
    answers['resources/list'] = ({ cursor = '0' }) => {
      const page = Number(cursor);
      return {
        resources: many(sizes[page] ?? 0),
        ...(page < sizes.length - 1 && { nextCursor: String(page + 1) }),
      };
    };
    const { resources, more } = await (await connect()).list(never);
    expect([resources.length, more, asked('resources/list').length]).toEqual([count, isMore, requests]);
  });

  test('is complete if the server has no templates', async () => {
    answers['resources/list'] = () => ({ resources: many(1) });
    answers['resources/templates/list'] = refusal;
    const list = await (await connect()).list(never);
    expect(list).toStrictEqual({ resources: [{ uri: 'x://0', about: 'n0' }], templates: [], more: false });
  });

  test('that is cancelled while templates are asked for fails', async () => {
    const stop = new AbortController();
    answers['resources/templates/list'] = SILENT;
    const listing = (await connect()).list(stop.signal);
    await expect.poll(() => asked('resources/templates/list')).toHaveLength(1);
    stop.abort(new Error('enough'));
    await expect(listing).rejects.toThrow('enough');
  });

  test('whose resources are refused fails', async () => {
    answers['resources/list'] = refusal;
    await expect((await connect()).list(never)).rejects.toThrow('no');
  });
});

describe('a resource', () => {
  test('is texts and bytes', async () => {
    answers['resources/read'] = ({ uri }) => ({
      contents: [
        { uri: `${String(uri)}/a`, text: 'a text' },
        { uri: `${String(uri)}/b`, mimeType: 'image/png', blob: Buffer.from('bytes').toString('base64') },
      ],
    });
    expect(await (await connect()).read('x://1', never)).toStrictEqual({
      parts: [
        { uri: 'x://1/a', mimeType: undefined, content: 'a text' },
        { uri: 'x://1/b', mimeType: 'image/png', content: Buffer.from('bytes') },
      ],
      more: false,
    });
  });

  test.each([
    [1_000, 1_000, false],
    [1_001, 1_000, true],
  ])('of %d parts: %d are read', async (count, read, isMore) => {
    const contents = Array.from({ length: count }, (_, i) => ({ uri: `x://${i}`, text: '' }));
    answers['resources/read'] = () => ({ contents });
    const { parts, more } = await (await connect()).read('x://1', never);
    expect([parts.length, more]).toEqual([read, isMore]);
  });
});

describe('after a failed call over HTTP the connection is', () => {
  const http = (status: number): Error =>
    new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status });

  test.each<[string, string | undefined, Error | undefined, McpConnection['spent']]>([
    ['kept after an answer of the server', 'session', undefined, undefined],
    ['replaced, and the call repeated, if the session is gone', 'session', http(404), 'session over'],
    ['the same for servers like the examples', 'session', http(400), 'session over'],
    ['replaced after another status', 'session', http(500), 'failed'],
    ['replaced after a 404 without a session', undefined, http(404), 'failed'],
    ['replaced after any other failure', 'session', new TypeError('fetch failed'), 'failed'],
  ])('%s', async (_, sessionId, failure, spent) => {
    const connection = await connect();
    transport.sessionId = sessionId;
    answers['resources/read'] = failure
      ? () => {
          throw failure;
        }
      : refusal;
    await expect(connection.read('x://1', never)).rejects.toThrow(failure?.message ?? 'no');
    expect(connection.spent).toBe(spent);
    // A later answer does not make it usable.
    answers['resources/read'] = refusal;
    await expect(connection.read('x://1', never)).rejects.toThrow('no');
    expect(connection.spent).toBe(spent);
  });

  test('kept after a cancelled call', async () => {
    const connection = await connect();
    const stop = new AbortController();
    answers['resources/read'] = SILENT;
    const reading = connection.read('x://1', stop.signal);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(connection.spent).toBeUndefined();
  });

  test('closed if too much was sent, and says why', async () => {
    const connection = await connect();
    const error = new OrielError('LIMIT', 'too much');
    mocked.failed(error);
    await expect.poll(() => mocked.released).toBe(1);
    expect([connection.closed, connection.failure]).toEqual([true, error]);
    // What comes afterwards is no reason.
    mocked.failed(new OrielError('NETWORK', 'ended early'));
    expect([connection.failure, mocked.released]).toEqual([error, 1]);
  });
});

describe('after a failed call to a process the connection is', () => {
  let child: PlayedProcess;

  beforeEach(() => {
    transport = child = new PlayedProcess();
    mocked.transport = child;
    expect(child).toBeInstanceOf(StdioClientTransport);
  });

  test.each([
    ['replaced if the process has said nothing since', 0, 'failed'],
    ['kept if it has', 1, undefined],
  ] as const)('%s', async (_, heard, spent) => {
    const connection = await connect();
    answers['resources/read'] = () => {
      child.heard += heard;
      throw new Error('timed out');
    };
    await expect(connection.read('x://1', never)).rejects.toThrow('timed out');
    expect(connection.spent).toBe(spent);
  });

  test('ended for the reason of the transport', async () => {
    const connection = await connect();
    child.failure = new OrielError('LIMIT', 'too much');
    expect(connection.failure).toBe(child.failure);
  });
});
