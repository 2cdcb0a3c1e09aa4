/** The timeout clock of work, found by its signal. It is paused while the work waits in a queue. */

export class Clock {
  readonly #act: () => void;
  #left: number;
  #began = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;
  #isOver = false;

  /** Calls `act` after `ms` milliseconds in which the clock was not paused. */
  constructor(ms: number, act: () => void) {
    this.#left = ms;
    this.#act = act;
    this.#run();
  }

  #run(): void {
    this.#began = performance.now();
    this.#timer = setTimeout(this.#act, this.#left);
  }

  /** Pauses the clock; it continues when the returned functions of all pauses were called. */
  pause(): () => void {
    if (this.#pauses === 0) {
      clearTimeout(this.#timer);
      this.#left -= performance.now() - this.#began;
    }
    this.#pauses += 1;
    let isPaused = true;
    return () => {
      if (!isPaused) return;
      isPaused = false;
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#isOver) this.#run();
    };
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

const clocks = new WeakMap<AbortSignal, readonly Clock[]>();

/** The clocks that can abort `signal`, directly or through a signal that it was combined from. */
export function clocksOf(signal: AbortSignal): readonly Clock[] {
  return clocks.get(signal) ?? [];
}

export function runOn(signal: AbortSignal, own: readonly Clock[]): void {
  if (own.length > 0) clocks.set(signal, own);
}

/** Pauses all clocks of `signal` until the returned function is called. */
export function pauseClocks(signal: AbortSignal | undefined): () => void {
  const resumes = signal ? clocksOf(signal).map((clock) => clock.pause()) : [];
  return () => {
    for (const resume of resumes) resume();
  };
}
