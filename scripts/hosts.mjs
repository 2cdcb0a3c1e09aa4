// npm run hosts: runs coding agents against a model that follows a script, and writes what arrived of oriel's answers into docs/hosts.md.
// `-- HOST…` runs only these; `--pinned` takes the versions of .ci/run and writes nothing; `--prefix DIR` keeps what is installed;
// `--record` draws docs/agent.svg instead, a session of Codex as a person sees it.
// A host that loses a line, needs too many calls or no longer shows the tools fails by its name. One that cannot be installed or
// started is skipped, which is printed: others change what a pinned version depends on.
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startModel } from './hosts/model.mjs';
import { nightlyLog, recorded } from './hosts/record.mjs';
import { HOSTS } from './hosts/table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pinned: { type: 'boolean', default: false },
    prefix: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});

/** Milliseconds of one run of a host, which has as long as a few tests on a machine that is busy; only what hangs takes them. */
const RUN_MS = 600_000;
const LINES = 6_000;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const numbered = Array.from({ length: LINES }, (_, i) =>
  `${String(i + 1).padStart(6, '0')} entry of the log`.padEnd(68, '.'),
);

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

/** Writes the files of a host; resolves to where it is, and the environment in which it finds oriel. */
async function placed(host, folder, home, url) {
  const place = { bin: join(host.at, 'node_modules/.bin'), home, url };
  await put(home, host.files(place));
  await mkdir(join(folder, 'bin'), { recursive: true });
  const oriel = join(folder, 'bin/oriel');
  await writeFile(
    oriel,
    `#!/bin/sh\nexec ${process.execPath} ${join(root, 'dist/faces/cli/main.js')} "$@"\n`,
    { mode: 0o755 },
  );
  const env = {
    PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    CODEX_HOME: join(home, '.codex'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    CI: '1',
    NO_PROXY: '127.0.0.1',
    ...host.env(place),
  };
  return { place, env };
}

async function measure(host, folder) {
  const home = join(folder, 'home');
  const project = join(folder, 'project');
  await put(project, {
    'small.txt': 'hello\n',
    'photo.png': Buffer.from(PIXEL, 'base64'),
    'big.log': `${numbered.join('\n')}\n`,
  });
  const steps = ['small.txt', 'nowhere.txt', 'photo.png', 'big.log'];
  const model = await startModel((results) => {
    if (results.length < steps.length) return { path: steps[results.length] };
    const next = /Use (\S+) to continue\]/.exec(results.at(-1).text.slice(-600))?.[1];
    return next && results.length < 120 ? { path: next } : undefined;
  });
  try {
    const { place, env } = await placed(host, folder, home, model.url);
    const said = await finished(host.run(place, 'Go on with the task.'), { cwd: project, env });
    return { ...judged(host, model.seen), said };
  } finally {
    model.stop();
  }
}

async function install(at, ...packages) {
  await mkdir(at, { recursive: true });
  const flags = ['--prefix', at, '--no-audit', '--no-fund', '--no-package-lock'];
  await promisify(execFile)('npm', ['install', ...flags, ...packages]);
}

async function record(folder) {
  const host = { ...HOSTS['codex-gpt-5.5'], at: values.prefix ? resolve(values.prefix) : folder };
  await install(host.at, `${host.package}@${host.pinned}`, '@xterm/headless@6');
  const home = join(folder, 'home');
  const cwd = join(home, 'project');
  await put(cwd, { 'nightly.log': nightlyLog });
  const start = async (url, prompt) => {
    const { place, env } = await placed(host, folder, home, url);
    const config = join(home, '.codex/config.toml');
    await writeFile(
      config,
      `${await readFile(config, 'utf8')}\n[projects."${cwd}"]\ntrust_level = "trusted"\n`,
    );
    const command = [`${place.bin}/codex`, '--no-daemon', '-s', 'read-only', '-a', 'never', prompt];
    return [command, { cwd, env: { ...env, TERM: 'xterm-256color' } }];
  };
  await writeFile(join(root, 'docs/agent.svg'), await recorded(start, host.at));
}

/** The row of a host, and in `wrong` what no longer holds. */
function judged(host, { results, first }) {
  const [small, missing, photo, ...pages] = results;
  const shown = new Set(
    pages.flatMap(({ text }) =>
      [...text.matchAll(/(?:^|\n)(\d+)\|(\d{6}) entry/g)].map(([, no, own]) =>
        Number(no) === Number(own) ? Number(no) : 0,
      ),
    ),
  );
  shown.delete(0);
  const row = {
    first: first === true,
    page: Math.max(0, ...pages.map(({ text }) => text.length)),
    calls: pages.length,
    lost: LINES - shown.size,
    image: (photo?.images ?? 0) > 0,
    error: missing?.isError === true,
  };
  const wrong = [];
  if (!small?.text.includes('hello')) wrong.push('a small file did not arrive');
  if (!row.first && !host.hidden) wrong.push('the first request does not declare read');
  if (row.lost > 0) wrong.push(`${row.lost} of ${LINES} lines were lost`);
  if (row.calls > host.calls) wrong.push(`${row.calls} calls, not ${host.calls}`);
  if (!/nowhere\.txt/.test(missing?.text ?? '')) wrong.push('an error did not arrive');
  if (row.image !== host.image) wrong.push(`an image ${row.image ? 'arrived' : 'did not arrive'}`);
  return { row, wrong };
}

const folder = await mkdtemp(join(tmpdir(), 'oriel-hosts-'));
const rows = new Map();
let failures = 0;
try {
  if (values.record) await record(folder);
  const names = values.record ? [] : positionals.length > 0 ? positionals : Object.keys(HOSTS);
  for (const name of names) {
    const host = HOSTS[name];
    if (!host) throw new Error(`There is no host ${name}. Use ${Object.keys(HOSTS).join(', ')}.`);
    const at = join(values.prefix ? resolve(values.prefix) : folder, host.package.replaceAll(/\W+/g, '-'));
    const version = values.pinned ? host.pinned : 'latest';
    let found;
    try {
      await install(at, `${host.package}@${version}`);
      found = JSON.parse(
        await readFile(join(at, 'node_modules', host.package, 'package.json'), 'utf8'),
      ).version;
      const [program] = host.run({ bin: join(at, 'node_modules/.bin') }, '');
      await promisify(execFile)(program, ['--version'], {
        env: { ...process.env, HOME: folder },
        timeout: RUN_MS,
      });
    } catch (error) {
      console.log(
        `skip ${name}: it cannot be installed or started: ${String(error.stderr ?? error).split('\n')[0]}`,
      );
      continue;
    }
    const { row, wrong, said } = await measure({ ...host, at }, join(folder, name));
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
  const made = Array.from(rows, ([name, { version, first, page: most, calls, lost, image, error }]) => {
    const yes = (is) => (is ? 'yes' : 'no');
    return `| ${name} ${version} | ${date} | ${yes(first)} | ${most} | ${calls} | ${lost} | ${yes(image)} | ${yes(error)} |`;
  });
  const table = [
    '',
    '| host | measured | in the first request | largest page | calls for 414 KB | lines lost | image | error marked |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...[...kept, ...made].sort(),
    '',
    '',
  ];
  await writeFile(path, before + table.join('\n') + after);
  await promisify(execFile)(join(root, 'node_modules/.bin/oxfmt'), [path]);
}
