/**
 * The process behind warm-cli.ts: runs one call of the command line after the other. Each call evaluates the entry of the
 * command line again, with its own arguments, environment, directory and streams; the modules below it stay loaded.
 */

import { createReadStream, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';

const [, , entry] = process.argv;
const require = createRequire(entry);
const program = require.resolve('./program.cjs');
const REQUESTS = 3;
const REPLIES = 4;

const replace = (name, value) => Object.defineProperty(process, name, { value, configurable: true });

function collector() {
  const pieces = [];
  const stream = new Writable({
    write(piece, _, done) {
      pieces.push(piece);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(pieces).toString() });
}

/** In place, because the home directory is asked of the process itself. */
function replaceEnvironment(env) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

async function run({ args, cwd, env, input }) {
  const [out, err] = [collector(), collector()];
  replace('stdout', out);
  replace('stderr', err);
  replace('stdin', Readable.from(input === '' ? [] : [Buffer.from(input)]));
  replace('argv', [process.execPath, entry, ...args]);
  replaceEnvironment(env);
  process.chdir(cwd);
  process.exitCode = undefined;
  const before = Object.fromEntries(SIGNALS.map((name) => [name, process.listeners(name)]));
  const ended = new Promise((resolve) => replace('exit', (code) => resolve(code ?? process.exitCode ?? 0)));
  delete require.cache[program];
  const code = await Promise.race([ended, require(program).ended.then(() => process.exitCode)]);
  for (const name of SIGNALS)
    for (const listener of process.listeners(name))
      if (!before[name].includes(listener)) process.off(name, listener);
  process.exitCode = undefined;
  return { out: out.text(), err: err.text(), code: code ?? 0 };
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'];
const exit = process.exit.bind(process);

for await (const line of createInterface({ input: createReadStream('', { fd: REQUESTS }) })) {
  const reply = Buffer.from(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
  for (let at = 0; at < reply.length;) at += writeSync(REPLIES, reply, at);
}
exit(0);
