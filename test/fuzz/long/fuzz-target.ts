/** What a long run tries: code that takes any bytes, and the laws that its answers keep. */

import { OrielError } from '../../../src/errors.ts';
import type { Material } from './mutator.ts';
import type { Random } from './random.ts';

export interface FuzzTarget extends Material {
  readonly name: string;
  readonly group: 'selector' | 'text' | 'container';
  /** Takes a millisecond or more. */
  readonly isSlow?: boolean;
  /** Inputs that are tried at a time, where they wait for threads and processes; one unless given. */
  readonly together?: number;
  /** Inputs of a brief run, if another number than usual. */
  readonly brief?: number;
  /** Throws where an answer breaks a law. `input` is valid until the end; `random` supplies whatever is asked beside it. */
  run(input: Buffer, random: Random): void | Promise<void>;
}

/** A law that every answer keeps. */
export function must(holds: boolean, law: string): asserts holds {
  if (!holds) throw new Error(`not so: ${law}`);
}

/** Longest message of a refusal: two quoted texts of 200 characters, each at most `\u{10ffff}`. */
const MOST_MESSAGE = 5_000;

const CONTROL = /[\0-\x1f\x7f-\x9f]/;

/** What `parse` gives; undefined where it refuses with one of `codes`, in one bounded line. */
export function unlessRefused<T>(codes: RegExp, parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof OrielError) || !codes.test(error.code)) throw error;
    must(!CONTROL.test(error.message), 'a refusal is one line without controls');
    must(error.message.length <= MOST_MESSAGE, 'a refusal is bounded');
    return undefined;
  }
}
