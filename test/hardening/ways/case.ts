/** The shape of a hostile case: what is made, what is called, what must hold. Data, so that every way in runs it alike. */

import type { Place } from './place.ts';
import type { Door, Reply, Settings, WayName } from './way.ts';

/** One call, and what its answer must be. Beside that every answer is held to `laws.ts`. */
export interface Step {
  readonly tool: string;
  readonly input: object;
  /** The code, or those that are right; `OK` when absent. */
  readonly code?: string | readonly string[];
  /** The whole text. */
  readonly is?: string;
  /** What the text holds. */
  readonly has?: string | RegExp | readonly (string | RegExp)[];
  /** What nothing of the answer holds. */
  readonly lacks?: string | RegExp | readonly (string | RegExp)[];
  /** How many images it has. */
  readonly images?: number;
  /** The call is cancelled when this resolves. Then `CANCELLED` and no answer at all are right. */
  readonly cancelWhen?: (place: Place) => Promise<void>;
}

export interface Case {
  /** A letter for the class, and a number. */
  readonly id: string;
  /** What is tried. */
  readonly title: string;
  /** Makes its files. */
  make?(place: Place): Promise<unknown> | unknown;
  readonly steps?: readonly Step[] | ((place: Place) => readonly Step[]);
  /** What no list of steps can say. */
  run?(door: Door, place: Place): Promise<void>;
  /** Runs beside the steps, and returns what ends it. */
  beside?(place: Place): () => Promise<void> | void;
  /** How often the steps are repeated; a tenth of it where each call is a process. */
  readonly times?: number;
  /** A process of its own for each way, with these settings. */
  own?(place: Place): Partial<Settings>;
  /** Those on which it is run; every one when absent. docs/assurance.md lists each case that leaves one out, with the reason. */
  readonly ways?: readonly WayName[];
  /** Takes seconds: only `npm run hardening` runs it on all of its ways. */
  readonly heavy?: true;
  /** All calls of all ways at once: they wait, and do not work. */
  readonly together?: true;
  /** Two ways may answer differently: random input, races, times. */
  readonly varies?: true;
  /** The case itself changes files. */
  readonly changes?: true;
  /** The answer is larger than the law allows, as this case wants. */
  readonly mostBytes?: number;
  /** Megabytes that a call may add; 300 when absent. */
  readonly mostMb?: number;
  /** Seconds of processor time; 5 when absent. */
  readonly mostSeconds?: number;
  /** Whether it can be tried here. */
  readonly if?: boolean;
}

type Expected = Omit<Step, 'tool' | 'input'>;

export const read = (path: unknown, expected: Expected = {}): Step => ({
  tool: 'read',
  input: { path },
  ...expected,
});

export const grep = (input: object, expected: Expected = {}): Step => ({ tool: 'grep', input, ...expected });

export const find = (pattern: string, expected: Expected = {}): Step => ({
  tool: 'find',
  input: { pattern },
  ...expected,
});

export const ls = (path: string, expected: Expected = {}): Step => ({
  tool: 'ls',
  input: { path },
  ...expected,
});

export const bash = (input: object, expected: Expected = {}): Step => ({ tool: 'bash', input, ...expected });

/** The codes of an honest answer: what was asked for, or why not. */
export const ANY = ['OK', 'CORRUPT', 'LIMIT', 'UNSUPPORTED', 'ENCRYPTED', 'TIMEOUT', 'NOT_FOUND'];

/** Of the step with this index. */
export type Verdict = Pick<Reply, 'code' | 'text'> & { readonly at: number };
