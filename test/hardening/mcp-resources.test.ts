/**
 * Hostile servers behind `mcp://`: what they send, and what they do not.
 *
 * @module-tag slow
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Called, place } from '../support/dialect.ts';
import { withoutLag } from '../support/lag.ts';

const server = (how: string) => ({
  command: process.execPath,
  args: [resolve('test/support/hostile-mcp-server.mjs'), how],
});

function reader(how: string, options: Parameters<typeof place>[1] = {}) {
  const mcpServers = { odd: server(how), good: server('good') };
  const here = place('oriel', { display: 'plain', mcpServers, ...options });
  return (path: string): Promise<Called> => here.call('read', { path });
}

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2066-\u2069]/;

describe('no response blocks the event loop', () => {
  test.each([
    ['many', 'mcp://odd'],
    ['deep', 'mcp://odd'],
    ['parts', 'mcp://odd/x://1'],
    ['text', 'mcp://odd/x://1'],
    ['blob', 'mcp://odd/x://1'],
    ['empty', 'mcp://odd'],
    ['garbage', 'mcp://odd'],
    ['unlike', 'mcp://odd'],
    ['notices', 'mcp://odd'],
    ['large', 'mcp://odd'],
    ['answers', 'mcp://odd'],
    ['stderr', 'mcp://odd'],
  ])('%s', async (how, path) => {
    // Each time one that remembers nothing.
    const { text, details } = await withoutLag(() => reader(how)(path));
    expect(details['error'] ?? {}).not.toMatchObject({ code: 'INTERNAL' });
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
  });

  test('another server is answered meanwhile', async () => {
    const read = reader('large');
    const [, { text }] = await Promise.all([read('mcp://odd'), read('mcp://good')]);
    expect(text).toBe('mcp://good/x://1  n1\n');
  });
});

describe('over HTTP', () => {
  let address: string;
  beforeAll(async () => {
    const server = spawn(process.execPath, [resolve('test/support/hostile-mcp-http.mjs')]);
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    address = `http://127.0.0.1:${port.toString().trim()}`;
    return () => void server.kill();
  });

  async function odd(how: string) {
    const here = place('oriel', {
      display: 'plain',
      mcpServers: { odd: { url: `${address}/${encodeURIComponent(how)}` } },
    });
    // Loads the client, and connects.
    await here.call('read', { path: 'mcp://odd/x://1' });
    return () => here.call('read', { path: 'mcp://odd' });
  }

  test.each([
    ['json', 1_000],
    ['event', 1_000],
    ['lines', 100],
    ['others', 3],
    ['blank', 3],
  ])('%s: a list is read', async (how, count) => {
    const list = await odd(how);
    const { text } = await withoutLag(list);
    expect(text.match(/^mcp:\/\/odd\/x:/gm)).toHaveLength(count);
  });

  test.each(['many lines', 'comment', 'bomb', 'bomb of events'])('%s: is refused', async (how) => {
    const list = await odd(how);
    const { text, isError, details } = await withoutLag(list);
    expect(isError).toBe(true);
    expect(details).toMatchObject({ error: { code: 'LIMIT' } });
    expect(text).toMatch(/and was ended\.$/);
    expect((await list()).isError).toBe(true);
  });

  test.each([
    ['endless line', 'The MCP server sent more than 16 MiB at once, and was ended.'],
    ['endless events', 'The MCP server sent more than 10000 events at once, and was ended.'],
    ['endless json', 'The MCP server sent more than 16 MiB at once, and was ended.'],
    ['empty blocks', 'The MCP server sent more than 16 MiB at once, and was ended.'],
    ['broken off', 'The MCP server ended its answer early. Use the same call later.'],
    ['json broken off', 'The MCP server ended its answer early. Use the same call later.'],
  ])('%s: the error gives the cause, not a timeout', async (how, why) => {
    expect((await (await odd(how))()).text).toBe(why);
  });
});

describe('lists', () => {
  test('of 250,000 names the first thousand are listed', async () => {
    const { text } = await reader('many')('mcp://odd');
    expect(text.match(/^mcp:\/\/odd\/x:/gm)).toHaveLength(1_000);
    expect(text).toContain('The server has more than are listed');
  });

  test('an endless list is ended', async () => {
    const { text } = await reader('endless')('mcp://odd');
    expect(text.match(/^mcp:/gm)).toHaveLength(20);
    expect(text).toContain('The server has more than are listed');
  });

  test('a list with a repeated cursor is ended', async () => {
    expect((await reader('loop')('mcp://odd')).text.match(/^mcp:/gm)?.length).toBeLessThan(3);
  });
});

describe('names', () => {
  test('in a list fill one line each, hidden characters escaped', async () => {
    const { text } = await reader('names')('mcp://odd');
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    expect(text).not.toMatch(HIDDEN);
  });

  test('of a resource and its type are escaped', async () => {
    const { text, details } = await reader('names')('mcp://odd/x://1');
    expect(text).not.toMatch(HIDDEN);
    expect(JSON.stringify(details)).not.toMatch(HIDDEN);
  });

  test('in an error are on one line', async () => {
    const { text, isError } = await reader('error')('mcp://odd/x://1');
    expect(isError).toBe(true);
    expect(text).not.toContain('\n');
    expect(text).not.toMatch(HIDDEN);
    expect(text.length).toBeLessThan(600);
  });
});

describe('responses outside of the protocol', () => {
  test.each([
    ['types', 'mcp://odd'],
    ['types', 'mcp://odd/x://1'],
    ['none', 'mcp://odd/x://1'],
    ['deep', 'mcp://odd'],
    ['die', 'mcp://odd'],
    ['unended', 'mcp://odd'],
  ])('%s: an error with a sentence', async (how, path) => {
    const read = reader(how);
    const { text, isError, details } = await read(path);
    expect(isError).toBe(true);
    expect(details['error']).not.toMatchObject({ code: 'INTERNAL' });
    expect(text).toMatch(/Use mcp:\/\/\S* for (?:the|its) \w+\.$|was ended\.$/);
    expect(text).not.toMatch(/\n {4}at /);
  });

  test.each(['noise', 'garbage', 'twice', 'asks', 'answers'])('%s is ignored', async (how) => {
    expect((await reader(how)('mcp://odd/x://1')).text).toBe('text\n');
  });

  test('of invalid base64 the valid beginning is decoded', async () => {
    expect((await reader('badBlob')('mcp://odd/x://1')).details['error'] ?? {}).not.toMatchObject({
      code: 'INTERNAL',
    });
  });
});

describe('time', () => {
  test.each([
    ['hang', 'mcp://odd'],
    ['silent', 'mcp://odd'],
    ['silent', 'mcp://odd/x://1'],
    ['drip', 'mcp://odd'],
  ])('%s: the deadline of the call holds', async (how, path) => {
    const { details } = await reader(how, { timeoutMs: 1_500 })(path);
    expect(details).toMatchObject({ error: { code: 'TIMEOUT' } });
  });
});
