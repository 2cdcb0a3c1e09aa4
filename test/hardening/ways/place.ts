/** Where hostile cases are run: a root, a secret beside it, and a site on loopback. */

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hostileSite, type HostileSite } from './site.ts';

export const SECRET = 'TOPSECRET-OUTSIDE';

/** In the root at all times: a door that still serves reads it. */
export const PLAIN = 'plain.txt';
export const PLAIN_TEXT = 'still served\n';

export interface Place {
  /** Parent of all of it. */
  readonly base: string;
  /** The only root, and the working directory. */
  readonly W: string;
  /** A directory beside it that holds secret.txt. */
  readonly O: string;
  readonly site: HostileSite;
  /** Writes a file below the root and returns its absolute path. */
  write(path: string, content: string | Uint8Array): string;
  /** A file of so many bytes that takes no room. */
  sparse(path: string, bytes: number): void;
  link(path: string, target: string): void;
  fifo(path: string): void;
  /** Names, sizes, modes and times of all that is there, inside and outside. */
  state(): string;
  /** A new directory for what a door keeps. */
  home(name: string): string;
  /** Leaves what every case begins with. */
  clear(): void;
  remove(): Promise<void>;
}

export async function makePlace(): Promise<Place> {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'oriel-ways-')));
  fs.chmodSync(base, 0o755);
  const [W, O] = [join(base, 'work'), join(base, 'outside')];
  const site = await hostileSite();
  const write = (path: string, content: string | Uint8Array): string => {
    const full = join(W, path);
    fs.mkdirSync(dirname(full), { recursive: true });
    fs.writeFileSync(full, content);
    return full;
  };
  let homes = 0;
  const place: Place = {
    base,
    W,
    O,
    site,
    write,
    sparse: (path, bytes) => fs.truncateSync(write(path, ''), bytes),
    link: (path, target) => fs.symlinkSync(target, join(W, path)),
    fifo: (path) => void execFileSync('mkfifo', [join(W, path)]),
    state: () =>
      [W, O]
        .flatMap((folder) =>
          (fs.readdirSync(folder, { recursive: true }) as string[]).toSorted().map((name) => {
            const { size, mode, mtimeMs } = fs.lstatSync(join(folder, name));
            return `${folder}/${name} ${size} ${mode} ${mtimeMs}`;
          }),
        )
        .join('\n'),
    home(name) {
      const path = join(base, `home-${(homes += 1)}-${name}`);
      fs.mkdirSync(path);
      // Some cases are run as another user.
      fs.chmodSync(path, 0o1777);
      return path;
    },
    clear() {
      // The directories themselves stay: a root is held by its identity. Modes that a case has taken away are given back.
      const script = 'chmod -R u+rwx "$@" 2>/dev/null; find "$@" -mindepth 1 -maxdepth 1 -exec rm -rf {} +';
      execFileSync('sh', ['-c', script, 'sh', W, O]);
      fs.writeFileSync(join(O, 'secret.txt'), `${SECRET}\n`);
      write(PLAIN, PLAIN_TEXT);
    },
    async remove() {
      await site.close();
      execFileSync('sh', ['-c', 'chmod -R u+rwx "$0" 2>/dev/null; rm -rf "$0"', base]);
    },
  };
  for (const folder of [W, O]) fs.mkdirSync(folder, { mode: 0o755 });
  place.clear();
  return place;
}
