/** Processes many items in slices, between which the browser can render. */

/** Milliseconds of a slice: a frame then takes well below 100 ms on a slow machine. */
const SLICE_MS = 12;

/** Ends early when `signal` is aborted. */
export async function inSlices<T>(
  items: readonly T[],
  work: (item: T) => void,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): Promise<void> {
  let end = now() + SLICE_MS;
  for (const item of items) {
    if (signal.aborted) return;
    work(item);
    if (now() < end) continue;
    await pause();
    end = now() + SLICE_MS;
  }
}

/** Lets the browser handle input and rendering. */
const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));
