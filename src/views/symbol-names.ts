/** The qualified names of the symbols of a text in memory, for the completion of a typed name. */

import { languageOf } from './languages.ts';
import { unpack } from './packed.ts';
import { answerTo, grammarFiles } from './parsed.ts';

/** Timeouts in milliseconds: for the parser, and including the start of its thread. */
const PARSING_MS = 5_000;
const MOST_MS = 9_000;

/** The names in the order of the text, without duplicates. `name`: the name of the file. */
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
