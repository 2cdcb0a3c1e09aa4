// What the scripts share that try this checkout with other programs.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('..', import.meta.url));
export const cli = join(root, 'dist/faces/cli/main.js');

/** Installs packages and flags of npm below a directory. */
export async function install(at, ...packages) {
  await mkdir(at, { recursive: true });
  return run('npm', ['install', '--prefix', at, '--no-audit', '--no-fund', ...packages]);
}

/** Calls `use` with the address that a server prints, which `address` finds, then ends the server. */
export async function withServer(program, args, options, address, use) {
  const server = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(server, 'exit');
  let said = '';
  try {
    const url = await new Promise((resolve, reject) => {
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (chunk) => {
          said += chunk;
          const found = address.exec(said)?.[1];
          if (found) resolve(found);
        });
      ended.then(() => reject(new Error(`the server has ended: ${said}`)), reject);
    });
    await use(url);
  } finally {
    server.kill();
    await ended;
  }
}
