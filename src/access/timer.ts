/** Timers of any length: setTimeout is limited to 2^31 - 1 milliseconds, and fires a longer timer immediately. */

const LONGEST_MS = 2 ** 31 - 1;

/** Calls `act` after `ms` milliseconds, never for `Infinity`. Returns a function that clears the timer. */
export function startTimer(ms: number, act: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => undefined;
  let left = ms;
  const wait = (): NodeJS.Timeout => {
    const part = Math.min(left, LONGEST_MS);
    left -= part;
    return setTimeout(() => (left > 0 ? void (timer = wait()) : act()), part);
  };
  let timer = wait();
  return () => clearTimeout(timer);
}
