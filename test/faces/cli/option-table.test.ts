/** Every option on every command: it changes what the command does, or it is refused. None is silently ignored. */

import { type CliOption, type CliStreams, globalOptions } from '../../../src/faces/cli/options.ts';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { allCommands, parseCommandLine } from '../../../src/faces/cli/commands.ts';
import { cli, run as runProcess } from '../../support/cli.ts';
import { run } from '../../support/warm-cli.ts';
import { inspection } from '../../support/inspection.ts';
import { objectVariables } from '../../support/objects.ts';
import { page } from '../../support/telemetry.ts';
import { mcpHeaders, mcpMessage, initialize } from '../../support/server.ts';

const commands = await allCommands();
const allOptions = new Map(
  [...commands.flatMap(({ options }) => options), ...globalOptions].map((option) => [option.name, option]),
);

const cwd = mkdtempSync(join(tmpdir(), 'oriel-options-'));
const secrets = mkdtempSync(join(tmpdir(), 'oriel-options-'));
const here = process.cwd();
beforeAll(() => process.chdir(cwd));
afterAll(() => {
  process.chdir(here);
  for (const folder of [cwd, secrets]) rmSync(folder, { recursive: true });
});
const files = {
  f: 'one\ntwo\nONE LINE, TO FILL A BUDGET\nfour, to fill it as well\nanother one\n',
  'a.md': 'one in markdown\n',
  'sub/f': 'something else\none\n',
  'sub/a.pem': 'something private\n',
  'a-file-whose-name-is-long-enough-to-fill-half-of-a-budget': '',
};
const projectServers =
  '{"mcpServers":{"one":{"url":"https://one.example"},"other":{"command":"none","args":["${NAME}"]}}}';
writeFileSync(join(cwd, '.mcp.json'), projectServers);
const approved = `${join(cwd, '.mcp.json')}=${createHash('sha256').update(projectServers).digest('hex')}`;
const tokenFile = join(secrets, 'token');
writeFileSync(tokenFile, 'secret\n', { mode: 0o600 });

const telemetryFile = join(secrets, 'telemetry.jsonl');

const workspacesFile = join(secrets, 'workspaces.json');
writeFileSync(workspacesFile, '{"dev":"http://127.0.0.1:1"}');

const reportFile = join(secrets, 'report.jsonl');
writeFileSync(reportFile, `${JSON.stringify(page(1, 100))}\n`);

const home = join(secrets, 'home');
mkdirSync(join(home, '.agents/skills/mine'), { recursive: true });
writeFileSync(join(home, '.agents/skills/mine/SKILL.md'), 'a skill\n');
vi.stubEnv('HOME', home);
const mapFile = join(secrets, 'map.json');
writeFileSync(mapFile, '{"read":{"tool":"look","path":"path"}}');

/** Where outputs of commands are kept. */
const cacheHome = join(cwd, 'sub/cache');
const variables = { NAME: 'value', XDG_CACHE_HOME: cacheHome, ...objectVariables('http://127.0.0.1:1') };
for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
for (const [path, content] of Object.entries(files)) {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), content);
}

/** A password in an argument, a file without a URL, a key or workers without a store: each is refused immediately. */
const REFUSED_STATE = ['--state', '--state-file', '--state-key-file', '--state-space', '--workers'];

/** Of a workspace that is not named: refused immediately. */
const TOKEN_OF_NONE = '--workspace-token-file';

/** No number of seconds or connections: what it bounds takes as long to see, and is tested where peers are. */
const NO_TIME = '0';

// The newest of all, though not the first by its path.
utimesSync(join(cwd, 'f'), new Date(), new Date(Date.now() + 60_000));
writeFileSync(join(cwd, 'sub/in.txt.gz'), gzipSync('packed away\n'));

/** Long enough for a map. */
const LONG = 'sub/long.md';
writeFileSync(join(cwd, LONG), `# A\n\n${'some words\n'.repeat(2_000)}`);

const DOCUMENT = 'sub/d.rtf';
writeFileSync(join(cwd, DOCUMENT), '{\\rtf1\\ansi a text\\par}');

/** What each option is tried with, or each option of one command. */
const given: Readonly<Record<string, readonly string[]>> = {
  cwd: ['--cwd', 'sub'],
  root: ['--root', 'sub'],
  allow: ['--allow', '/proc'],
  deny: ['--deny', 'sub'],
  'allow-private': ['--allow-private'],
  dialect: ['--dialect', 'pi'],
  'bash dialect': ['--dialect', 'zdx'],
  limits: ['--limits', 'bytes=64'],
  display: ['--display', 'plain'],
  'grep display': ['--display', 'hashline'],
  maps: ['--maps', 'off'],
  'agent-outputs': ['--agent-outputs', 'sub'],
  'user-files': ['--user-files'],
  web: ['--web'],
  offline: ['--offline'],
  'allow-net': ['--allow-net', '127.0.0.1'],
  s3: ['--s3', 's3://other/dir'],
  's3-endpoint': ['--s3-endpoint', 'http://127.0.0.1:2'],
  'no-cache': ['--no-cache'],
  'mcp-resources': ['--mcp-resources'],
  'mcp-approve': ['--mcp-approve', approved],
  'mcp-env': ['--mcp-env', 'NAME'],
  json: ['--json'],
  help: ['--help'],
  debug: ['--debug'],
  timeout: ['--timeout', '0.05'],
  'ignore-case': ['-i'],
  literal: ['-F'],
  glob: ['-g', '*.md'],
  context: ['-C', '1'],
  before: ['--before', '1'],
  after: ['--after', '1'],
  word: ['--word'],
  type: ['--type', 'md'],
  files: ['--files'],
  multiline: ['--multiline'],
  sort: ['--sort', 'time'],
  symbol: ['--symbol', 'nothing'],
  source: ['--source', '--symbol', 'nothing'],
  count: ['--count'],
  inside: ['--inside'],
  limit: ['--limit', '1'],
  offset: ['--offset', '1'],
  workspace: ['--workspace', 'dev=http://127.0.0.1:1'],
  'workspace-token-file': [TOKEN_OF_NONE, `dev=${tokenFile}`],
  workspaces: ['--workspaces', workspacesFile],
  'workspaces-command': ['--workspaces-command', `cat ${workspacesFile}`],
  'allow-bash': ['--allow-bash'],
  tools: ['--tools', 'read'],
  deferred: ['--deferred'],
  'ignore-client-roots': ['--ignore-client-roots'],
  structured: ['--structured'],
  'max-timeout': ['--max-timeout', NO_TIME],
  fold: ['--fold', 'off'],
  'write-timeout': ['--write-timeout', NO_TIME],
  'max-connections': ['--max-connections', NO_TIME],
  listen: ['--listen', '0.0.0.0:0'],
  token: ['--token', 'secret'],
  'token-file': ['--token-file', tokenFile],
  state: ['--state', 'redis://:secret@127.0.0.1:1'],
  'state-file': ['--state-file', tokenFile],
  'state-key-file': ['--state-key-file', tokenFile],
  'state-space': ['--state-space', 'team'],
  'state-timeout': ['--state-timeout', NO_TIME],
  workers: ['--workers'],
  jobs: ['--jobs', NO_TIME],
  rate: ['--rate', NO_TIME],
  metrics: ['--metrics', 'nowhere'],
  host: ['--host', 'workspace.example'],
  telemetry: ['--telemetry', telemetryFile],
  task: ['--task', 'a task'],
  'operator-token-file': ['--operator-token-file', tokenFile],
  port: ['--port', '99999'],
  sarif: ['--sarif'],
  map: ['--map', mapFile],
  location: ['--sarif', '--location', 'sub/f'],
  case: ['--case', 'nul'],
  keep: ['--keep'],
  mode: ['--mode', 'native'],
  'dry-run': ['--dry-run'],
  project: ['--project'],
  list: ['--list'],
};

/** Nobody listens there. */
const PRIVATE = 'http://127.0.0.1:65534/';

/** At a server where nobody listens. */
const OBJECT = 's3://box/x';
const WAITING = 'yes waiting | head -n 30';

/** Of a workspace that does not answer. */
const ELSEWHERE = 'ws://dev/x';

const reads: Readonly<Record<string, readonly string[]>> = {
  any: ['f'],
  allow: ['/proc/version'],
  deny: ['sub/f'],
  maps: [LONG],
  'agent-outputs': ['agent://f'],
  'user-files': ['skill://mine', '--root', '.'],
  web: [PRIVATE, '--root', '.'],
  offline: [PRIVATE],
  'allow-net': [PRIVATE],
  s3: [OBJECT],
  's3-endpoint': [OBJECT],
  'no-cache': [DOCUMENT],
  'mcp-resources': ['mcp://'],
  'mcp-approve': ['mcp://', '--mcp-resources'],
  'mcp-env': ['mcp://', '--mcp-resources', '--mcp-approve', approved],
  workspace: [ELSEWHERE],
  workspaces: [ELSEWHERE],
  'workspaces-command': [ELSEWHERE],
};

const served: Readonly<Record<string, readonly string[]>> = {
  any: [],
  allow: ['/'],
  offline: ['--web'],
  'allow-net': ['--web'],
  's3-endpoint': ['--s3', 's3://'],
  'mcp-approve': ['--mcp-resources'],
  'mcp-env': ['--mcp-resources', '--mcp-approve', approved],
  workspace: ['--dialect', 'coder'],
  fold: ['--allow-bash'],
};

/** The arguments of each command beside the option; others where an option does not matter with those. */
const calls: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  read: reads,
  bash: { any: ['pwd; seq 30; sleep 0.2'], allow: ['--cwd', '/proc', 'pwd'], fold: [WAITING] },
  grep: {
    any: ['o.e'],
    allow: ['Linux', '/proc/version'],
    dialect: ['o.e', '--limit', '1'],
    inside: ['packed'],
    'no-cache': ['text', DOCUMENT],
    multiline: [String.raw`one\ntwo`],
  },
  find: { any: ['*'], allow: ['ostype', '/proc/sys/kernel'], dialect: ['*', '--limit', '1'] },
  ls: { any: [], allow: ['/proc/sys/kernel'], dialect: ['--limit', '1'] },
  call: {
    ...Object.fromEntries(
      Object.entries(reads).map(([option, [path, ...more]]) => [
        option,
        ['read', JSON.stringify({ path }), ...more],
      ]),
    ),
    fold: ['bash', JSON.stringify({ command: WAITING })],
    workspace: ['coder_workspace_read_file', '{"workspace":"dev","path":"/x"}', '--dialect', 'coder'],
  },
  mcp: served,
  serve: served,
  install: { any: ['zed', '--dry-run'], 'dry-run': ['zed'] },
  uninstall: { any: ['zed', '--dry-run'], 'dry-run': ['zed'] },
  private: { any: [join(cwd, '.env'), join(cwd, 'sub/.env')] },
  // Without a state it ends immediately.
  worker: { any: [] },
  completions: { any: ['bash'] },
  man: { any: [] },
  tools: { any: [] },
  report: { any: [reportFile] },
  inspect: { any: [reportFile] },
  // It has no tools.
  check: { any: [process.execPath, resolve('test/support/mcp-server.mjs')] },
};

const NOWHERE = '/no/such/directory';

/** What makes a command fail: a root that does not exist, or operands that are too many. */
const failing = (options: readonly CliOption[]): readonly string[] =>
  options.some(({ name }) => name === 'root') ? ['--root', NOWHERE] : ['x', 'y', 'z'];

/** A server in this process: that a process serves is tested elsewhere, and its start costs many times a call. */
function started(name: string, args: readonly string[]) {
  const command = commands.find((one) => one.name === name) as (typeof commands)[number];
  const [out, err] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const streams = { out, err, signal: stop.signal, tokens: {} } as unknown as CliStreams;
  const ended = command.run(parseCommandLine(args, command), streams);
  return { out, err, ended, stop: () => stop.abort() };
}

/** `oriel serve` with a token if it must have one. */
async function listening(args: readonly string[]) {
  const token = args.includes('--allow-bash') ? ['--token-file', tokenFile] : [];
  const running = started('serve', ['--listen', '127.0.0.1:0', ...token, ...args]);
  let log = '';
  const url = new Promise<string>((resolve) => {
    running.err.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const address = /"address":"(http:[^"]+)"/.exec(log)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const early = running.ended.then(() => Promise.reject(new Error(log)));
  const authorization = token.length > 0 ? { authorization: 'Bearer secret' } : {};
  return { ...running, authorization, url: await Promise.race([url, early]) };
}

/** Everything that a client of this server can see, as one text; of the calls those that can show the option. */
const outcomeOf: Readonly<Record<string, (args: readonly string[], option: string) => Promise<string>>> = {
  async mcp(args, option) {
    const input = new PassThrough();
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin);
    const { log, info, debug } = console;
    const { out, ended } = started('mcp', args);
    const lines = createInterface({ input: out })[Symbol.asyncIterator]();
    let id = 0;
    const ask = async (method: string, params = {}): Promise<unknown> => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params })}\n`);
      return (await Promise.race([lines.next(), ended.then(() => lines.next())])).value;
    };
    await ask('initialize', initialize('2025-06-18').params);
    const messages = [await ask('tools/list')];
    for (const call of callsFor(option)) messages.push(await ask('tools/call', call));
    input.end();
    await ended;
    // They were sent to stderr, as stdout is for the protocol.
    Object.assign(console, { log, info, debug });
    return withoutNames(JSON.stringify(messages));
  },
  async serve(args, option) {
    const running = await listening(args).catch((error: Error) => error.message);
    if (typeof running === 'string') return running;
    const { url, authorization, ended, stop } = running;
    const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
      const post = body && { method: 'POST', body: JSON.stringify(body) };
      const sent = { 'content-type': 'application/json', ...authorization, ...headers };
      const reply = await fetch(url + path, { ...post, headers: sent });
      return path === '/mcp' && reply.ok ? JSON.stringify(await mcpMessage(reply)) : await reply.text();
    };
    const replies = [await ask('/api/v0/tools')];
    for (const params of callsFor(option))
      replies.push(await ask('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, mcpHeaders));
    replies.push(await asHost(new URL(url), 'workspace.example'));
    // Of two clients, one reads what was kept for the other.
    await ask('/api/v0/tools/bash', { command: 'seq 5000' }, { 'oriel-client': 'a' });
    replies.push(await ask('/api/v0/tools/read', { path: 'artifact://1' }, { 'oriel-client': 'b' }));
    const tasks = await ask('/api/v0/tasks', undefined, { authorization: 'Bearer secret' });
    replies.push(/"operator":\w+/.exec(tasks)?.[0] ?? '');
    stop();
    await ended;
    return withoutNames(replies.join('\n'));
  },
  async inspect(args) {
    const running = await inspection(args, { cwd }).catch((error: Error) => error.message);
    if (typeof running === 'string') return running;
    await running.end();
    return (running.out() + running.err()).replaceAll(/:\d+\/#token=[\w-]+/g, '');
  },
};

const readOf = (path: string): object => ({ name: 'read', arguments: { path } });

/** What shows an option that neither the list of tools nor the read of a file shows. */
const shownBy: Readonly<Record<string, object>> = {
  ...Object.fromEntries(Object.entries(reads).map(([option, [path = '']]) => [option, readOf(path)])),
  'allow-private': readOf('sub/a.pem'),
  fold: { name: 'bash', arguments: { command: WAITING } },
  workspace: { name: 'coder_workspace_read_file', arguments: { workspace: 'dev', path: '/x' } },
};

const TOTALS = { 'io.github.oriel/totals': true, 'io.github.oriel/details': true };

function callsFor(option: string): readonly object[] {
  const read = { name: 'read', arguments: { path: 'f' }, _meta: TOTALS };
  return [read, ...[shownBy[option] ?? []].flat()];
}

/** Sessions have random names. */
const withoutNames = (text: string): string => text.replaceAll(/session-[0-9a-f]{8}/g, 'session');

/** The status of a request that names this host, which fetch would not send. */
function asHost({ port }: URL, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/api/v0/tools', headers: { host } }, (reply) => {
      reply.resume();
      resolve(`${reply.statusCode}`);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** What a run of a command does, as one text. */
async function outcome(name: string, args: readonly string[], option = 'any'): Promise<string> {
  const served = outcomeOf[name];
  const excludes = args.includes('--web') && args.includes('--offline');
  const refused = ['--help', NOWHERE, NO_TIME, TOKEN_OF_NONE, ...REFUSED_STATE];
  const ends = excludes || refused.some((arg) => args.includes(arg));
  if (served && !ends) return served(args, option);
  return JSON.stringify(run([name, ...args], { cwd }));
}

const known = new Map<string, Promise<string>>();

/** The same, once for each call: that a second run does the same is tested apart. */
function knownOutcome(name: string, args: readonly string[], option: string): Promise<string> {
  const key = JSON.stringify([name, args, shownBy[option]]);
  const said = known.get(key) ?? outcome(name, args, option);
  known.set(key, said);
  return said;
}

/** The same with a new cache directory, and whether anything was cached. */
async function cachedOutcome(name: string, args: readonly string[]): Promise<string> {
  const cache = mkdtempSync(join(secrets, 'cache-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
  onTestFinished(() => void vi.stubEnv('XDG_CACHE_HOME', cacheHome));
  const said = await outcome(name, args, 'no-cache');
  return `${said.includes('a text')} ${existsSync(join(cache, 'oriel/derived'))}`;
}

/** What cannot be seen in the answers. */
const SEEN: Readonly<Record<string, typeof outcome>> = {
  'no-cache': cachedOutcome,
  telemetry: recordedOutcome,
  'ignore-client-roots': rootsOutcome,
  deferred: listedOutcome,
  keep: keptOutcome,
};

/** What a client reads whose only root lies outside. */
async function rootsOutcome(name: string, args: readonly string[]): Promise<string> {
  const client = new Client({ name: 'a', version: '1' }, { capabilities: { roots: {} } });
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(secrets).href }] }));
  await connectTo(client, name, args);
  const read = client.callTool({ name: 'read', arguments: { path: 'f' } });
  return JSON.stringify(await read.catch((error: Error) => error.message));
}

/** The tools that a client lists. */
async function listedOutcome(name: string, args: readonly string[]): Promise<string> {
  const client = new Client({ name: 'a', version: '1' });
  await connectTo(client, name, args);
  return JSON.stringify(await client.listTools());
}

async function connectTo(client: Client, name: string, args: readonly string[]): Promise<void> {
  const transport =
    name === 'serve'
      ? new StreamableHTTPClientTransport(new URL(`${(await listening(args)).url}/mcp`))
      : new StdioClientTransport({ command: process.execPath, args: [cli, name, ...args], cwd });
  await client.connect(transport);
  onTestFinished(() => client.close());
}

/** Whether files are left in the directory for temporary ones. */
async function keptOutcome(name: string, args: readonly string[]): Promise<string> {
  const TMPDIR = mkdtempSync(join(secrets, 'tmp-'));
  // Its directory for temporary files is that of the process.
  runProcess([name, ...args], { cwd, env: { ...process.env, TMPDIR } });
  return `${readdirSync(TMPDIR).length}`;
}

/** Whether a file of telemetry is there afterwards. */
async function recordedOutcome(name: string, args: readonly string[]): Promise<string> {
  rmSync(telemetryFile, { force: true });
  await outcome(name, args);
  return `${existsSync(telemetryFile)}`;
}

describe.each(commands)('$name', (command) => {
  const { name, options } = command;
  const taken = [...options, ...globalOptions];
  const callFor = (option: string): readonly string[] => {
    const call = calls[name]?.[option] ?? calls[name]?.['any'] ?? [];
    return option === 'debug' ? [...failing(options), ...call] : call;
  };

  test('gives the same result twice without options', { tags: 'slow' }, async () => {
    const call = callFor('any');
    expect(await outcome(name, call)).toBe(await outcome(name, call));
  });

  test.each(taken.map((option) => option.name))(
    '--%s changes what it does',
    { tags: 'slow' },
    async (option) => {
      const call = callFor(option);
      const see = SEEN[option];
      const without = await (see ?? knownOutcome)(name, call, option);
      const args = [...(given[`${name} ${option}`] ?? given[option] ?? []), ...call];
      const with_ = await (see ?? outcome)(name, args, option);
      expect(with_).not.toBe(without);
      expect(with_).not.toContain('has no option');
    },
  );

  test('refuses every option of other commands, and names its help', () => {
    const others = [...allOptions.values()].filter(
      ({ name: other }) => !taken.some((own) => own.name === other),
    );
    for (const option of others) {
      expect(() => parseCommandLine(given[option.name] ?? [], command)).toThrow(
        new RegExp(
          `^oriel ${name} has no option -.*\\. (?:Use oriel ${name} --help for its options\\.$|.*oriel )`,
        ),
      );
    }
  });

  test('lists its options in its help, each once', () => {
    const { out, code } = run([name, '--help', '--all']);
    expect(code).toBe(0);
    expect([...out.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, option]) => option)).toEqual(
      taken.map((option) => option.name),
    );
    expect(run(['help', name, '--all']).out).toBe(out);
    expect(run(['help', name]).out).toBe(run([name, '--help']).out);
  });

  test('refuses an additional operand', () => {
    const { operands } = commands.find((command) => command.name === name) as { operands: string };
    if (operands.includes('…')) return;
    const most = operands.split(' ').filter(Boolean).length;
    const { err, code } = run([name, ...Array<string>(most).fill('x'), 'extra'], { cwd });
    expect([err, code]).toEqual([
      `oriel: There is one operand too many: extra. Use ${`oriel ${name} ${operands}`.trimEnd()}.\n`,
      2,
    ]);
  });
});

test('every option is tried', () => {
  expect([...allOptions.keys()].toSorted()).toEqual(
    Object.keys(given)
      .filter((name) => !name.includes(' '))
      .toSorted(),
  );
});

test.each([...allOptions.values()].filter(({ choices }) => choices))(
  'an unknown value of --$name is refused on every command',
  (option: CliOption) => {
    const message = `There is no ${option.name} nonsense. Use one of ${option.choices?.join(', ')}.`;
    const taking = commands.filter(({ options }) => options.includes(option));
    expect(taking.length).toBeGreaterThan(0);
    for (const { name, failureCode = 2 } of taking) {
      expect(run([name, `--${option.name}`, 'nonsense'], { cwd })).toEqual({
        out: '',
        err: `oriel: ${message}\n`,
        code: failureCode,
      });
    }
  },
);

test.each([
  [
    'read',
    ['f', '--dialect', 'zed', '--display', 'plain'],
    'The dialect zed shows lines in its own way. Leave out --display, or use --dialect oriel.',
  ],
  [
    'mcp',
    ['--dialect', 'pi', '--display', 'numbers'],
    'The dialect pi shows lines in its own way. Leave out --display, or use --dialect oriel.',
  ],
  [
    'serve',
    ['--workspace', 'dev=http://127.0.0.1:1', '--dialect', 'zed'],
    'Only the dialects oriel and coder reach remote workspaces. Leave out --dialect, or --workspace.',
  ],
  [
    'read',
    ['f', '--workspaces', 'list.json', '--offline'],
    'With --offline no remote workspaces are read. Leave out --workspaces, or --offline.',
  ],
])('oriel %s %j: options unused by the dialect are refused', (name, args, message) => {
  expect(run([name, ...args], { cwd })).toEqual({ out: '', err: `oriel: ${message}\n`, code: 2 });
});
