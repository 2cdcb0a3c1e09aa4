/** Parses large texts for replicas, in a worker. */

import type { WorkHandler } from '../types/work.ts';
import { languages } from './languages.ts';
import { grammarFiles, parseText } from './parsed.ts';
import { OUTLINE_KIND, parseHead, type ParseHead, parserVersion, write } from './parsed-elsewhere.ts';

/** Milliseconds in which the parser may end by itself, and after which its thread is ended. */
const SOFT_MS = 10_000;
const HARD_MS = 13_000;

/** With another grammar the answer is none that others may use. */
const HERE = { why: 'here', isLasting: true } as const;

export const outlineJob: WorkHandler = {
  kind: OUTLINE_KIND,
  get version() {
    return parserVersion();
  },
  async run(head, { body }, signal) {
    const pieces: Uint8Array[] = [];
    // Bytes of a piece may be reused.
    for await (const piece of body) pieces.push(Uint8Array.from(piece));
    const text = Buffer.concat(pieces).toString();
    const wanted = head as ParseHead;
    const language = languages.find(({ name }) => name === wanted.language);
    if (!language) return HERE;
    const grammar = await grammarFiles(language);
    if (parseHead(language.name, grammar).grammar !== wanted.grammar) return HERE;
    const found = await parseText({ text, language: language.name, grammar }, signal, {
      soft: SOFT_MS,
      hard: HARD_MS,
    });
    if (found === 'time') return { why: 'slow', isLasting: true };
    if (found === 'crash') return { why: 'crashed', isLasting: false };
    return write(found);
  },
};
