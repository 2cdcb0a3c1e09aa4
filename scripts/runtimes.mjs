// npm run runtimes [-- PACKAGE]: makes the same calls of the command line, of both servers and of the library under Node, Bun and
// Deno, and compares the answers with those of Node; then tries what a confined child can do under Bun and Deno.
// PACKAGE: the directory of an installed oriel (default: this checkout).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { release, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import sharp from 'sharp';
import { install, root, run } from './tools.mjs';

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
  await mkdir(join(files, 'logs'));
  await writeFile(join(files, 'logs/large.log'), `${'an entry\n'.repeat(400_000)}the end\n`);
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
  ['grep', 'the end', 'logs'],
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
  const heard = await Promise.race([talk(child), ended.then(() => undefined)]);
  child.stdin.end();
  const end = await ended;
  clearTimeout(timer);
  return plain(`${heard ?? `${said.out}${said.err && `stderr: ${said.err}`}`}ended with ${end}`);
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

const TOKEN = '0123456789abcdef'.repeat(4);

/** The same calls over HTTP; returns one line for each. */
async function overHttp(child) {
  let url;
  for await (const line of createInterface({ input: child.stderr }))
    if ((url = /http:\/\/[\d.:]+/.exec(line)?.[0])) break;
  if (!url) throw new Error('oriel serve said no address');
  const said = [];
  for (const [name, args] of CALLS) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const init = { method: 'POST', body: JSON.stringify(args), headers };
    said.push(await (await fetch(`${url}/api/v0/tools/${name}`, init)).text());
  }
  child.kill('SIGTERM');
  return said.join('\n');
}

let failures = 0;

/** What a child tries, each of which throws if it is denied. `OUTSIDE`: a file; `PORT`: somebody listens there. */
const ATTEMPTS = {
  'reads its code': `readFileSync(new URL('own.txt', import.meta.url))`,
  'reads a file': `readFileSync(OUTSIDE)`,
  'lists a directory and reads in it': `readFileSync(join(dirname(OUTSIDE), readdirSync(dirname(OUTSIDE))[0]))`,
  'reads what names the C library': `readFileSync('/usr/bin/ldd')`,
  'reads the list of accounts': `readFileSync('/etc/passwd')`,
  'reads the memory of its parent': `readFileSync('/proc/' + process.ppid + '/environ')`,
  'writes beside its code': `writeFileSync(new URL('new.txt', import.meta.url), '')`,
  'writes a file': `writeFileSync(OUTSIDE + '.new', '')`,
  'removes a file': `rmSync(OUTSIDE)`,
  'makes a link': `symlinkSync(OUTSIDE, OUTSIDE + '.link')`,
  'starts a shell': `execFileSync('/bin/sh', ['-c', 'exit 0'])`,
  'sees our environment': `if (process.env.ORIEL_PROBE === undefined) throw new Error()`,
  connects: `await new Promise((done, fail) => connect(PORT, '127.0.0.1', done).on('error', fail))`,
};

/** It has none of our variables to see. */
const ATTEMPTS_OF_FREE = Object.keys(ATTEMPTS).length - 1;

/** Linux forbids TCP from version 6.7 on. */
const [MAJOR, MINOR] = release().split('.').map(Number);
const HAS_NO_TCP = MAJOR > 6 || (MAJOR === 6 && MINOR >= 7);

/** What is allowed in a confined child of this runtime, which is started by the code of this checkout. */
async function allowedIn(runtime, port) {
  const [home, outside] = [join(work, 'confined'), join(work, 'outside/file')];
  for (const directory of [home, dirname(outside)]) await rm(directory, { recursive: true, force: true });
  for (const directory of [home, dirname(outside)]) await mkdir(directory);
  await writeFile(join(home, 'package.json'), '{ "type": "module" }');
  await writeFile(join(home, 'own.txt'), '');
  const attempts = Object.entries(ATTEMPTS).map(
    ([name, code]) => `try { ${code}; allowed.push(${JSON.stringify(name)}); } catch {}`,
  );
  await writeFile(
    join(home, 'child.js'),
    `import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
const [OUTSIDE, PORT, allowed] = [${JSON.stringify(outside)}, ${port}, []];
${attempts.join('\n')}
process.stdout.write(JSON.stringify(allowed), () => process.exit());
`,
  );
  const starter = join(work, 'start-confined.ts');
  const source = (path) => JSON.stringify(join(root, 'src/process', path));
  await writeFile(
    starter,
    `import { childArguments } from ${source('confinement.ts')};
import { spawnNode } from ${source('node-child.ts')};
process.env['ORIEL_PROBE'] = '1';
spawnNode(childArguments(${JSON.stringify(join(home, 'child.js'))}, 128)).stdout.pipe(process.stdout);
`,
  );
  const answers = [];
  // Without confinement almost all of it works, or denied would mean nothing.
  for (const script of [join(home, 'child.js'), starter]) {
    await writeFile(outside, 'outside');
    answers.push(await answerOf(runtime, [script]));
  }
  return answers.map((answer) => JSON.parse(answer.replace(/ended with 0$/, '')));
}

async function tryConfinement() {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const expected = {
    bun: ['reads its code', 'reads what names the C library', ...(HAS_NO_TCP ? [] : ['connects'])],
    deno: ['reads its code'],
  };
  for (const [runtime, allowed] of Object.entries(expected)) {
    const [free, confined] = await allowedIn(runtime, server.address().port);
    const isRight = free.length >= ATTEMPTS_OF_FREE && confined.join() === allowed.join();
    if (!isRight) failures += 1;
    const found = `a confined child does ${confined.join(', ')}; another one ${free.length} things`;
    console.log(`${isRight ? 'done' : 'FAIL'} ${runtime}: ${found}`);
  }
  server.close();
}

/** `lines`: the answer is one line for each call, which are named. Where an answer differs, both are made once more: limits are times, and the machine may be busy. */
async function compare(title, args, talk, lines = []) {
  const took = {};
  const timed = async (runtime) => {
    const began = performance.now();
    const answer = await answerOf(runtime, args, talk);
    took[runtime] = performance.now() - began;
    return answer;
  };
  let expected = await timed('node');
  for (const runtime of Object.keys(RUNTIMES).filter((name) => name !== 'node')) {
    let answer = await timed(runtime);
    if (answer !== expected) {
      console.log(`once more, it differs: ${runtime}: ${title}`);
      expected = await timed('node');
      answer = await timed(runtime);
    }
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
  await install(work, ...PACKAGES);
  await writeFiles();
  for (const args of COMMANDS) await compare(`oriel ${args.join(' ')}`, [cli, ...args]);
  const names = CALLS.map((call) => JSON.stringify(call));
  await compare('oriel mcp:', [cli, 'mcp', '--allow-bash'], session, ['initialize', 'tools/list', ...names]);
  await writeFile(join(work, 'token'), TOKEN, { mode: 0o600 });
  const serve = ['serve', '--listen', '127.0.0.1:0', '--allow-bash', '--token-file', join(work, 'token')];
  await compare('oriel serve:', [cli, ...serve], overHttp, names);
  await tryConfinement();
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
