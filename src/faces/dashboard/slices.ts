/** Work on many things in slices, between which the browser draws and answers. */

/** Milliseconds of a slice: with what else a frame takes, well below 100 on a slow machine. */
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

/** After what waits: input, drawing. */
const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));
