// Starts a Redis (or Valkey) for a bench, with a directory and an encryption key; undefined if none is installed.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const NO_STORE = [{ 'not measured': 'redis-server is not installed' }];

export const KEY = 'the key of a bench, which is long enough';

export async function startStore() {
  const program = ['redis-server', 'valkey-server'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );
  if (!program) return undefined;
  const home = mkdtempSync(join(tmpdir(), 'oriel-scale-'));
  const port = await freePort();
  const quiet = ['--bind', '127.0.0.1', '--save', '', '--dir', home];
  const stdio = ['ignore', 'pipe', 'ignore'];
  const store = spawn(program, ['--port', String(port), ...quiet], { stdio });
  for await (const said of store.stdout) if (/Ready to accept/.test(said)) break;
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 });
  return {
    url: `redis://127.0.0.1:${port}`,
    keyFile,
    home,
    /** Operations on values and their bytes, in both directions, since the start. */
    used: () => usedIn(port),
    stop() {
      store.kill();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Commands that oriel uses for values. */
const USES = /^cmdstat_(?:getrange|set|unlink|del|incrby):calls=(\d+)/gm;

async function usedIn(port) {
  const info = await ask(port, 'INFO all');
  const uses = [...info.matchAll(USES)].reduce((all, [, calls]) => all + Number(calls), 0);
  const of = (name) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  // The bytes of this reply are not those of values.
  infoBytes += info.length;
  return {
    uses,
    bytes: of('total_net_input_bytes') + of('total_net_output_bytes') - (infoBytes - info.length),
  };
}

let infoBytes = 0;

function ask(port, command) {
  return new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.setEncoding('utf8').on('data', (text) => {
      said += text;
      const [, length] = /^\$(\d+)\r\n/.exec(said) ?? [];
      if (length === undefined || said.length < Number(length)) return;
      socket.destroy();
      done(said);
    });
    socket.once('error', fail).write(`${command}\r\n`);
  });
}

function freePort() {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
