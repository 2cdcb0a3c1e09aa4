/** A budget for the answers of several calls: each gets an equal share of what is left. */

import type { Values } from './command.ts';
import { assemble } from '../../assemble.ts';
import { LEAST } from '../../limits.ts';
import type { Answer } from '../../types/answer.ts';
import { orielOptions } from './oriel-options.ts';

export class SharedBudget {
  readonly #values: Values;
  #calls: number;
  #lines: number;
  #bytes: number;

  /** The limits from `values`, shared by this many calls. */
  constructor(values: Values, calls: number) {
    const { limits } = assemble(orielOptions(values));
    this.#values = values;
    this.#calls = calls;
    this.#lines = limits.lines;
    this.#bytes = limits.bytes;
  }

  /** The values for the next call, with its limits. */
  next(): Values {
    const part = (left: number, least: number): number => Math.max(least, Math.floor(left / this.#calls));
    const limits = [`lines=${part(this.#lines, LEAST.lines)}`, `bytes=${part(this.#bytes, LEAST.bytes)}`];
    const given = this.#values['limits'];
    return {
      ...this.#values,
      limits: [...(given === undefined ? [] : [given as string]), ...limits].join(','),
    };
  }

  spend({ content }: Answer): void {
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    this.#calls -= 1;
    this.#bytes = Math.max(0, this.#bytes - Buffer.byteLength(text));
    this.#lines = Math.max(0, this.#lines - text.split('\n').length + 1);
  }
}
