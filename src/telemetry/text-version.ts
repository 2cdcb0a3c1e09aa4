/** Texts as they were when they were read: the name and the version of each are written once, however often it is read. */

import type { Identity } from '../identity.ts';
import { digest } from './text-digest.ts';
import { MOST_PATH, sourceName } from './safe-names.ts';

export class TextVersion {
  /** As `ReadFacts` has it. */
  readonly source: string;
  readonly #identity: Identity | undefined;
  #version: string | undefined;

  constructor(target: string, identity: Identity | undefined) {
    this.source = sourceName(target);
    this.#identity = identity;
  }

  /** As `ReadFacts` has it; written when it is first asked for, for that takes longer than a whole note. */
  get version(): string | undefined {
    return (this.#version ??= this.#identity && digest(this.#identity.key));
  }

  is(identity: Identity | undefined): boolean {
    if (!this.#identity || !identity) return this.#identity === identity;
    return this.#identity.equals(identity);
  }
}

/** The last ones, by path. */
const last = new Map<string, TextVersion>();

const MOST_LAST = 256;

/** The same object for the same text: many calls that wait to be counted hold one of it. */
export function textVersion(target: string, identity: Identity | undefined): TextVersion {
  const known = last.get(target);
  if (known?.is(identity)) return known;
  const text = new TextVersion(target, identity);
  if (target.length > MOST_PATH) return text;
  if (last.size >= MOST_LAST) last.clear();
  last.set(target, text);
  return text;
}
