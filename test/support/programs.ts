/** Optional programs that some tests run. Without them these tests are skipped, and a message says so. */

import { spawnSync } from 'node:child_process';

export interface Program {
  readonly name: string;
  /** A command that succeeds if the program is installed. */
  readonly check: readonly [string, ...string[]];
  /** The Debian packages that contain it, separated by spaces. */
  readonly from: string;
}

export const programs = [
  { name: 'curl', check: ['curl', '--version'], from: 'curl' },
  { name: 'python3', check: ['python3', '-c', 'import sqlite3'], from: 'python3' },
  { name: 'sqlite3', check: ['sqlite3', '--version'], from: 'sqlite3' },
  { name: 'unzip', check: ['unzip', '-v'], from: 'unzip' },
  { name: 'git', check: ['git', '--version'], from: 'git' },
  { name: 'chromium', check: ['chromium', '--version'], from: 'chromium' },
  { name: 'zsh', check: ['zsh', '--version'], from: 'zsh' },
  { name: 'fish', check: ['fish', '--version'], from: 'fish' },
  { name: 'script', check: ['script', '--version'], from: 'bsdutils' },
  { name: 'redis', check: ['redis-server', '--version'], from: 'redis-server' },
  { name: 'postgres', check: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/initdb'], from: 'postgresql' },
  { name: 'promtool', check: ['promtool', '--version'], from: 'prometheus' },
  { name: 'haproxy', check: ['haproxy', '-v'], from: 'haproxy' },
  {
    name: 'libreoffice',
    // libswlo.so is Writer's library, libsclo.so Calc's, libsdlo.so that of Draw and Impress.
    check: ['sh', '-c', 'cd /usr/lib/libreoffice/program && ls soffice libswlo.so libsclo.so libsdlo.so'],
    from: 'libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui',
  },
  { name: 'systemd-analyze', check: ['systemd-analyze', '--version'], from: 'systemd' },
] as const satisfies readonly Program[];

export type ProgramName = (typeof programs)[number]['name'];

export function missingPrograms(): readonly Program[] {
  return programs.filter(({ check: [command, ...args] }) => spawnSync(command, args).status !== 0);
}

/** One line: which programs are missing, and how to install them. */
export function leftOut(missing: readonly Program[]): string {
  const names = missing.map(({ name }) => name).join(', ');
  const packages = missing.map(({ from }) => from).join(' ');
  return `Left out: the tests that run ${names}. To run them too: apt-get install ${packages}`;
}
