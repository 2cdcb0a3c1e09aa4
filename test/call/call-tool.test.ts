/** Every failure is an answer; what an answer does not explain reaches the host, with its stack. */

import { expect, test } from 'vitest';
import { assemble } from '../../src/assemble.ts';
import { callTool } from '../../src/call/call-tool.ts';
import type { CallableTool } from '../../src/call/dialect.ts';
import { explained } from '../../src/call/unexpected.ts';
import { createOriel, type ErrorContext, type OrielOptions } from '../../src/index.ts';
import { cutPolicy } from '../../src/text/limits.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

const SENTENCE = 'An unexpected error inside oriel ended the call. Try another path or window.';

type Told = [unknown, ErrorContext][];

/** What the model is told, with the code, and what the host is told. */
async function failureOf(options: OrielOptions, input: unknown, tool = 'read') {
  const { write, with: walled } = workspace();
  write('f', 'one\ntwo\n');
  const told: Told = [];
  const oriel = walled({ ...options, onError: (...error) => void told.push(error) });
  const answer = await oriel.tool(tool).run(input);
  return { code: codeOf(answer), text: textOf(answer), isError: answer.isError, told };
}

test('only the host gets the original error of a bug', async () => {
  const bug = new TypeError("Cannot read properties of undefined (reading 'lines')");
  const told: Told = [];
  const { engine, limits } = assemble({ onError: (...error) => void told.push(error) });
  const broken: CallableTool<string> = {
    name: 'broken',
    prepare: () => ({
      request: { kind: 'list', limit: 1, offset: 0 },
      limits,
      policy: cutPolicy,
      answer() {
        throw bug;
      },
    }),
    failure: ({ code, message }) => `${code} ${message}`,
  };
  expect(await callTool(engine, broken, {}, { limits, dialect: 'test' })).toBe(`INTERNAL ${SENTENCE}`);
  expect(told).toEqual([[bug, { code: 'INTERNAL', tool: 'broken', message: SENTENCE }]]);
});

test('a wrong input and an explained failure are no bugs', async () => {
  for (const input of [{}, { path: 5 }, { path: 'missing' }, { path: 'f:0' }]) {
    const { isError, told } = await failureOf({}, input);
    expect([isError, told]).toEqual([true, []]);
  }
});

test('a token counter that throws is the host’s own failure', async () => {
  const failure = new Error('the model has no vocabulary');
  const tokens = (): number => {
    throw failure;
  };
  const { code, text, told } = await failureOf({ tokens, limits: { tokens: 500 } }, { path: 'f' });
  expect([code, text]).toEqual([
    'HOST',
    'The application that offers this tool failed in its own code (tokens). Tell its user; another call may work.',
  ]);
  expect(told).toEqual([[failure, { code: 'HOST', tool: 'read', message: text }]]);
});

test('a token counter that does not count is one too', async () => {
  const { code, told } = await failureOf(
    { tokens: () => Number.NaN, limits: { tokens: 500 } },
    { path: 'f' },
  );
  expect(code).toBe('HOST');
  expect(told).toMatchObject([
    [{ message: 'tokens returned NaN, not a number of tokens' }, { tool: 'read' }],
  ]);
});

test('so is a clock', async () => {
  const now = (): number => {
    throw new Error('no clock');
  };
  const { code, text, told } = await failureOf({ now }, { path: '.' });
  expect([code, text]).toEqual(['HOST', expect.stringContaining('(now)')]);
  expect(told).toMatchObject([[{ message: 'no clock' }, { code: 'HOST' }]]);
});

test('a workspace that throws or answers nothing fails as HOST', async () => {
  const ask = (readFileLines: () => Promise<never>) =>
    failureOf(
      { dialect: 'coder', workspaces: { dev: { readFileLines } } },
      { workspace: 'dev', path: '/f' },
      'coder_workspace_read_file',
    );
  const thrown = await ask(() => Promise.reject(new Error('no route')));
  expect([thrown.code, thrown.text]).toEqual(['HOST', expect.stringContaining('(workspaces: dev)')]);
  expect(thrown.told).toMatchObject([[{ message: 'no route' }, { code: 'HOST' }]]);
  const nothing = await ask(() => Promise.resolve(undefined as never));
  expect(nothing.code).toBe('HOST');
  const { OrielError } = await import('../../src/index.ts');
  const answered = await ask(() => Promise.reject(new OrielError('NETWORK', 'It is off.')));
  expect([answered.code, answered.text, answered.told]).toEqual(['NETWORK', '{"error":"It is off."}', []]);
});

test('an onError that throws changes nothing', async () => {
  const { write, W } = workspace();
  write('f', 'x\n');
  const oriel = createOriel({
    cwd: W,
    roots: [W],
    limits: { tokens: 500 },
    tokens: () => Number.NaN,
    onError: () => {
      throw new Error('the host is broken');
    },
  });
  expect(codeOf(await oriel.tool('read').run({ path: 'f' }))).toBe('HOST');
});

test('a shortage of descriptors is BUSY, and no bug', () => {
  const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  expect(explained(cause)).toMatchObject({
    code: 'BUSY',
    message: 'Too many files are open. Call again.',
    cause,
  });
});

test('a timeout is a number above 0; Infinity is none', () => {
  for (const timeoutMs of [0, -1, Number.NaN]) {
    expect(() => createOriel({ timeoutMs })).toThrow(
      'The option timeoutMs is a number above 0, or Infinity for no limit.',
    );
    expect(() => createOriel({ run: { timeout: timeoutMs } })).toThrow(
      'The option run.timeout is a number above 0, or Infinity for no limit.',
    );
  }
});

test.each([Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40])(
  'a call with timeoutMs %d does not time out immediately',
  async (timeoutMs) => {
    const { write, with: walled } = workspace();
    write('f', 'one\n');
    const oriel = walled({ timeoutMs, run: { timeout: timeoutMs } });
    expect(textOf(await oriel.tool('read').run({ path: 'f' }))).toBe('1|one\n');
    expect(textOf(await oriel.tool('bash').run({ command: 'sleep 0.05; echo done' }))).toBe('done\n');
    expect(textOf(await oriel.tool('grep').run({ pattern: 'one' }))).toBe('f:1: one');
    expect(textOf(await oriel.tool('find').run({ pattern: '*' }))).toBe('f');
  },
);
