/** `oriel inspect` in a child process. */

import { spawn } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';
import { cli } from './cli.ts';

export interface Inspection {
  /** Its stdout so far. */
  out(): string;
  err(): string;
  /** The page, and the token that its URL has. */
  readonly page: string;
  readonly token: string;
  ask(path: string, init?: RequestInit): Promise<Response>;
  end(): Promise<number | null>;
}

/** Resolves when it has read the file. Throws with its output if it exits before that. */
export async function inspection(
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<Inspection> {
  const child = spawn(process.execPath, [cli, 'inspect', ...args], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  let code: number | null | undefined;
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.on('close', (ended) => (code = ended));
  await expect.poll(() => code !== undefined || /oriel: .*: [\d,]+ events?/.test(err + out)).toBe(true);
  if (code !== undefined) throw new Error(`it ended with ${code}: ${err}`);
  const [, page = '', token = ''] = /(http:[^#"\s]+)\/#token=([\w-]+)/.exec(out) ?? [];
  return {
    out: () => out,
    err: () => err,
    page,
    token,
    ask: (path, init = {}) =>
      fetch(page + path, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as object) },
      }),
    async end() {
      child.kill('SIGINT');
      await expect.poll(() => code).not.toBe(undefined);
      return code ?? null;
    },
  };
}
