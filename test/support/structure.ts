/** Parses a text as the parser's worker thread does, but in this thread. Grammars come from the build. */

import { readFileSync } from 'node:fs';
import type { NoStructure } from '../../src/types/notice.ts';
import type { GrammarFiles } from '../../src/views/grammar/parse.ts';
import { type Language, languageOf } from '../../src/views/languages.ts';
import { outlineText } from '../../src/views/outline-text.ts';
import { outline } from '../../src/views/outline.ts';
import type { Structure } from '../../src/views/structure.ts';
import { built } from './built.ts';

export async function structureOf(name: string, text: string): Promise<Structure | NoStructure> {
  const language = languageOf(name, text);
  if (!language) return 'language';
  return outline(text, language, { grammar: grammarOf(language), isLate: () => false });
}

/** Like `structureOf`, but throws if there is no structure. */
export async function found(name: string, text: string): Promise<Structure> {
  const structure = await structureOf(name, text);
  if (typeof structure === 'string') throw new Error(`${name}: ${structure}`);
  return structure;
}

export async function outlineOf(name: string, text: string): Promise<string> {
  return outlineText((await found(name, text)).symbols);
}

function grammarOf({ grammar, queries = [] }: Language): GrammarFiles | undefined {
  if (grammar === undefined) return undefined;
  const file = (path: string): Buffer => readFileSync(built(`grammars/${path}`));
  const query = queries.map((name) => file(`${name}.scm`).toString()).join('\n');
  return { name: grammar, wasm: file(`${grammar}.wasm.br`), query };
}
