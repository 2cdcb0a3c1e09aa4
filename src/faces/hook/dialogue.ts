/** The last words of a conversation, from the end of the transcript that an agent keeps. Nothing of them is kept. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SpokenWords } from '../../types/request.ts';

/** How much of a transcript is looked at, from its end, and the longest line that is. */
const MAX_TRANSCRIPT_BYTES = 4 << 20;
const CHUNK_BYTES = 256 << 10;
const MAX_LINE_CHARACTERS = 64 << 10;

/** How many characters of one message count: the last ones. */
const MAX_WORDS_CHARACTERS = 2_000;

/** The weights of the last messages of each side, the last one first. */
const WEIGHTS = { user: [1, 0.3], assistant: [0.6, 0.25] } as const;

type Speaker = keyof typeof WEIGHTS;

/** Empty if there is no such file, or it is none that can be read at once. Never throws. */
export async function lastWords(path: string | undefined): Promise<SpokenWords[]> {
  if (path === undefined || path === '') return [];
  let file: FileHandle | undefined;
  try {
    // A pipe without a writer would block.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    return stats.isFile() ? await wordsIn(file, stats.size) : [];
  } catch {
    return [];
  } finally {
    await file?.close().catch(() => undefined);
  }
}

async function wordsIn(file: FileHandle, size: number): Promise<SpokenWords[]> {
  const found: Record<Speaker, string[]> = { user: [], assistant: [] };
  const isComplete = (): boolean =>
    found.user.length >= WEIGHTS.user.length && found.assistant.length >= WEIGHTS.assistant.length;
  let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  const least = Math.max(0, size - MAX_TRANSCRIPT_BYTES);
  for (let end = size; end > least && !isComplete();) {
    const from = Math.max(least, end - CHUNK_BYTES);
    const piece = Buffer.alloc(end - from);
    const { bytesRead } = await file.read(piece, 0, piece.length, from);
    if (bytesRead === 0) break;
    const bytes = Buffer.concat([piece.subarray(0, bytesRead), rest]);
    const first = bytes.indexOf('\n') + 1;
    const cut = from === 0 ? 0 : first === 0 ? bytes.length : first;
    for (const line of bytes.subarray(cut).toString().split('\n').toReversed()) {
      if (isComplete()) break;
      take(line, found);
    }
    // Of a line that is too long only the beginning is left in the end, which is no message.
    rest = cut > CHUNK_BYTES ? Buffer.alloc(0) : bytes.subarray(0, cut);
    end = from;
  }
  return spoken(found);
}

export function spoken(found: Readonly<Record<Speaker, readonly string[]>>): SpokenWords[] {
  return (['user', 'assistant'] as const)
    .flatMap((speaker) =>
      WEIGHTS[speaker].flatMap((weight, i) => {
        const text = found[speaker][i]?.slice(-MAX_WORDS_CHARACTERS);
        return text === undefined ? [] : [{ text, weight }];
      }),
    )
    .toSorted((a, b) => b.weight - a.weight);
}

/** What is done with every line of a text, where a sentence tells somebody to do it; and words that mean all of it. */
const WHOLE_TASK = String.raw`(?:^|[.!?:;,\n]\s*|\b(?:please|then|and|let me|let's|i will|i'll|you|to)\s)(?:proof-?read|copy-?edit|translate|port|convert|rewrite|reformat|summari[sz]e)\b`;
const ALL_OF = String.raw`\b(?:whole|entire|all|every (?:line|word|sentence|paragraph)) (?:of|in)\b`;
const IN_FULL = String.raw`\b(?:line by line|word (?:by|for) word|in full)\b`;

/** Whether the last message of a side says that all of the file is needed: then a map would only cost a request more. */
export function isWantedWhole(words: readonly SpokenWords[], path: string): boolean {
  const name = basename(path).replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  const near = String.raw`[^.!?\n]{0,60}`;
  const wanted = new RegExp(
    String.raw`(?:${WHOLE_TASK}|${ALL_OF})${near}(?<![\w.-])${name}(?![\w.]*\w)|(?<![\w.-])${name}\b${near}${IN_FULL}`,
    'i',
  );
  return words.some(({ text, weight }) => weight >= WEIGHTS.assistant[0] && wanted.test(text));
}

interface SaidMessage {
  readonly type?: unknown;
  readonly isMeta?: unknown;
  readonly message?: { readonly role?: unknown; readonly content?: unknown } | undefined;
  /** Gemini CLI has it here. */
  readonly content?: unknown;
}

function take(line: string, found: Record<Speaker, string[]>): void {
  if (line.length > MAX_LINE_CHARACTERS || !line.startsWith('{')) return;
  let said: SaidMessage;
  try {
    said = JSON.parse(line) as SaidMessage;
  } catch {
    return;
  }
  const role = said.message?.role ?? said.type;
  const speaker = role === 'gemini' ? 'assistant' : role;
  if ((speaker !== 'user' && speaker !== 'assistant') || said.isMeta === true) return;
  const text = textOf(said.message?.content ?? said.content).trim();
  if (text !== '') found[speaker].push(text);
}

/** What was said, without what the agent adds, and with what the model looked for. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return withoutReminders(content);
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { type?: unknown; text?: unknown; input?: unknown } | null) => {
      if ((block?.type ?? 'text') === 'text' && typeof block?.text === 'string')
        return withoutReminders(block.text);
      if (block?.type !== 'tool_use' || typeof block.input !== 'object' || block.input === null) return '';
      const { pattern, query, description } = block.input as Record<string, unknown>;
      return [pattern, query, description].filter((one) => typeof one === 'string').join(' ');
    })
    .join('\n');
}

function withoutReminders(text: string): string {
  return text.replaceAll(
    /<(system-reminder|local-command-stdout|command-message|session_context)>[^]*?(?:<\/\1>|$)/g,
    ' ',
  );
}
