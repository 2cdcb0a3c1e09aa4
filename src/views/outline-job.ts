/** The job of a remote worker that parses large texts for replicas. */

import type { WorkHandler } from '../types/work.ts';
import { languages } from './languages.ts';
import { grammarFiles, parseText } from './parsed.ts';
import { OUTLINE_KIND, parseHead, type ParseHead, parserVersion, write } from './parsed-elsewhere.ts';

/** Timeouts in milliseconds: after the first the parser gives up, after the second its thread is terminated. */
const SOFT_MS = 10_000;
const HARD_MS = 13_000;

/** The failure if this worker has another grammar: its result would not be the one that the replica expects. */
const HERE = { why: 'here', isLasting: true } as const;

export const outlineJob: WorkHandler = {
  kind: OUTLINE_KIND,
  get version() {
    return parserVersion();
  },
  async run(head, { body }, signal) {
    const pieces: Uint8Array[] = [];
    // The memory of a piece may be reused, so it is copied.
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
