/** The name and version of a text that was read. They are computed once, however often the text is read. */

import type { Identity } from '../identity.ts';
import { digest } from './text-digest.ts';
import { MOST_PATH, sourceName } from './safe-names.ts';

export class TextVersion {
  /** As in `ReadFacts`. */
  readonly source: string;
  readonly #identity: Identity | undefined;
  #version: string | undefined;

  constructor(target: string, identity: Identity | undefined) {
    this.source = sourceName(target);
    this.#identity = identity;
  }

  /** As in `ReadFacts`. Computed on first access, because the digest takes longer than the rest of a note. */
  get version(): string | undefined {
    return (this.#version ??= this.#identity && digest(this.#identity.key));
  }

  is(identity: Identity | undefined): boolean {
    if (!this.#identity || !identity) return this.#identity === identity;
    return this.#identity.equals(identity);
  }
}

/** A cache of the last ones, by path. */
const last = new Map<string, TextVersion>();

const MOST_LAST = 256;

/** Returns the same object for the same text, so that queued calls share it. */
export function textVersion(target: string, identity: Identity | undefined): TextVersion {
  const known = last.get(target);
  if (known?.is(identity)) return known;
  const text = new TextVersion(target, identity);
  if (target.length > MOST_PATH) return text;
  if (last.size >= MOST_LAST) last.clear();
  last.set(target, text);
  return text;
}
