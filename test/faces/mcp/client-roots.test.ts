/**
 * Roots that a client declares narrow what is read on every way in, and what is not known of them opens nothing.
 *
 * @module-tag slow
 */

import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OfferOptions } from '../../../src/faces/offer.ts';
import { openOffer, pipeTo, serveOffer } from '../../support/app.ts';
import { workspace } from '../../support/workspace.ts';

type Roots = () => readonly string[] | Promise<readonly string[]>;

const OUTSIDE = 'outside the directories that may be read';

const ways = (['stdio', 'HTTP'] as const).flatMap((way) =>
  (['2025-11-25', '2026-07-28'] as const).map((version) => [way, version] as const),
);

async function connect(
  [way, version]: (typeof ways)[number],
  W: string,
  roots: Roots,
  options: OfferOptions = {},
): Promise<Client> {
  const offer = openOffer({ cwd: W, ...options });
  const served = way === 'HTTP' ? await serveOffer(offer) : undefined;
  const transport = served ? new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)) : pipeTo(offer);
  const mode = version === '2025-11-25' ? 'legacy' : { pin: version };
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { roots: { listChanged: true } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('roots/list', async () => ({
    roots: (await roots()).map((root) => ({
      uri: /^(file|odd):/.test(root) ? root : pathToFileURL(root).href,
    })),
  }));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** What a call answers, or why it is refused. */
function read(client: Client, path: string): Promise<string> {
  const asked = client.callTool({ name: 'read', arguments: { path } });
  return textOf(asked.then(({ content }) => content));
}

function resource(client: Client, path: string): Promise<string> {
  const asked = client.readResource({ uri: pathToFileURL(path).href });
  return textOf(asked.then(({ contents }) => contents));
}

const textOf = (blocks: Promise<unknown>): Promise<string> =>
  blocks.then(
    (found) => (found as { text: string }[]).map(({ text }) => text).join(''),
    (error: Error) => error.message,
  );

describe.each(ways)('over %s in protocol %s', (...way) => {
  test('tools and resources stay inside the declared roots', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('a/in.txt', 'in\n');
    write('b/out.txt', 'out\n');
    const client = await connect(way, W, () => [join(W, 'a')]);
    expect(await read(client, 'in.txt')).toBe('1|in\n');
    for (const path of ['../b/out.txt', join(W, 'b/out.txt')])
      expect(await read(client, path)).toContain(OUTSIDE);
    expect(await resource(client, join(W, 'a/in.txt'))).toBe('in\n');
    expect(await resource(client, join(W, 'b/out.txt'))).toContain(OUTSIDE);
  });

  test('a removed, recreated or missing root opens nothing else', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('a/in.txt', 'in\n');
    write('b/out.txt', 'out\n');
    symlinkSync(W, join(dirname(W), 'link'));
    let roots = [join(W, 'a')];
    const client = await connect(way, W, () => roots);
    expect(await read(client, 'in.txt')).toBe('1|in\n');
    const refused = async (): Promise<void> => {
      for (const ask of [read, resource])
        expect(await ask(client, join(W, 'b/out.txt'))).toMatch(/outside the directories|None of the roots/);
    };
    rmSync(join(W, 'a'), { recursive: true });
    await refused();
    for (const gone of ['never', 'b/out.txt', '../link/never', 'never/'.repeat(100)]) {
      roots = [join(W, gone)];
      if (way[1] === '2025-11-25') await client.sendRootsListChanged();
      await refused();
    }
    mkdirSync(join(W, 'a'));
    write('a/in.txt', 'again\n');
    roots = [join(W, 'a'), join(W, 'never')];
    if (way[1] === '2025-11-25') await client.sendRootsListChanged();
    expect(await read(client, 'in.txt')).toBe('1|again\n');
    await refused();
  });

  test('a link in a root reveals nothing about files outside', { tags: 'slow' }, async () => {
    const { W, O, write } = workspace();
    write('a/in.txt', 'in\n');
    write('b/out.txt', 'out\n');
    mkdirSync(join(O, 'there'));
    const link = join(W, 'link');
    let root = link;
    const client = await connect(way, W, () => [root]);
    const told = async (target: string): Promise<readonly string[]> => {
      symlinkSync(target, link);
      if (way[1] === '2025-11-25') await client.sendRootsListChanged();
      const asked = ['a/in.txt', 'in.txt', 'b/out.txt'].map((path) => read(client, path));
      const answers = await Promise.all(asked);
      rmSync(link);
      return answers;
    };
    // Where it would lead through something outside, it is judged by the names that it holds.
    const inside = relative(W, join(W, 'a'));
    for (const [one, other] of [
      [`${O}/there/../../${basename(W)}/${inside}`, `${O}/missing/../../${basename(W)}/${inside}`],
      [`${O}/there`, `${O}/missing`],
      [`${O}/secret.txt`, `${O}/missing`],
    ] as const) {
      expect(await told(one)).toEqual(await told(other));
    }
    root = join(link, 'below');
    expect(await told(`${O}/there`)).toEqual(await told(`${O}/missing`));
  });

  test('roots that are declared but cannot be listed open nothing', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('out.txt', 'out\n');
    let roots: Roots = () => Promise.reject(new Error('Not now'));
    const client = await connect(way, W, () => roots());
    // A client of 2026 fails of itself where it cannot fulfil what is asked of it.
    const refused = way[1] === '2025-11-25' ? 'did not list them' : 'Not now';
    expect(await read(client, 'out.txt')).toContain(refused);
    expect(await resource(client, join(W, 'out.txt'))).toContain(refused);
    roots = () => Array.from({ length: 101 }, (_, i) => join(W, `${i}`));
    expect(await read(client, 'out.txt')).toContain('at most 100');
    roots = () => [W];
    if (way[1] === '2025-11-25') await client.sendRootsListChanged();
    expect(await read(client, 'out.txt')).toBe('1|out\n');
  });

  test('a root that is no file URL leaves the others', { tags: 'slow' }, async () => {
    const { W, write } = workspace();
    write('out.txt', 'out\n');
    const client = await connect(way, W, () => ['odd:root', W]);
    expect(await read(client, 'out.txt')).toBe('1|out\n');
  });

  test('an unknown resource is refused before the roots are requested', { tags: 'slow' }, async () => {
    const { W } = workspace();
    const client = await connect(way, W, () => Promise.reject(new Error('asked')));
    await expect(client.readResource({ uri: 'test://nothing' })).rejects.toThrow(/not found/i);
  });

  test('M17 outside roots leave nothing, an empty list changes nothing', { tags: 'slow' }, async () => {
    const { W, O, write } = workspace();
    write('b/out.txt', 'out\n');
    symlinkSync(O, join(W, 'link'));
    let roots: readonly string[] = [];
    let client = await connect(way, W, () => roots);
    const nothing = 'None of the roots that the client declares is a directory inside';
    for (const [declared, left] of [
      [[], '1|out\n'],
      [[O], nothing],
      [[join(W, 'link')], nothing],
      [[O, join(W, 'link'), join(W, 'b/out.txt')], nothing],
      [[O, join(W, 'b')], '1|out\n'],
      [[dirname(W)], '1|out\n'],
      [['/not/of/this/machine'], nothing],
      [['file://elsewhere/y'], 'file://elsewhere/y, which is not the URL of a local directory'],
    ] as const) {
      roots = declared;
      if (way[0] === 'HTTP') client = await connect(way, W, () => declared);
      else if (way[1] === '2025-11-25') await client.sendRootsListChanged();
      expect(await read(client, join(W, 'b/out.txt'))).toContain(left);
      expect(await resource(client, join(W, 'b/out.txt'))).toContain(left.replace('1|', ''));
      expect(await read(client, join(O, 'secret.txt'))).toMatch(
        /outside the directories|None of the roots|not the URL of a local/,
      );
    }
  });
});

// In protocol 2025 a server asks for the roots of its session.
test('a client that disconnects during roots requests affects no others', async () => {
  const { W, write } = workspace();
  write('a/in.txt', 'in\n');
  let asked = 0;
  const client = await connect(['HTTP', '2025-11-25'], W, () => {
    asked += 1;
    return asked === 1 ? new Promise(() => undefined) : [join(W, 'a')];
  });
  const gone = new AbortController();
  const first = client.callTool({ name: 'read', arguments: { path: 'in.txt' } }, { signal: gone.signal });
  await expect.poll(() => asked).toBe(1);
  const second = read(client, 'in.txt');
  gone.abort();
  await expect(first).rejects.toThrow();
  expect(await second).toBe('1|in\n');
});

// In protocol 2025; the next call asks again.
test('a silent client is asked once for all waiting calls', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  write('a/in.txt', 'in\n');
  let asked = 0;
  let answer: () => readonly string[] | Promise<readonly string[]> = () => new Promise(() => undefined);
  const client = await connect(['HTTP', '2025-11-25'], W, () => {
    asked += 1;
    return answer();
  });
  const calls = await Promise.all(Array.from({ length: 8 }, () => read(client, 'in.txt')));
  expect(calls).toEqual(Array(8).fill(expect.stringContaining('did not list them')));
  expect(asked).toBe(1);
  answer = () => [join(W, 'a')];
  expect(await read(client, 'in.txt')).toBe('1|in\n');
});

test('an operator can ignore client roots, which are not requested', async () => {
  const { W, write } = workspace();
  write('a.txt', 'a\n');
  const client = await connect(
    ['HTTP', '2025-11-25'],
    W,
    () => {
      throw new Error('asked');
    },
    { ignoreClientRoots: true },
  );
  expect(await read(client, 'a.txt')).toBe('1|a\n');
});

test('M16 a program of the operator starts outside declared roots', async () => {
  const { W, write } = workspace();
  const started = join(W, 'started');
  const program = (name: string) => `require('fs').writeFileSync(process.argv[2], '${name}')`;
  write('server.cjs', program('of the operator'));
  write('vendor/server.cjs', program('of the client'));
  const mcpServers = { notes: { command: process.execPath, args: ['server.cjs', started] } };
  const client = await connect(['HTTP', '2025-11-25'], W, () => [join(W, 'vendor')], { mcpServers });
  await read(client, 'mcp://notes');
  expect(readFileSync(started, 'utf8')).toBe('of the operator');
});
