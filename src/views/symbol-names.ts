/** The qualified names of the symbols of a text that is at hand, for whoever types one. */

import { languageOf } from './languages.ts';
import { unpack } from './packed.ts';
import { answerTo, grammarFiles } from './parsed.ts';

/** Milliseconds for the parser, and with the start of its thread: one file, for somebody who waits. */
const PARSING_MS = 5_000;
const MOST_MS = 9_000;

/** In the order of the text, each once; none if it has no symbols. `name` is that of its file. */
export async function symbolNames(name: string, text: string, signal: AbortSignal): Promise<string[]> {
  const language = languageOf(name, text);
  if (!language) return [];
  const grammar = await grammarFiles(language);
  const question = {
    ask: 'parse' as const,
    text,
    language: language.name,
    ...(grammar && { grammar }),
    within: PARSING_MS,
  };
  const reply = await answerTo(question, signal, performance.now() + MOST_MS);
  if (typeof reply === 'string' || 'none' in reply) return [];
  return [...new Set(unpack(reply).symbols.map(({ qualified }) => qualified))];
}
