/** Timeouts for operations of the store. */

/** Maximum milliseconds that a session waits for the store when it closes. */
const CLOSE_MS = 2_000;

/** Resolves when `work` is done or has failed, or after two seconds. */
export async function beforeClose(work: Promise<unknown>): Promise<void> {
  await inTime(work, CLOSE_MS).catch(() => undefined);
}

/** The result of `work`; rejects with `no answer within MS ms` at the timeout. */
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
