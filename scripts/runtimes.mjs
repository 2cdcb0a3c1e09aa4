// npm run runtimes [-- PACKAGE]: makes the same calls of the command line, of MCP over stdio and of the library under Node, Bun and
// Deno, and compares the answers with those of Node. PACKAGE: the directory of an installed oriel (default: this checkout).
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import sharp from 'sharp';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const installed = resolve(process.argv[2] ?? root);
const cli = join(installed, 'dist/faces/cli/main.js');

/** The npm packages bring the programs. */
const PACKAGES = ['bun@1.4.5', 'deno@2.9.6'];

/** Ends what hangs. */
const CALL_MS = 120_000;

const work = await mkdtemp(join(tmpdir(), 'oriel-runtimes-'));
const files = join(work, 'files');
const bin = join(work, 'node_modules/.bin');
const RUNTIMES = {
  node: [process.execPath],
  bun: [join(bin, 'bun')],
  deno: [join(bin, 'deno'), 'run', '--allow-all', '--no-lock', '--node-modules-dir=manual'],
};

async function writeFiles() {
  const fixtures = join(root, 'test/fixtures');
  await mkdir(join(files, 'src'), { recursive: true });
  for (const name of [
    'documents/report.docx',
    'documents/report.pdf',
    'documents/sheet.xlsx',
    'sources/prose.tar.xz',
  ])
    await cp(join(fixtures, name), join(files, name.split('/')[1]));
  const code = Array.from(
    { length: 400 },
    (_, i) => `export function step${i}(count) {\n  return count + ${i};\n}\n`,
  );
  await writeFile(join(files, 'src/steps.ts'), code.join('\n'));
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i + 1} of a long text, 雪 and é`);
  await writeFile(join(files, 'long.txt'), lines.join('\n'));
  await writeFile(join(files, 'long.txt.gz'), gzipSync(lines.join('\n')));
  await writeFile(join(files, 'rows.csv'), 'id,name\n1,one\n2,two\n3,three\n');
  await writeFile(join(files, 'page.html'), '<h1>Title</h1><p>A <b>bold</b> page.</p>');
  const members = {
    'a/one.txt': Buffer.from('first\nsecond\n'),
    'a/long.txt': Buffer.from(lines.join('\n')),
  };
  await writeFile(join(files, 'some.zip'), zipSync(members));
  await run('sqlite3', [
    join(files, 'shop.db'),
    "create table items(id, name); insert into items values (1, 'pen'), (2, 'ink')",
  ]);
  await sharp({ create: { width: 2400, height: 900, channels: 3, background: '#2a6' } })
    .png()
    .toFile(join(files, 'wide.png'));
  // Their ages are shown.
  for (const name of ['', ...(await readdir(files, { recursive: true }))])
    await utimes(join(files, name), 1.5e9, 1.5e9);
}

/** Arguments of the command line. */
const COMMANDS = [
  ['--version'],
  ['read', 'long.txt:10-12'],
  ['read', 'long.txt'],
  ['read', 'long.txt:-3'],
  ['read', 'none.txt'],
  ['read', '.'],
  ['read', 'src/steps.ts'],
  ['read', 'src/steps.ts#step7'],
  ['read', 'rows.csv?where=id=2'],
  ['read', 'long.txt.gz:4999-'],
  ['read', 'some.zip'],
  ['read', 'some.zip:a/one.txt:2'],
  ['read', 'prose.tar.xz'],
  ['read', 'shop.db'],
  ['read', 'shop.db:items'],
  ['read', 'report.docx'],
  ['read', 'report.pdf'],
  ['read', '--json', 'report.pdf?page=1&image'],
  ['read', 'sheet.xlsx'],
  ['read', 'page.html'],
  ['read', '--json', 'wide.png'],
  ['ls'],
  ['ls', 'some.zip'],
  ['find', '**/*.ts'],
  ['find', '--symbol', 'step7'],
  ['grep', 'line 49.9'],
  ['grep', 'second', 'some.zip'],
  ['grep', '--files', 'return', 'src'],
  ['bash', 'echo out; echo err >&2; exit 3'],
  ['bash', 'seq 1 200000'],
  ['bash', '--timeout', '1', 'echo begun; sleep 30 & sleep 30'],
];

/** Calls of tools, by MCP in one session and by the library. */
const CALLS = [
  ['read', { path: 'long.txt:10-12' }],
  ['read', { path: 'src/steps.ts' }],
  ['read', { path: 'shop.db:items' }],
  ['read', { path: 'shop.db:items' }],
  ['read', { path: 'prose.tar.xz' }],
  ['read', { path: 'some.zip:a/one.txt' }],
  ['read', { path: 'report.docx' }],
  ['read', { path: 'report.pdf' }],
  ['read', { path: 'wide.png' }],
  ['grep', { pattern: 'line 49.9' }],
  ['find', { pattern: '**/*.ts' }],
  ['ls', {}],
  ['bash', { command: 'echo out; echo err >&2; exit 3' }],
  ['bash', { command: 'seq 1 200000' }],
  ['read', { path: 'none.txt' }],
];

const LIBRARY = `
import { createOriel } from ${JSON.stringify(join(installed, 'dist/index.js'))};
const oriel = createOriel({ cwd: ${JSON.stringify(files)} });
for (const [tool, input] of ${JSON.stringify(CALLS)}) console.log(JSON.stringify(await oriel.tool(tool).run(input)));
await oriel.close();
`;

/** What differs between two runs of the same runtime. */
const plain = (text) =>
  text
    .replaceAll(/"(?:ms|elapsed\w*|took\w*)":[\d.]+/gi, '"ms":0')
    .replaceAll(/[\d.]+ m?s\b/g, 'N s')
    .replaceAll(/\/[^ "]*\/\d+\.log/g, 'kept');

function start(runtime, args) {
  const [program, ...first] = RUNTIMES[runtime];
  return spawn(program, [...first, ...args], {
    cwd: files,
    env: { PATH: process.env.PATH, HOME: join(work, runtime), XDG_CACHE_HOME: join(work, runtime, 'cache') },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Everything that the process prints until it ends, and how it ends. `talk` has the process before its input is closed. */
async function answerOf(runtime, args, talk = () => undefined) {
  const child = start(runtime, args);
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (said.err += text));
  const ended = new Promise((done) => child.once('close', (code, signal) => done(signal ?? code)));
  const timer = setTimeout(() => child.kill('SIGKILL'), CALL_MS);
  await talk(child);
  child.stdin.end();
  const end = await ended;
  clearTimeout(timer);
  return plain(`${said.out}${said.err && `stderr: ${said.err}`}ended with ${end}`);
}

/** One session of MCP; resolves when all is answered. */
async function session(child) {
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'runtimes', version: '1' };
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  await replies.next();
  send({ method: 'notifications/initialized' });
  const requests = [
    ['tools/list'],
    ...CALLS.map(([name, args]) => ['tools/call', { name, arguments: args }]),
  ];
  for (const [i, [method, params]] of requests.entries()) {
    send({ id: i + 1, method, params });
    if ((await replies.next()).done) return;
  }
}

let failures = 0;

/** `lines`: the answer is one line for each call, which are named. */
async function compare(title, args, talk, lines = []) {
  const began = performance.now();
  const expected = await answerOf('node', args, talk);
  const took = { node: performance.now() - began };
  for (const runtime of Object.keys(RUNTIMES).filter((name) => name !== 'node')) {
    const start = performance.now();
    const answer = await answerOf(runtime, args, talk);
    took[runtime] = performance.now() - start;
    if (answer === expected) continue;
    failures += 1;
    const [theirs, ours] = [answer.split('\n'), expected.split('\n')];
    const at = ours.findIndex((line, i) => line !== theirs[i]);
    console.log(`FAIL ${runtime}: ${title} ${lines[at] ?? ''}`);
    console.log(`     node: ${ours[at]?.slice(0, 500)}\n     ${runtime}: ${theirs[at]?.slice(0, 500)}`);
  }
  const times = Object.entries(took).map(([runtime, ms]) => `${runtime} ${(ms / 1000).toFixed(1)} s`);
  console.log(`done ${title}: ${times.join(', ')}`);
}

try {
  await run('npm', ['install', '--prefix', work, '--no-audit', '--no-fund', ...PACKAGES]);
  await writeFiles();
  for (const args of COMMANDS) await compare(`oriel ${args.join(' ')}`, [cli, ...args]);
  const names = CALLS.map((call) => JSON.stringify(call));
  await compare('oriel mcp:', [cli, 'mcp', '--allow-bash'], session, ['initialize', 'tools/list', ...names]);
  await writeFile(join(work, 'library.mjs'), LIBRARY);
  await compare('library:', [join(work, 'library.mjs')], undefined, names);
} catch (error) {
  failures += 1;
  console.error(`${error.stdout ?? ''}${error.stderr ?? ''}${error.stack}`);
} finally {
  await rm(work, { recursive: true, force: true });
}
console.log(failures === 0 ? 'all answers are those of Node' : `${failures} answers are not those of Node`);
process.exitCode = failures === 0 ? 0 : 1;
