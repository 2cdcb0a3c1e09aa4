/** The frame of a call: cancellation, timeout, and closing of everything that it opened. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../src/assemble.ts';
import { type CallOptions, type Engine, openCall, type OpenCall } from '../../src/call/open-call.ts';
import type { ErrorContext } from '../../src/call/unexpected.ts';
import { OrielError } from '../../src/errors.ts';
import { baseLimits } from '../../src/text/limits.ts';
import { createSession } from '../../src/session/session.ts';
import type { Call } from '../../src/types/call.ts';
import type { Progress } from '../../src/types/session.ts';
import type { EngineRequest } from '../../src/types/request.ts';
import { Tree } from '../support/tree.ts';

const read: EngineRequest = { kind: 'read', target: 'f', grammar: 'literal' };
const run: EngineRequest = {
  kind: 'run',
  command: 'true',
  streams: 'merged',
  keep: 'tail',
  snap: 'line',
  display: 'terminal',
};

const tree = await Tree.create();

function opened(
  options: CallOptions = {},
  engine: Partial<Engine> = {},
  request: EngineRequest = read,
): OpenCall {
  const whole: Engine = {
    access: tree.call().access,
    session: createSession(),
    settings: defaultSettings,
    timeoutMs: 30_000,
    now: () => 0,
    ...engine,
  };
  return openCall(whole, { request, limits: baseLimits }, options, 'a-tool');
}

const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );

/** Ends when the call is told to, with what the signal says. */
const untilAborted = ({ signal }: Call): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

test('resources are closed once, last first, before the signal aborts', async () => {
  const { call, settle, close } = opened();
  const closed: string[] = [];
  call.onEnd(() => void closed.push('first'));
  call.onEnd(async () => {
    await sleep(1);
    closed.push('second');
  });
  expect(await settle(() => Promise.resolve('done'))).toBe('done');
  expect([closed, call.signal.aborted]).toEqual([[], false]);
  await close();
  expect([closed, call.signal.aborted]).toEqual([['second', 'first'], true]);
  call.onEnd(() => void closed.push('late'));
  expect(closed).toEqual(['second', 'first', 'late']);
});

test('a cancelled call ends immediately, its resources after its work', async () => {
  const caller = new AbortController();
  const { call, settle, close } = opened({ signal: caller.signal });
  const closed: string[] = [];
  call.onEnd(() => void closed.push('descriptor'));
  let endWork = (): void => undefined;
  const work = new Promise<void>((resolve) => (endWork = resolve));
  const answer = reasonOf(settle(() => work));
  caller.abort(new Error('the user pressed Escape'));
  expect(await answer).toMatchObject({
    code: 'CANCELLED',
    message: 'The call was cancelled.',
    cause: { message: 'the user pressed Escape' },
  });
  await close();
  expect(closed).toEqual([]);
  endWork();
  await sleep(1);
  expect(closed).toEqual(['descriptor']);
});

test('an already cancelled call does not start', async () => {
  const { settle, close } = opened({ signal: AbortSignal.abort() });
  let begun = false;
  const work = async (): Promise<void> => void (begun = true);
  expect(await reasonOf((async () => settle(work))())).toMatchObject({ code: 'CANCELLED' });
  await close();
  expect(begun).toBe(false);
});

test('the AbortError of a library does not hide the reason', async () => {
  const { call, settle, close } = opened({}, { timeoutMs: 5 });
  const library = (): Promise<never> =>
    untilAborted(call).catch(() => {
      throw new DOMException('This operation was aborted', 'AbortError');
    });
  expect(await reasonOf(settle(library))).toMatchObject({
    code: 'TIMEOUT',
    message:
      'The call took longer than 0.005 seconds and was ended. Use a smaller window, such as the byte window :@0+64K of a file.',
  });
  await close();
});

test('Infinity and over 32 bits of milliseconds mean no timeout', async () => {
  for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 45]) {
    const { call, settle, close } = opened({}, { timeoutMs });
    await settle(() => sleep(10));
    expect(call.signal.aborted).toBe(false);
    expect(call.deadline).toBeGreaterThan(performance.now() + 2 ** 30);
    await close();
  }
  const unlimited = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };
  const settings = { ...defaultSettings, run: { ...defaultSettings.run, ...unlimited } };
  const { call, settle, close } = opened({}, { settings }, run);
  await settle(() => sleep(10));
  expect([call.signal.aborted, call.deadline]).toEqual([false, Number.POSITIVE_INFINITY]);
  await close();
});

test('a cancelled run still answers with the output so far', async () => {
  const caller = new AbortController();
  const { call, settle, close } = opened({ signal: caller.signal }, {}, run);
  const answer = settle(() => untilAborted(call).catch(() => 'the output so far'));
  caller.abort();
  expect(await answer).toBe('the output so far');
  await close();
});

test('a failed cleanup is reported, and the others still run', async () => {
  const told: [unknown, ErrorContext][] = [];
  const { call, settle, close } = opened({}, { onError: (...error) => void told.push(error) });
  const closed: string[] = [];
  const failure = new Error('EIO');
  call.onEnd(() => void closed.push('first'));
  call.onEnd(() => {
    throw failure;
  });
  await settle(() => Promise.resolve());
  await close();
  expect(closed).toEqual(['first']);
  expect(told).toEqual([
    [failure, { code: 'INTERNAL', tool: 'a-tool', message: expect.any(String) as string }],
  ]);
});

test('a throwing progress listener is reported, and the call continues', async () => {
  const told: [unknown, ErrorContext][] = [];
  const seen: Progress[] = [];
  const failure = new TypeError('the listener is broken');
  const onProgress = (progress: Progress): void => {
    seen.push(progress);
    if (seen.length === 2) throw failure;
  };
  const { call, settle, close } = opened({ onProgress }, { onError: (...error) => void told.push(error) });
  await settle(() => {
    for (const message of ['one', 'two', 'three']) call.progress({ message });
    return Promise.resolve();
  });
  await close();
  expect(seen.map(({ message }) => message)).toEqual(['one', 'two', 'three']);
  expect(told).toEqual([
    [failure, { code: 'HOST', tool: 'a-tool', message: expect.stringContaining('onProgress') as string }],
  ]);
});

test.each([
  [
    'throws',
    () => {
      throw new TypeError('the listener is broken');
    },
  ],
  ['rejects', () => Promise.reject(new TypeError('the listener is broken'))],
] as const)('an output listener that %s is reported and called once', async (_, fail) => {
  const told: [unknown, ErrorContext][] = [];
  let calls = 0;
  const onOutput = (): Promise<void> => {
    calls += 1;
    return fail();
  };
  const { call, close } = opened({ onOutput }, { onError: (...error) => void told.push(error) }, run);
  for (let i = 0; i < 3; i += 1) await call.watchOutput?.(Buffer.from('chunk'));
  await close();
  expect(calls).toBe(1);
  expect(told).toMatchObject([[{ message: 'the listener is broken' }, { code: 'HOST', tool: 'a-tool' }]]);
});

test('a directory is refused where only files are allowed', async () => {
  const { call, close } = opened({}, {}, { kind: 'lines', path: '/', range: { from: 1 } });
  const directory = await call.access.open(tree.path);
  const subject = {
    typed: 'd',
    rest: '',
    name: 'd',
    path: tree.path,
    opened: directory,
    head: new Uint8Array(0),
  };
  await expect(call.open(subject)).rejects.toThrow(
    new OrielError('IS_DIRECTORY', 'd is a directory, not a file.'),
  );
  await directory.close();
  await close();
});
