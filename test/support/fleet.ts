/** A workspace served by a separate `oriel serve` process, shared by all tests of a file. */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { createFleet, type Fleet } from '../../src/faces/client/fleet.ts';
import { cli } from './cli.ts';

export interface ServedWorkspace {
  /** One workspace, `dev`. */
  readonly workspaces: Fleet['workspaces'];
  write(path: string, content: string | Uint8Array): void;
}

export async function servedWorkspace(): Promise<ServedWorkspace> {
  const folder = mkdtempSync(join(tmpdir(), 'oriel-served-'));
  const child = spawn(process.execPath, [cli, 'serve', '--listen', '127.0.0.1:0', '--cwd', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  afterAll(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const url = await new Promise<string>((done, fail) => {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const address = /"address":"(http:[^"]+)"/.exec(log)?.[1];
      if (address !== undefined) done(address);
    });
    child.once('exit', () => fail(new Error(log)));
  });
  return {
    workspaces: createFleet({ workspaces: { dev: { url } } }).workspaces,
    write(path, content) {
      const full = join(folder, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
    },
  };
}
