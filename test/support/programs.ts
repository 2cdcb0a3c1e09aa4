/** Optional programs that some tests run. Without them these tests are skipped, and a message says so. */

import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Program {
  readonly name: string;
  /** Whether it is there; a look, because to start each one takes seconds. */
  readonly isInstalled: () => boolean;
  /** The Debian packages that contain it, separated by spaces. */
  readonly from: string;
}

const onPath = (command: string) => (): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((directory) => existsSync(join(directory, command)));

export const programs = [
  { name: 'curl', isInstalled: onPath('curl'), from: 'curl' },
  { name: 'python3', isInstalled: onPath('python3'), from: 'python3' },
  { name: 'sqlite3', isInstalled: onPath('sqlite3'), from: 'sqlite3' },
  { name: 'unzip', isInstalled: onPath('unzip'), from: 'unzip' },
  { name: 'git', isInstalled: onPath('git'), from: 'git' },
  { name: 'chromium', isInstalled: onPath('chromium'), from: 'chromium' },
  { name: 'zsh', isInstalled: onPath('zsh'), from: 'zsh' },
  { name: 'fish', isInstalled: onPath('fish'), from: 'fish' },
  { name: 'script', isInstalled: onPath('script'), from: 'bsdutils' },
  { name: 'redis', isInstalled: onPath('redis-server'), from: 'redis-server' },
  { name: 'postgres', isInstalled: hasPostgres, from: 'postgresql' },
  { name: 'promtool', isInstalled: onPath('promtool'), from: 'prometheus' },
  { name: 'haproxy', isInstalled: onPath('haproxy'), from: 'haproxy' },
  {
    name: 'libreoffice',
    // The libraries of Writer, Calc, and Draw with Impress.
    isInstalled: () =>
      ['soffice', 'libswlo.so', 'libsclo.so', 'libsdlo.so'].every((file) =>
        existsSync(join('/usr/lib/libreoffice/program', file)),
      ),
    from: 'libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui',
  },
  { name: 'systemd-analyze', isInstalled: onPath('systemd-analyze'), from: 'systemd' },
] as const satisfies readonly Program[];

export type ProgramName = (typeof programs)[number]['name'];

function hasPostgres(): boolean {
  const versions = '/usr/lib/postgresql';
  return (
    existsSync(versions) &&
    readdirSync(versions).some((name) => existsSync(join(versions, name, 'bin/initdb')))
  );
}

export function missingPrograms(): readonly Program[] {
  return programs.filter(({ isInstalled }) => !isInstalled());
}

/** One line: which programs are missing, and how to install them. */
export function leftOut(missing: readonly Program[]): string {
  const names = missing.map(({ name }) => name).join(', ');
  const packages = missing.map(({ from }) => from).join(' ');
  return `Left out: the tests that run ${names}. To run them too: apt-get install ${packages}`;
}
