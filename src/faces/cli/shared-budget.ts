/** One budget for the answers of several calls: each gets an equal part of what the ones before it have left. */

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

  /** The limits that `values` mean, for this many calls. */
  constructor(values: Values, calls: number) {
    const { limits } = assemble(orielOptions(values));
    this.#values = values;
    this.#calls = calls;
    this.#lines = limits.lines;
    this.#bytes = limits.bytes;
  }

  /** The values of the next call, its limits among them. */
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
