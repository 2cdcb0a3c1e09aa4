/**
 * Kept outputs are those of one client: on every way in, no other reads them, lists them or opens their files.
 *
 * @module-tag slow
 */

import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerOffer, type OfferOptions } from '../../src/faces/offer.ts';
import type { NarrowedRoots } from '../../src/files/roots.ts';
import { listArtifacts } from '../../src/faces/mcp/server.ts';
import type { Answer } from '../../src/types/answer.ts';
import { temporaryFolder } from '../support/commands.ts';
import { type AppUnderTest, serveOffer, openOffer } from '../support/app.ts';
import { mcpHeaders, mcpMessage, server, postTo, initialize } from '../support/server.ts';
import { codeOf, SECRET, textOf, workspace } from '../support/workspace.ts';

type Ask = (method: string, params?: object) => Promise<Record<string, unknown>>;

const DETAILS = 'io.github.oriel/details';

async function serving(options: Partial<OfferOptions> = {}): Promise<AppUnderTest & { offer: ServerOffer }> {
  const { W } = workspace();
  const offer = openOffer({ cwd: W, allowBash: true, ...options });
  return { ...(await serveOffer(offer)), offer };
}

/** Calls a tool as a client of this name. */
type Call = (name: string, input: object) => Promise<Answer>;

const overHttp =
  ({ url }: AppUnderTest, client: string): Call =>
  async (name, input) => {
    const response = await postTo(url, { 'oriel-client': client })(`/api/v0/tools/${name}`, input);
    return (await response.json()) as Answer;
  };

/** Without a session, as a client that names itself; or in a session of its own. */
async function mcp({ url }: AppUnderTest, client?: string): Promise<Ask> {
  let headers: Record<string, string> =
    client === undefined ? mcpHeaders : { ...mcpHeaders, 'oriel-client': client };
  let id = 0;
  const post = (method: string, params: object): Promise<Response> =>
    postTo(url, headers)('/mcp', { jsonrpc: '2.0', id: (id += 1), method, params });
  if (client === undefined) {
    const hello = await post('initialize', initialize('2025-11-25').params);
    await hello.text();
    headers = { ...headers, 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' };
  }
  return async (method, params = {}) => {
    if (method !== 'DELETE') return mcpMessage(await post(method, params));
    await fetch(`${url}/mcp`, { method, headers });
    return {};
  };
}

const overMcp =
  (ask: Ask): Call =>
  async (name, input) => {
    const { result } = (await ask('tools/call', { name, arguments: input, _meta: { [DETAILS]: true } })) as {
      result: { content: Answer['content']; isError?: boolean; _meta: Record<string, Answer['details']> };
    };
    return {
      content: result.content,
      isError: result.isError === true,
      details: result._meta[DETAILS] ?? {},
    };
  };

const ways: readonly [string, (app: AppUnderTest) => Promise<readonly [Call, Call]>][] = [
  ['HTTP', (app) => Promise.resolve([overHttp(app, 'a'), overHttp(app, 'b')])],
  ['MCP sessions', async (app) => [overMcp(await mcp(app)), overMcp(await mcp(app))]],
  ['MCP without sessions', async (app) => [overMcp(await mcp(app, 'a')), overMcp(await mcp(app, 'b'))]],
  ['MCP and HTTP', async (app) => [overMcp(await mcp(app)), overHttp(app, 'b')]],
];

/** The path of a kept output. */
const logOf = ({ details }: Answer): string => /"(\/[^"]+\/1\.log)"/.exec(JSON.stringify(details))?.[1] ?? '';

const LONG = { command: 'seq 1 5000; echo of one client' };

describe.each(ways)('%s', (_title, connect) => {
  test('an output is read by its client alone', async () => {
    const [mine, theirs] = await connect(await serving());
    const kept = await mine('bash', LONG);
    const path = logOf(kept);
    expect(path).not.toBe('');
    expect(textOf(await mine('read', { path: 'artifact://1:-1' }))).toContain('of one client');
    expect(textOf(await mine('read', { path: `${path}:-1` }))).toContain('of one client');
    expect(codeOf(await theirs('read', { path: 'artifact://1:-1' }))).toBe('NOT_FOUND');
    expect((await theirs('read', { path: `${path}:-1` })).isError).toBe(true);
    // Each has numbers of its own.
    await theirs('bash', { command: 'seq 1 5000; echo of the other' });
    expect(textOf(await theirs('read', { path: 'artifact://1:-1' }))).toContain('of the other');
    expect(textOf(await mine('read', { path: 'artifact://1:-1' }))).toContain('of one client');
    expect(codeOf(await mine('read', { path: 'artifact://2' }))).toBe('NOT_FOUND');
  });

  test('clients have own numbers for kept outputs of equal text', async () => {
    const outputs = temporaryFolder();
    const lines = Array.from({ length: 9_000 }, (_, i) => `line ${i}`);
    writeFileSync(join(outputs, 'long.json'), JSON.stringify({ lines }));
    const [mine, theirs] = await connect(await serving({ agentOutputs: outputs }));
    const next = async (call: Call): Promise<string> =>
      /Use (artifact:\/\/\S+) to continue\]$/.exec(
        textOf(await call('read', { path: 'agent://long/lines' })),
      )?.[1] ?? '';
    expect(await next(mine)).toMatch(/^artifact:\/\/1:/);
    await theirs('bash', LONG);
    const second = await next(theirs);
    expect(second).toMatch(/^artifact:\/\/2:/);
    expect(textOf(await theirs('read', { path: second }))).toContain('"line 2');
    expect(await next(mine)).toMatch(/^artifact:\/\/1:/);
  });
});

test('resources of MCP are paged, also if some are evicted', async () => {
  const { W } = workspace();
  const offer = openOffer({ cwd: W });
  const caller = {};
  const { spills } = offer.engine(caller).session;
  for (let i = 0; i < 250; i += 1) await spills.create().finish();
  const list = (cursor?: string) => listArtifacts(offer, caller, cursor);
  const pages = [await list()];
  for (let next = pages[0]?.nextCursor; next !== undefined; next = pages.at(-1)?.nextCursor)
    pages.push(await list(next));
  expect(pages.map(({ resources }) => resources.length)).toEqual([100, 100, 50]);
  const uris = pages.flatMap(({ resources }) => resources.map(({ uri }) => uri));
  expect(uris).toEqual(Array.from({ length: 250 }, (_, i) => `artifact://${i + 1}`));
  rmSync(join(spills.directory, '1.log'));
  expect((await list('100')).resources[0]?.uri).toBe('artifact://101');
  await expect(list('one')).rejects.toMatchObject({ code: -32602 });
});

test('resources of MCP are those of its session', async () => {
  const app = await serving();
  const [mine, theirs] = [await mcp(app), await mcp(app)];
  await overMcp(mine)('bash', LONG);
  const ref = { type: 'ref/resource', uri: 'artifact://{id}' };
  const complete = (ask: Ask): Promise<unknown> =>
    ask('completion/complete', { ref, argument: { name: 'id', value: '' } });
  expect(await mine('resources/list')).toMatchObject({ result: { resources: [{ uri: 'artifact://1' }] } });
  expect(await theirs('resources/list')).toMatchObject({ result: { resources: [] } });
  expect(await complete(mine)).toMatchObject({ result: { completion: { values: ['1'] } } });
  expect(await complete(theirs)).toMatchObject({ result: { completion: { values: [] } } });
  const read = (ask: Ask): Promise<unknown> => ask('resources/read', { uri: 'artifact://1' });
  expect(await read(mine)).toMatchObject({ result: { contents: [{ uri: 'artifact://1' }] } });
  expect(await read(theirs)).toMatchObject({ error: { code: -32602 } });
});

test('kept outputs of all clients are bounded together', async () => {
  const app = await serving({ spills: { total: 250_000 } });
  const [a, b] = [overHttp(app, 'a'), overHttp(app, 'b')];
  // 108,894 bytes each.
  const long = { command: 'seq 1 20000' };
  for (const client of [a, a, b]) await client('bash', long);
  expect(codeOf(await a('read', { path: 'artifact://1:1' }))).toBe('NOT_FOUND');
  expect((await a('read', { path: 'artifact://2:1' })).isError).toBe(false);
  expect((await b('read', { path: 'artifact://1:1' })).isError).toBe(false);
});

test('ending an MCP session removes its kept outputs', async () => {
  const app = await serving();
  const ask = await mcp(app);
  const kept = await overMcp(ask)('bash', LONG);
  const path = logOf(kept);
  expect(existsSync(path)).toBe(true);
  await ask('DELETE');
  await expect.poll(() => existsSync(path)).toBe(false);
});

test('file routes open a kept output for its client alone', async () => {
  const app = await serving();
  const kept = await overHttp(app, 'a')('bash', LONG);
  const path = logOf(kept);
  const get = async (route: string, client: string): Promise<string> => {
    const url = `${app.url}/api/v0/${route}?path=${encodeURIComponent(path)}&limit=10`;
    return (await fetch(url, { headers: { 'oriel-client': client } })).text();
  };
  expect(await get('read-file', 'a')).toBe('1\n2\n3\n4\n5\n');
  expect(await get('read-file', 'b')).not.toContain('1\n2\n');
  expect(await get('read-file-lines', 'a')).toContain('"success":true');
  expect(await get('read-file-lines', 'b')).toContain('"success":false');
});

async function call(
  offer: ServerOffer,
  name: string,
  input: object,
  as: { readonly caller?: object; readonly roots?: NarrowedRoots } = {},
): Promise<Answer> {
  const tool = offer.find(name, as);
  if (tool instanceof Error) throw tool;
  return offer.call(tool, input, as.caller && { caller: as.caller });
}

const bash = (offer: ServerOffer, caller: object, command: string): Promise<Answer> =>
  call(offer, 'bash', { command }, { caller });

describe('thousands of clients', () => {
  test('evict no space with kept outputs', async () => {
    const { offer } = await serving();
    const first = {};
    await bash(offer, first, LONG.command);
    for (let i = 0; i < 3_000; i += 1) offer.engine({});
    expect(offer.keeps(first)).toBe(true);
    expect(offer.engine(first).session.spills.list()).toHaveLength(1);
  });

  test('evict no space with a running call', async () => {
    const { offer } = await serving();
    const first = {};
    const { session } = offer.engine(first);
    const running = bash(offer, first, 'seq 1 5000; sleep 1; seq 1 5000');
    for (let i = 0; i < 3_000; i += 1) offer.engine({});
    await running;
    expect(offer.engine(first).session).toBe(session);
    expect(session.spills.list()).toHaveLength(1);
  });

  test('evict no space that the lens uses', async () => {
    const { offer } = await serving();
    const first = {};
    const { session } = offer.engine(first);
    const looking = offer.lens?.({ dialect: 'pi', limits: {}, caller: first }, async (oriel) => {
      for (let i = 0; i < 1_100; i += 1) offer.engine({});
      return oriel.dialect;
    });
    expect([await looking, offer.engine(first).session === session]).toEqual(['pi', true]);
  });

  test('are evicted themselves', async () => {
    const { offer } = await serving();
    const first = {};
    const { session } = offer.engine(first);
    for (let i = 0; i < 1_024; i += 1) offer.engine({});
    expect(offer.engine(first).session).not.toBe(session);
  });

  test('evict no output of a named client over HTTP', async () => {
    const app = await serving();
    const mine = overHttp(app, 'victim');
    await mine('bash', LONG);
    for (let i = 0; i < 1_100; i += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, k) => overHttp(app, `other ${i + k}`)('read', { path: 'none' })),
      );
    expect(textOf(await mine('read', { path: 'artifact://1:-1' }))).toContain('of one client');
  });

  test.each([
    ['runs a call', false],
    ['has a kept output', true],
    ['has made a call', undefined],
  ])('evict no session of MCP that %s', async (_title, keeps) => {
    const app = await serving();
    const mine = await mcp(app);
    if (keeps !== false) await overMcp(mine)('bash', keeps ? LONG : { command: 'true' });
    const running = keeps === false ? overMcp(mine)('bash', { command: 'sleep 2; echo done' }) : undefined;
    for (let i = 0; i < 300; i += 20) await Promise.all(Array.from({ length: 20 }, () => mcp(app)));
    if (running) expect(textOf(await running)).toContain('done');
    const next = await overMcp(mine)('bash', { command: 'echo still here' });
    expect(textOf(next)).toContain('still here');
    if (keeps)
      expect(textOf(await overMcp(mine)('read', { path: 'artifact://1:-1' }))).toContain('of one client');
  });
});

test('a client that changes roots each call stays inside them', async () => {
  const { W, write } = workspace();
  const count = 40;
  for (let i = 0; i < count; i += 1) write(`d${i}/f`, `${i}\n`);
  const offer = openOffer({ cwd: W });
  const caller = {};
  const read = async (i: number): Promise<Answer> =>
    call(offer, 'read', { path: 'f' }, { caller, roots: await narrowIn(offer, [`${W}/d${i}`]) });
  for (const i of [...Array(count).keys(), 0]) expect(textOf(await read(i))).toBe(`1|${i}\n`);
});

describe('a root that is replaced after the start', () => {
  test.each<[string, (W: string, O: string) => void]>([
    ['a link', (W, O) => symlinkSync(O, W)],
    ['another directory', (W, O) => renameSync(O, W)],
  ])('by %s: a later client cannot read there', async (_, replace) => {
    const { W, O, write } = workspace();
    write('sub/f', 'hi\n');
    mkdirSync(`${O}/sub`);
    writeFileSync(`${O}/sub/secret.txt`, SECRET);
    const offer = openOffer({ cwd: W, roots: [W] });
    renameSync(W, `${W}.old`);
    replace(W, O);
    for (const declared of [[], [W], [`${W}/sub`], [O], ['/']]) {
      const roots = await narrowIn(offer, declared).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'OUTSIDE_ROOT' });
      });
      if (!roots) continue;
      for (const path of ['secret.txt', `${W}/sub/secret.txt`, `${O}/secret.txt`]) {
        const answer = await call(offer, 'read', { path }, { caller: {}, roots });
        expect(JSON.stringify(answer)).not.toContain(SECRET);
        expect(['OUTSIDE_ROOT', 'NOT_FOUND']).toContain(codeOf(answer));
      }
    }
  });
});

test.runIf(process.platform === 'linux')('a root that is removed is read when it is made again', async () => {
  const { W, write } = workspace();
  const offer = openOffer({ cwd: W, roots: [W] });
  const ask = async (name: string, input: object): Promise<string> => textOf(await call(offer, name, input));
  rmSync(W, { recursive: true });
  const gone = `The working directory ${W} does not exist. It has to be made before anything can be read.`;
  expect([await ask('read', { path: 'f' }), await ask('ls', {})]).toEqual([gone, gone]);
  // It has another inode then.
  mkdirSync(`${W}.other`);
  write('f', 'again\n');
  expect([await ask('read', { path: 'f' }), await ask('ls', {})]).toEqual(['1|again\n', 'f']);
});

async function narrowIn(offer: ServerOffer, declared: readonly string[]): Promise<NarrowedRoots> {
  const roots = await offer.narrow?.(declared);
  if (!roots) throw new Error('The roots of clients are ignored.');
  return roots;
}

test('a root around all outputs does not share them', async () => {
  const { W, write } = workspace();
  vi.stubEnv('XDG_CACHE_HOME', join(W, 'cache'));
  onTestFinished(() => void vi.unstubAllEnvs());
  write('cache/other.txt', 'MARK\n');
  write('cache/oriel/sessions/1-elsewhere/1.log', 'MARK of another process\n');
  const offer = openOffer({ cwd: W, allowBash: true });
  const app = await serveOffer(offer);
  const [alice, bob] = [overHttp(app, 'alice'), overHttp(app, 'bob')];
  await alice('bash', { command: 'seq 5000; echo MARK of alice' });
  const sessions = join(W, 'cache/oriel/sessions');
  const own = readdirSync(sessions).find((name) => name.startsWith(`${process.pid}-`)) as string;
  const path = join(sessions, own, '1.log');
  expect(existsSync(path)).toBe(true);
  const asked: [string, object][] = [
    ['read', { path: `${path}:-2` }],
    ['read', { path: 'cache/oriel' }],
    ['read', { path: 'cache' }],
    ['read', { path: dirname(path) }],
    ['ls', { path: dirname(path) }],
    ['grep', { pattern: 'MARK' }],
    ['grep', { pattern: 'MARK', path: 'cache', sort: 'time' }],
    ['grep', { pattern: 'MARK', path }],
    ['grep', { pattern: 'MARK', path: 'cache/oriel/sessions' }],
    ['find', { pattern: '*.log' }],
    ['find', { pattern: '*', path: 'cache' }],
    ['read', { path: '1.log' }],
    ['read', { path: `cache/../${path.slice(W.length + 1)}` }],
  ];
  for (const [tool, input] of asked) {
    const text = textOf(await bob(tool, input));
    expect(text, JSON.stringify([tool, input])).not.toMatch(/of alice|of another/);
    if (tool === 'find' || tool === 'ls') expect(text).not.toContain('1.log');
  }
  for (const route of ['read-file', 'read-file-lines', 'resolve-path']) {
    const text = await (await fetch(`${app.url}/api/v0/${route}?path=${path}`)).text();
    expect(text).not.toContain('of alice');
  }
  expect(textOf(await bob('grep', { pattern: 'MARK' }))).toContain('cache/other.txt');
  expect(textOf(await alice('read', { path: `${path}:-1` }))).toContain('MARK of alice');
});

test('a file with a token in a root is unreadable', async () => {
  const { W, write } = workspace();
  const token = 'the-token-of-the-operator';
  write('secrets/token', `${token}\n`);
  write('secrets/other.txt', 'other\n');
  chmodSync(join(W, 'secrets/token'), 0o600);
  const file = join(W, 'secrets/token');
  write('rules/other.txt', 'other\n');
  linkSync(file, join(W, 'hard'));
  linkSync(file, join(W, 'secrets/hard.md'));
  linkSync(file, join(W, 'rules/.gitignore'));
  symlinkSync('hard', join(W, 'soft'));
  const running = await server(['--root', W, '--operator-token-file', file], { cwd: W });
  for (const [tool, input] of [
    ['read', { path: 'secrets/token' }],
    ['grep', { pattern: 'operator' }],
    ['grep', { pattern: 'operator', path: file }],
    ['find', { pattern: '*', path: 'secrets' }],
    ['ls', { path: 'secrets' }],
    ['read', { path: '.' }],
    ['read', { path: 'secrets/tokens' }],
    ...['hard', 'soft', 'secrets/hard.md', 'hard.md', 'rules/.gitignore'].flatMap((path) => [
      ['read', { path }] as const,
      ['read', { path: `${path}:raw` }] as const,
      ['grep', { pattern: 'operator', path }] as const,
      ['grep', { pattern: 'the.token', path, multiline: true }] as const,
    ]),
    ['grep', { pattern: 'the.token', multiline: true }],
    ['grep', { pattern: '^(?!x)the-', path: '.', sort: 'time' }],
    ['grep', { pattern: 'of', inside: true }],
  ] as const) {
    const text = await (await running.post(`/api/v0/tools/${tool}`, input)).text();
    expect(text, JSON.stringify([tool, input])).not.toContain(token);
    if (tool === 'find' || tool === 'ls') expect(text).toContain('other.txt');
    if (tool !== 'grep' && input.path !== 'secrets/token') expect(text).not.toMatch(/\btoken\b/);
  }
  for (const path of [file, join(W, 'hard'), join(W, 'soft')]) {
    for (const route of ['read-file', 'read-file-lines']) {
      const answer = await running.get(`/api/v0/${route}?path=${path}`);
      expect([path, route, (await answer.text()).includes(token)]).toEqual([path, route, false]);
      if (route === 'read-file') expect(answer.status).toBe(403);
    }
  }
  const refused = (await (await running.post('/api/v0/tools/read', { path: 'hard' })).json()) as Answer;
  expect(codeOf(refused)).toBe('DENIED');
  expect(textOf(refused)).toBe(
    'hard belongs to the server itself and is not read. Use . to list the working directory.',
  );
});

test('C13 clients cannot read what oriel writes, whatever its name', async () => {
  const { W, write } = workspace();
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  write('other.txt', 'MARK of all\n');
  const telemetry = join(W, 'calls.jsonl');
  const offer = openOffer({
    cwd: W,
    allowBash: true,
    telemetry: { file: telemetry, task: 'MARK of alice' },
  });
  const app = await serveOffer(offer);
  const [alice, bob] = [overHttp(app, 'alice'), overHttp(app, 'bob')];
  const kept = await alice('bash', { command: 'seq 5000; echo MARK of alice' });
  const output = /Full output: (\S+\.log)/.exec(textOf(kept))?.[1] as string;
  await expect
    .poll(() => existsSync(telemetry) && readFileSync(telemetry, 'utf8'))
    .toContain('MARK of alice');
  renameSync(telemetry, join(W, 'calls.jsonl.1'));
  // What a bind mount of a directory of another process looks like.
  write('mount/1.log', 'MARK of alice\n');
  chmodSync(join(W, 'mount/1.log'), 0o1600);
  chmodSync(join(W, 'mount'), 0o1700);
  linkSync(output, join(W, 'hard.log'));
  linkSync(output, join(W, '.gitignore'));
  linkSync(join(W, 'calls.jsonl.1'), join(W, 'hard.jsonl'));
  symlinkSync('hard.log', join(W, 'soft.log'));
  const files = ['calls.jsonl.1', 'hard.jsonl', 'hard.log', 'soft.log', '.gitignore', 'mount/1.log'];
  const asked: [string, object][] = files.flatMap((path) => [
    ['read', { path }],
    ['read', { path: `${path}:raw:-2` }],
    ['grep', { pattern: 'MARK', path }],
    ['grep', { pattern: 'MARK.of', path, multiline: true }],
  ]);
  asked.push(
    ['grep', { pattern: 'MARK' }],
    ['grep', { pattern: 'MARK.of', multiline: true }],
    ['grep', { pattern: 'MARK', sort: 'time' }],
    ['grep', { pattern: 'MARK', inside: true }],
    ['ls', { path: 'mount' }],
    ['find', { pattern: '**/1.log' }],
  );
  for (const [tool, input] of asked) {
    const text = textOf(await bob(tool, input));
    expect([tool, input, /of alice|^1\.log/m.test(text)]).toEqual([tool, input, false]);
  }
  for (const path of files) {
    const answer = await fetch(`${app.url}/api/v0/read-file?path=${join(W, path)}`);
    expect([path, answer.status]).toEqual([path, 403]);
  }
  expect(textOf(await bob('grep', { pattern: 'MARK' }))).toContain('other.txt');
  expect(textOf(await alice('read', { path: `${output}:-1` }))).toContain('MARK of alice');
});
