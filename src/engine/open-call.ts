/** Creates the `Call` that every layer of the engine receives, and closes at its end everything that it opened. */

import { type Caller, waitAs } from '../queues/caller.ts';
import { sourceFor } from '../sources/source-table.ts';
import type { Access } from '../types/access.ts';
import type { Bounds, Call } from '../types/call.ts';
import type { Limits } from '../types/limits.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { Progress } from '../types/progress.ts';
import type { Request } from '../types/request.ts';
import type { SourceKind } from '../types/resource.ts';
import type { Session } from '../types/session.ts';
import type { Settings } from '../types/settings.ts';
import type { TraceOrigin } from '../types/trace.ts';
import { Cancellation } from './cancellation.ts';
import { Cleanups } from './cleanups.ts';
import { adviceAfterTimeout } from './timeout-advice.ts';
import { hostError, type OnError, report } from './unexpected.ts';

/** The state that all calls of one instance share. */
export interface Engine {
  readonly access: Access;
  readonly session: Session;
  readonly settings: Settings;
  /** The default timeout of a call, in milliseconds; Infinity for no timeout. */
  readonly timeoutMs: number;
  readonly onError?: OnError;
  now(): number;
}

/** The request of one call with its limits. */
export interface Order<R extends Request = Request> {
  readonly request: R;
  readonly limits: Limits;
  readonly policy: TextPolicy;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Receives the output of a command while it runs; the buffer is reused after the function returns. A returned promise is
   * backpressure: reading pauses until it resolves.
   */
  readonly onOutput?: (chunk: Uint8Array) => Promise<void> | undefined;
  /**
   * Identifies the caller (any object, compared by identity), because queues serve callers in turn. The instance when
   * absent.
   */
  readonly caller?: Caller;
  /** The name of the task of the call; the task of the session when absent. */
  readonly task?: string | undefined;
  /** The name of the client program, as it reports it. */
  readonly host?: string | undefined;
  /** The parent of the call in a trace; the active span when absent. */
  readonly trace?: TraceOrigin | undefined;
  /** See `Call`. */
  readonly isPart?: true;
}

export interface OpenCall {
  readonly call: Call;
  /**
   * Settles with the work, or rejects with the abort reason, without waiting for work that ignores the abort.
   */
  settle<T>(start: () => Promise<T>): Promise<T>;
  /** Closes everything that the call opened. */
  close(): Promise<void>;
}

/**
 * A command has its own timeout and answers a cancellation itself, with the output so far. The timeout and cancellation of
 * the call follow this many milliseconds later, in case that fails.
 */
const RUN_GRACE_MS = 10_000;

/** Starts the timeout of the call. Waiting for its slot does not count; `waitedMs` is only recorded. */
export function openCall(
  engine: Engine,
  { request, limits }: Pick<Order, 'request' | 'limits'>,
  { signal, onProgress, onOutput, caller = engine, isPart }: CallOptions,
  tool?: string,
  waitedMs = 0,
): OpenCall {
  const timeoutMs = timeoutOf(request, engine);
  const deadline = performance.now() + timeoutMs;
  const graceMs = request.do === 'run' ? RUN_GRACE_MS : 0;
  const cancellation = new Cancellation({
    signal,
    timeoutMs,
    graceMs,
    advice: adviceAfterTimeout(request),
  });
  const cleanups = new Cleanups(engine.onError, tool);
  const tell = (option: string, error: unknown): void =>
    report(engine.onError, hostError(option, error), tool);
  waitAs(caller, cancellation.signal);

  const callWith = (own: Cleanups, bounds: Bounds): Call => {
    const made: Call = {
      ...shared,
      ...bounds,
      open: (subject) => sourceFor(subject, kindsOf(request)).open(subject, made),
      onEnd: (cleanup) => void own.add(cleanup),
      part(narrower = bounds) {
        const ofPart = new Cleanups(engine.onError, tool);
        const forget = own.add(() => ofPart.runAll());
        return {
          call: callWith(ofPart, narrower),
          async end() {
            await ofPart.runAll();
            forget();
          },
        };
      },
    };
    return made;
  };
  const shared: Omit<Call, keyof Bounds | 'open' | 'onEnd' | 'part'> = {
    limits,
    ...(isPart && { isPart }),
    settings: engine.settings,
    access: engine.access,
    session: engine.session,
    waitedMs,
    now: engine.now,
    progress(progress) {
      try {
        onProgress?.(progress);
      } catch (error) {
        // The call continues although its listener has failed.
        tell('onProgress', error);
      }
    },
    ...(onOutput && { watchOutput: untilItFails(onOutput, (error) => tell('onOutput', error)) }),
  };
  return {
    call: callWith(cleanups, { signal: cancellation.signal, deadline }),
    settle: (start) => cancellation.race(start),
    async close() {
      cancellation.close();
      if (cancellation.unfinished) cleanups.runAfter(cancellation.unfinished);
      else await cleanups.runAll();
    },
  };
}

function timeoutOf(request: Request, { settings, timeoutMs }: Engine): number {
  if (request.do !== 'run') return timeoutMs;
  const seconds = request.timeout ?? settings.run.timeout;
  // `run` rejects a timeout that is not positive.
  return (seconds > 0 ? seconds : 0) * 1000 + RUN_GRACE_MS;
}

/** Wraps the host's listener for output. After its first failure it is no longer called, and the command continues. */
function untilItFails(
  onOutput: NonNullable<CallOptions['onOutput']>,
  tell: (error: unknown) => void,
): NonNullable<Call['watchOutput']> {
  let failed = false;
  const fail = (error: unknown): void => {
    if (!failed) tell(error);
    failed = true;
  };
  return (chunk) => {
    if (failed) return undefined;
    try {
      return onOutput(chunk)?.catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    }
  };
}

const FILES: readonly SourceKind[] = ['file'];

/** The kinds of sources that a request may read; undefined for all. */
function kindsOf(request: Request): readonly SourceKind[] | undefined {
  if (request.do === 'lines') return FILES;
  return request.do === 'read' ? request.kinds : undefined;
}
