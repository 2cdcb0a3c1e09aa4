/** A shared store in memory, behind the encryption, the limits and the circuit breaker of the real ones. */

import { onTestFinished } from 'vitest';
import { ValueSeal, SharedStore } from '../../packages/scale/src/state/shared-state.ts';
import type { SharedState, StateBackend } from '../../src/types/state.ts';
import './scale.ts';

const KEY = 'the key of one operator, and no other';

export class MemoryStore {
  /** What the store holds, as whoever can write to it sees it: encrypted values, and numbers. */
  readonly values = new Map<string, string | number>();
  /** Milliseconds that each value was to be kept. */
  readonly ttls = new Map<string, number>();
  #isDown = false;
  #refusal: string | undefined;

  /** The store as one replica sees it; closed after the test. */
  replica(secret = KEY): SharedState {
    const state = new SharedStore({
      seal: new ValueSeal(Buffer.from(secret)),
      timeoutMs: 30_000,
      open: () => Promise.resolve(this.#backend()),
    });
    onTestFinished(() => state.close());
    return state;
  }

  /** The keys of values of this kind. */
  keys(kind: string): string[] {
    return [...this.values.keys()].filter((key) => key.startsWith(`oriel:${kind}:`));
  }

  /** From now on nothing is answered. */
  kill(): void {
    this.#isDown = true;
  }

  /** Answers again, and has lost everything. */
  restart(): void {
    this.values.clear();
    this.#isDown = false;
  }

  /** Answers every request with an error of this code; with undefined it serves again. */
  refuse(code: string | undefined): void {
    this.#refusal = code;
  }

  #backend(): StateBackend {
    const answer = async <T>(act: () => T): Promise<T> => {
      await Promise.resolve();
      if (this.#isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      if (this.#refusal !== undefined) throw Object.assign(new Refused(), { code: this.#refusal });
      return act();
    };
    const keep = (key: string, value: string | number, ttl: number): void => {
      this.values.set(key, value);
      this.ttls.set(key, ttl);
    };
    return {
      ping: () => answer(() => undefined),
      get: (key) => answer(() => this.values.get(key) as string | undefined),
      set: (key, value, ttl) => answer(() => keep(key, value, ttl)),
      remove: (key) => answer(() => void this.values.delete(key)),
      add: (key, by, start, ttl) =>
        answer(() => {
          const sum = ((this.values.get(key) as number | undefined) ?? start) + by;
          keep(key, sum, ttl);
          return sum;
        }),
      reset: () => Promise.resolve(),
      isRefusal: (error) => error instanceof Refused,
      close: () => Promise.resolve(),
    };
  }
}

/** An answer of the store to one request. */
class Refused extends Error {}

/** How many requests a replica has made. */
export function requestsOf(state: SharedState): number {
  const counts = [...state.stats().operations.values()].flatMap((one) => Object.values(one));
  return counts.reduce((sum, count) => sum + count, 0);
}
