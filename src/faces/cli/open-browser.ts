/** Opens a page in the browser of the person at this machine, if there is one. */

import { spawn } from 'node:child_process';

/** The arguments of a process can be seen by others: `url` must hold nothing that works twice. Never throws. */
export function openPage(url: string, env: NodeJS.ProcessEnv = process.env): void {
  const command = commandFor(env);
  if (!command) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // Without such a program there is the URL that was printed.
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
