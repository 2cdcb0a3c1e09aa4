/**
 * `mcp://`: resources of real servers over stdio and HTTP, their environment, and their end.
 *
 * @module-tag slow
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createOriel, createSession } from '../../../src/index.ts';
import { mcpServersIn } from '../../../src/faces/cli/dialect-tool.ts';
import { isAlive } from '../../support/children.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { type Called, place, type Place } from '../../support/dialect.ts';
import { notesServer } from '../../support/mcp.ts';
import { server } from '../../support/server.ts';
import { site } from '../../support/web.ts';
import { workspace } from '../../support/workspace.ts';

const open = (
  options: Parameters<typeof place>[1] = {},
): { here: Place; read(path: string): Promise<Called> } => {
  const here = place('oriel', { display: 'plain', ...options });
  return { here, read: (path) => here.call('read', { path }) };
};

test('lists the servers, without arguments and secrets', async () => {
  const mcpServers = {
    ...notesServer('/x'),
    remote: { url: 'https://mcp.example/path?key=SECRET', headers: { authorization: 'SECRET' } },
  };
  const { read } = open({ mcpServers });
  expect((await read('mcp://')).text).toBe(
    `mcp://notes  ${process.execPath}\nmcp://remote  https://mcp.example\n`,
  );
  expect((await open({ mcpServers: {} }).read('mcp://')).text).toBe('(no servers in .mcp.json)\n');
});

test('lists the resources of a server, templates last', { tags: 'slow' }, async () => {
  const { read } = open();
  const { text } = await read('mcp://notes');
  expect(text).toMatch(/^mcp:\/\/notes\/note:\/\/one {2}one: the first note\n/);
  expect(text).toMatch(/\nmcp:\/\/notes\/echo:\/\/\{name\} {2}template: by-name: says its name\n$/);
  expect((await read('mcp://notes:1..1')).text).toBe('mcp://notes/note://one  one: the first note\n');
});

test('reads a resource with every selector; literal names come first', async () => {
  const { read } = open();
  expect((await read('mcp://notes/note://one')).text).toBe('# One\nline 2\nline 3\n');
  expect((await read('mcp://notes/note://one:2..2')).text).toBe('line 2\n');
  expect((await read('mcp://notes/note://one:raw')).text).toBe('# One\nline 2\nline 3\n');
  expect((await read('mcp://notes/note:list:1..2')).text).toBe('a literal name\n');
  expect((await read('mcp://notes/echo://me')).text).toBe('me\nsecond\n');
  expect((await read('mcp://notes/echo://me:2..2')).text).toBe('second\n');
});

test('a text is requested again; further parts are one reply', async () => {
  const { read } = open();
  expect((await read('mcp://notes/note://count')).text).toBe('read 1\nsecond line\n');
  expect((await read('mcp://notes/note://count:1..1')).text).toBe('read 1\n');
  expect((await read('mcp://notes/note://count')).text).toBe('read 2\nsecond line\n');
});

test('replies are separate for each working directory', { tags: 'slow' }, async () => {
  const session = createSession();
  const mcpServers = notesServer(temporaryFolder());
  const there = () => open({ session, mcpServers, cwd: temporaryFolder() });
  const [one, two] = [there(), there()];
  expect((await one.read('mcp://notes/note://count')).text).toBe('read 1\nsecond line\n');
  expect((await one.read('mcp://notes/note://count')).text).toBe('read 2\nsecond line\n');
  // A server of its own, which is started there.
  expect((await two.read('mcp://notes/note://count:1..1')).text).toBe('read 1\n');
  await session.close();
});

test('images are images; several parts are one text', async () => {
  const { here, read } = open();
  const { content, details } = await here.oriel.tool('read').run({ path: 'mcp://notes/note://picture' });
  expect(content.map(({ type }) => type)).toContain('image');
  expect(details).toMatchObject({ kind: 'internal' });
  expect((await read('mcp://notes/note://folder')).text).toBe(
    '--- note://folder/a\na\n--- note://folder/b\n(image/png, 70 B)\n',
  );
});

test('lines have no anchors', async () => {
  expect((await open({ display: 'hashline' }).read('mcp://notes/note://one')).text).toMatch(/^1\|# One\n/);
});

describe('failures are one sentence with advice', () => {
  test.each([
    [
      'mcp://nope/x',
      'NOT_FOUND',
      /^mcp:\/\/nope\/x does not exist\. There is mcp:\/\/notes\. Use mcp:\/\/ for the list\.$/,
    ],
    [
      'mcp://notes/note://nope',
      'NOT_FOUND',
      /^The MCP server notes answers: .*note:\/\/nope.*\. Use mcp:\/\/notes for its resources\.$/,
    ],
    ['mcp://notes/note://none', 'NOT_FOUND', /^mcp:\/\/notes\/note:\/\/none is empty\. Use mcp:\/\/notes\.$/],
    [
      'mcp://notes/note://end',
      'NOT_FOUND',
      /^The MCP server notes answers: Connection closed\. Use mcp:\/\/notes for its resources\.$/,
    ],
    ['mcp://notes/note://huge', 'LIMIT', /^The MCP server sent more than 16 MiB at once, and was ended\.$/],
    ['mcp://notes:0', 'BAD_SELECTOR', /^Line selector 0 is invalid/],
  ])('%s', { tags: 'slow' }, async (path, code, sentence) => {
    const { read } = open();
    const { text, isError, details } = await read(path);
    expect(isError).toBe(true);
    expect(text).toMatch(sentence);
    expect(details).toMatchObject({ error: { code } });
    // A server that has ended is started again.
    expect((await read('mcp://notes/note://one')).isError).toBe(false);
  });

  test('a missing program, and one that is not a server', { tags: 'slow' }, async () => {
    const { read } = open({
      mcpServers: {
        gone: { command: 'no-such-program-here' },
        nowhere: { command: process.execPath, cwd: '/no/such/directory' },
        other: { command: process.execPath, args: ['-e', '0'] },
      },
    });
    expect((await read('mcp://gone/x')).text).toBe(
      'The MCP server gone cannot be started: there is no program no-such-program-here (ENOENT). Use mcp:// for the servers.',
    );
    expect((await read('mcp://nowhere/x')).text).toBe(
      `The MCP server nowhere cannot be started: there is no program ${process.execPath}, or no directory /no/such/directory (ENOENT). Use mcp:// for the servers.`,
    );
    expect((await read('mcp://other/x')).text).toBe(
      `The MCP server other (${process.execPath}) does not answer: Connection closed. Use mcp:// for the servers.`,
    );
  });

  test('a server by its URL shows only the origin', async () => {
    const { url } = await site({});
    const closed = url.replace(/:\d+$/, ':9');
    const { read } = open({ mcpServers: { away: { url: `${closed}/SECRET/mcp?key=SECRET` } } });
    const { text, isError } = await read('mcp://away/x');
    expect(isError).toBe(true);
    expect(text).toContain(`The MCP server away (${closed}) does not answer`);
    expect(text).not.toContain('SECRET');
  });

  test.each(['HTTP://LOCALHOST:9/SECRET?key=SECRET', 'http://localhost:9/a b/SECRET?key=SECRET'])(
    'also if its URL is written in another form: %s',
    async (url) => {
      const { text } = await open({ mcpServers: { away: { url } } }).read('mcp://away/x');
      expect(text).toContain('The MCP server away (http://localhost:9) does not answer');
      expect(text).not.toContain('SECRET');
    },
  );

  test('a URL with a password is refused without showing it', () => {
    const mcpServers = { away: { url: 'https://me:SECRET@mcp.example/' } };
    expect(() => createOriel({ mcpServers })).toThrow(
      'The option mcpServers.away.url holds a user name or a password. Use mcpServers.away.headers.',
    );
  });

  test('if disabled, tells how to enable it, and starts nothing', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const oriel = createOriel({ cwd: temporaryFolder() });
    const { content } = await oriel.tool('read').run({ path: 'mcp://notes/note://one' });
    expect(content[0]).toMatchObject({
      text: 'mcp:// is off here: reading from a server starts its command. The operator of oriel can allow it with the option mcpServers.',
    });
    expect(existsSync(mark)).toBe(false);
    await oriel.close();
  });
});

describe('a server', () => {
  test('gets the basic environment variables, and no secret', async () => {
    vi.stubEnv('GITHUB_TOKEN', 'secret');
    vi.stubEnv('ORIEL_TOKEN', 'secret');
    const folder = temporaryFolder();
    const { notes } = notesServer(folder);
    const { read } = open({
      cwd: folder,
      mcpServers: { notes: { ...notes, env: { MINE: '1' } } as typeof notes & object },
    });
    const names = (await read('mcp://notes/note://env')).text.split('\n');
    expect(names).toEqual(expect.arrayContaining(['MINE', 'PATH']));
    expect(names.filter((name) => /TOKEN/.test(name))).toEqual([]);
    vi.unstubAllEnvs();
  });

  test.runIf(process.platform === 'linux')(
    'starts once and ends with the session, children included',
    { tags: 'slow' },
    async () => {
      const folder = temporaryFolder();
      const mark = join(folder, 'mark');
      const { here, read } = open({ cwd: folder, mcpServers: notesServer(folder, mark) });
      await Promise.all([read('mcp://notes/note://one'), read('mcp://notes'), read('mcp://notes/echo://a')]);
      const started = readFileSync(mark, 'utf8').split(' ').map(Number);
      await read('mcp://notes/note://one');
      expect(readFileSync(mark, 'utf8').split(' ').map(Number)).toEqual(started);
      expect(started.map(isAlive)).toEqual([true, true]);
      await here.oriel.close();
      expect(started.map(isAlive)).toEqual([false, false]);
    },
  );

  test('a cancelled call does not end it for the others', async () => {
    const { here, read } = open();
    await read('mcp://notes/note://one');
    const controller = new AbortController();
    const slow = here.call('read', { path: 'mcp://notes/note://slow' }, controller.signal);
    setTimeout(() => controller.abort(), 50);
    expect((await slow).text).toBe('The call was cancelled.');
    expect((await read('mcp://notes/echo://b')).text).toBe('b\nsecond\n');
  });
});

describe('over HTTP', () => {
  /** Answers as a server without sessions may: each request with JSON. */
  const answers = (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body) as {
        id?: number;
        method: string;
        params: Record<string, unknown>;
      };
      if (id === undefined) return response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: params?.['protocolVersion'] ?? '',
          capabilities: { resources: {} },
          serverInfo: { name: 'far', version: '1' },
        },
        'resources/list': { resources: [{ uri: 'far://a', name: 'a' }] },
        'resources/templates/list': { resourceTemplates: [] },
        'resources/read': { contents: [{ uri: 'far://a', text: 'from afar\n' }] },
      };
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
    });
  };

  test('a configured address is reached, with its headers', async () => {
    const { url, heard } = await site({ '/mcp': answers });
    const { read } = open({
      web: false,
      mcpServers: { far: { url: `${url}/mcp`, headers: { 'x-key': 'k' } } },
    });
    expect((await read('mcp://far')).text).toBe('mcp://far/far://a  a\n');
    expect((await read('mcp://far/far://a')).text).toBe('from afar\n');
    expect(new Set(heard.map(({ headers }) => headers['x-key']))).toEqual(new Set(['k']));
  });
});

describe('.mcp.json', () => {
  /** The servers of a project whose file is approved, unless `approval` says otherwise. */
  const configured = (
    content: object | string,
    values = {},
    approval: (path: string, sha256: string) => string = (path, sha256) => `${path}=${sha256}`,
  ): unknown => {
    const { here } = open();
    const text = typeof content === 'string' ? content : JSON.stringify({ mcpServers: content });
    here.write('.mcp.json', text);
    const given = approval(join(here.folder, '.mcp.json'), createHash('sha256').update(text).digest('hex'));
    return mcpServersIn(here.folder, { 'mcp-resources': true, 'mcp-approve': [given], ...values }).mcpServers;
  };
  const addresses = { allow: [], howToAllow: 'with --allow-net HOST' };

  test('M16 an unapproved file reaches no server and explains approval', async () => {
    const listed = { a: { command: 'x' }, b: { url: 'https://x.example' } };
    const refused =
      /\.mcp\.json names programs to start .* with --mcp-approve '?\S+\/\.mcp\.json=[\da-f]{64}'?\.$/;
    for (const approval of [
      () => '',
      (path: string) => path,
      (path: string, sha256: string) => `${path}=${sha256.replace(/^./, 'x')}`,
      (path: string, sha256: string) => `${path}x=${sha256}`,
      (_: string, sha256: string) => sha256,
    ]) {
      const servers = configured(listed, {}, approval) as Record<string, { refused: string }>;
      expect(Object.keys(servers)).toEqual(['a', 'b']);
      for (const server of Object.values(servers))
        expect(server).toEqual({ refused: expect.stringMatching(refused) });
      const { read } = open({ mcpServers: servers });
      expect((await read('mcp://')).text).toContain('mcp://a  not allowed');
      expect(await read('mcp://b/x://y')).toMatchObject({
        isError: true,
        text: expect.stringMatching(refused),
      });
    }
    expect(configured(listed, {}, (path, sha256) => `${relative('.', path)}=${sha256}`)).toMatchObject({
      a: listed.a,
    });
    const approved = configured(listed);
    expect(approved).toEqual({ a: listed.a, b: { ...listed.b, addresses } });
    const { read } = open({ mcpServers: approved as never });
    expect((await read('mcp://')).text).toBe('mcp://a  x\nmcp://b  https://x.example\n');
  });

  test('M16 only variables that the operator lists leave', () => {
    vi.stubEnv('WHERE', 'https://x.example');
    vi.stubEnv('SECRET', 'secret');
    const servers = {
      a: { type: 'http', url: '${WHERE}/mcp', headers: { k: '${NOT_SET:-none}', o: '${SECRET:-no secret}' } },
      b: { command: 'x', args: ['${NOT_LISTED}'], env: { A: '${SECRET}' } },
      c: { type: 'sse', url: 'https://y.example' },
      d: { command: '${SECRET}' },
    };
    const refused = (name: string, options: string) => ({
      refused: `The MCP server ${name} uses variables of the environment that are not given to it. The operator of oriel can allow them with ${options}.`,
    });
    expect(configured(servers, { 'mcp-env': ['WHERE'] })).toEqual({
      a: { url: 'https://x.example/mcp', headers: { k: 'none', o: 'no secret' }, addresses },
      b: refused('b', '--mcp-env NOT_LISTED --mcp-env SECRET'),
      d: refused('d', '--mcp-env SECRET'),
    });
    expect(configured(servers, { 'mcp-env': ['WHERE', 'SECRET', 'NOT_LISTED'] })).toMatchObject({
      a: { headers: { o: 'secret' } },
      b: {
        refused:
          'The MCP server b uses variables of the environment that are not set: NOT_LISTED. The operator of oriel can set them where it is started.',
      },
      d: { command: 'secret' },
    });
    expect(JSON.stringify(configured(servers))).not.toMatch(/x\.example|"secret"/);
  });

  test('M16 a private address is asked only if allowed', async () => {
    const { url, asked } = await site({ '/mcp': (_, response) => void response.writeHead(405).end() });
    const { host } = new URL(url);
    const read = (values: object) =>
      open({ web: false, mcpServers: configured({ far: { url: `${url}/mcp` } }, values) as never }).read(
        'mcp://far',
      );
    expect((await read({})).text).toBe(
      `127.0.0.1 is not a public address, and is not read. The operator of oriel can allow it with --allow-net ${host}.`,
    );
    expect(asked).toEqual([]);
    await read({ 'allow-net': [host] });
    expect(asked).not.toEqual([]);
  });

  test('a started server keeps the configuration of its start', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    const listing = (mcpServers: object): void => void write('.mcp.json', JSON.stringify({ mcpServers }));
    listing({ first: { command: 'first' } });
    const { post } = await server(['--cwd', W, '--mcp-resources']);
    const listed = async (): Promise<string> =>
      JSON.stringify(await (await post('/api/v0/tools/read', { path: 'mcp://' })).json());
    expect(await listed()).toContain('mcp://first');
    listing({ later: { command: 'later' } });
    expect(await listed()).toContain('mcp://first');
    expect(await listed()).not.toContain('mcp://later');
  });

  test('needs the option; with --offline no HTTP servers', () => {
    expect(configured({ a: { command: 'x' } }, { 'mcp-resources': undefined })).toBeUndefined();
    expect(configured({ a: { command: 'x' }, b: { url: 'https://x.example' } }, { offline: true })).toEqual({
      a: { command: 'x' },
    });
  });

  test('a missing file means no servers; an invalid one fails', () => {
    expect(mcpServersIn(temporaryFolder(), { 'mcp-resources': true })).toEqual({ mcpServers: {} });
    expect(() => configured('{')).toThrow(/cannot be read as a list of MCP servers: /);
    expect(() => createOriel({ mcpServers: { a: {} as never } })).toThrow(
      'The option mcpServers.a has a command, or a url.',
    );
    expect(() => createOriel({ mcpServers: { a: { url: 'file:///x' } } })).toThrow(
      'The option mcpServers.a.url is not an http or https URL: file:///x.',
    );
  });
});
