/** What pending requests get when a session over stdio ends, and what clients get that do it wrong, with a line in the log. */

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveOverStdio, STDIO_DRAIN_MS } from '../../../src/faces/mcp/serve-stdio.ts';
import type { Tool } from '../../../src/oriel.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { serveOffer, openOffer } from '../../support/app.ts';
import { deferred, hangingTool, offerOf, testTool } from '../../support/offer.ts';
import { mcpHeaders, mcpMessage, modernMeta } from '../../support/server.ts';
import { type Message, session, type Wire, wire } from '../../support/wire.ts';
import { workspace } from '../../support/workspace.ts';

const ENDED = {
  code: -32000,
  message: 'The server has ended, and this call with it. Use the same call when it runs again.',
  data: { code: 'BUSY' },
};
const ENDING = {
  code: -32000,
  message: 'The server is ending. Use the same call when it runs again.',
  data: { code: 'BUSY' },
};

const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

const callOf = (id: number, name: string, given: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** The messages with a number as their id, in the order of the ids. */
function repliesIn({ lines }: Wire): Message[] {
  const messages = lines.map((line) => JSON.parse(line) as Message);
  return messages
    .filter(({ id }) => typeof id === 'number')
    .toSorted((one, other) => Number(one.id) - Number(other.id));
}

const idsIn = (running: Wire): unknown[] => repliesIn(running).map(({ id }) => id);

const hello = (params: object, id: unknown = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params,
});
const known = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pi', version: '1' } };

describe('a process', () => {
  test('SIGTERM: each request sent before, even unread, has one reply', { tags: 'slow' }, async () => {
    const { W } = workspace();
    const running = await session(['--allow-bash', W]);
    const count = 1_500;
    const calls = ids(count).map((id) => callOf(id, 'bash', { command: 'sleep 1000' }));
    await running.write(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
    running.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    expect(idsIn(running)).toEqual(ids(count));
    expect(repliesIn(running)[0]?.error).toEqual(ENDED);
    expect(running.stderr()).toBe('');
  });

  test('calls that take no time have one reply or error', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('f', 'hi\n');
    const running = await session([W]);
    const count = 3_000;
    const calls = ids(count).map((id) => callOf(id, 'read', { path: 'f' }));
    await running.write(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
    await running.receive(({ id }) => id === 0);
    running.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    expect(idsIn(running)).toEqual(ids(count));
    const errors = repliesIn(running).flatMap(({ error }) => (error ? [error] : []));
    // On a busy machine not all of the running ones end in time.
    for (const error of errors) expect([ENDING, ENDED]).toContainEqual(error);
  });

  test('a client that reads nothing does not keep it alive', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('f', 'x'.repeat(79).concat('\n').repeat(5_000));
    const running = wire(['mcp', '--write-timeout', '100000', '--allow-bash', W], { deaf: true });
    running.send(hello(known, 'hello'));
    const calls = ids(400).map((id) =>
      id % 2 === 0 ? callOf(id, 'read', { path: 'f' }) : callOf(id, 'bash', { command: 'sleep 1000' }),
    );
    const lines = calls.map((call) => `${JSON.stringify(call)}${' '.repeat(1_000)}\n`);
    // More than a pipe holds, so that it has begun to read.
    await running.write(lines.join(''));
    running.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    expect(running.stderr()).toBe('');
  });
});

describe('a session, whose timers do not run', () => {
  interface Served {
    readonly input: PassThrough;
    send(message: object): void;
    /** What the signal of the process does. */
    stop(): void;
    /** Everything that was sent, when the session has ended. */
    readonly ended: Promise<object[]>;
    /** Resolves when `part` was sent. */
    got(part: string): Promise<void>;
  }

  function serving(...tools: readonly Tool[]): Served {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const input = new PassThrough();
    const output = new PassThrough();
    const stopping = new AbortController();
    let said = '';
    output.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = serveOverStdio(offerOf(...tools), { input, output, signal: stopping.signal });
    return {
      input,
      send: (message) => void input.write(`${JSON.stringify(message)}\n`),
      stop: () => stopping.abort(),
      ended: ended.then(() =>
        said
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as object),
      ),
      async got(part) {
        while (!said.includes(part)) await new Promise((resolve) => void setImmediate(resolve));
      },
    };
  }

  const done = { id: 1, result: { content: [{ text: 'done' }] } };
  const error = (id: number, what: object): object => ({ jsonrpc: '2.0', id, error: what });

  /** A tool whose call waits for `open`. */
  function gatedTool(): { gated: Tool; begun: Promise<void>; open: () => void } {
    const [opened, begun] = [deferred(), deferred()];
    const gated = testTool('gated', async (_, { signal }) => {
      begun.resolve();
      await opened.promise;
      return textAnswer(signal?.aborted ? 'cancelled' : 'done');
    });
    return { gated, begun: begun.promise, open: opened.resolve };
  }

  test('after the signal running calls are answered, new requests refused', async () => {
    const { gated, begun, open } = gatedTool();
    const { send, stop, got, ended } = serving(gated);
    send(callOf(1, 'gated', {}));
    await begun;
    stop();
    send(callOf(2, 'gated', {}));
    send({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
    await got('"id":3');
    open();
    expect(await ended).toMatchObject([error(2, ENDING), error(3, ENDING), done]);
  });

  test('requests before the end of the input are answered', async () => {
    const { gated, begun, open } = gatedTool();
    const { input, send, ended } = serving(gated);
    send(callOf(1, 'gated', {}));
    input.end();
    await begun;
    await new Promise((resolve) => void setImmediate(resolve));
    open();
    expect(await ended).toMatchObject([done]);
  });

  test('a request that arrives with the signal is refused', async () => {
    const { send, stop, ended } = serving();
    stop();
    send(callOf(1, 'none', {}));
    expect(await ended).toEqual([error(1, ENDING)]);
  });

  test('a signal after the input’s end is not awaited again', async () => {
    const { tool, started, stopped } = hangingTool('hang');
    const { input, send, stop, ended } = serving(tool);
    send(callOf(1, 'hang', {}));
    input.end();
    await started;
    await new Promise((resolve) => void setImmediate(resolve));
    stop();
    await stopped;
    expect(await ended).toEqual([error(1, ENDED)]);
  });

  test('at the input’s end what hangs has time, then fails', async () => {
    const { tool, started, stopped } = hangingTool('hang');
    const { input, send, ended } = serving(tool);
    send(callOf(1, 'hang', {}));
    input.end();
    await started;
    await new Promise((resolve) => void setImmediate(resolve));
    vi.advanceTimersByTime(STDIO_DRAIN_MS);
    await stopped;
    expect(await ended).toEqual([error(1, ENDED)]);
  });

  test.each(['signal', 'input'])('who listens is told of the end (%s) without waiting', async (what) => {
    const { input, send, stop, got, ended } = serving();
    const listen = { notifications: { toolsListChanged: true }, _meta: modernMeta };
    send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: listen });
    await got('acknowledged');
    if (what === 'signal') stop();
    else input.end();
    expect(await ended).toMatchObject([{}, { id: 1, result: {} }]);
  });
});

describe('a client that does it wrong gets an answer that fits', () => {
  const LINES = 9_000;
  const read = callOf(3, 'read', { path: 'big.txt' });
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

  const textOf = ({ result, error }: Message): string =>
    (result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? error?.message ?? '';

  /** Sends the messages; resolves to the texts of answers by their ids, and the log, after `more`, which may go on. */
  async function talk(
    messages: readonly object[],
    more: (input: PassThrough, said: () => string, stop: () => Promise<void>) => Promise<void> = () =>
      Promise.resolve(),
    isTTY = false,
  ): Promise<{ answers: Map<unknown, string>; log: string[] }> {
    const { W, write } = workspace();
    write('big.txt', `${'x'.repeat(60)}\n`.repeat(LINES));
    const [input, output] = [Object.assign(new PassThrough(), { isTTY }), new PassThrough()];
    let said = '';
    output.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const log: string[] = [];
    const onError = (error: unknown): void => void log.push(`bug: ${String(error)}`);
    const offer = openOffer({ cwd: W, onError });
    await offer.prepare();
    const stopping = new AbortController();
    const warn = (sentence: string): void => void log.push(sentence);
    const ended = serveOverStdio(offer, { input, output, signal: stopping.signal, warn });
    for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
    await more(
      input,
      () => said,
      () => {
        stopping.abort();
        return ended;
      },
    );
    input.end();
    await ended;
    const replies = said.split('\n').filter(Boolean);
    const answers = replies.map((line) => JSON.parse(line) as Message & { result?: { content?: unknown } });
    return { answers: new Map(answers.map((answer) => [answer.id, textOf(answer)])), log };
  }

  /** The same over HTTP. */
  async function post(messages: readonly object[]): ReturnType<typeof talk> {
    const { W, write } = workspace();
    write('big.txt', `${'x'.repeat(60)}\n`.repeat(LINES));
    const offer = openOffer({ cwd: W });
    const served = await serveOffer(offer);
    const answers = new Map<unknown, string>();
    // Not of the name that a client gives.
    let headers: Record<string, string> = { ...mcpHeaders, 'user-agent': '' };
    for (const message of messages) {
      const response = await served.post('/mcp', message, { headers });
      const session = response.headers.get('mcp-session-id');
      if (session !== null) headers = { ...headers, 'mcp-session-id': session };
      const answer = (await mcpMessage(response)) as unknown as Message;
      answers.set(answer.id, textOf(answer));
    }
    await served.close();
    const warnings = served.logged.filter(({ event }) => event === 'warning').slice(1);
    return { answers, log: warnings.map(({ message }) => String(message)) };
  }

  const NAMELESS = 'The client gives no name';
  const odd = { clientInfo: { name: 'newer', version: '1', odd: {} }, capabilities: { odd: {} }, odd: 1 };
  const wrong: readonly [string, object[], string[]][] = [
    ['no greeting', [], [NAMELESS]],
    ['an empty greeting', [hello({})], ['initialize params.protocolVersion is missing', NAMELESS]],
    ['no name', [hello({ ...known, clientInfo: { name: '', version: '' } })], [NAMELESS]],
    ['a version that is none', [hello({ ...known, protocolVersion: '2099-01-01' })], ['2099-01-01 of MCP']],
    ['unknown fields', [hello({ ...known, ...odd })], ['the field odd with initialize']],
  ];
  describe.each([
    ['over stdio', talk],
    ['over HTTP', post],
  ])('%s', (_over, converse) => {
    test.each(wrong)('%s', async (_what, greeting, lines) => {
      const { answers, log } = await converse([...greeting, list, read]);
      const text = answers.get(3) ?? '';
      expect(text).toMatch(/Use big\.txt:\d+\.\. to continue\]$/);
      expect(text.length).toBeLessThanOrEqual(19_500);
      expect(log).toEqual(lines.map((line) => expect.stringContaining(line) as string));
    });

    test('a version of its own that lies changes nothing', async () => {
      const named = (version: string): object =>
        hello({ ...known, clientInfo: { name: 'claude-code', version } });
      const [old, newer] = [
        await converse([named('0.0.1'), read]),
        await converse([named('99.0.0-lie'), read]),
      ];
      expect(newer).toEqual(old);
      expect(old.answers.get(3)?.length).toBeGreaterThan(40_000);
      expect(old.log).toEqual([]);
    });

    test('a field that a tool does not have is named', async () => {
      const { answers, log } = await converse([hello(known), callOf(3, 'read', { path: 'big.txt', odd: 1 })]);
      expect(answers.get(3)).toContain('no field odd');
      expect(log).toEqual([expect.stringContaining('read: The tool read has no field odd')]);
    });
  });

  test('one that leaves before it asks for tools is noted', async () => {
    const left = ['The client left before it asked for the tools. Some give a server little time to start.'];
    expect((await talk([hello(known)])).log).toEqual(left);
    expect((await talk([], undefined, true)).log).toEqual([]);
    // As Cline does it: it closes the input, and soon sends a signal.
    const cut = await talk([hello(known)], async (input, _said, stop) => {
      input.end();
      await once(input, 'end');
      await stop();
    });
    expect(cut.log).toEqual(left);
    expect((await talk([hello(known)], (_input, _said, stop) => stop())).log).toEqual([]);
  });

  test.each([
    [9_000, /Use big\.txt:\d+\.\. to continue\]$/, []],
    [10_000, /Make the same call again/, [expect.stringContaining('declared roots but did not list them')]],
  ])('roots that come after %i ms', async (ms, answer, lines) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const greeting = hello({ ...known, capabilities: { roots: {} } });
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const until = async (found: () => boolean): Promise<void> => {
      while (!found()) await new Promise((resolve) => void setImmediate(resolve));
    };
    const { answers, log } = await talk([greeting, initialized, read], async (input, said) => {
      await until(() => said().includes('roots/list'));
      const [line = ''] = /^.*roots\/list.*$/m.exec(said()) ?? [];
      const { id } = JSON.parse(line) as Message;
      vi.advanceTimersByTime(ms);
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { roots: [] } })}\n`);
      await until(() => said().includes('"id":3'));
    });
    expect(answers.get(3)).toMatch(answer);
    expect(log).toEqual(lines);
  });
});
