/** Opens a page in the browser of this machine, if there is one. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private file that leads a browser on to a URL. */
export interface Entrance {
  remove(): void;
}

/**
 * Other users can see the arguments of a process, so the browser gets the path of a private file that redirects to `url`.
 * Undefined if there is no browser, or no place for the file: the person can use the printed URL. Never throws.
 */
export function openPage(url: string, env: NodeJS.ProcessEnv = process.env): Entrance | undefined {
  const command = commandFor(env);
  if (!command) return undefined;
  const [program, ...args] = command;
  try {
    const directory = mkdtempSync(join(tmpdir(), 'oriel-open-'));
    const path = join(directory, 'open.html');
    writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, {
      mode: 0o600,
      flag: 'wx',
    });
    const child = spawn(program, [...args, path], { stdio: 'ignore', detached: true });
    // If there is no such program, the person can use the printed URL.
    child.on('error', () => undefined);
    child.unref();
    return { remove: () => rmSync(directory, { recursive: true, force: true }) };
  } catch {
    return undefined;
  }
}

function commandFor(env: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
  }
}
