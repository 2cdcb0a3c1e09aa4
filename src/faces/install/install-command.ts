/** `oriel install` and `oriel uninstall`: oriel in the configuration files of agents. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { explained } from '../../call/unexpected.ts';
import { OrielError } from '../../errors.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { makeVisible, oneLine, quote } from '../../text/visible.ts';
import type { CliCommand, CliOption, CliStreams, ExitCode, ParsedArguments } from '../cli/options.ts';
import { printError } from '../cli/print.ts';
import {
  changeEntry,
  type DryTexts,
  findEntry,
  installRecords,
  type TextChange,
  type WantedEntry,
} from './entry-change.ts';
import { hasTrailingComma } from './config-format.ts';
import { configPath, type InstallHost, installHosts, isPresent, placeAt } from './host-table.ts';
import { nativeEntries } from './native-table.ts';
import { removeLauncher, startCommand, writeLauncher } from './launcher.ts';

const MODES = ['native', 'mcp', 'both'] as const;
type InstallMode = (typeof MODES)[number];

const dryRun: CliOption = {
  name: 'dry-run',
  help: 'show what would change, as a diff, and change nothing',
};

const project: CliOption = {
  name: 'project',
  help: 'in the files of the project in this directory, in place of the files of the user',
};

export const installCommand: CliCommand = {
  name: 'install',
  operands: '[HOST…]',
  help: `add oriel to the agents of this machine; or to those that are named: ${installHosts()
    .map(({ id }) => id)
    .join(', ')}`,
  choices: installHosts().map(({ id }) => id),
  options: [
    {
      name: 'mode',
      value: 'HOW',
      choices: MODES,
      help: "native (behind the agent's own tools), mcp (all tools of oriel) or both (default native where that works, else mcp with read alone where the agent searches by itself)",
    },
    dryRun,
    project,
    { name: 'list', help: 'list the agents, whether oriel is in them, and their files' },
  ],
  async run(parsed, streams) {
    if (parsed.values['list'] === true) return list(parsed, streams);
    const hosts = named(parsed.operands) ?? installHosts().filter(isPresent);
    if (hosts.length === 0) {
      const all = installHosts().map(({ id }) => id);
      throw new OrielError(
        'NOT_FOUND',
        `No agent was found on this machine. Name one: oriel install ${all.join('|')}.`,
      );
    }
    const mode = parsed.values['mode'] as InstallMode | undefined;
    for (const host of hosts) if (mode !== undefined) requireMode(host, mode);
    if (parsed.values['dry-run'] !== true) writeLauncher();
    return each(hosts, parsed, streams, false);
  },
};

export const uninstallCommand: CliCommand = {
  name: 'uninstall',
  operands: '[HOST…]',
  help: 'take oriel out of the agents again: each file is as it was before, to the byte',
  choices: installHosts().map(({ id }) => id),
  options: [dryRun, project],
  async run(parsed, streams) {
    const had = installRecords();
    const hosts =
      named(parsed.operands) ?? installHosts().filter(({ id }) => had.some(({ host }) => host === id));
    const code = await each(hosts, parsed, streams, true);
    if (parsed.values['dry-run'] === true) return code;
    const left = installRecords();
    if (left.length === 0) {
      removeLauncher();
      if (had.some(({ kind }) => kind !== 'mcp')) await (await import('../hook/helper.ts')).endHooks();
    } else if (parsed.values['project'] !== true && parsed.operands.length === 0 && code === 0)
      for (const { path } of left)
        streams.out.write(`It is still in ${shown(path)}: use oriel uninstall --project in that project.\n`);
    return code;
  },
};

/** The hosts of the operands; undefined if there are none. Throws `BAD_INPUT` for an unknown one. */
function named(operands: readonly string[]): InstallHost[] | undefined {
  const hosts = installHosts();
  const all = hosts.map(({ id }) => id);
  const found = operands.map((word) => {
    const host = hosts.find(({ id, title }) => [id, title.toLowerCase().replace(' ', '-')].includes(word));
    if (host) return host;
    const near = didYouMean(nearNames(word, all));
    throw new OrielError(
      'BAD_INPUT',
      `There is no host ${quote(word)}.${near} Use one of ${all.join(', ')}.`,
    );
  });
  return found.length > 0 ? [...new Set(found)] : undefined;
}

/** Named pipes of Windows do not keep other users out of what hooks send. */
const canBeBehind = ({ id }: InstallHost): boolean =>
  process.platform !== 'win32' && nativeEntries(id).length > 0;

function requireMode(host: InstallHost, mode: InstallMode): void {
  if (mode === 'mcp' || canBeBehind(host)) return;
  const { title, id } = host;
  throw new OrielError(
    'BAD_INPUT',
    `oriel cannot stand behind the own tools of ${title}, so there is no mode ${mode}. Use oriel install ${id} --mode mcp.`,
  );
}

/** The mode that is meant if none is named: what is there stays. */
function modeOf(host: InstallHost, { values }: ParsedArguments): InstallMode {
  const named = values['mode'] as InstallMode | undefined;
  if (named !== undefined) return named;
  const kinds = new Set(installRecords().flatMap((one) => (one.host === host.id ? one.kind : [])));
  if (kinds.has('mcp')) return kinds.size > 1 ? 'both' : 'mcp';
  return canBeBehind(host) ? 'native' : 'mcp';
}

interface PlannedEntry {
  readonly entry: WantedEntry;
  readonly remove: boolean;
}

/** What a mode has is put in, what it does not have taken out, the last first. Empty if the host has no file in a project. */
function planOf(
  host: InstallHost,
  inProject: boolean,
  mode: InstallMode | 'none',
  named?: unknown,
): PlannedEntry[] {
  const mcp = mcpEntry(host, inProject, mode === 'both' ? mode : named);
  const native = nativeEntries(host.id).flatMap(({ user, project, entry, ...rest }): WantedEntry[] => {
    const path = inProject ? project && join(process.cwd(), project) : user;
    const start = startCommand(['hook', host.id], inProject);
    return path === undefined ? [] : [{ host: host.id, path, entry: entry(start), ...rest }];
  });
  const removesMcp = mode === 'none' || mode === 'native';
  const removesNative = mode === 'none' || mode === 'mcp';
  const plan = [
    ...(mcp ? [{ entry: mcp, remove: removesMcp }] : []),
    ...native.map((entry) => ({ entry, remove: removesNative })),
  ];
  return [...plan.filter(({ remove }) => remove).toReversed(), ...plan.filter(({ remove }) => !remove)];
}

const DEFERRED = ['--deferred'];
const READ_ALONE = ['--tools', 'read'];

/** The entry of the tools of a host; undefined if it has no file in a project. `mode`: undefined keeps the list that is there. */
function mcpEntry(host: InstallHost, inProject: boolean, mode: unknown): WantedEntry | undefined {
  const { id, format = 'json', place = placeAt('mcpServers'), head } = host;
  const known = installRecords().filter((one) => one.host === id && one.kind === 'mcp');
  const path = configPath(
    host,
    inProject ? process.cwd() : undefined,
    known.map((one) => one.path),
  );
  if (path === undefined) return undefined;
  const before = known.find((one) => one.path === path)?.entry;
  const has = ([option = '']: readonly string[]): boolean => JSON.stringify(before).includes(`"${option}"`);
  const first = host.onlyCommands ? [] : READ_ALONE;
  const kept = before ? [DEFERRED, READ_ALONE].find(has) : first;
  const list = mode === undefined ? kept : mode === 'both' && DEFERRED;
  const entry = host.entry(startCommand(['mcp', ...(list || [])], inProject), inProject);
  return { host: id, kind: 'mcp', path, format, place, entry, head };
}

async function each(
  hosts: readonly InstallHost[],
  parsed: ParsedArguments,
  streams: CliStreams,
  uninstalls: boolean,
): Promise<ExitCode> {
  const { values, operands } = parsed;
  const dry = values['dry-run'] === true ? (new Map() as DryTexts) : undefined;
  const inProject = values['project'] === true;
  const { out } = streams;
  let code: ExitCode = 0;
  let changed = 0;
  let isBehind = false;
  for (const host of hosts) {
    const plan = planOf(host, inProject, uninstalls ? 'none' : modeOf(host, parsed), values['mode']);
    try {
      if (plan.every(({ remove }) => remove !== uninstalls)) {
        if (operands.length === 0) continue;
        throw new OrielError(
          'UNSUPPORTED',
          `${host.title} has no configuration file in projects. Leave out --project.`,
        );
      }
      let isThere = false;
      const said = new Set<string>();
      // A file with two entries is named once.
      const say = (line: string): void => {
        if (!said.has(line)) out.write(`${host.title}: ${line}\n`);
        said.add(line);
      };
      for (const { entry, remove } of plan) {
        if (!remove && entry.kind === 'mcp') requireOthersRead(host, entry.path);
        const change = await changeEntry(entry, { remove, dry });
        if (change) {
          changed += 1;
          isBehind ||= !remove && entry.kind !== 'mcp';
          say(shown(entry.path));
          out.write(diff(change));
          if (!remove && host.refusesCommas && hasTrailingComma(change.before))
            out.write(`${host.title} refuses this file for a comma before a closing bracket: remove it.\n`);
        } else if (!remove) say(await unchanged(entry, dry));
        isThere ||= change !== undefined;
      }
      if (uninstalls && !isThere && operands.length > 0)
        out.write(`${host.title}: nothing of oriel is in ${shown(plan.at(-1)?.entry.path ?? '')}\n`);
    } catch (error) {
      printError(`${host.title}: ${explained(error).message}`, streams);
      code = 2;
    }
  }
  if (dry) out.write('Nothing was changed (--dry-run).\n');
  else if (changed > 0) {
    out.write(`${uninstalls ? 'Removed' : 'Installed'}. Running sessions keep what they started with.\n`);
    if (isBehind)
      out.write(
        'Agents list no hooks and plugins among their MCP servers: oriel install --list shows them.\n',
      );
  } else if (uninstalls && code === 0 && operands.length === 0) out.write('Nothing was taken out.\n');
  return code;
}

/** Throws where a new file would hide another one of the agent. */
function requireOthersRead({ title, replaces }: InstallHost, path: string): void {
  if (replaces === undefined || existsSync(path)) return;
  const other = join(dirname(path), replaces);
  if (!existsSync(other)) return;
  throw new OrielError(
    'UNSUPPORTED',
    `With a file ${shown(path)} ${title} would no longer read ${shown(other)}: move what is there first.`,
  );
}

async function unchanged(wanted: WantedEntry, dry: DryTexts | undefined): Promise<string> {
  const { state } = await findEntry(wanted, dry);
  return state === 'foreign'
    ? `the entry oriel of ${shown(wanted.path)} was written by somebody else, and stays`
    : `installed already, in ${shown(wanted.path)}`;
}

const STATES = {
  installed: 'installed',
  outdated: 'installed, outdated',
  foreign: 'own entry',
};

async function list(parsed: ParsedArguments, streams: CliStreams): Promise<ExitCode> {
  const { values, operands } = parsed;
  const inProject = values['project'] === true;
  let code: ExitCode = 0;
  for (const host of named(operands) ?? installHosts()) {
    const plan = planOf(host, inProject, 'none').toReversed();
    const lines = new Set<string>();
    const add = (state: string, path: string): Set<string> =>
      lines.add(`${host.id.padEnd(9)} ${oneLine(state).padEnd(19)} ${shown(path)}\n`);
    for (const { entry } of plan) {
      try {
        const { state } = await findEntry(entry);
        if (state !== 'absent') add(`${STATES[state]}${entry.kind === 'mcp' ? '' : ' (native)'}`, entry.path);
      } catch (error) {
        add(explained(error).message, entry.path);
        code = 2;
      }
    }
    // What would be written.
    const wanted = planOf(host, inProject, modeOf(host, parsed)).find(({ remove }) => !remove) ?? plan[0];
    if (wanted && lines.size === 0)
      add(isPresent(host) ? 'not installed' : 'no such agent here', wanted.entry.path);
    for (const line of lines) streams.out.write(line);
  }
  return code;
}

/** A path with `~` for the home directory. */
function shown(path: string): string {
  const home = join(homedir(), sep);
  return oneLine(path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path);
}

/** Longer lines are shown where they differ. */
const MAX_DIFF_COLUMNS = 200;

/** The changed lines, and of long ones the changed part: what is around it may hold tokens. */
function diff({ before, after = '' }: TextChange): string {
  const [old, fresh] = [before, after].map((text) =>
    text === '' ? [] : text.replace(/\n$/, '').split(/\r?\n/),
  ) as [string[], string[]];
  let top = 0;
  while (top < Math.min(old.length, fresh.length) && old[top] === fresh[top]) top += 1;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - top && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const part = (sign: string, lines: readonly string[], [other = '']: readonly string[]): string =>
    lines.map((line) => `${sign}${makeVisible(changed(line, other)).text}\n`).join('');
  const range = (lines: readonly string[]): string => `${top + 1},${lines.length}`;
  const [gone = [], added = []] = [old, fresh].map((lines) => lines.slice(top, lines.length - end));
  return `@@ -${range(gone)} +${range(added)} @@\n${part('-', gone, added)}${part('+', added, gone)}`;
}

function changed(line: string, other: string): string {
  if (line.length <= MAX_DIFF_COLUMNS) return line;
  let from = 0;
  while (from < line.length && line[from] === other[from]) from += 1;
  const length = Math.min(Math.max(line.length - other.length, 0), MAX_DIFF_COLUMNS);
  return `…${line.slice(from, from + length)}…`.replace('……', '…');
}
