/** One abort listener for all calls that share a signal: Node warns when a signal has more than ten listeners. */

type Act = () => void;

interface Shared {
  readonly acts: Set<Act>;
  readonly listener: () => void;
}

const shared = new WeakMap<AbortSignal, Shared>();

/** Runs `act` once when `signal` aborts. The returned function removes it. `act` must not throw. */
export function onAbort(signal: AbortSignal, act: Act): () => void {
  const { acts, listener } = shared.get(signal) ?? listen(signal);
  // Two calls may register the same function.
  const own: Act = () => act();
  acts.add(own);
  return () => {
    if (!acts.delete(own) || acts.size > 0) return;
    signal.removeEventListener('abort', listener);
    shared.delete(signal);
  };
}

function listen(signal: AbortSignal): Shared {
  const acts = new Set<Act>();
  const listener = (): void => {
    shared.delete(signal);
    for (const act of acts) {
      acts.delete(act);
      act();
    }
  };
  const made = { acts, listener };
  shared.set(signal, made);
  signal.addEventListener('abort', listener, { once: true });
  return made;
}
