// oriel behind the tools of pi. Source: "Extensions" of its documentation.
import { answer, MIN_CHARACTERS } from './ask.js';

const HOOK = ['oriel', 'hook', 'pi'];

const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');

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
    session = `${process.pid} ${Date.now()}`;
  });
  pi.on('tool_result', async (event, context) => {
    if (event.content?.some(({ type }) => type !== 'text')) return undefined;
    const before = textOf(event.content);
    if (before.length <= MIN_CHARACTERS) return undefined;
    const how = { session_id: session, cwd: context.cwd, words: wordsOf(context) };
    if (event.toolName === 'read' && event.isError) return undefined;
    const text = await answer(HOOK, event.toolName, event.input ?? {}, before, how);
    return text === undefined ? undefined : { content: [{ type: 'text', text }] };
  });
}
