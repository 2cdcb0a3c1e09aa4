// npm run hosts: runs coding agents against a model that follows a script, and writes what arrived of oriel's answers into docs/hosts.md.
// `-- HOST…` runs only these; `--pinned` takes the versions of .ci/run and writes nothing; `--prefix DIR` keeps what is installed;
// `--record` draws docs/agent.svg instead, a session of Claude Code as a person sees it; `--empty NAMES` is a server that is weighed.
// A host that loses a line, needs too many calls or no longer shows the tools fails by its name. One that cannot be installed or
// started is skipped, which is printed: others change what a pinned version depends on.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startModel } from './hosts/model.mjs';
import { orders, recorded } from './hosts/record.mjs';
import { HOSTS } from './hosts/table.mjs';
import { cli, install, root, run } from './tools.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    empty: { type: 'string' },
    pinned: { type: 'boolean', default: false },
    prefix: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});

/** Milliseconds of one run of a host, which has as long as a few tests on a machine that is busy; only what hangs takes them. */
const RUN_MS = 600_000;
/** What every request of a session may carry, in tokens of four characters: `read` alone, and the list of tools. */
const MAX_TOKENS = { read: 450, all: 1_200 };
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A file of numbered lines. `page`: the most characters of it that oriel shows, whatever a host passes. */
function log({ name, count, word, end, page }) {
  const lines = Array.from({ length: count }, (_, i) =>
    `${String(i + 1).padStart(6, '0')} ${word}`.padEnd(68, end),
  );
  const sizes = lines.map((line, i) => `${i + 1}|${line}\n`.length);
  /** The lines of it that answers show. */
  const shownIn = (answers) => {
    const shown = answers.flatMap(({ text }) =>
      [...text.matchAll(new RegExp(`(\\d+)\\|(\\d{6}) ${word}`, 'g'))].map(([, no, own]) =>
        Number(no) === Number(own) ? Number(no) : 0,
      ),
    );
    return new Set(shown.filter((no) => no > 0)).size;
  };
  const size = (most = count) => sizes.slice(0, most).reduce((sum, each) => sum + each, 0);
  const bytes = lines.reduce((sum, line, i) => sum + Buffer.byteLength(`${i + 1}|${line}\n`), 0);
  return { name, count, page, lines, shownIn, size, bytes };
}

const LOGS = [
  log({ name: 'big.log', count: 6_000, word: 'entry of the log', end: '.', page: 50_000 }),
  // 25,000 tokens.
  log({ name: 'wide.log', count: 2_000, word: '記録', end: '誌', page: 25_000 }),
];
const FILES = {
  'small.txt': 'hello\n',
  'photo.png': Buffer.from(PIXEL, 'base64'),
  ...Object.fromEntries(LOGS.map(({ name, lines }) => [name, `${lines.join('\n')}\n`])),
};

/** A small file, an error, an image, then each log to its end. */
const FIRST = ['small.txt', 'nowhere.txt', 'photo.png'];
function dialogue(results) {
  if (results.length < FIRST.length) return { path: FIRST[results.length] };
  const pages = results.slice(FIRST.length);
  const next = /Use (\S+) to continue\]/.exec(pages.at(-1)?.text.slice(-600) ?? '')?.[1];
  const unread = LOGS.find(({ shownIn }) => shownIn(pages) === 0)?.name;
  return pages.length < 240 && (next ?? unread) ? { path: next ?? unread } : undefined;
}

/** Beginnings of each log, without limits of oriel: the longest that arrives whole, by halving. */
const RULED = 1_300;
const HALVINGS = 8;
function ruled(file, results) {
  let [whole, cut] = [0, Math.min(RULED, file.count)];
  let middle = cut;
  for (const result of results) {
    if (file.shownIn([result]) === middle) whole = middle;
    else cut = middle;
    if (whole === cut) break;
    middle = Math.floor((whole + cut) / 2);
  }
  return { whole, middle };
}
const ruler = (results) => {
  const at = Math.floor(results.length / HALVINGS);
  const file = LOGS[at];
  return file && { path: `${file.name}:1..${ruled(file, results.slice(at * HALVINGS)).middle}` };
};

/** A script that follows the logs to their ends with large pages, and shows by the name of each its calls and lines. */
const SCRIPT = `const seen = {};
for (const name of ${JSON.stringify(LOGS.map(({ name }) => name))}) {
  const lines = new Set();
  let calls = 0;
  for (let path = name; path && calls < 99; calls += 1) {
    const { structuredContent: page } = await tools.mcp__oriel__read({ path, script: true });
    for (const [, no, own] of page.text.matchAll(/^(\\d+)\\|(\\d{6}) /gm)) if (Number(no) === Number(own)) lines.add(no);
    path = page.next;
  }
  seen[name] = [calls, lines.size];
}
text('SEEN' + JSON.stringify(seen));`;
const seenIn = ([...results]) => /SEEN(\{.*?\})/.exec(results.at(-1)?.text ?? '')?.[1];
/** Until the server is connected, a script fails. */
const scripting = (results) => (results.length < 9 && !seenIn(results) ? SCRIPT : undefined);
/** Bytes of a page for a script. */
const SCRIPT_PAGE = 256 << 10;

async function put(directory, files) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    );
  }
}

/** Runs the command in a process group of its own, and ends what it leaves behind. */
function finished([command, ...args], options) {
  return new Promise((settle) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (said = (said + chunk).slice(-4_000)));
    const end = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {}
    };
    const timer = setTimeout(end, RUN_MS);
    const ended = (error = '') => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      settle(said + error);
    };
    child.on('error', ended);
    child.on('close', () => ended());
    // What left the group may hold the pipes for ever.
    child.on('exit', () => {
      end();
      setTimeout(ended, 1_000);
    });
  });
}

/** Ends what left the process group of a host, such as a daemon that would answer for the next session: what has its home. */
async function endLeft(home) {
  for (const pid of await readdir('/proc').catch(() => [])) {
    const env = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '') : '';
    try {
      if (env.split('\0').includes(`HOME=${home}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {}
  }
}

/** Writes the files of a host, and installs oriel with these arguments; resolves to where it is, and its environment. */
async function placed(host, { folder, home, project, url, args, empty }) {
  const place = { bin: join(host.at, 'node_modules/.bin'), home, project, url };
  await put(home, host.files(place));
  await mkdir(project, { recursive: true });
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    CODEX_HOME: join(home, '.codex'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    CI: '1',
    NO_PROXY: '127.0.0.1',
    // Claude Code refuses to run as root elsewhere.
    IS_SANDBOX: '1',
    ...host.env(place),
  };
  if (args !== undefined) {
    const name = host.name.split('-')[0];
    await run(process.execPath, [cli, 'install', name, '--mode', 'mcp'], {
      env,
      cwd: project,
    });
    const launcher = join(home, '.local/share/oriel/install/oriel');
    const command = empty ? `${fileURLToPath(import.meta.url)} --empty ${empty}` : `${cli} "$@" ${args}`;
    await writeFile(launcher, `#!/bin/sh\nexec ${process.execPath} ${command}\n`);
  }
  return { place, env };
}

/** Serves tools of these names without a description, so that what a host itself adds for a server can be weighed. */
function serveEmpty(names) {
  const inputSchema = { type: 'object', properties: {} };
  const tools = names.map((name) => ({ name, description: '-', inputSchema }));
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const { protocolVersion } = params ?? {};
    const serverInfo = { name: 'empty', version: '1' };
    const answers = {
      initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions: '-' },
      'tools/list': { tools },
    };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} })}\n`);
  });
}

/** What a model saw in one session of a host; without `args` there is no oriel. */
async function session(host, folder, next, args, empty) {
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  await put(project, FILES);
  const model = await startModel(next, host);
  try {
    const { place, env } = await placed(host, { folder, home, project, url: model.url, args, empty });
    const [program, ...rest] = host.run(place, 'Go on with the task.');
    const more = next === scripting ? host.scripts : [];
    const said = await finished([program, ...more, ...rest], { cwd: project, env });
    return { ...model.seen, said };
  } finally {
    model.stop();
    await endLeft(home);
  }
}

async function measure(host, folder) {
  const unlimited = '--tools read --limits bytes=400K,lines=9000,tokens=400000';
  const talk = await session(host, join(folder, '1'), dialogue, '');
  const rule = await session(host, join(folder, '2'), ruler, unlimited);
  const nothing = () => undefined;
  const bare = await session(host, join(folder, '3'), nothing);
  const empty = [];
  for (const [i, names] of ['read', 'read,grep,find,ls'].entries())
    empty.push(await session(host, join(folder, `4${i}`), nothing, '', names));
  const script = host.scripts && (await session(host, join(folder, '5'), scripting, ''));
  return { ...judged(host, talk, { rule, bare, empty, script }), said: talk.said };
}

async function record(folder) {
  const host = { ...HOSTS.claude, name: 'claude', at: values.prefix ? resolve(values.prefix) : folder };
  await install(host.at, '--no-package-lock', host.package, '@xterm/headless@6');
  const home = join(folder, 'home');
  const cwd = join(home, 'project');
  await put(cwd, { 'orders.ts': orders });
  const start = async (url, prompt) => {
    const { place, env } = await placed(host, { folder, home, project: cwd, url });
    await run(process.execPath, [cli, 'install', 'claude', '--mode', 'native'], { env, cwd });
    const [program, , ...rest] = host.run(place, prompt);
    return [[program, ...rest], { cwd, env: { ...env, CI: undefined, TERM: 'xterm-256color' } }];
  };
  const drawn = await recorded(start, host.at, { home, file: join(cwd, 'orders.ts') });
  await writeFile(join(root, 'docs/agent.svg'), drawn);
}

/** The row of a host, and in `wrong` what no longer holds. */
function judged(host, { results, first, size }, { rule, bare, empty, script }) {
  const [small, missing, photo, ...pages] = results;
  const passes = LOGS.map((file, i) => file.size(ruled(file, rule.results.slice(i * HALVINGS)).whole));
  const calls = LOGS.map(({ shownIn }) => pages.filter((page) => shownIn([page]) > 0).length);
  const most = LOGS.map((file, i) =>
    Math.floor(1.3 * Math.ceil(file.size() / Math.min(passes[i], file.page))),
  );
  const row = {
    first: first === true,
    passes,
    page: Math.max(0, ...pages.map(({ text }) => text.length)),
    calls,
    most,
    lost: LOGS.reduce((sum, { count, shownIn }) => sum + count - shownIn(pages), 0),
    image: (photo?.images ?? 0) > 0,
    error: missing?.isError === true,
    tokens: [rule.size, size].map((sent) => Math.round((sent - bare.size) / 4)),
    host: empty.map((sent) => Math.round((sent.size - bare.size) / 4)),
    scripts: LOGS.map(({ name }) => script && (JSON.parse(seenIn(script.results) ?? '{}')[name] ?? [0, 0])),
  };
  const wrong = [];
  if (!small?.text.includes('hello')) wrong.push('a small file did not arrive');
  if (!row.first && !host.hidden) wrong.push('the first request does not declare read');
  if (row.lost > 0) wrong.push(`${row.lost} lines were lost`);
  for (const [i, { name }] of LOGS.entries())
    if (!(passes[i] > 0)) wrong.push(`${name}: what passes was not measured`);
    else if (!(calls[i] <= most[i]))
      wrong.push(`${name}: ${calls[i]} calls, not ${most[i]}, for what it passes`);
  if (!/nowhere\.txt/.test(missing?.text ?? '')) wrong.push('an error did not arrive');
  if (row.image !== host.image) wrong.push(`an image ${row.image ? 'arrived' : 'did not arrive'}`);
  for (const [i, seen] of row.scripts.entries()) {
    const { name, count, bytes } = LOGS[i];
    const most = Math.floor(1.3 * Math.ceil(bytes / SCRIPT_PAGE));
    if (seen && !(seen[1] === count && seen[0] <= most))
      wrong.push(`a script saw ${seen[1]} lines of ${name} in ${seen[0]} calls, not ${most}`);
  }
  if (photo?.text.includes(PIXEL.slice(0, 20))) wrong.push('an image arrived as text');
  for (const [i, [name, bar]] of Object.entries(MAX_TOKENS).entries()) {
    const most = bar + (host.adds ? row.host[i] : 0);
    if (!(row.tokens[i] > 0 && row.tokens[i] <= most))
      wrong.push(`${row.tokens[i]} tokens with ${name}, not ${most}`);
  }
  return { row, wrong };
}

const folder = await mkdtemp(join(tmpdir(), 'oriel-hosts-'));
const rows = new Map();
let failures = 0;
try {
  if (values.record) await record(folder);
  if (values.empty) serveEmpty(values.empty.split(','));
  const names =
    values.record || values.empty ? [] : positionals.length > 0 ? positionals : Object.keys(HOSTS);
  for (const name of names) {
    const host = HOSTS[name];
    if (!host) throw new Error(`There is no host ${name}. Use ${Object.keys(HOSTS).join(', ')}.`);
    const at = join(values.prefix ? resolve(values.prefix) : folder, host.package.replaceAll(/\W+/g, '-'));
    const version = (values.pinned && host.pinned) || 'latest';
    let found;
    try {
      await install(at, '--no-package-lock', `${host.package}@${version}`);
      found = JSON.parse(
        await readFile(join(at, 'node_modules', host.package, 'package.json'), 'utf8'),
      ).version;
      const [program] = host.run({ bin: join(at, 'node_modules/.bin') }, '');
      await run(program, ['--version'], {
        env: { ...process.env, HOME: folder },
        timeout: RUN_MS,
      });
    } catch (error) {
      console.log(
        `skip ${name}: it cannot be installed or started: ${String(error.stderr ?? error).split('\n')[0]}`,
      );
      continue;
    }
    const { row, wrong, said } = await measure({ ...host, name, at }, join(folder, name));
    if (wrong.length === 0) rows.set(name, { version: found, ...row });
    console.log(
      `${wrong.length === 0 ? 'ok  ' : 'FAIL'} ${name} ${found}: ${JSON.stringify(row)} ${wrong.join('; ')}`,
    );
    if (wrong.length > 0) {
      failures += 1;
      console.log(said.trim().split('\n').slice(-12).join('\n').replaceAll(/^/gm, '     '));
    }
  }
  if (!values.pinned && rows.size > 0) await writeTable();
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
process.exitCode = failures === 0 ? 0 : 1;

/** Replaces the rows of the hosts that ran in docs/hosts.md. */
async function writeTable() {
  const path = join(root, 'docs/hosts.md');
  const page = await readFile(path, 'utf8');
  const [before, inside, after] = page.split(/(?<=<!-- measured -->\n)|(?=<!-- end of measured -->)/);
  const date = new Date().toISOString().slice(0, 10);
  const kept = inside
    .split('\n')
    .filter(
      (line) =>
        line.startsWith('| ') &&
        ![...rows.keys()].some((name) => line.startsWith(`| ${name} `)) &&
        !line.startsWith('| host ') &&
        !line.startsWith('| -'),
    );
  const number = (value) => value.toLocaleString('en-US');
  const made = Array.from(
    rows,
    ([name, { version, first, passes, calls, most, lost, image, error, tokens, host, scripts }]) => {
      const yes = (is) => (is ? 'yes' : 'no');
      const counted = calls.map((count, i) => `${count} of ${most[i]}`);
      const cells = [
        `${name} ${version}`,
        date,
        yes(first),
        passes.map(number).join(' · '),
        counted.join(' · '),
        lost,
        yes(image),
        yes(error),
        scripts[0] ? scripts.map(([count]) => count).join(' · ') : '–',
        tokens.map(number).join(' · '),
        host.map(number).join(' · '),
      ];
      return `| ${cells.join(' | ')} |`;
    },
  );
  const table = [
    '',
    '| host | measured | in the first request | passes whole | calls | lines lost | image | error marked | by script | tokens | empty |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...[...kept, ...made].sort(),
    '',
    '',
  ];
  await writeFile(path, before + table.join('\n') + after);
  await run(join(root, 'node_modules/.bin/oxfmt'), [path]);
}
