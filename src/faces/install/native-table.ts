/** How oriel stands behind the own tools of agents: hooks in their settings, and plugins that are files of their own. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { shellWord } from '../../text/visible.ts';
import {
  type ConfigEntry,
  type ConfigFormat,
  type ConfigPlace,
  type FormatName,
  isObject,
} from './config-format.ts';
import { type StartCommand, variable } from './host-table.ts';

/** One place in which an agent is told about oriel. */
export interface NativeEntry {
  /** What it is called in the records of what was installed. */
  readonly kind: 'native' | 'before';
  /** Absolute. */
  readonly user: string;
  /** Relative to the project; absent if the agent reads no such file there. */
  readonly project?: string | undefined;
  readonly format: FormatName;
  readonly place: (value: unknown) => ConfigPlace;
  readonly entry: (start: StartCommand) => ConfigEntry;
  readonly head?: string | undefined;
}

/** Seconds; the hook itself gives up earlier. */
const TIMEOUT_S = 10;

/** The command of a hook. In a shared project it says nothing where there is no oriel. */
function hookCommand({ command, args }: StartCommand): string {
  const words = [command, ...args].map(shellWord).join(' ');
  return command === 'oriel' ? `command -v oriel >/dev/null || exit 0; ${words}` : words;
}

const isHook = (command: unknown): boolean =>
  typeof command === 'string' && /(?:^|[\s/])oriel'? hook \w+$/.test(command);

/** An item in the list of a kind of hooks of Claude Code. Source: "Hooks reference" of its documentation. */
const claudeHook = (event: string, matcher: string): Pick<NativeEntry, 'format' | 'place' | 'entry'> => ({
  format: 'json',
  place: () => ({
    keys: ['hooks', event],
    isEntry: (item) =>
      isObject(item) &&
      Array.isArray(item['hooks']) &&
      item['hooks'].some((one) => isObject(one) && isHook(one['command'])),
  }),
  entry: (start) => ({
    matcher,
    hooks: [{ type: 'command', command: hookCommand(start), timeout: TIMEOUT_S }],
  }),
});

/** A file that is oriel's alone. */
const ownFile = (text: (start: StartCommand) => string): Pick<NativeEntry, 'format' | 'place' | 'entry'> => ({
  format: 'text',
  place: () => ({ keys: [], name: 'file' }),
  entry: (start) => ({ file: text(start) }),
});

/** By host. */
export function nativeEntries(id: string): readonly NativeEntry[] {
  const home = homedir();
  const config = variable('XDG_CONFIG_HOME', join(home, '.config'));
  switch (id) {
    case 'claude': {
      const user = join(variable('CLAUDE_CONFIG_DIR', join(home, '.claude')), 'settings.json');
      const project = '.claude/settings.json';
      return [
        { kind: 'native', user, project, ...claudeHook('PostToolUse', 'Read|Bash|Grep|Glob') },
        { kind: 'before', user, project, ...claudeHook('PreToolUse', 'Read') },
      ];
    }
    default:
      void config;
      void ownFile;
      return [];
  }
}

/** A file whose whole text is the entry. */
export const textFormat: ConfigFormat = {
  parse: (text) => (text === '' ? undefined : { file: text }),
  lineOf: () => undefined,
  insertion: (text, _place, { file }) => ({ at: text.length, text: String(file) }),
  without: () => '',
};
