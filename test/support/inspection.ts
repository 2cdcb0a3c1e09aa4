/** `oriel inspect` in a child process. */

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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

export interface InspectionOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Wraps the command line, for example in script(1), which gives it a terminal. */
  readonly via?: (command: readonly string[]) => readonly string[];
}

/** Resolves when it has read the file. Throws with its output if it exits before that. */
export async function inspection(
  args: readonly string[],
  { via = (command) => command, ...options }: InspectionOptions = {},
): Promise<Inspection> {
  const [program = '', ...rest] = via([process.execPath, cli, 'inspect', ...args]);
  const child = spawn(program, rest, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
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

/** Simulates a desktop: `bin` comes first in PATH and holds an xdg-open that writes its argument to the file `opened`. */
export function desktop(home: string): { readonly options: InspectionOptions; readonly opened: string } {
  const [bin, opened] = [join(home, 'bin'), join(home, 'opened')];
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > '${opened}'\n`);
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const quoted = (word: string): string => `'${word}'`;
  return {
    opened,
    options: {
      cwd: home,
      env: { ...process.env, DISPLAY: ':7', PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
      via: (command) => ['script', '-qec', command.map(quoted).join(' '), '/dev/null'],
    },
  };
}
