// oriel behind the tools of opencode, and of Kilo, which shares its plugins. Source: "Plugins" of its documentation.
import { copyFileSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { answer, MIN_CHARACTERS } from './ask.js';

const HOOK = ['oriel', 'hook', 'opencode'];

// The whole output where the tool for reading may open it without asking.
function opened(text) {
  try {
    const [, path] = /The whole output is in (.+)]$/.exec(text);
    const data = process.env.XDG_DATA_HOME || join(homedir(), '.local/share');
    const directory = join(data, HOOK.at(-1), 'tool-output');
    mkdirSync(directory, { recursive: true });
    const own = join(directory, `tool_oriel_${basename(path)}`);
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
      const text = parts.map((part) => (part.type === 'text' && !part.synthetic ? part.text : '')).join('\n');
      said.set(sessionID, [text, ...(said.get(sessionID) ?? [])].slice(0, 2));
    },
    'tool.execute.after': async ({ tool, sessionID, args }, output) => {
      if (typeof output?.output !== 'string' || output.output.length <= MIN_CHARACTERS) return;
      const context = { session_id: sessionID, cwd: directory, words: { user: said.get(sessionID) ?? [] } };
      const text = await answer(HOOK, tool, { ...args, path: args?.filePath }, output.output, context);
      if (text !== undefined) output.output = tool === 'bash' ? opened(text) : text;
    },
  };
};
