/** The agents that oriel can be added to: where each keeps its configuration, and what an entry looks like there. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { type ConfigEntry, type ConfigPlace, isObject } from './config-format.ts';

export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface InstallHost {
  /** On the command line; also the title in lower case, with hyphens. */
  readonly id: string;
  readonly title: string;
  /** Its program, if that is not called as `id`. */
  readonly program?: string;
  /** Absolute; of several the first that exists, else the first. */
  readonly user: readonly string[];
  /** Relative to the project; absent if it reads no file there. */
  readonly project?: readonly string[];
  readonly format?: 'toml' | 'yaml';
  /** Where the entry is, by the value of the file; `mcpServers.oriel` if absent. */
  readonly place?: (value: unknown) => ConfigPlace;
  readonly entry: (start: StartCommand, isProject: boolean) => ConfigEntry;
  /** Whether it searches only with commands; others have a search of their own, and need only `read`. */
  readonly onlyCommands?: boolean;
  /** What a new file needs besides the entry. */
  readonly head?: string;
  /** Whether it refuses a file with a comma before a closing bracket. */
  readonly refusesCommas?: boolean;
  /** The name of a file beside it that the agent no longer reads once there is this one. */
  readonly replaces?: string;
}

const inHome = (path: string): string => join(homedir(), path);

export function variable(name: string, otherwise: string): string {
  const value = process.env[name];
  return value !== undefined && isAbsolute(value) ? value : otherwise;
}

/** The directory in which applications keep their settings. */
function applicationData(config: string): string {
  if (process.platform === 'darwin') return inHome('Library/Application Support');
  return process.platform === 'win32' ? variable('APPDATA', inHome('AppData/Roaming')) : config;
}

export const placeAt =
  (...keys: string[]) =>
  (): ConfigPlace => ({ keys, name: 'oriel' });

const plain = ({ command, args }: StartCommand): ConfigEntry => ({ command, args });
const stdio = (start: StartCommand): ConfigEntry => ({ type: 'stdio', ...plain(start) });
const local = ({ command, args }: StartCommand): ConfigEntry => ({
  type: 'local',
  command: [command, ...args],
});
/** For editors, which start servers outside the folder that is open. */
const inFolder = ({ command, args }: StartCommand): ConfigEntry =>
  stdio({ command, args: [...args, '${workspaceFolder}'] });

/** All agents. Computed for each command, because the environment says where their files are. */
export function installHosts(): readonly InstallHost[] {
  const config = variable('XDG_CONFIG_HOME', inHome('.config'));
  const data = applicationData(config);
  const isWindows = process.platform === 'win32';
  return [
    {
      id: 'claude',
      title: 'Claude Code',
      user: [join(variable('CLAUDE_CONFIG_DIR', homedir()), '.claude.json')],
      project: ['.mcp.json'],
      entry: stdio,
    },
    {
      id: 'codex',
      title: 'Codex',
      user: [join(variable('CODEX_HOME', inHome('.codex')), 'config.toml')],
      project: ['.codex/config.toml'],
      format: 'toml',
      place: placeAt('mcp_servers'),
      onlyCommands: true,
      entry: (start) => ({ ...plain(start), omit_tools_from: ['deferred'] }),
    },
    {
      id: 'opencode',
      title: 'opencode',
      user: ['opencode.json', 'opencode.jsonc'].map((name) => join(config, 'opencode', name)),
      project: ['opencode.json', 'opencode.jsonc'],
      // Version 2 has the servers one level deeper.
      place: (value) => {
        const mcp = isObject(value) && isObject(value['mcp']) ? value['mcp']['servers'] : undefined;
        return placeAt('mcp', ...(isObject(mcp) && !('type' in mcp) ? ['servers'] : []))();
      },
      entry: local,
    },
    {
      id: 'kilo',
      title: 'Kilo',
      user: ['kilo.json', 'kilo.jsonc'].map((name) => join(config, 'kilo', name)),
      project: ['.kilo/kilo.json', '.kilo/kilo.jsonc', 'kilo.json', 'kilo.jsonc'],
      place: placeAt('mcp'),
      entry: local,
    },
    {
      id: 'pi',
      title: 'pi',
      user: [join(variable('PI_CODING_AGENT_DIR', inHome('.pi/agent')), 'mcp.json')],
      project: ['.pi/mcp.json'],
      onlyCommands: true,
      entry: (start) => ({ ...plain(start), exposure: 'direct' }),
    },
    {
      id: 'gemini',
      title: 'Gemini CLI',
      user: [inHome('.gemini/settings.json')],
      project: ['.gemini/settings.json'],
      entry: plain,
      refusesCommas: true,
    },
    {
      id: 'qwen',
      title: 'Qwen Code',
      user: [inHome('.qwen/settings.json')],
      project: ['.qwen/settings.json'],
      entry: (start) => ({ ...plain(start), alwaysLoadTools: true }),
    },
    {
      id: 'copilot',
      title: 'Copilot CLI',
      user: [join(variable('COPILOT_HOME', inHome('.copilot')), 'mcp-config.json')],
      entry: (start) => ({ type: 'local', ...plain(start), tools: ['*'], deferTools: 'never' }),
    },
    {
      id: 'cline',
      title: 'Cline',
      user: [inHome('.cline/data/settings/cline_mcp_settings.json')],
      entry: (start) => ({ transport: stdio(start) }),
    },
    {
      id: 'continue',
      title: 'Continue',
      program: 'cn',
      user: [inHome('.continue/config.yaml')],
      project: ['.continue/mcpServers/oriel.yaml'],
      format: 'yaml',
      place: () => ({
        keys: ['mcpServers'],
        isEntry: (item) => isObject(item) && item['name'] === 'oriel',
      }),
      entry: (start) => ({ name: 'oriel', ...plain(start) }),
      head: 'name: Local\nversion: 1.0.0\nschema: v1\n',
      // Source: "Migrating Config to YAML" of its documentation.
      replaces: 'config.json',
    },
    {
      id: 'goose',
      title: 'Goose',
      user: [isWindows ? join(data, 'Block/goose/config/config.yaml') : join(config, 'goose/config.yaml')],
      format: 'yaml',
      place: placeAt('extensions'),
      onlyCommands: true,
      entry: ({ command, args }) => ({ enabled: true, type: 'stdio', name: 'oriel', cmd: command, args }),
    },
    {
      id: 'cursor',
      title: 'Cursor',
      user: [inHome('.cursor/mcp.json')],
      project: ['.cursor/mcp.json'],
      entry: inFolder,
    },
    {
      id: 'vscode',
      title: 'VS Code',
      program: 'code',
      user: [join(data, 'Code/User/mcp.json')],
      project: ['.vscode/mcp.json'],
      place: placeAt('servers'),
      // Outside a project there may be no folder.
      entry: (start, isProject) => (isProject ? inFolder : stdio)(start),
    },
    {
      id: 'zed',
      title: 'Zed',
      user: [join(isWindows ? join(data, 'Zed') : join(config, 'zed'), 'settings.json')],
      project: ['.zed/settings.json'],
      place: placeAt('context_servers'),
      entry: (start) => ({ ...plain(start), env: {} }),
    },
    {
      id: 'windsurf',
      title: 'Windsurf',
      user: [inHome('.codeium/windsurf/mcp_config.json')],
      entry: plain,
    },
  ];
}

/** Whether the agent seems to be used on this machine: its file, its directory or its program is there. */
export function isPresent({ id, user, program = id }: InstallHost): boolean {
  const directories = user.map((path) => dirname(path)).filter((path) => path !== homedir());
  return [...user, ...directories].some((path) => existsSync(path)) || isOnPath(program);
}

export function isOnPath(program: string): boolean {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  // npm and npx put the commands of one package there, which nobody else finds.
  const isOfPackage = (path: string): boolean => path.endsWith(join('node_modules', '.bin'));
  const directories = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((path) => path !== '' && !isOfPackage(path));
  return directories.some((path) => names.some((name) => existsSync(join(path, name))));
}

/** The file that the agent reads, or would read, of several one of `known`; undefined if it reads none in a project. */
export function configPath(
  { user, project }: InstallHost,
  root: string | undefined,
  known: readonly string[],
): string | undefined {
  const paths = root === undefined ? user : project?.map((path) => join(root, path));
  return paths?.find((path) => known.includes(path)) ?? paths?.find((path) => existsSync(path)) ?? paths?.[0];
}
