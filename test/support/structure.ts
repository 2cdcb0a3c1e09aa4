/** Parses a text as the parser's worker thread does, but in this thread. Grammars come from the build. */

import { readFileSync } from 'node:fs';
import type { NoStructure } from '../../src/types/answer.ts';
import type { GrammarFiles } from '../../src/code/grammar/parse.ts';
import { type CodeLanguage, languageOf } from '../../src/code/languages.ts';
import { outlineText } from '../../src/code/find-symbol.ts';
import { outline } from '../../src/code/outline.ts';
import { sketchedSymbols } from '../../src/code/sketch.ts';
import type { TextStructure } from '../../src/code/structure.ts';
import { built } from './built.ts';

export async function structureOf(name: string, text: string): Promise<TextStructure | NoStructure> {
  const language = languageOf(name, text);
  if (!language) return 'language';
  const scan = sketchedSymbols;
  return outline(text, language, { grammar: grammarOf(language), isLate: () => false, scan });
}

/** Like `structureOf`, but throws if there is no structure. */
export async function found(name: string, text: string): Promise<TextStructure> {
  const structure = await structureOf(name, text);
  if (typeof structure === 'string') throw new Error(`${name}: ${structure}`);
  return structure;
}

export async function outlineOf(name: string, text: string): Promise<string> {
  return outlineText((await found(name, text)).symbols);
}

function grammarOf({ grammar, queries = [] }: CodeLanguage): GrammarFiles | undefined {
  if (grammar === undefined) return undefined;
  const file = (path: string): Buffer => readFileSync(built(`grammars/${path}`));
  const query = queries.map((name) => file(`${name}.scm`).toString()).join('\n');
  return { name: grammar, wasm: file(`${grammar}.wasm.br`), query };
}
