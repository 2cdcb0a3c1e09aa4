/** How oriel stands behind the own tools of agents: hooks in their settings, and plugins that are files of their own. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { builtFile } from '../../files/package-files.ts';
import { shellWord } from '../../text/visible.ts';
import type { ConfigEntry, ConfigFormat, ConfigPlace, FormatName } from './config-format.ts';
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

type NativeShape = Pick<NativeEntry, 'format' | 'place' | 'entry' | 'head'>;

/** Seconds; the hook itself gives up earlier. */
const TIMEOUT_S = 10;

/** The command of a hook, in the JSON of what has it. */
const IS_HOOK = /["\s/]oriel'? hook \w+(?: 2>\/dev\/null \|\| exit 0)?"/;

/** An item in the list of hooks of an event. An older oriel, or none, says nothing and does not fail: agents refuse what a hook refuses. */
const hookOf = (event: string, item: (command: string) => ConfigEntry, head?: string): NativeShape => ({
  format: 'json',
  head,
  place: () => ({ keys: ['hooks', event], isEntry: (one) => IS_HOOK.test(JSON.stringify(one)) }),
  entry: ({ command, args }) => item(`${[command, ...args].map(shellWord).join(' ')} 2>/dev/null || exit 0`),
});

/** Source: "Hooks reference" of the documentation of Claude Code; Gemini CLI has other events, and milliseconds. */
const matchedHook = (event: string, matcher: string, timeout = TIMEOUT_S): NativeShape =>
  hookOf(event, (command) => ({ matcher, hooks: [{ type: 'command', command, timeout }] }));

/** A file that is oriel's alone: a plugin of the extension package, with what the plugins share, that starts this oriel. */
const pluginOf = (name: 'opencode' | 'pi'): NativeShape => ({
  format: 'text',
  place: () => ({ keys: [], name: 'file' }),
  entry({ command, args }) {
    const [text, shared] = [name, 'ask'].map((file) =>
      readFileSync(builtFile(`plugin/${file}.js`), 'utf8'),
    ) as [string, string];
    const file = text
      .replace(/^import .* from '\.\/ask\.js';\n/m, () => shared.replaceAll(/^export /gm, ''))
      .replace(/^const HOOK = .*$/m, () => `const HOOK = ${JSON.stringify([command, ...args])};`);
    return { file: `// Written by \`oriel install\`, removed by \`oriel uninstall\`.\n${file}` };
  },
});

/** By agent. */
export function nativeEntries(id: string): readonly NativeEntry[] {
  const home = homedir();
  const config = variable('XDG_CONFIG_HOME', join(home, '.config'));
  const claude = {
    user: join(variable('CLAUDE_CONFIG_DIR', join(home, '.claude')), 'settings.json'),
    project: '.claude/settings.json',
  };
  const plugin = (user: string, project: string, name: 'opencode' | 'pi'): NativeEntry[] => [
    { kind: 'native', user, project, ...pluginOf(name) },
  ];
  const byAgent: Readonly<Record<string, readonly NativeEntry[]>> = {
    claude: [
      { kind: 'native', ...claude, ...matchedHook('PostToolUse', 'Read|Bash|Grep|Glob') },
      { kind: 'before', ...claude, ...matchedHook('PreToolUse', 'Read') },
    ],
    gemini: [
      {
        kind: 'native',
        user: join(home, '.gemini/settings.json'),
        project: '.gemini/settings.json',
        ...matchedHook('AfterTool', 'read_file|run_shell_command', TIMEOUT_S * 1000),
      },
    ],
    opencode: plugin(join(config, 'opencode/plugin/oriel.js'), '.opencode/plugin/oriel.js', 'opencode'),
    kilo: plugin(join(config, 'kilo/plugin/oriel.js'), '.kilo/plugin/oriel.js', 'opencode'),
    pi: plugin(
      join(variable('PI_CODING_AGENT_DIR', join(home, '.pi/agent')), 'extensions/oriel.js'),
      '.pi/extensions/oriel.js',
      'pi',
    ),
    copilot: [
      {
        kind: 'native',
        user: join(variable('COPILOT_HOME', join(home, '.copilot')), 'hooks/oriel.json'),
        ...hookOf(
          'postToolUse',
          (bash) => ({ type: 'command', bash, timeoutSec: TIMEOUT_S }),
          '{\n  "version": 1\n}\n',
        ),
      },
    ],
  };
  return byAgent[id] ?? [];
}

/** A file whose whole text is the entry. */
export const textFormat: ConfigFormat = {
  parse: (text) => (text === '' ? undefined : { file: { file: text } }),
  lineOf: () => undefined,
  insertion: (text, _place, { file }) => ({ at: text.length, text: String(file) }),
  // What a person made of it is left alone.
  without: (text) => text,
};
