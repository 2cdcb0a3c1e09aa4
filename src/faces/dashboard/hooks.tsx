/** Hooks that several views use: the route, loaded data, live events. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { live, type LiveEvents, UnauthorizedError } from './dashboard-api.ts';

/** `#/task?id=x` → `['task', { id: 'x' }]` */
export function useRoute(): readonly [string, URLSearchParams] {
  const read = (): string => location.hash.slice(1);
  const [hash, setHash] = useState(read);
  useEffect(() => {
    const changed = (): void => setHash(read());
    addEventListener('hashchange', changed);
    // The hash may have changed before the listener was added.
    changed();
    return () => removeEventListener('hashchange', changed);
  }, []);
  const [path = '', query = ''] = hash.split('?', 2);
  return [path.replace(/^\//, ''), new URLSearchParams(query)];
}

export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return `#/${path}?${parameters.toString()}`;
}

interface LoadedValue<T> {
  readonly value?: T;
  readonly error?: string;
  reload(): void;
}

/**
 * The result of `load`, which is called again when `key` changes or on request. After an error the last value stays.
 * `unauthorized` is called if a token is required.
 */
export function useLoaded<T>(load: () => Promise<T>, key: string, unauthorized: () => void): LoadedValue<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: string }>({ key });
  const latest = useRef(load);
  latest.current = load;
  const run = useCallback(() => {
    latest.current().then(
      (value) => setState({ key, value }),
      (error: unknown) => {
        if (error instanceof UnauthorizedError) unauthorized();
        else
          setState((last) => ({
            ...(last.key === key && last),
            key,
            error: String((error as Error).message),
          }));
      },
    );
  }, [key, unauthorized]);
  useEffect(run, [run]);
  return { ...(state.key === key ? state : {}), reload: run };
}

type LiveConnection = 'connecting' | 'live' | 'lost';

const INITIAL_RECONNECT_MS = 500;
const MAX_RECONNECT_MS = 15_000;

/** Passes on live events. Events before the stream is open count as missed, also when it is opened again. */
export function useLive(tell: (events: LiveEvents) => void): LiveConnection {
  const [connection, setConnection] = useState<LiveConnection>('connecting');
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = INITIAL_RECONNECT_MS;
    const open = async (): Promise<void> => {
      try {
        const opened = (): void => {
          wait = INITIAL_RECONNECT_MS;
          setConnection('live');
          latest.current({ missed: 1, events: [] });
        };
        await live((events) => latest.current(events), opened, stop.signal);
      } catch {
        // It is opened again below.
      }
      if (stop.signal.aborted) return;
      setConnection('lost');
      timer = setTimeout(() => void open(), wait);
      wait = Math.min(2 * wait, MAX_RECONNECT_MS);
    };
    void open();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  return connection;
}

/** Runs `work` at most once in `ms` milliseconds, and once after the last call. */
export function useThrottled(work: () => void, ms: number): () => void {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, ms);
  }, [ms]);
}
