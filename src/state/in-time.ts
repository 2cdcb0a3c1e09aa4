/** Limits the waiting time for an operation of the store. */

/** Milliseconds that a session waits for the store at its end. */
const CLOSE_MS = 2_000;

/** Resolves when `work` is done or has failed; what is not done within two seconds is not waited for by a session that ends. */
export async function beforeTheEnd(work: Promise<unknown>): Promise<void> {
  await inTime(work, CLOSE_MS).catch(() => undefined);
}

/** What `work` gives; rejects with `no answer within MS ms` where it takes longer. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
