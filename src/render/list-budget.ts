/** Owns what fits into one answer of whole lines: bytes and tokens, the line breaks between them included. */

import { estimateTokens } from '../text/tokens.ts';
import type { Limits } from '../types/limits.ts';

export class ListBudget {
  /** Which limit refused a line. */
  full: 'bytes' | 'tokens' | undefined;
  readonly #lines: string[] = [];
  #bytes = 0;
  #tokens = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Takes all of the lines or none of them, and after that none any more. */
  take(...lines: string[]): boolean {
    const text = lines.join('\n');
    const bytes = this.#bytes + Buffer.byteLength(text) + (this.#lines.length === 0 ? 0 : 1);
    const tokens = this.#tokens + estimateTokens(text);
    this.full ??= this.#exceeded(bytes, tokens);
    if (this.full) return false;
    this.#lines.push(...lines);
    this.#bytes = bytes;
    this.#tokens = tokens;
    return true;
  }

  /** As much of a line as an empty answer takes, in whole characters. */
  head(line: string): string {
    let text = '';
    let bytes = 0;
    for (const character of line) {
      bytes += Buffer.byteLength(character);
      if (this.#exceeded(bytes, Math.ceil(bytes / 4))) break;
      text += character;
    }
    return text;
  }

  #exceeded(bytes: number, tokens: number): 'bytes' | 'tokens' | undefined {
    if (bytes > this.#limits.bytes) return 'bytes';
    return tokens > this.#limits.tokens ? 'tokens' : undefined;
  }
}
