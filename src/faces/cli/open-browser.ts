/** Opens a page in the browser of this machine, if there is one. */

import { spawn } from 'node:child_process';

/** Other users can see the arguments of a process, so `url` must not contain a secret that can be used twice. Never throws. */
export function openPage(url: string, env: NodeJS.ProcessEnv = process.env): void {
  const command = commandFor(env);
  if (!command) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // If there is no such program, the person can use the printed URL.
  child.on('error', () => undefined);
  child.unref();
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
