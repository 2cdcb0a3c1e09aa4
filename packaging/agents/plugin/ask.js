// What the plugins share. `oriel install` writes it into each of them.
import { spawn } from 'node:child_process';

/** Small answers do not start a process. */
export const MIN_CHARACTERS = 4096;

/** Milliseconds; the hook gives up earlier. */
const TIMEOUT_MS = 8000;

/** Passes an event of Claude Code to the hook. Resolves to what replaces an answer, or to undefined. */
function ask([command, ...args], tool_name, tool_input, tool_response, context) {
  return new Promise((resolve) => {
    try {
      const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
      const timer = setTimeout(() => child.kill(), TIMEOUT_MS);
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

/** Resolves to what replaces `text`, the answer of the tool `read` or `bash`, or to undefined. */
export async function answer(hook, tool, { path, offset, limit, command }, text, context) {
  if (tool === 'bash' && typeof command === 'string')
    return (await ask(hook, 'Bash', { command }, { stdout: text, stderr: '' }, context))?.stdout;
  if (tool !== 'read' || typeof path !== 'string') return undefined;
  const file = { filePath: path, content: text, numLines: 0, startLine: 1, totalLines: 0 };
  const found = await ask(hook, 'Read', { file_path: path, offset, limit }, { type: 'text', file }, context);
  return found?.file?.content;
}
