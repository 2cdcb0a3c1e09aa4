/** The command that agents start: it finds oriel again after a version manager moved Node.js or the package. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../files/package-files.ts';
import { userDirectory } from '../../files/user-settings.ts';
import { shellWord } from '../../text/visible.ts';
import { makeDirectory, readConfigFile, removeEmpty, replaceConfigFile } from './config-file.ts';
import { isOnPath, type StartCommand } from './host-table.ts';

/** The directory of the launcher and of the records of what was installed. */
export const installDirectory = (): string => join(userDirectory('data'), 'oriel/install');

const launcherPath = (): string => join(installDirectory(), 'oriel');

/** Has the first directory that was made for all this. */
const madePath = (): string => join(installDirectory(), 'made');

/** Deno needs words in front of the script. */
const RUNTIME_ARGS = 'Deno' in globalThis ? ['run', '-A'] : [];

const cliPath = (): string => fileURLToPath(builtFile('faces/cli/main.js'));

/**
 * The recorded program first; then those of version managers that are new enough, with the package where npm puts it. A hook
 * that finds nothing says nothing.
 */
function script(): string {
  const runtime = [process.execPath, ...RUNTIME_ARGS].map(shellWord).join(' ');
  return `#!/bin/sh
# Starts oriel for agents, also after Node.js was moved. Written by \`oriel install\`, removed by \`oriel uninstall\`.
node=${shellWord(process.execPath)}
cli=${shellWord(cliPath())}
hook=${shellWord(fileURLToPath(builtFile('faces/hook/hook-child.js')))}
if [ "$1" = hook ] && [ -x "$node" ] && [ -f "$hook" ]; then
  ${runtime} "$hook" "$2" 2>/dev/null
  exit 0
fi
[ -x "$node" ] && [ -f "$cli" ] && exec ${runtime} "$cli" "$@"
for node in "$(command -v node)" "$HOME"/.nvm/versions/node/*/bin/node "$HOME"/.volta/bin/node \\
  "$HOME"/.local/share/mise/shims/node "$HOME"/.asdf/shims/node "$HOME"/.local/share/fnm/aliases/default/bin/node \\
  /opt/homebrew/bin/node /usr/local/bin/node /usr/bin/node; do
  [ -x "$node" ] || continue
  "$node" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' || continue
  for found in "$cli" "\${node%/bin/node}/lib/node_modules/oriel/dist/faces/cli/main.js"; do
    [ -f "$found" ] && exec "$node" "$found" "$@"
  done
done
command -v oriel >/dev/null && exec oriel "$@"
[ "$1" = hook ] && exit 0
echo 'oriel was moved or removed. Install it again, then run: oriel install' >&2
exit 127
`;
}

/** How an agent starts oriel with these arguments. Projects are shared, so their entries have no path of this machine. */
export function startCommand(args: readonly string[], isProject: boolean): StartCommand {
  if (isProject && isOnPath('oriel')) return { command: 'oriel', args };
  if (process.platform !== 'win32') return { command: launcherPath(), args };
  return { command: process.execPath, args: [...RUNTIME_ARGS, cliPath(), ...args] };
}

export function writeLauncher(): void {
  if (process.platform === 'win32') return;
  const made = makeDirectory(installDirectory());
  if (made !== undefined) writeFileSync(madePath(), made);
  const file = readConfigFile(launcherPath());
  if (file.text !== script()) replaceConfigFile({ ...file, mode: 0o755 }, script());
}

/** Removes the launcher when nothing is recorded any more. */
export function removeLauncher(): void {
  let made = dirname(installDirectory());
  try {
    made = readFileSync(madePath(), 'utf8');
  } catch {
    // It was there before, or nothing is.
  }
  for (const path of [launcherPath(), madePath()]) rmSync(path, { force: true });
  removeEmpty(installDirectory(), made);
}
