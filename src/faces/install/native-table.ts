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

/** The command of a hook. An older oriel, or none, says nothing and does not fail: agents refuse what a hook refuses. */
const hookCommand = ({ command, args }: StartCommand): string =>
  `${[command, ...args].map(shellWord).join(' ')} 2>/dev/null || exit 0`;

const isHook = (command: unknown): boolean =>
  typeof command === 'string' && /(?:^|[\s/])oriel'? hook \w+(?: 2>\/dev\/null \|\| exit 0)?$/.test(command);

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

/**
 * What the plugins of all agents share: `ask` passes an event to the hook and returns the text that replaces an answer. Events
 * are those of Claude Code. Small answers do not start a process.
 */
const ASK = ({
  command,
  args,
}: StartCommand): string => `// Written by \`oriel install\`, removed by \`oriel uninstall\`.
import { spawn } from 'node:child_process';

const MIN_CHARACTERS = 4096;

function ask(tool_name, tool_input, tool_response, context) {
  return new Promise((resolve) => {
    try {
      const child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: ['pipe', 'pipe', 'ignore'] });
      const timer = setTimeout(() => child.kill(), 8000);
      let text = '';
      child.on('error', () => resolve(undefined));
      child.stdin.on('error', () => undefined);
      child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
      child.on('close', () => {
        clearTimeout(timer);
        try {
          resolve(JSON.parse(text).hookSpecificOutput.updatedToolOutput);
        } catch {
          resolve(undefined);
        }
      });
      const event = { hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response, ...context };
      child.stdin.end(JSON.stringify(event));
    } catch {
      resolve(undefined);
    }
  });
}

const read = async (path, input, text, context) => {
  const { offset, limit } = input;
  const file = { filePath: path, content: text, numLines: 0, startLine: 1, totalLines: 0 };
  const found = await ask('Read', { file_path: path, offset, limit }, { type: 'text', file }, context);
  return found?.file?.content;
};

const bash = async (command, text, context) => (await ask('Bash', { command }, { stdout: text, stderr: '' }, context))?.stdout;
`;

/** Source: "Plugins" of the documentation of opencode, which Kilo shares. */
const opencodePlugin = (start: StartCommand, id: string): string => `${ASK(start)}
import { copyFileSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

// The whole output where the tool for reading may open it without asking.
function opened(text) {
  try {
    const [, path] = /The whole output is in (.+)]$/.exec(text);
    const data = process.env.XDG_DATA_HOME || join(homedir(), '.local/share');
    const directory = join(data, '${id}', 'tool-output');
    mkdirSync(directory, { recursive: true });
    const own = join(directory, 'tool_oriel_' + basename(path));
    copyFileSync(path, own);
    return text.replace(path, () => own);
  } catch {
    return text;
  }
}

export const Oriel = async ({ directory }) => {
  const said = new Map();
  return {
    'chat.message': async ({ sessionID }, { parts }) => {
      const text = parts.map((part) => (part.type === 'text' && !part.synthetic ? part.text : '')).join('\\n');
      said.set(sessionID, [text, ...(said.get(sessionID) ?? [])].slice(0, 2));
    },
    'tool.execute.after': async ({ tool, sessionID, args }, output) => {
      if (typeof output?.output !== 'string' || output.output.length <= MIN_CHARACTERS) return;
      const context = { session_id: sessionID, cwd: directory, words: { user: said.get(sessionID) ?? [] } };
      const input = args ?? {};
      const text =
        tool === 'read' && typeof input.filePath === 'string'
          ? await read(input.filePath, input, output.output, context)
          : tool === 'bash' && typeof input.command === 'string'
            ? await bash(input.command, output.output, context)
            : undefined;
      if (text !== undefined) output.output = tool === 'bash' ? opened(text) : text;
    },
  };
};
`;

/** Source: "Extensions" of the documentation of pi. */
const piExtension = (start: StartCommand): string => `${ASK(start)}
const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\\n');

function wordsOf(context) {
  const words = { user: [], assistant: [] };
  try {
    for (const { type, message } of context.sessionManager.getBranch().slice(-60).reverse()) {
      const text = type === 'message' && message.role in words ? textOf(message.content).trim() : '';
      if (text !== '' && words[message.role].length < 2) words[message.role].push(text);
    }
  } catch {
    // The map comes without them.
  }
  return words;
}

let session = String(process.pid);

export default function (pi) {
  pi.on('session_start', () => {
    session = process.pid + ' ' + Date.now();
  });
  pi.on('tool_result', async (event, context) => {
    if (event.isError || event.content?.some(({ type }) => type !== 'text')) return undefined;
    const before = textOf(event.content);
    if (before.length <= MIN_CHARACTERS) return undefined;
    const how = { session_id: session, cwd: context.cwd, words: wordsOf(context) };
    const { path, command } = event.input ?? {};
    const text =
      event.toolName === 'read' && typeof path === 'string'
        ? await read(path, event.input, before, how)
        : event.toolName === 'bash' && typeof command === 'string'
          ? await bash(command, before, how)
          : undefined;
    return text === undefined ? undefined : { content: [{ type: 'text', text }] };
  });
}
`;

/** Source: "Hooks reference" of the documentation of Copilot CLI. */
const copilotHook: Pick<NativeEntry, 'format' | 'place' | 'entry' | 'head'> = {
  format: 'json',
  head: '{\n  "version": 1\n}\n',
  place: () => ({
    keys: ['hooks', 'postToolUse'],
    isEntry: (item) => isObject(item) && isHook(item['bash']),
  }),
  entry: (start) => ({ type: 'command', bash: hookCommand(start), timeoutSec: TIMEOUT_S }),
};

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
    case 'opencode':
    case 'kilo': {
      const user = join(config, id, 'plugin/oriel.js');
      return [
        {
          kind: 'native',
          user,
          project: `.${id}/plugin/oriel.js`,
          ...ownFile((start) => opencodePlugin(start, id)),
        },
      ];
    }
    case 'pi': {
      const user = join(variable('PI_CODING_AGENT_DIR', join(home, '.pi/agent')), 'extensions/oriel.js');
      return [{ kind: 'native', user, project: '.pi/extensions/oriel.js', ...ownFile(piExtension) }];
    }
    case 'copilot': {
      const user = join(variable('COPILOT_HOME', join(home, '.copilot')), 'hooks/oriel.json');
      return [{ kind: 'native', user, ...copilotHook }];
    }
    default:
      return [];
  }
}

/** A file whose whole text is the entry. */
export const textFormat: ConfigFormat = {
  parse: (text) => (text === '' ? undefined : { file: { file: text } }),
  lineOf: () => undefined,
  insertion: (text, _place, { file }) => ({ at: text.length, text: String(file) }),
  // What a person made of it is left alone.
  without: (text) => text,
};
