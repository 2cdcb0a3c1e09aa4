/** A home directory and a project for tests of `oriel install`. */

import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { run } from './warm-cli.ts';

export interface AgentHome {
  readonly home: string;
  readonly project: string;
  readonly oriel: (...args: string[]) => ReturnType<typeof run>;
  /** Puts a file below the home directory, and returns its path. */
  readonly put: (path: string, text: string | Uint8Array) => string;
  readonly text: (path: string) => string;
}

export function place(env: NodeJS.ProcessEnv = {}): AgentHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oriel install-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, project] = [join(root, 'home'), join(root, 'my project')];
  mkdirSync(home);
  mkdirSync(project);
  return {
    home,
    project,
    oriel: (...args) => run(args, { cwd: project, env: { HOME: home, PATH: '/nowhere', ...env } }),
    put(path, text) {
      const at = join(home, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, text);
      return at;
    },
    text: (path) => readFileSync(join(home, path), 'utf8'),
  };
}

/** All files below a directory with what is in them. */
export function contents(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    lstatSync(join(directory, name)).isFile(),
  );
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name), 'latin1')]));
}

export const LAUNCHER = '.local/share/oriel/install/oriel';
