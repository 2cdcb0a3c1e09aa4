/**
 * Servers behind `mcp://` that do not want to end: each is ended with all that it has started, and the next call is served.
 *
 * @module-tag slow
 */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../support/children.ts';
import { temporaryFolder } from '../support/commands.ts';
import { place } from '../support/dialect.ts';

/** The server and its children. */
const PROCESSES = 4;

function stubborn(how: string, options: Parameters<typeof place>[1] = {}) {
  const marks = join(temporaryFolder(), 'pids');
  const args = [resolve('test/support/stubborn-mcp-server.mjs'), marks, how];
  const good = { command: process.execPath, args: [resolve('test/support/hostile-mcp-server.mjs'), 'good'] };
  const mcpServers = { odd: { command: process.execPath, args }, good };
  const { call, oriel } = place('oriel', { display: 'plain', mcpServers, ...options });
  const started = (): number[] => readFileSync(marks, 'utf8').trim().split(' ').map(Number);
  onTestFinished(() => {
    for (const pid of started().filter(isAlive)) process.kill(pid, 'SIGKILL');
  });
  return {
    read: (path: string) => call('read', { path }),
    close: () => oriel.close(),
    /** Once all of them run. */
    running: () => expect.poll(() => started().filter(isAlive).length).toBe(PROCESSES),
    started,
    gone: () => expect.poll(() => started().filter(isAlive)).toEqual([]),
  };
}

describe.runIf(process.platform === 'linux')('processes that a server has started', () => {
  test('end with the session, whatever signals they ignore', async () => {
    const { read, close, running, started } = stubborn('polite');
    expect((await read('mcp://odd/x://1')).text).toBe('text\n');
    await running();
    await close();
    expect(started().filter(isAlive)).toEqual([]);
  });

  test('end when a server never answers `initialize`', async () => {
    const { read, gone, started } = stubborn('mute', { timeoutMs: 10_000 });
    expect((await read('mcp://odd')).details).toMatchObject({ error: { code: 'TIMEOUT' } });
    expect(started().length).toBeGreaterThan(0);
    await gone();
    expect((await read('mcp://good')).text).toBe('mcp://good/x://1  n1\n');
  });

  test.each([
    ['line', /^The MCP server sent more than 16 MiB at once, and was ended\.$/],
    ['gigabyte', /^The MCP server sent more than 16 MiB at once, and was ended\.$/],
    ['dies', /^The MCP server odd answers: Connection closed\. Use mcp:\/\/odd for its resources\.$/],
    ['killed', /^The MCP server odd answers: Connection closed\. Use mcp:\/\/odd for its resources\.$/],
  ])('end with a server that fails while it answers: %s', async (how, sentence) => {
    const { read, running, gone } = stubborn(how);
    await read('mcp://odd');
    await running();
    const { text, isError } = await read('mcp://odd/x://1');
    expect(isError).toBe(true);
    expect(text).toMatch(sentence);
    await gone();
    expect((await read('mcp://good/x://1')).text).toBe('text\n');
    // It is started again.
    expect((await read('mcp://odd')).text).toBe('mcp://odd/x://0  n0\n');
  });

  test('end with a server that exits before its answer', async () => {
    const { read, gone } = stubborn('dies at once');
    expect((await read('mcp://odd')).text).toMatch(/does not answer: Connection closed\./);
    await gone();
    expect((await read('mcp://good/x://1')).text).toBe('text\n');
  });

  test.each(['garbage', 'silent'])('%s: the deadline holds, and the next call is answered', async (how) => {
    const { read, close, started } = stubborn(how, { timeoutMs: 10_000 });
    await read('mcp://odd');
    expect((await read('mcp://odd/x://1')).details).toMatchObject({ error: { code: 'TIMEOUT' } });
    expect((await read('mcp://good/x://1')).text).toBe('text\n');
    await close();
    expect(started().filter(isAlive)).toEqual([]);
  });
});
